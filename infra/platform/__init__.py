"""What everything stands on: settings, errors, log, clock, broker, database, vault."""
