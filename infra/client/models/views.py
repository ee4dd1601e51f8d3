"""What requests and answers of the area Views are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from infra.client.connection import Model
from infra.client.models.shared import Burndown, Item, SectionReference, SpeculativeArtifact
from infra.client.models.views_parts import Artifact, RemovedItem


class ArtifactView(Model):
    """Artifacts of one type with all that is shown beside them.

    ``prd`` or ``items``: what is published; ``ahead``: what a run is writing; ``gone``: what was in
    the list before; ``left_out``: what became no task; ``names`` of members, tasks and sprints;
    ``burndowns`` of the sprints.
    """

    prd: Artifact | None
    items: list[Item]
    ahead: list[SpeculativeArtifact]
    gone: list[RemovedItem]
    left_out: list[str]
    names: dict[str, str]
    burndowns: list[Burndown]


class Contradiction(Model):
    """Two statements that cannot both hold."""

    contradiction_id: str
    contradiction_type: str
    severity: str
    status: str
    explanation: str
    detected_by: str
    atom_a_id: str
    title_a: str | None
    confidence_a: float | None
    atom_b_id: str
    title_b: str | None
    confidence_b: float | None
    opened_seq: int
    updated_seq: int
    reopened: bool
    resolution_kind: str | None
    rationale: str | None
    decided_by: str | None


class Delta(Model):
    """The report of a merged pull request or push: ``cause`` is ``#4`` or ``@push``."""

    run_id: str
    project_id: str
    trigger: str
    trigger_key: str
    root: str
    lane: str
    status: str
    files_added: list[str]
    files_modified: list[str]
    files_removed: list[str]
    files_renamed: list[str]
    chunks_reextracted: int
    chunks_reanchored: int
    atoms_touched: int
    atom_changes: dict[str, int]
    sections_recomputed: list[SectionReference] | None
    sections_kept: list[SectionReference] | None
    settled_at: int | None
    repository: str | None = None
    cause: str | None = None
    before: str | None = None
    after: str | None = None


class Export(Model):
    """``files`` by their names, as text."""

    project_id: str
    ledger_seq: int
    files: dict[str, str]


class InstallationStatus(Model):
    """An installation as it is now.

    ``broker["problem"]`` says why the lag of a broker that answers is unknown. ``webhooks`` is None
    without a receiver; ``vault`` says what of the log cannot be opened. ``by_rules`` counts by
    project and cause the chunks that rules have read in place of a model. ``undecided`` says what a
    stage could not decide, ``disabled_webhooks`` where news is not sent any more. ``loss`` says,
    for two weeks, what was lost with an earlier database and what to do. ``reader`` says why search
    has to do without the small reader that the setting wants.
    """

    running: bool
    state: str
    home: str
    disk: dict[str, Any]
    topic_prefix: str
    partitions: int
    broker: dict[str, Any]
    database: dict[str, Any]
    versions: dict[str, str | None]
    processes: list[dict[str, Any]]
    lag: list[dict[str, Any]]
    webhooks: dict[str, Any] | None
    http: str | None
    damage: list[dict[str, Any]]
    vault: list[str]
    by_rules: dict[str, dict[str, int]]
    undecided: list[str] = []
    disabled_webhooks: list[str] = []
    loss: list[str] = []
    reader: str | None = None


class NearCopy(Model):
    """``share`` of the source's characters stand in the original, word by word."""

    source_id: str
    path: str
    original_id: str
    original_path: str
    share: float


class Phase(Model):
    """A kind of work of a run; ``results`` are batches, sections written ahead and versions."""

    phase: str
    started_at: datetime | None
    finished_at: datetime | None
    results: int


class ProjectOfId(Model):
    project_id: str


class TraceReason(Model):
    """One decision. ``step`` says by whom: chosen, judged, ledger, published, source or run.

    ``what`` was done, ``because`` of which code or rule, ``detail`` for people; ``ledger_seq`` is
    its place in the ledger, where it has one.
    """

    step: str
    what: str
    because: str
    detail: str = ""
    about: str = ""
    ledger_seq: int | None = None
    run_id: str | None = None
    batch_no: int | None = None
    event_id: str | None = None
