# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Administration are made of."""

from __future__ import annotations

from datetime import datetime

from infra.client.connection import Model


class ProjectionPosition(Model):
    """How far a projection has folded a partition; ``lag`` counts records."""

    projection: str
    topic: str
    partition: int
    next_offset: int
    end_offset: int | None
    lag: int | None


class RebuildRequest(Model):
    """``table``: only this one. ``accept_smaller``: also where a damaged log holds less."""

    table: str | None = None
    accept_smaller: bool = False


class ReplayRequest(Model):
    """The ledger of a project up to a moment: a sequence number, a time, or its end."""

    project: str
    as_of_seq: int | None = None
    as_of: datetime | None = None
