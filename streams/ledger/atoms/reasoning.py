"""Links between statements of one passage: which backs which, and which was concluded from which.

Both are read off the order of the text: a statement supports the one right before it
when its sentence was taken along there as evidence, and one that opens with a word of conclusion
was derived from the one right before it.

Decided here: ``supports`` changes no confidence. The row that makes the link already counts as
evidence of the statement it backs, and would count twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.events.atom import CandidateRow
from streams.ledger.turns.changes import Changes, add_link
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.indexes import is_live

CONCLUSIONS = (
    *("accordingly", "as a consequence", "as a result", "because of this", "consequently"),
    *("for this reason", "for these reasons", "hence", "it follows that", "that is why"),
    *("therefore", "thus"),
)
MAX_GAP = 3  # characters between two sentences that stand side by side
Said = tuple[str, Sequence[CandidateRow]]  # the atom of a candidate, and its rows


def link_reasoning(ledger: CurrentLedger, statements: Sequence[Said]) -> Changes[None]:
    """Link the live atoms of one chunk's candidates, given in the candidates' order."""
    standing = [(ledger.find_survivor(atom_id), rows) for atom_id, rows in statements if rows]
    live = [(atom.atom_id, rows) for atom, rows in standing if atom and is_live(atom)]
    for atom_id, rows in live:
        for other_id, others in live:
            if atom_id == other_id:
                continue
            if _gives_reason(rows[0], others):
                yield from add_link(ledger, atom_id, other_id, "supports", "the_reason_behind_it")
            if _concludes(rows[0]) and _follows(rows[0], others[0]):
                yield from add_link(
                    ledger, atom_id, other_id, "derived_from", "concluded_from_the_one_before"
                )


def _gives_reason(row: CandidateRow, others: Sequence[CandidateRow]) -> bool:
    """Whether the row's sentence is what a reader took along as the reason of the one before."""
    return any(
        _follows(other, others[0])
        and other.char_start <= row.char_start
        and row.char_end <= other.char_end
        for other in others[1:]
    )


def _follows(row: CandidateRow, other: CandidateRow) -> bool:
    return 0 <= row.char_start - other.char_end <= MAX_GAP


def _concludes(row: CandidateRow) -> bool:
    quote = row.snippet.casefold().lstrip("*_ ")
    return any(
        quote.startswith(word) and not quote[len(word) :][:1].isalnum() for word in CONCLUSIONS
    )
