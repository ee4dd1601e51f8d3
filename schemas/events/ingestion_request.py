"""Requests to run control, and reports that sources are ready. Key ``project_id``."""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.envelope import Event, Part
from schemas.events.hygiene import SourceProcessed
from schemas.events.source import SourceType

Trigger = Literal[
    "manual",
    "onboarding",
    "webhook",
    "delta",
    "stale_evidence",
    "contradiction_deep_dive",
    "edit",
    "schedule",
    "reprocess",
]
RunLane = Literal["preview", "deep"]
CoverageTarget = Literal["tier1", "mandatory", "best_effort"]
Engine = Literal["heuristic", "model"]
LISTED_SOURCES_PER_PART = 1_000


class IngestionRequested(Event):
    """Somebody asks for an ingestion; ``trigger_key`` is its idempotency key.

    ``engine`` says who reads: ``heuristic`` or ``model``. ``limits`` overrides the
    fields of ``Limits``.
    """

    type_name: ClassVar[str] = "ingestion.requested"
    topic: ClassVar[str] = "ingestion.request.v1"

    trigger_key: str
    trigger: Trigger = "manual"
    root: str
    lanes: list[RunLane] = ["preview", "deep"]
    coverage_target: CoverageTarget = "best_effort"
    engine: Engine = "heuristic"
    limits: dict[str, float] = {}
    accept_removals: bool = False

    @property
    def aggregate_id(self) -> str:
        return self.trigger_key

    @property
    def local_key(self) -> str:
        return self.trigger_key


class ListedSource(Part):
    source_id: str
    path: str
    source_type: SourceType
    priority_tier: int


class ListingNotice(Part):
    """Something at the root that is no source: ``code`` says why, ``detail`` more where needed."""

    path: str
    code: str
    detail: str = ""


class SourcesListed(Event):
    """A part of a trigger's listing, in the order in which sources are read.

    ``complete`` says that the listing names all sources of the root; the last part has
    ``part_index == part_count - 1``. An empty listing is one part without sources. ``notices`` are
    what stands there and will not be read.
    """

    type_name: ClassVar[str] = "ingestion.sources_listed"
    topic: ClassVar[str] = "ingestion.request.v1"

    trigger_key: str
    root: str
    complete: bool
    part_index: int
    part_count: int
    sources: list[ListedSource] = []
    removed: list[str] = []
    notices: list[ListingNotice] = []

    @property
    def aggregate_id(self) -> str:
        return self.trigger_key

    @property
    def local_key(self) -> str:
        return f"{self.trigger_key}|{self.part_index}"


class SourcesUnchanged(Event):
    """The feeder found these listed sources to have the bytes of their last accepted revision."""

    type_name: ClassVar[str] = "ingestion.sources_unchanged"
    topic: ClassVar[str] = "ingestion.request.v1"

    trigger_key: str
    part_index: int
    source_ids: list[str]

    @property
    def aggregate_id(self) -> str:
        return self.trigger_key

    @property
    def local_key(self) -> str:
        return f"{self.trigger_key}|{self.part_index}"


class SourceReady(Event):
    """A source was processed: its ``source.processed``, repartitioned by project."""

    type_name: ClassVar[str] = "ingestion.source_ready"
    topic: ClassVar[str] = "ingestion.request.v1"

    processed: SourceProcessed

    @property
    def aggregate_id(self) -> str:
        return self.processed.source.source_id


class RemovalsAccepted(Event):
    """A person accepts the removals that a run has held back (``ingestion.run_stopped``).

    It is a trigger of its own, without content: its run removes the sources.
    """

    type_name: ClassVar[str] = "ingestion.removals_accepted"
    topic: ClassVar[str] = "ingestion.request.v1"

    run_id: str
    root: str
    source_ids: list[str]

    @property
    def aggregate_id(self) -> str:
        return self.run_id

    @property
    def local_key(self) -> str:
        return self.trigger_key

    @property
    def trigger_key(self) -> str:
        return f"removals|{self.run_id}"


class RunCancelRequested(Event):
    """Somebody asks a run to end after the batch under way; the rest stays unread.

    ``request_key`` is the idempotency key.
    """

    type_name: ClassVar[str] = "ingestion.cancel_requested"
    topic: ClassVar[str] = "ingestion.request.v1"

    run_id: str
    request_key: str
    reason: str = ""

    @property
    def aggregate_id(self) -> str:
        return self.run_id

    @property
    def local_key(self) -> str:
        return f"{self.run_id}|{self.request_key}|cancel"


class RunResumeRequested(Event):
    """Somebody asks to read what an ended run left unread: a new run over the same listing.

    With ``retry_poison`` chunks that no run could read are tried again. ``request_key`` is
    the idempotency key.
    """

    type_name: ClassVar[str] = "ingestion.resume_requested"
    topic: ClassVar[str] = "ingestion.request.v1"

    run_id: str
    request_key: str
    retry_poison: bool = False

    @property
    def aggregate_id(self) -> str:
        return self.run_id

    @property
    def local_key(self) -> str:
        return f"{self.run_id}|{self.request_key}|resume"
