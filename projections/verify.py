"""What must hold of the whole log, checked record by record without trusting any table.

The checks take records from anywhere, so that a damaged copy can be judged in a test. Texts of
sources are held compressed until the end, since quotes and texts stand on topics that are read at
their own pace.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any
from uuid import UUID

from infra.platform.findings import Finding
from infra.platform.placement import is_tombstone
from projections.checkpoint import Record, fact_in
from projections.left_out import code_of
from projections.verify_keys import KeyCheck
from projections.verify_rows import RowCheck
from schemas import ids
from schemas.codec import InvalidRecord, decode, headers
from schemas.envelope import Envelope
from schemas.events.artifact import ArtifactChanged, VersionPublished
from schemas.events.hygiene import ChunkCreated, SourceSanitized
from schemas.events.ledger import LIVE, AtomRecord, EvidenceRow, HumanDecision, LedgerChanged
from schemas.fingerprint import atom_fingerprint
from schemas.ledger_order import LedgerOrder


@dataclass(frozen=True, slots=True)
class Report:
    """``findings`` mean damage; ``notes`` are allowed and worth knowing (repeats, ignored
    records)."""

    counts: dict[str, int]
    findings: list[Finding]
    notes: list[Finding]

    def as_object(self) -> dict[str, Any]:
        """As one JSON object."""
        return {
            "counts": self.counts,
            "findings": [each.as_object() for each in self.findings],
            "notes": [each.as_object() for each in self.notes],
        }


def verify(records: Iterable[Record], partitions: int) -> Report:
    """The report on a log; within a partition offsets ascend."""
    verifier = Verifier(partitions)
    for record in records:
        verifier.see(record)
    return verifier.finish()


@dataclass(slots=True)
class _Ledger:
    """A project's ledger as far as it was read.

    ``ahead`` are records that do not follow. When one that does brings their number they are what
    a second writer left behind; when none comes, the log is damaged.
    """

    ahead: list[Record] = field(default_factory=list)
    rows: RowCheck = field(default_factory=RowCheck)
    causes: list[tuple[str, Record]] = field(default_factory=list)
    statuses: dict[str, list[tuple[int, str]]] = field(default_factory=dict)


class Verifier:
    """Sees each record once, then judges what needs several of them."""

    def __init__(self, partitions: int) -> None:
        self._partitions = partitions
        self._counts: Counter[str] = Counter()
        self._findings: list[Finding] = []
        self._notes: list[Finding] = []
        self._known: dict[UUID, bytes] = {}
        self._order = LedgerOrder({}, {}, {})
        self._ledgers: dict[str, _Ledger] = {}
        self._artifact_seqs: dict[str, int] = {}
        self._texts: dict[tuple[str, str], dict[int, bytes]] = {}
        self._unpacked: tuple[tuple[str, str], str | None] = (("", ""), None)
        self._text_records: dict[tuple[str, str], Record] = {}
        self._chunks: list[tuple[ChunkCreated, Record]] = []
        self._evidence: list[tuple[EvidenceRow, Record]] = []
        self._published: list[tuple[str, VersionPublished, Record]] = []
        self._keys = KeyCheck()

    def see(self, record: Record) -> None:
        """Judge what the record shows by itself and remember what others will need."""
        self._counts[record.topic] += 1
        if is_tombstone(record.topic, record.value):
            return
        try:
            fact = fact_in(record, self._partitions)
        except InvalidRecord as error:
            self._find(code_of(error), record, str(error))
            return
        self._check_envelope(record, fact)
        self._keys.see(record, fact.event)
        numbered = isinstance(fact.event, LedgerChanged | ArtifactChanged)
        if not numbered and self._is_repeat(record, fact):
            return
        match fact.event:
            case SourceSanitized() as event:
                self._see_text(record, event)
            case ChunkCreated() as event:
                self._see_chunk(record, event)
            case LedgerChanged() as event:
                self._see_change_set(record, fact, event)
            case ArtifactChanged() as event:
                self._see_artifact(record, fact, event)
            case VersionPublished() as event:
                self._published.append((fact.project_id, event, record))

    def add(self, finding: Finding) -> None:
        """What whoever reads the log has found; a place told of twice counts once."""
        place = (finding.code, finding.place)
        if all((each.code, each.place) != place for each in self._findings):
            self._findings.append(finding)

    def finish(self, located: Callable[[Finding], Finding] = lambda each: each) -> Report:
        """The report, once every record was seen; ``located`` adds what is known of files."""
        self._check_order()
        self._check_texts()
        self._check_chunks()
        self._check_evidence()
        self._check_causes()
        self._check_citations()
        for record, detail in self._keys.list_missing():
            self._find("unknown_key", record, detail)
        counts = dict(sorted(self._counts.items()))
        findings = sorted(self._findings, key=attrgetter("topic", "partition", "offset", "code"))
        return Report(counts, [located(each) for each in findings], self._notes)

    def _find(self, code: str, record: Record, detail: str) -> None:
        self._findings.append(Finding(code, record.topic, record.partition, record.offset, detail))

    def _note(self, code: str, record: Record, detail: str) -> None:
        self._notes.append(Finding(code, record.topic, record.partition, record.offset, detail))

    def _check_envelope(self, record: Record, fact: Envelope) -> None:
        event = fact.event
        in_record = dict(record.headers)
        if in_record and any(in_record.get(name) != value for name, value in headers(fact)):
            self._find("headers", record, "headers and envelope differ")
        if fact.event_id != ids.derive_event_id(event.type_name, fact.project_id, fact.natural_key):
            self._find("event_id", record, f"{fact.event_id} does not follow from its natural key")

    def _is_repeat(self, record: Record, fact: Envelope) -> bool:
        """Whether the event was seen before; the first record is the fact, others are noted."""
        digest = bytes.fromhex(ids.sha256_hex(repr(fact.event)))
        first = self._known.setdefault(fact.event_id, digest)
        if first is digest:
            return False
        differs = first != digest
        self._note("repeat_differs" if differs else "repeat", record, str(fact.event_id))
        return True

    def _see_text(self, record: Record, event: SourceSanitized) -> None:
        place = (event.source_id, event.sanitized_hash)
        self._texts.setdefault(place, {})[event.part_index] = zlib.compress(event.text.encode(), 1)
        self._text_records[place] = record

    def _see_chunk(self, record: Record, event: ChunkCreated) -> None:
        if ids.sha256_hex(event.text_payload) != event.text_hash:
            self._find("chunk_text", record, f"{event.chunk_id}: text_hash is not of its text")
        anchor = (event.anchor_type, event.anchor_start, event.anchor_end, event.chunk_version)
        if ids.chunk_id(event.source_id, event.sanitized_hash, *anchor) != event.chunk_id:
            self._find("chunk_id", record, f"{event.chunk_id} does not follow from its anchor")
        self._chunks.append((event.model_copy(update={"text_payload": ""}), record))

    def _see_change_set(self, record: Record, fact: Envelope, event: LedgerChanged) -> None:
        project = fact.project_id
        ledger = self._ledgers.setdefault(project, _Ledger())
        if self._order.accepts(project, event):
            self._take_change_set(record, fact, event, ledger)
        elif self._lies_ahead(project, event):
            ledger.ahead.append(record)
        else:
            self._note("ignored_change_set", record, f"ledger_seq {event.ledger_seq} once more")

    def _lies_ahead(self, project: str, event: LedgerChanged) -> bool:
        later = event.ledger_seq > self._order.place(project).seq
        return later and self._order.is_new(project, event)

    def _check_order(self) -> None:
        """What does not follow and was not replaced is damage; it is taken to judge the rest."""
        for ledger in self._ledgers.values():
            for record in ledger.ahead:
                self._see_left(record, ledger)

    def _see_left(self, record: Record, ledger: _Ledger) -> None:
        fact = decode(record.value or b"")
        event, last = fact.event, self._order.place(fact.project_id).seq
        assert isinstance(event, LedgerChanged)
        if not self._lies_ahead(fact.project_id, event):
            self._note("ignored_change_set", record, f"ledger_seq {event.ledger_seq} once more")
            return
        if event.ledger_seq != last + 1:
            self._find("ledger_gap", record, f"ledger_seq {event.ledger_seq} after {last}")
        elif not self._order.accepts(fact.project_id, event):
            self._find("prev_hash", record, f"ledger_seq {event.ledger_seq} breaks the chain")
        self._take_change_set(record, fact, event, ledger)

    def _take_change_set(
        self, record: Record, fact: Envelope, event: LedgerChanged, ledger: _Ledger
    ) -> None:
        self._known[fact.event_id] = b""
        self._order.take(fact.project_id, event, ids.sha256_hex(record.value or b""))
        ledger.causes.append((event.caused_by_event_id, record))
        for atom in event.atoms:
            self._check_atom(record, fact.project_id, atom)
            ledger.statuses.setdefault(atom.atom_id, []).append((event.ledger_seq, atom.status))
        if event.hitl:
            self._check_decision(record, fact.project_id, event, event.hitl)
        for detail in ledger.rows.see(event):
            self._find("evidence_id", record, detail)
        self._evidence += ((row, record) for row in event.evidence)

    def _check_atom(self, record: Record, project_id: str, atom: AtomRecord) -> None:
        fingerprint = atom_fingerprint(
            atom.kind,
            atom.title,
            atom.body,
            atom.polarity,
            atom.severity,
            atom.impact,
            atom.tags,
        )
        if fingerprint != atom.atom_fingerprint:
            self._find("fingerprint", record, f"{atom.atom_id}: fingerprint is not of its content")
        name = (project_id, atom.kind, atom.atom_fingerprint)
        if atom.atom_id not in (ids.atom_id(*name), ids.atom_id(*name, atom.title, atom.body)):
            self._find("atom_id", record, f"{atom.atom_id} does not follow from its fingerprint")

    def _check_decision(
        self, record: Record, project_id: str, event: LedgerChanged, hitl: HumanDecision
    ) -> None:
        """A decision's id is of its cause, and one that was not applied has changed nothing."""
        if hitl.hitl_event_id != ids.hitl_event_id(project_id, event.caused_by_event_id):
            self._find("hitl_event_id", record, f"{hitl.hitl_event_id} is not of its cause")
        has_effect = event.atoms or event.merge_candidates or event.contradictions
        if hitl.outcome != "applied" and has_effect:
            detail = f"{hitl.hitl_event_id} was {hitl.outcome} and has effect"
            self._find("hitl_without_effect", record, detail)

    def _see_artifact(self, record: Record, fact: Envelope, event: ArtifactChanged) -> None:
        last = self._artifact_seqs.get(fact.project_id, 0)
        if event.artifact_seq <= last:
            self._note("ignored_artifact", record, f"artifact_seq {event.artifact_seq} once more")
            return
        if event.artifact_seq != last + 1:
            self._find("artifact_gap", record, f"artifact_seq {event.artifact_seq} after {last}")
        self._artifact_seqs[fact.project_id] = event.artifact_seq

    def _check_texts(self) -> None:
        for (source_id, sanitized_hash), record in self._text_records.items():
            text = self._text(source_id, sanitized_hash)
            if ids.sha256_hex(text or "") != sanitized_hash:
                self._find("sanitized_hash", record, f"{source_id}: the hash is not of the text")

    def _check_chunks(self) -> None:
        for chunk, record in self._chunks:
            text = self._text(chunk.source_id, chunk.sanitized_hash)
            if text is None:
                self._find("text_missing", record, f"{chunk.chunk_id}: no text of its source")
            elif ids.sha256_hex(text[chunk.anchor_start : chunk.anchor_end]) != chunk.text_hash:
                self._find("chunk_span", record, f"{chunk.chunk_id}: its text is not at its anchor")

    def _check_evidence(self) -> None:
        by_source = sorted(
            self._evidence, key=lambda seen: (seen[0].source_id, seen[0].sanitized_hash)
        )
        for row, record in by_source:
            text = self._text(row.source_id, row.sanitized_hash)
            if text is None:
                self._find("text_missing", record, f"{row.evidence_id}: no text of its source")
            elif (
                row.evidence_type == "direct" and text[row.char_start : row.char_end] != row.snippet
            ):
                self._find("evidence", record, f"{row.evidence_id}: the quote is not at its place")

    def _check_causes(self) -> None:
        for ledger in self._ledgers.values():
            for cause, record in ledger.causes:
                if UUID(cause) not in self._known:
                    self._find("cause", record, f"its cause {cause} is not in the log")

    def _check_citations(self) -> None:
        for project_id, event, record in self._published:
            statuses = self._ledgers.get(project_id, _Ledger()).statuses
            snapshot = event.snapshot
            for section in snapshot.sections:
                if section.state == "edited":  # a person's words stay when their atoms go
                    continue
                for statement in section.statements:
                    for citation in statement.citations:
                        status = _status_at(
                            statuses.get(citation.atom_id, []), snapshot.input_ledger_seq
                        )
                        if status not in LIVE:
                            self._find(
                                "citation",
                                record,
                                f"{statement.statement_id} cites {citation.atom_id},"
                                f" which is {status or 'unknown'} at {snapshot.input_ledger_seq}",
                            )

    def _text(self, source_id: str, sanitized_hash: str) -> str | None:
        place = (source_id, sanitized_hash)
        if self._unpacked[0] != place:
            parts = self._texts.get(place)
            text = None
            if parts is not None:
                text = "".join(zlib.decompress(parts[i]).decode() for i in sorted(parts))
            self._unpacked = (place, text)
        return self._unpacked[1]


def _status_at(statuses: list[tuple[int, str]], seq: int) -> str:
    return next((status for at, status in reversed(statuses) if at <= seq), "")
