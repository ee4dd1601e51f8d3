"""The outside becomes facts: connectors list and read, the feeder publishes."""

from connectors.connector import Connector, Item, Listing, Notice
from connectors.recognise import open_source

__all__ = ["Connector", "Item", "Listing", "Notice", "open_source"]
