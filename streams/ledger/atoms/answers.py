"""Questions and decisions of one conversation: somebody else's later decision answers a question.

A ticket's question and the comment that settles it are two sources; what they share is the title
of their record. So what was asked and decided is kept by conversation, and either may be read
first. Only a decision that takes up two words of the question closes it: a claim beside it may be
anything.
"""

from __future__ import annotations

from datetime import datetime

from schemas.events.atom import CandidateRow
from schemas.events.ledger import AtomRecord, EvidenceRow
from schemas.fingerprint import norm_text
from streams.ledger.atoms.lifecycle import ANSWERED, retire
from streams.ledger.turns.changes import Changes, add_link
from streams.ledger.turns.conversations import talk_of
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.indexes import is_live

SHARED_WORDS = 2
STEM = 6  # characters; «retry», «retried» and «retries» differ behind them
SHORTEST_WORD = 4


def settle_answers(
    ledger: CurrentLedger, atom: AtomRecord, structure_path: list[str], rows: list[CandidateRow]
) -> Changes[None]:
    """Questions that the atom answers are closed; one answered before is closed at once."""
    talk = talk_of(structure_path)
    spoken = next((row for row in rows if row.said_at), None)
    if spoken is None or spoken.said_at is None or not talk or not is_live(atom):
        return
    if atom.kind == "decision":
        for question, row in _find_said(ledger, talk, "unknown"):
            if _is_follow_up(spoken.said_at, spoken.speaker, row) and _takes_up(atom, question):
                yield from _close(ledger, question, atom)
    elif atom.kind == "unknown":
        for decision, row in _find_said(ledger, talk, "decision"):
            earlier = row.said_at is not None and spoken.said_at < row.said_at
            if earlier and row.speaker != spoken.speaker and _takes_up(decision, atom):
                yield from _close(ledger, atom, decision)
                return


def _find_said(ledger: CurrentLedger, talk: str, kind: str) -> list[tuple[AtomRecord, EvidenceRow]]:
    """Live atoms of that kind in a conversation, each with a fresh row of it, in a fixed order."""
    prefix = f"{ledger.project}|{talk}|{kind}|"
    places = {tuple(key.split("|")[-2:]) for key, _ in ledger.state.spoken.with_prefix(prefix)}
    places |= {
        (row.atom_id, row.evidence_id)
        for row in ledger.evidence.values()
        if row.said_at and talk_of(row.structure_path) == talk
    }
    found = []
    for atom_id, evidence_id in sorted(places):
        atom, row = ledger.atom(atom_id), ledger.evidence_row(atom_id, evidence_id)
        if atom and row and not row.stale and atom.kind == kind and is_live(atom):
            found.append((atom, row))
    return found


def _is_follow_up(at: datetime, speaker: str | None, asked: EvidenceRow) -> bool:
    return asked.said_at is not None and at > asked.said_at and speaker != asked.speaker


def _takes_up(decision: AtomRecord, question: AtomRecord) -> bool:
    return len(_stems(decision) & _stems(question)) >= SHARED_WORDS


def _stems(atom: AtomRecord) -> frozenset[str]:
    words = norm_text(atom.title).split()
    return frozenset(word[:STEM] for word in words if len(word) >= SHORTEST_WORD)


def _close(ledger: CurrentLedger, question: AtomRecord, answer: AtomRecord) -> Changes[None]:
    yield from add_link(ledger, answer.atom_id, question.atom_id, "supersedes", ANSWERED)
    yield from retire(ledger, ledger.get_atom(question.atom_id), "superseded", ANSWERED, by=answer)
