"""Read the services that a team uses: connectors and their webhooks."""
