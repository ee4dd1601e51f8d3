"""A project as a folder of pages and JSON that opens without a server.

The look, the macros and the marking of quotes are the console's. Pages are filled by size, so every
link names what it leads to and gets the page when all are filled (`paging.py`). Nothing here asks
for the time: the same project makes the same bytes.
"""
