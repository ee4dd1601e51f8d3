"""What requests and answers of the area Ingestion are made of."""

from __future__ import annotations

from typing import Any, Literal

from infra.client.connection import Model
from infra.client.models.ingestion_parts import DocumentBody, FeedReport


class Documents(Model):
    """Texts of one root. ``complete``: what the root had before and is not here is removed.

    ``engine`` null: a model reads where one is configured.
    """

    kind: Literal["documents"]
    root: str
    documents: list[DocumentBody]
    complete: bool = False
    accept_removals: bool = False
    lane: Literal["preview", "deep", "both"] = "both"
    target: Literal["tier1", "mandatory", "best_effort"] = "best_effort"
    limits: dict[str, float] = {}
    engine: Literal["heuristic", "model"] | None = None


class TriggerProgress(Model):
    """``listed`` sources, of which ``ready`` are answered for (``skipped`` of them skipped).

    ``chunks_total`` counts what was found to read so far, ``chunks_done`` readings in the ledger
    and chunks that said what was read before. ``by_rules``: see `owed_chunks`. ``runs``: what
    `RUN_SHOWN` names. ``prd_version`` is 0 before the first. ``undecided`` says what of the project
    no stage could decide.
    """

    listed: int
    ready: int
    skipped: int
    skip_reasons: dict[str, int]
    chunks_total: int
    chunks_done: int
    atoms: int
    by_rules: dict[str, int]
    runs: list[dict[str, Any]]
    prd_version: int
    settled: bool
    undecided: list[str] = []
    atoms_beyond_limit: int = 0


class Recorded(Model):
    """What was recorded. ``progress`` is what the tables show of it; ``feed`` counts sources."""

    trigger_key: str
    project_id: str
    root: str
    complete: bool
    listed: int
    sent: int
    unchanged: int
    notices: dict[str, int]
    notes: list[str]
    progress: TriggerProgress
    feed: FeedReport


class Repository(Model):
    """A git repository: ``https://…`` or ``github:owner/repo``; owner and pm only."""

    kind: Literal["repository"]
    address: str
    root: str | None = None
    accept_removals: bool = False
    lane: Literal["preview", "deep", "both"] = "both"
    target: Literal["tier1", "mandatory", "best_effort"] = "best_effort"
    limits: dict[str, float] = {}
    engine: Literal["heuristic", "model"] | None = None
