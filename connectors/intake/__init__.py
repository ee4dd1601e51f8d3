"""From what webhooks delivered to sources, testimony and deltas."""
