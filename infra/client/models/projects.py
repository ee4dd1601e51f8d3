# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Projects are made of."""

from __future__ import annotations

from datetime import datetime

from infra.client.connection import Model


class Project(Model):
    """``sources`` counts those that are there, ``atoms`` the live ones."""

    project_id: str
    name: str
    description: str
    created_at: datetime
    sources: int
    atoms: int


class ProjectRequest(Model):
    name: str
