"""What a fold leaves out, counted and named: a rebuild may not call a part of the log the whole."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from psycopg import Connection

from infra.platform.findings import Finding
from infra.platform.placement import Misplaced
from projections.checkpoint import Record
from schemas.codec import InvalidRecord
from schemas.envelope import Envelope
from schemas.events.artifact import ArtifactChanged
from schemas.events.ledger import LedgerChanged

GAPS = {"ledger": "ledger_gap", "artifact": "artifact_gap"}
Place = tuple[str, int, int]


class LeftOut:
    """Told of records by whoever folds; a record that is told of twice counts once."""

    def __init__(self) -> None:
        self._findings: dict[tuple[str, Place], Finding] = {}
        self._ignored: dict[tuple[str, str], dict[int, Record]] = defaultdict(dict)

    def add(self, finding: Finding) -> None:
        place = (finding.topic, finding.partition, finding.offset)
        self._findings.setdefault((finding.code, place), finding)

    def unreadable(self, record: Record, error: InvalidRecord) -> None:
        self.add(_finding(code_of(error), record, str(error)))

    def add_refused(self, record: Record, error: Exception) -> None:
        """The tables do not take the record's rows."""
        self.add(_finding("refused", record, type(error).__name__))

    def add_ignored(self, record: Record, fact: Envelope) -> None:
        """A record of a numbered log that was not the next one."""
        match fact.event:
            case LedgerChanged(ledger_seq=seq):
                self._ignored[fact.project_id, "ledger"].setdefault(seq, record)
            case ArtifactChanged(artifact_seq=seq):
                self._ignored[fact.project_id, "artifact"].setdefault(seq, record)

    def findings(self, folded: Connection[tuple[Any, ...]]) -> list[Finding]:
        """All of it in the order of the log; ``folded``: tables that tell where each log ends.

        What was ignored and has no successor in the tables is behind a gap.
        """
        all_findings = [*self._findings.values(), *self._gaps(folded)]
        return sorted(
            all_findings, key=lambda each: (each.topic, each.partition, each.offset, each.code)
        )

    def _gaps(self, folded: Connection[tuple[Any, ...]]) -> list[Finding]:
        if not self._ignored:
            return []
        rows = folded.execute("SELECT project_id, log, seq FROM log_heads")
        heads = {(project, log): seq for project, log, seq in rows}
        gaps = []
        for (project, log), ignored in self._ignored.items():
            last = heads.get((project, log), 0)
            behind = sorted(seq for seq in ignored if seq > last)
            if behind:
                detail = (
                    f"{log}_seq {behind[0]} does not follow {last}: {len(behind)} records of"
                    f" {project} are left out"
                )
                gaps.append(_finding(GAPS[log], ignored[behind[0]], detail))
        return gaps


def code_of(error: InvalidRecord) -> str:
    """What a finding about a record that cannot be read is called."""
    if isinstance(error, Misplaced):
        return error.code
    return "unknown_schema" if "unknown writer schema" in str(error) else "undecodable"


def _finding(code: str, record: Record, detail: str) -> Finding:
    return Finding(code, record.topic, record.partition, record.offset, detail)
