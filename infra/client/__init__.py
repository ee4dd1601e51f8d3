"""A typed client of the HTTP API: `with Client(url, token) as cairn: cairn.list_projects()`.

It imports nothing of the service, so that a program that only asks starts fast. `models/`, `calls/`
and `client.py` are written from the document of the API (`python -m infra.http.client_code`); a
test compares them with it.
"""
