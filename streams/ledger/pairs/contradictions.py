"""Statements that cannot both hold: found by rule, put before a person, never resolved here.

A pair has one record, whatever side is seen first and however
often: finding it again brings explanation and severity up to date. A person's answer stays until
one side gains evidence from a new source; an end by ``side_gone`` was nobody's answer, so the pair
opens again when the side comes back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from schemas.events.ledger import AtomRecord, ContradictionRecord, EvidenceRow
from schemas.fingerprint import norm_text
from schemas.ids import pair_id
from streams.ledger.atoms.lifecycle import SIDE_GONE
from streams.ledger.likeness.near_index import Near
from streams.ledger.likeness.similarity import (
    SHARED_SUBJECT_SIMILARITY,
    affirmative,
    differ_in_names,
    similarity,
    title_similarity,
)
from streams.ledger.opposition.alignment import Aligned, align
from streams.ledger.opposition.opposition import differing_value, of_different_times, opposition
from streams.ledger.opposition.scopes import of_different_scopes, speak_of_different
from streams.ledger.opposition.statements import (
    of_different_versions,
    same_assertion,
    statement_of,
)
from streams.ledger.pairs.authority import with_suggestion
from streams.ledger.pairs.doubts import note_doubt
from streams.ledger.turns.changes import Changes, add_link, note
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.indexes import COMPARED_KINDS, subject_key
from streams.ledger.turns.state import OPEN
from streams.lexicons import load_words
from streams.reflection.rules import CONFIDENCE_THRESHOLD

TITLE_SIMILARITY = 0.75
AFFIRMATIVE_SIMILARITY = 0.90
MAX_SAME_SUBJECT = 16
MAX_FOUND = 5
STEM = 5  # characters of a word: «delivery» and «delivered»
BESIDE = 6  # lines, of items that go over two
MAX_READ = 8  # nearest whose sentences are read against each other: 0.1 ms a pair
SEVERITIES = ("low", "medium", "high", "critical")
DECIDED_FIELDS = (
    "resolution_kind",
    "rationale",
    "decided_by",
    "decided_at",
    "escalated_to",
    "hitl_event_id",
)
SECTIONS = load_words("pairs", "section_names")
_LABEL = re.compile(r"[A-Z][\w'’/-]*(?: [\w'’/-]+){0,3}: (?=[a-z])")
Kind = Literal["polarity_mismatch", "body_conflict"]
Severity = Literal["low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class ContradictionReason:
    """``severity`` is what a model has said at most; rules take it from the confidences."""

    kind: Kind
    explanation: str
    severity: Severity | None = None

    @classmethod
    def of(cls, contradiction_record: ContradictionRecord) -> ContradictionReason:
        """Why it was recorded."""
        severity = (
            contradiction_record.severity if contradiction_record.detected_by == "model" else None
        )
        return cls(
            contradiction_record.contradiction_type, contradiction_record.explanation, severity
        )

    @property
    def is_of_model(self) -> bool:
        return self.severity is not None


def find_contradictions(
    ledger: CurrentLedger, atom: AtomRecord, near: list[Near], *, gained_source: bool = True
) -> Changes[None]:
    """Record what contradicts ``atom``, the surest pairs first, a few at most.

    ``gained_source``: whether it came with evidence from a source that is new to it. Of two that
    are both unsure nobody is asked which holds: in 203 documents with 5,000 such statements all
    nine conflicts found were lines of examples.
    """
    if atom.kind not in COMPARED_KINDS and atom.kind != "risk":
        return
    found: list[tuple[AtomRecord, ContradictionReason]] = []
    for other in _comparable(ledger, atom, near):
        if is_unsure(atom) and is_unsure(other):
            continue
        reason = why_contradicts(atom, other)
        together = stand_together(ledger, atom, other)
        if reason and (not together or reason.kind == "polarity_mismatch"):
            found.append((other, reason))
        elif ledger.judges and not together and not reason:
            yield from note_doubt(ledger, atom, other)
    found.sort(key=lambda each: (-each[0].confidence, each[0].atom_id))
    for other, reason in found[:MAX_FOUND]:
        yield from record_contradiction(ledger, atom, other, reason, gained_source=gained_source)


def is_unsure(atom: AtomRecord) -> bool:
    """Whether it is kept only as likely: a draft below the threshold of reflection."""
    return atom.status == "draft" and atom.confidence < CONFIDENCE_THRESHOLD


def refresh_contradictions(
    ledger: CurrentLedger, atom: AtomRecord, *, gained_source: bool
) -> Changes[None]:
    """The contradictions of an atom whose confidence, status or evidence has changed."""
    for contradiction in ledger.contradictions_of(atom.atom_id):
        other_id = (
            contradiction.atom_b_id
            if contradiction.atom_a_id == atom.atom_id
            else contradiction.atom_a_id
        )
        other = ledger.live_atom(other_id)
        if other is None or not ledger.live_atom(atom.atom_id):
            continue
        reason = ContradictionReason.of(contradiction)
        if contradiction.status in OPEN or gained_source:
            yield from record_contradiction(
                ledger, atom, other, reason, gained_source=gained_source
            )


def why_contradicts(one: AtomRecord, other: AtomRecord) -> ContradictionReason | None:
    """Why two atoms cannot both hold, or None."""
    if one.kind == "risk" or other.kind == "risk":
        return _compare_severity(one, other) if one.kind == other.kind else None
    first, second = _without_label(one.statement, other.statement)
    if norm_text(one.title) == norm_text(other.title) or of_different_times(first, second):
        return None
    if of_different_versions(one, other) or of_different_scopes(one, other):
        return None
    pair = align(first, second)
    if {one.polarity, other.polarity} == {"affirm", "negate"} and one.kind == other.kind:
        if not _speak_alike(pair) or speak_of_different(pair):
            return None
        return ContradictionReason("polarity_mismatch", "one affirms what the other denies")
    denies = "negate" in (one.polarity, other.polarity)
    if not denies and (values := differing_value(pair)):
        return ContradictionReason("body_conflict", values)
    return _read_titles(one, other, pair, first, second)


def _without_label(first: str, second: str) -> tuple[str, str]:
    """Both statements; where one alone begins with the name of its section, without that, and
    where the names of both say nothing that the statements do not say.

    «Loans: a tool must be returned within 14 days», «A tool must be returned within 21 days»;
    «Delivery time: orders must be delivered …», «Requirements: orders must be delivered …».
    """
    one, other = _LABEL.match(first), _LABEL.match(second)
    if one and other and not (_says_nothing(one) or _says_nothing(other)):
        return first, second
    return first[one.end() if one else 0 :], second[other.end() if other else 0 :]


def _says_nothing(label: re.Match[str]) -> bool:
    """Whether a section is named in words that set nothing apart: any section's, or those of the
    statement under it.
    """
    stems = {word[:STEM] for word in norm_text(label.string[label.end() :]).split()}
    return all(
        word in SECTIONS or word[:STEM] in stems for word in norm_text(label.group()).split()
    )


def stand_together(ledger: CurrentLedger, one: AtomRecord, other: AtomRecord) -> bool:
    """Whether both are read from lines of one section beside each other: items of one list, or a
    heading and its text, which go on with each other. Of numbered facts the later one holds; what
    stands under no heading is no list.
    """
    if "risk" in (one.kind, other.kind) or one.source_count > 1 or other.source_count > 1:
        return False
    places = [
        (_place_of(row), row)
        for row in ledger.rows_of(one.atom_id)
        if not row.stale and row.serial is None and row.structure_path
    ]
    return any(
        _place_of(row_too) == place and abs(row.line_start - row_too.line_start) <= BESIDE
        for row_too in ledger.rows_of(other.atom_id)
        if not row_too.stale and row_too.serial is None
        for place, row in places
    )


def _place_of(row: EvidenceRow) -> tuple[str, str, tuple[str, ...]]:
    return row.source_id, row.sanitized_hash, tuple(row.structure_path)


def _read_titles(
    one: AtomRecord, other: AtomRecord, pair: Aligned, first: str, second: str
) -> ContradictionReason | None:
    """What reading both titles shows, when it is sure in both orders and no name differs."""
    if differ_in_names(pair.one, pair.other):
        return None
    if title_similarity(pair.one, pair.other) < SHARED_SUBJECT_SIMILARITY:
        return None
    found = opposition(first, second)
    if found.is_sure:
        found = min(found, opposition(second, first))
    if not found.is_sure or (found.kind == "polarity_mismatch" and one.kind != other.kind):
        return None
    return ContradictionReason(found.kind, found.explanation)


def severity_of(one: AtomRecord, other: AtomRecord) -> Severity:
    weaker = min(one.confidence, other.confidence)
    settled = all(
        atom.status == "active" and atom.kind in ("decision", "requirement")
        for atom in (one, other)
    )
    if weaker >= 0.80 or (settled and weaker >= 0.70):
        return "high"
    return "medium" if weaker >= 0.60 else "low"


def record_contradiction(
    ledger: CurrentLedger,
    one: AtomRecord,
    other: AtomRecord,
    reason: ContradictionReason,
    *,
    gained_source: bool,
) -> Changes[None]:
    """The pair's one record is open and up to date, unless a person has closed it for good."""
    first, second = sorted((one.atom_id, other.atom_id))
    key = pair_id("ctr", ledger.project, first, second)
    contradiction = ledger.contradiction(key)
    explanation = with_suggestion(reason.explanation, one, other, ledger.rows_of)
    severity = reason.severity or severity_of(one, other)
    found = {
        "severity": severity,
        "explanation": explanation,
        "contradiction_type": reason.kind,
    }
    if contradiction is None:
        yield ContradictionRecord(
            contradiction_id=key,
            atom_a_id=first,
            atom_b_id=second,
            contradiction_type=reason.kind,
            severity=severity,
            explanation=explanation,
            detected_by="model" if reason.is_of_model else "rule",
            run_id=ledger.run_id,
            opened_seq=ledger.seq,
            updated_seq=ledger.seq,
        )
        yield from add_link(
            ledger, first, second, "contradicts", reason.kind, by_model=reason.is_of_model
        )
        yield note("contradiction_opened", key, None, reason.kind, explanation)
        return
    answered = contradiction.rationale != SIDE_GONE
    if contradiction.status in OPEN:
        if all(getattr(contradiction, name) == value for name, value in found.items()):
            return
        after = contradiction.model_copy(update=found | {"updated_seq": ledger.seq})
        yield note("contradiction_updated", key, None, "found_again", explanation)
    elif answered and not gained_source:
        return
    else:
        reopened = {"status": "open", "reopened": True, "updated_seq": ledger.seq}
        cleared = dict.fromkeys(DECIDED_FIELDS)
        after = contradiction.model_copy(update=found | reopened | cleared)
        yield from add_link(ledger, first, second, "contradicts", "reopened")
        yield note("contradiction_opened", key, None, "reopened", explanation)
    yield after


