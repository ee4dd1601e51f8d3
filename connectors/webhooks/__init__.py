"""Deliveries of services outside: proven, sealed and on the log before they are answered."""
