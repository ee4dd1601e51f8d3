"""What one run has at hand when it chooses: its sources, unread chunks and untold changes.

Derived from the tables alone by ``views``, so it may be dropped at any time.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from schemas.events.hygiene import ChunkRef, SourceProcessed
from schemas.events.ingestion import DeepDiveQueued, SourceChange


@dataclass(slots=True)
class RemovedSources:
    """The sources of a root that a listing leaves out.

    ``known`` are the sources that the root had; ``contents`` names the content (see
    ``changes.content_of``) of each that is removed; ``rows_of`` lists by content those with rows in
    the ledger. ``awaited`` were removed before stage 0 has answered for them even once: the run
    waits for the answer, after which they would be stored.
    """

    known: frozenset[str] = frozenset()
    awaited: frozenset[str] = frozenset()
    contents: dict[str, str] = field(default_factory=dict)
    rows_of: dict[str, deque[str]] = field(default_factory=dict)

    def claim(self, content: str) -> str | None:
        """A removed source whose rows another one with its content takes over; each only once."""
        waiting = self.rows_of.get(content)
        return waiting.popleft() if waiting else None


@dataclass(slots=True)
class Candidate:
    """An unread chunk that may be chosen."""

    ref: ChunkRef
    source: SourceProcessed
    changed: bool


@dataclass(slots=True)
class RunView:
    """One run's sources and what of them is unread.

    ``sources`` are the ids within reach, in listing order: the run's own are the first
    ``source_count`` of them, those behind can only be read by a deep dive. Those before
    ``horizon_end`` are taken in, those before ``ready_end`` known to be ready; the last batch was
    chosen among those before ``planned_end``. ``reserved`` ones belong to the preview
    of the same request while it lasts. ``kept`` says which source keeps a content. ``changes`` wait
    for a batch; ``moved`` says where a removed source has turned up, ``copies`` which
    sources repeat a content, ``skipped`` what of them is not read. A ``closing`` view has
    nothing left to choose: with it come the changes that no horizon reached and, in the last run of
    a trigger, the removals but those ``held`` back by the removal threshold.
    ``dives`` are chunks to be read first, with the ledger sequence they were chosen from.
    """

    sources: list[str]
    reserved: frozenset[str]
    own: frozenset[str]
    kept: dict[str, str]
    removed: RemovedSources
    horizon_end: int = 0
    planned_end: int = 0
    ready_end: int = 0
    candidates: dict[str, Candidate] = field(default_factory=dict)
    words: set[int] = field(default_factory=set)
    changes: list[SourceChange] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    copies: dict[str, list[str]] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)
    closing: bool = False
    held: list[str] = field(default_factory=list)
    chunks_planned: int = 0
    tokens_planned: int = 0
    skipped_sources: int = 0
    skipped_chunks: int = 0
    dives: dict[str, int] = field(default_factory=dict)

    def dive_into(self, queued: DeepDiveQueued) -> None:
        for chunk_id in queued.chunk_ids:
            self.dives.setdefault(chunk_id, queued.basis_seq)

    def has_unread(self) -> bool:
        """Whether the run may still read something: its own chunks, or those of a deep dive."""
        return any(self.may_read(candidate) for candidate in self.candidates.values())

    def may_read(self, candidate: Candidate) -> bool:
        own = candidate.source.source.source_id in self.own
        return own or candidate.ref.chunk_id in self.dives
