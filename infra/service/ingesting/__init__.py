"""Take sources in, from a request to the last document."""
