"""A typed client of the HTTP API: `with Client(url, token) as cairn: cairn.list_projects()`.

It imports nothing of the service, so that a program that only asks starts fast. `models/`, `calls/`
and `client.py` are not kept: `make venv` writes them from the document of the API.
"""
