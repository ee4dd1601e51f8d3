"""Servers that behave like the services, over real HTTP on the loopback."""
