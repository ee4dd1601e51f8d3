"""Bitbucket: items from its webhooks. It is not polled."""
