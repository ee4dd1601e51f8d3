"""What Cairn stands on: settings, log, clock, broker, database, vault and their local stand-ins."""
