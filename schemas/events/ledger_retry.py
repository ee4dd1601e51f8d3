"""What the ledger could not decide, to be decided once more. Key ``project_id``."""

from __future__ import annotations

from typing import ClassVar

from schemas.envelope import Event
from schemas.events.atom import Judged, Reading
from schemas.events.ingestion import SourceChange
from schemas.events.judgement import PairJudged
from schemas.events.ledger import Turn


class LedgerRetryRequested(Event):
    """Somebody retries the part of a turn that the ledger had left out as undecidable.

    ``turn`` is the one it was left out of, which is applied and stays so: the answer is a change
    set of its own without a turn. Of a chunk these are ``reading`` and the candidates
    ``accepted``; of source changes and the end of a run the rest. Natural key: the dead letter.
    """

    type_name: ClassVar[str] = "ledger.retry_requested"
    topic: ClassVar[str] = "ledger.control.v1"
    stable_key: ClassVar[bool] = True

    dead_letter_id: str
    turn: Turn
    reading: Reading | None = None
    accepted: list[Judged] = []
    source_changes: list[SourceChange] = []
    unfinished: list[str] = []
    removals_held: int = 0
    judged: list[PairJudged] = []

    @property
    def aggregate_id(self) -> str:
        return self.dead_letter_id

    @property
    def local_key(self) -> str:
        return f"{self.dead_letter_id}|retry"
