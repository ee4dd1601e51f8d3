"""Which pairs of alike statements a person is asked about.

Not those that name or count something else, and not those that contradict each other: they have a
record of their own. Statements that are alike but for one slot («Customer Acme must …», one for
each customer) are a series from the third on. A series has one review, of its first two, whose
``differing_tokens`` name what stands in the slot of each; once a person has answered it, there is
none. All other alike statements share a few open reviews: a question about each pair would hide
all others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from schemas.events.ledger import AtomRecord, MergeCandidate
from schemas.ids import pair_id
from streams.ledger.likeness.agreement import Agreement, differ_in_a_slot
from streams.ledger.likeness.similarity import (
    AUTO_MERGE_THRESHOLD,
    find_differing_tokens,
    text_to_compare,
)
from streams.ledger.pairs.contradictions import why_contradicts
from streams.ledger.turns.changes import Changes, note
from streams.ledger.turns.current import CurrentLedger

MAX_REVIEWS = 5  # open at a time in one group of alike statements
LEAST_SERIES = 3
MAX_DIFFERING_TOKENS = 40
_SENTENCE_MARKS = re.compile(r"[.,;:!?]+(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Duplicate:
    """An atom at least as alike as the lower threshold."""

    atom: AtomRecord
    similarity: float
    agreed: Agreement


def raw_text(atom: AtomRecord) -> str:
    """What is read word by word: title without its place, and body, as they are written."""
    return f"{atom.compared_title}\n{atom.body}"


def ask_about_nearest(
    ledger: CurrentLedger, atom: AtomRecord, duplicates: list[Duplicate]
) -> Changes[None]:
    """A person is asked about the most alike, as far as there is room for a question.

    What is not asked is said in the change set, with the review or the statement it belongs to.
    """
    doubtful = [each for each in duplicates if _is_doubtful(ledger, atom, each)]
    series = [each.atom for each in doubtful if _is_of_series(atom, each.atom)]
    if len(series) >= LEAST_SERIES - 1:
        yield from _join_series(ledger, atom, series)
        doubtful = [each for each in doubtful if each.atom not in series]
    group = [atom.atom_id, *(each.atom.atom_id for each in doubtful)]
    full: list[str] = []
    for duplicate in doubtful[:MAX_REVIEWS]:
        key = pair_id("mrg", ledger.project, atom.atom_id, duplicate.atom.atom_id)
        candidate = ledger.merge_candidate(key)
        if candidate and candidate.state != "withdrawn":
            continue
        if _count_open_around(ledger, group) < MAX_REVIEWS:
            yield from _ask(ledger, atom, duplicate, key)
        else:
            full.append(duplicate.atom.atom_id)
    if full:
        detail = f"{len(full)} as alike are not asked about"
        yield note("review_item_raised", atom.atom_id, full[0], "series", detail)


def _is_doubtful(ledger: CurrentLedger, atom: AtomRecord, duplicate: Duplicate) -> bool:
    """Whether a live one may say the same: it says neither something else nor the contrary."""
    return (
        duplicate.agreed != "apart"
        and ledger.live_atom(duplicate.atom.atom_id) is not None
        and not why_contradicts(atom, duplicate.atom)
    )


def _is_of_series(one: AtomRecord, other: AtomRecord) -> bool:
    return differ_in_a_slot(raw_text(one), raw_text(other))


def _join_series(
    ledger: CurrentLedger, atom: AtomRecord, series: list[AtomRecord]
) -> Changes[None]:
    """Say that the atom continues a series, in the series' review if that is still open."""
    ids = {each.atom_id for each in series}
    alone = find_differing_tokens(text_to_compare(atom), text_to_compare(series[0]))
    for review in sorted(_list_open(ledger, ids), key=lambda each: each.merge_candidate_id):
        if {review.atom_a_id, review.atom_b_id} <= ids:
            named = sorted({*review.differing_tokens, *alone})[:MAX_DIFFERING_TOKENS]
            if named != review.differing_tokens:
                yield review.model_copy(update={"differing_tokens": named})
            break
    detail = f"one of a series: {', '.join(alone[:MAX_DIFFERING_TOKENS])}"
    yield note("review_item_raised", atom.atom_id, series[0].atom_id, "series", detail)


def _list_open(ledger: CurrentLedger, atom_ids: Iterable[str]) -> list[MergeCandidate]:
    reviews = [each for atom_id in atom_ids for each in ledger.merge_candidates_of(atom_id)]
    return [each for each in reviews if each.state == "open"]


def _count_open_around(ledger: CurrentLedger, atom_ids: Iterable[str]) -> int:
    """The open reviews of all statements that open reviews connect with these, up to the limit."""
    found: set[str] = set()
    waiting = list(atom_ids)
    seen = set(waiting)
    while waiting and len(found) < MAX_REVIEWS:
        for review in _list_open(ledger, [waiting.pop()]):
            found.add(review.merge_candidate_id)
            sides = {review.atom_a_id, review.atom_b_id} - seen
            seen |= sides
            waiting += sorted(sides)
    return len(found)


def _ask(ledger: CurrentLedger, atom: AtomRecord, duplicate: Duplicate, key: str) -> Changes[None]:
    other = duplicate.atom
    first, second = sorted((atom.atom_id, other.atom_id))
    texts = (text_to_compare(atom), text_to_compare(other))
    if texts[0] == texts[1]:  # what differs is letters and marks that it leaves out
        texts = (_SENTENCE_MARKS.sub("", raw_text(atom)), _SENTENCE_MARKS.sub("", raw_text(other)))
    differing = find_differing_tokens(*texts)
    yield MergeCandidate(
        merge_candidate_id=key,
        atom_a_id=first,
        atom_b_id=second,
        similarity=duplicate.similarity,
        differing_tokens=differing[:MAX_DIFFERING_TOKENS],
        opened_seq=ledger.seq,
    )
    is_guarded = duplicate.similarity >= AUTO_MERGE_THRESHOLD
    reason = "guarded_tokens" if is_guarded else "review_band"
    yield note("merge_candidate_opened", key, None, reason, f"{duplicate.similarity:.6f}")
