"""Which conversation a row of evidence is of: tickets and their comments share a title."""

from __future__ import annotations

from schemas.events.ledger import EvidenceRow
from schemas.fingerprint import norm_text
from schemas.ids import sha256_hex

TAKES_PART = frozenset({"unknown", "decision"})
TALK_DIGITS = 16


def talk_of(structure_path: list[str]) -> str:
    """What stands for the conversation of a row: its record's title, or nothing."""
    title = norm_text(structure_path[0].removeprefix("Re: ")) if structure_path else ""
    return sha256_hex(title)[:TALK_DIGITS] if title else ""


def talk_key(project: str, row: EvidenceRow, kind: str) -> str:
    """The row's place among what was asked and decided; empty for what is no part of it."""
    talk = talk_of(row.structure_path) if row.said_at and kind in TAKES_PART else ""
    return f"{project}|{talk}|{kind}|{row.atom_id}|{row.evidence_id}" if talk else ""
