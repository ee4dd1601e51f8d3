"""What the tools answer: one type for each, and the parts of its list."""

from __future__ import annotations

from typing import Any

from infra.mcp.pages import Result, Shown


class Cited(Shown):
    """at: path:line."""

    at: str
    quote: str


class Found(Shown):
    id: str
    kind: str
    status: str
    confidence: float
    title: str
    text: str | None = None
    quotes: list[Cited]
    contradictions: list[str] | None = None


class SearchResult(Result):
    """coverage weak or none: nothing in the sources answers it. sentences: say it best."""

    coverage: str
    sentences: list[Cited] | None = None
    hits: list[Found]


class Detail(Shown):
    """what: evidence, link or change."""

    what: str
    id: str
    text: str
    at: str | None = None


class AtomResult(Result):
    id: str
    kind: str
    status: str
    confidence: float
    area: str
    title: str
    text: str | None = None
    verified_by: str | None = None
    details: list[Detail]


class Traced(Shown):
    """log: topic/partition@offset."""

    depth: int
    what: str
    id: str
    facts: dict[str, Any]
    log: list[str] | None = None


class TraceResult(Result):
    nodes: list[Traced]


class Claimed(Shown):
    id: str
    title: str
    confidence: float
    quotes: list[Cited]


class Contradicting(Shown):
    id: str
    severity: str
    status: str
    why: str
    a: Claimed
    b: Claimed
    affects: list[str] | None = None
    decided: str | None = None


class ContradictionsResult(Result):
    contradictions: list[Contradicting]


class Stated(Shown):
    section: str
    text: str
    atoms: list[str]
    at: list[str]


class ArtifactListed(Shown):
    id: str
    type: str
    number: str
    title: str
    state: str
    version: int


class ArtifactResult(Result):
    """artifacts: a list; else one with its statements."""

    artifacts: list[ArtifactListed] | None = None
    artifact: ArtifactListed | None = None
    statements: list[Stated] | None = None


class Covered(Shown):
    """Chunks of an area or tier."""

    name: str
    total: int
    read: int
    pending: int
    skipped: int
    atoms: int | None = None


class CoverageResult(Result):
    """gaps: areas of which the ledger holds too little."""

    gaps: list[str]
    rows: list[Covered]


class Changed(Shown):
    """what: added, removed, changed, contradiction, decided or written."""

    what: str
    seq: int
    id: str
    text: str
    quotes: list[Cited] | None = None


class ChangesResult(Result):
    """Ask again from to_seq while it is below head_seq."""

    since_seq: int
    to_seq: int
    head_seq: int
    changes: list[Changed]