def _comparable(ledger: CurrentLedger, atom: AtomRecord, near: list[Near]) -> list[AtomRecord]:
    """Live atoms with the same subject, or with alike words."""
    ids: dict[str, None] = {}
    if key := subject_key(atom):
        ids |= dict.fromkeys(ledger.index.subjects.get(key, [])[:MAX_SAME_SUBJECT])
        same = (other for other in ledger.find_newly_live(atom.kind) if subject_key(other) == key)
        ids |= dict.fromkeys(other.atom_id for other in same)
    nearest = sorted(near, key=lambda each: (-each.jaccard, each.atom_id))[:MAX_READ]
    ids |= dict.fromkeys(each.atom_id for each in nearest)
    ids.pop(atom.atom_id, None)
    return [other for key in ids if (other := ledger.live_atom(key))]


def _speak_alike(pair: Aligned) -> bool:
    """Whether two titles speak of the same, as they stand or with their negations left out."""
    one, other = pair.one, pair.other
    if same_assertion(statement_of(one), statement_of(other)):
        return True
    if differ_in_names(one, other):
        return False
    affirmed = similarity(affirmative(norm_text(one)), affirmative(norm_text(other)))
    return affirmed >= AFFIRMATIVE_SIMILARITY or title_similarity(one, other) >= TITLE_SIMILARITY


def _compare_severity(one: AtomRecord, other: AtomRecord) -> ContradictionReason | None:
    """Two risks of the same title whose severities are at least two steps apart."""
    if not one.severity or not other.severity:
        return None
    steps = abs(SEVERITIES.index(one.severity) - SEVERITIES.index(other.severity))
    if steps < 2 or title_similarity(one.statement, other.statement) < TITLE_SIMILARITY:
        return None
    first, second = sorted((one.severity, other.severity), key=SEVERITIES.index)
    return ContradictionReason("body_conflict", f"the same risk is called {first} and {second}")
