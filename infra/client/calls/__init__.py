"""A method for each operation, one file an area; written, see `infra/client`."""
