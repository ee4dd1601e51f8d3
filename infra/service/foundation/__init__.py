"""What the use cases share: the log they write to, the tables they ask."""
