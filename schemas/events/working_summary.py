"""The digest of the ledger that a change set carries for those who read for it."""

from __future__ import annotations

from schemas.areas import Area
from schemas.envelope import Part
from schemas.events.atom import AtomKind


class TitledAtom(Part):
    """``only_source``: all its evidence is of this source, empty where that is of several."""

    atom_id: str
    title: str
    only_source: str = ""


class KindCount(Part):
    kind: AtomKind
    active: int
    draft: int


class OpenContradiction(Part):
    contradiction_id: str
    title_a: str
    title_b: str
    severity: str


class WorkingSummary(Part):
    """The small digest of the ledger given to readers. Same ledger, same bytes."""

    state_version: str
    ledger_seq: int
    counts_by_kind: list[KindCount] = []
    decisions: list[TitledAtom] = []
    requirements: list[TitledAtom] = []
    risks: list[TitledAtom] = []
    entities: list[TitledAtom] = []
    open_unknowns: list[TitledAtom] = []
    open_contradictions: list[OpenContradiction] = []
    gaps: list[Area] = []
    token_estimate: int = 0
