"""The outside becomes facts: connectors list and read, the feeder publishes.

It imports nothing: the child that reads a stranger's file is of this package (``unpacking``).
"""
