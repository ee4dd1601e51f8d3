"""Tests that need a service of their own: they lose its data, or set it up in another way."""
