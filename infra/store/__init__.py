"""The service's own tables: all SQL that is neither a projection nor a migration."""
