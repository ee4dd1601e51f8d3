"""Pairs of statements that rules cannot tell apart, and what a model says of each. Key
``project_id``.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.envelope import Event, Part
from schemas.events.atom import AtomKind, DecidedBy

JudgedSeverity = Literal["low", "medium", "high"]


class StatementToJudge(Part):
    """One side of a pair as the ledger held it; ``quote`` is of its first fresh evidence."""

    atom_id: str
    kind: AtomKind
    title: str
    body: str
    quote: str = ""


class PairToJudge(Part):
    """Two statements that may not both hold; the id of ``a`` is the smaller one."""

    a: StatementToJudge
    b: StatementToJudge


class JudgementRequested(Event):
    """The ledger asks about the doubtful pairs of a batch, and applies no turn until it knows.

    Each pair gets exactly one ``ledger.pair_judged``, by whomever.
    """

    type_name: ClassVar[str] = "ledger.judgement_requested"
    topic: ClassVar[str] = "ledger.control.v1"

    run_id: str
    batch_no: int
    pairs: list[PairToJudge]

    @property
    def aggregate_id(self) -> str:
        return self.run_id


class PairJudged(Event):
    """Whether two statements contradict each other.

    ``conflict`` None: nobody has said so, and what the rules found stands; ``reason`` says why:
    ``unavailable``, ``malformed`` or ``flagged`` (a side speaks to its reader, so no model was
    asked). The tokens and the cost are those of this answer alone: the first of a call has them.
    """

    type_name: ClassVar[str] = "ledger.pair_judged"
    topic: ClassVar[str] = "ledger.control.v1"

    run_id: str
    batch_no: int
    atom_a_id: str
    atom_b_id: str
    conflict: bool | None = None
    severity: JudgedSeverity | None = None
    explanation: str = ""
    decided_by: DecidedBy
    reason: str = ""
    provider: str | None = None
    model: str | None = None
    prompt_version: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    @property
    def aggregate_id(self) -> str:
        return self.run_id

    @property
    def local_key(self) -> str:
        return f"{self.atom_a_id}|{self.atom_b_id}"
