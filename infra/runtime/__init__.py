"""What runs Cairn: the supervisor, and broker and database on this machine."""
