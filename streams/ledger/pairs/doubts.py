"""Pairs of statements that rules do not call a contradiction and are not sure of.

A pair is doubtful when both sides speak of one subject (a common entity, the same subject phrase or
alike titles), nothing says that they hold at different times, for different versions or in
different scopes, and reading them against each other leaves a doubt. The more doubt, the sooner a
model is asked about it.
"""

from __future__ import annotations

from schemas.events.ledger import AtomRecord
from schemas.fingerprint import norm_text
from schemas.ids import pair_id
from streams.ledger.likeness.similarity import SHARED_SUBJECT_SIMILARITY, title_similarity
from streams.ledger.opposition.opposition import of_different_times, opposition
from streams.ledger.opposition.scopes import of_different_scopes
from streams.ledger.opposition.statements import of_different_versions
from streams.ledger.turns.changes import Changes, Doubt
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.indexes import subject_key

DOUBTFUL_FROM = 0.2  # below are 12 in 100 contradictions of the labelled sets and most of the rest
OF_ALIKE_TITLES = 0.1  # among equal scores, the pair that speaks more of the same comes first


def note_doubt(ledger: CurrentLedger, one: AtomRecord, other: AtomRecord) -> Changes[None]:
    """The pair is among the doubts of the turn, where it leaves one and nobody has answered it."""
    first, second = sorted((one.atom_id, other.atom_id))
    if ledger.contradiction(pair_id("ctr", ledger.project, first, second)):
        return
    if ledger.state.judgements.is_settled(ledger.project, (first, second)):
        return
    doubt = doubt_of(one, other)
    if doubt and _share_a_subject(ledger, one, other):
        yield Doubt((first, second), doubt)


def doubt_of(one: AtomRecord, other: AtomRecord) -> float:
    """0 where nothing speaks for a contradiction, or the rules are sure that there is none."""
    if "risk" in (one.kind, other.kind) or norm_text(one.title) == norm_text(other.title):
        return 0.0
    first, second = sorted((one.statement, other.statement))
    if of_different_times(first, second) or of_different_versions(one, other):
        return 0.0
    if of_different_scopes(one, other):
        return 0.0
    score = opposition(first, second).score
    if score < DOUBTFUL_FROM:
        return 0.0
    return round(score + OF_ALIKE_TITLES * title_similarity(first, second), 6)


def _share_a_subject(ledger: CurrentLedger, one: AtomRecord, other: AtomRecord) -> bool:
    if (key := subject_key(one)) and key == subject_key(other):
        return True
    if title_similarity(one.statement, other.statement) >= SHARED_SUBJECT_SIMILARITY:
        return True
    named, named_too = (
        {mention.entity_atom_id for mention in ledger.mentions_of(each.atom_id)}
        for each in (one, other)
    )
    return not named.isdisjoint(named_too)
