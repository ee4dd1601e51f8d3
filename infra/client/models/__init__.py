"""What the service is sent and what it answers, one file an area; written, see `infra/client`."""
