# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Connectors are made of."""

from __future__ import annotations

from typing import Literal

from infra.client.connection import Model
from infra.client.models.connectors_parts import MissingPermission, StreamState


class ConnectorState(Model):
    """A connected service. ``credentials`` are names of secrets by role, ``webhook`` is the path
    for its deliveries when it has a secret for them.
    """

    connector_id: str
    service: str
    target: str
    base_url: str
    credentials: dict[str, str]
    options: dict[str, str]
    interval_s: int
    budget_percent: int
    webhook: str | None
    streams: list[StreamState]


class ConnectorAddition(Model):
    """A connector on the log; ``missing`` names the permission that a stream lacks."""

    connector: ConnectorState
    missing: dict[str, str]


class ConnectorCheck(Model):
    """What a service said. ``problem``: why it could not be asked at all."""

    target: str
    missing: list[MissingPermission] = []
    problem: str = ""


class ConnectorRequest(Model):
    """``credentials`` are names of secrets by role; no streams: all that the service has.

    ``check``: ask the service first, and refuse what it does not let us read.
    """

    service: Literal["github", "jira", "slack", "bitbucket"]
    target: str
    credentials: dict[str, str]
    base_url: str | None = None
    streams: list[str] = []
    options: dict[str, str] = {}
    interval_s: int = 300
    budget_percent: int = 50
    check: bool = True


class SyncRequest(Model):
    """No streams: all. ``reconcile``: compare everything that is there, and remove what is gone.

    ``accept_removals``: also where more is gone than the safety threshold allows.
    ``tells_failures``: a stream that cannot be read is told in the result of the job.
    """

    streams: list[str] = []
    reconcile: bool = False
    accept_removals: bool = False
    tells_failures: bool = False
