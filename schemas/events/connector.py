"""Which services are connected to a project, and how far they have been read.

A definition names the place of a credential, never the credential. Definitions are on
``project.v1`` because they are few and kept for ever.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from schemas.envelope import Event, Part

ConnectorService = Literal["github", "jira", "slack", "bitbucket"]
SyncKind = Literal["sync", "census"]


class Credential(Part):
    """Where a secret is found: ``env:NAME`` or ``file:PATH``. ``role`` says what it is for."""

    role: str
    location: str


class _Definition(Event):
    """A person's request about a connector; repeats with one ``request_key`` are one fact."""

    connector_id: str
    request_key: str

    @property
    def aggregate_id(self) -> str:
        return self.connector_id

    @property
    def local_key(self) -> str:
        return f"{self.connector_id}|{self.request_key}"


class ConnectorAdded(_Definition):
    """A service is connected to the project; added again, the later definition holds.

    ``target`` is what is read there (``owner/repo``, a Jira project key, a Slack workspace);
    ``base_url`` the service's address. ``streams`` are read, none named means all there are.
    ``budget_percent`` is the share of the account's rate limit a sync may use. ``options`` are the
    service's own (``api_version``, ``site``). ``by_global_owner``: whoever added it may use every
    secret and name every address (the operator, or an owner of all projects).
    """

    type_name: ClassVar[str] = "connector.added"
    topic: ClassVar[str] = "project.v1"

    service: ConnectorService
    target: str
    base_url: str
    streams: list[str] = []
    credentials: list[Credential] = []
    interval_s: int = 300
    census_interval_s: int = 86_400
    budget_percent: int = 50
    options: dict[str, str] = {}
    by_global_owner: bool = False


class ConnectorRemoved(_Definition):
    """The service is no longer read; its sources stay."""

    type_name: ClassVar[str] = "connector.removed"
    topic: ClassVar[str] = "project.v1"


class Counts(Part):
    """What became of the items of a stream: ``seen`` is the sum of the others but ``removed``."""

    seen: int = 0
    published: int = 0
    unchanged: int = 0
    refused: int = 0
    removed: int = 0


class CursorMoved(Event):
    """A stream has been read up to ``cursor`` and all is on the log. Key ``connector_id|stream``.

    ``cursor`` is the stream's own; ``position`` counts the moves. ``counts`` are of the stream's
    whole life, ``problem`` is why the last try failed. ``newest_at`` is the time of change of the
    newest item read, ``caught_up_at`` when the stream was last at its end. ``requests_left`` is the
    account's remaining rate limit as the service last told it. ``notices`` are the newest records
    that could not be read, or only in part, each as key and reason.
    """

    type_name: ClassVar[str] = "connector.cursor_moved"
    topic: ClassVar[str] = "connector.cursor.v1"

    connector_id: str
    stream: str
    position: int
    cursor: str
    counts: Counts = Counts()
    newest_at: datetime | None = None
    caught_up_at: datetime | None = None
    census_at: datetime | None = None
    next_poll_at: datetime | None = None
    requests_left: int | None = None
    problem: str | None = None
    notices: list[str] = []

    @property
    def aggregate_id(self) -> str:
        return f"{self.connector_id}|{self.stream}"

    @property
    def local_key(self) -> str:
        return f"{self.connector_id}|{self.stream}|{self.position}"


class _Sync(Event):
    """Reading one stream, or reconciling it in full. Key ``connector_id|stream``."""

    topic: ClassVar[str] = "connector.item.v1"

    connector_id: str
    stream: str
    kind: SyncKind = "sync"
    position: int

    @property
    def aggregate_id(self) -> str:
        return f"{self.connector_id}|{self.stream}"

    @property
    def local_key(self) -> str:
        return f"{self.connector_id}|{self.stream}|{self.kind}|{self.position}"


class SyncStarted(_Sync):
    """A stream begins to be read at ``position``."""

    type_name: ClassVar[str] = "connector.sync_started"


class SyncFinished(_Sync):
    """A stream has been read to its end; ``counts`` are of this sync."""

    type_name: ClassVar[str] = "connector.sync_finished"

    counts: Counts = Counts()


class SyncFailed(_Sync):
    """A stream could not be read; earlier items stay. ``error`` names no secret.

    ``reason``: ``access_lost``, ``not_found``, ``budget``, ``unavailable``, ``refused``.
    """

    type_name: ClassVar[str] = "connector.sync_failed"

    reason: str
    error: str

    @property
    def local_key(self) -> str:
        return f"{super().local_key}|{self.reason}"
