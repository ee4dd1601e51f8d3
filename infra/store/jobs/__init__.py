"""Jobs in PostgreSQL: a queue with leases, and an outbox from which its transitions are published.

Written here because no queue for Python has fencing epochs: with them a worker that was suspended
past its lease cannot write a result over that of its successor.
"""
