"""Parcel tracks shipments through depots."""
