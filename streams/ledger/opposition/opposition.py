"""Whether two statements cannot both hold, why, and how sure that is.

The two are aligned first, so that equal values and names are equal words (``alignment.py``). What
is right when it speaks comes first: two values of one subject and relation (``statements.py``), or
texts that are the same but for one figure. What speaks of something else (``scopes.py``) is no
contradiction. All else is weighed, what stands against what (``contrast.py``), with learnt weights.

A statement that gives the time or the event up to which it held, or that is only planned, is no
contradiction to its successor: both are true, of their time. A denial is sure only where the other
says all that is denied: «a man is sitting» can stand beside «a man is not sitting on a step».
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from schemas.fingerprint import norm_text
from streams.ledger.likeness.weighing import Weights, load_weights, weigh
from streams.ledger.opposition.alignment import MANY_CHARS, Aligned, align, unmark
from streams.ledger.opposition.contrast import (
    Sentence,
    contrast_features,
    exclude,
    find_unmatched,
    has_reason,
    is_opposed,
    sentence_of,
)
from streams.ledger.opposition.scopes import speak_of_different
from streams.ledger.opposition.statements import statement_of
from streams.ledger.opposition.traits import traits_of
from streams.lexicons import Wording

LABEL_THRESHOLD = 0.5
SURE = 0.9  # held out, at least nine in ten of these are right
OF_VALUES = 0.95  # two values of one relation of one subject
OF_OTHERS = 0.8  # «only» of one group, and the same of another one
WITHOUT_REASON = 0.3
OF_A_PART = 0.85  # the denied says more than the other: likely, not sure
OF_THEIR_TIME = 0.2
OF_OTHER_SCOPE = 0.2
ONLY_SOME = "one lets only some, the other lets others too"
_WEIGHTS = load_weights("contrast")
_ONLY = Wording("ledger", "only_may")
Kind = Literal["polarity_mismatch", "body_conflict"]
Severity = Literal["low", "medium", "high"]


class Opposition(NamedTuple):
    """``score`` 0 to 1; ``kind`` and ``explanation`` say what it would be."""

    score: float
    kind: Kind
    explanation: str

    @property
    def is_contradiction(self) -> bool:
        return self.score >= LABEL_THRESHOLD

    @property
    def is_sure(self) -> bool:
        return self.score >= SURE

    @property
    def severity(self) -> Severity:
        if self.is_sure:
            return "high"
        return "medium" if self.is_contradiction else "low"


def opposition(one: str, other: str, weights: Weights = _WEIGHTS) -> Opposition:
    """How surely the second statement cannot hold beside the first."""
    if max(len(one), len(other)) > MANY_CHARS:  # in a document something is always denied
        return Opposition(0.0, "body_conflict", "")
    pair = align(one, other)
    if value := differing_value(pair):
        found = Opposition(OF_VALUES, "body_conflict", value)
    elif lets_others(pair):
        found = Opposition(OF_OTHERS, "body_conflict", ONLY_SOME)
    elif says_the_same(pair) or traits_of(one).asks or traits_of(other).asks:
        found = Opposition(0.0, *_explain(pair))
    elif speak_of_different(pair):
        found = Opposition(OF_OTHER_SCOPE, *_explain(pair))
    else:
        score = _score(pair, contrast_features(one, other), weights)
        found = Opposition(score, *_explain(pair))
    if of_different_times(one, other):
        return found._replace(score=min(found.score, OF_THEIR_TIME))
    return found


def lets_others(pair: Aligned) -> bool:
    """«Only admins may X» against «Members may X»: the same of others than the only ones."""
    first, second = _ONLY.match(pair.one), _ONLY.match(pair.other)
    if not first or not second or bool(first["only"]) == bool(second["only"]):
        return False
    if norm_text(first["what"]) != norm_text(second["what"]) or _denies(pair):
        return False
    ours, theirs = (set(norm_text(each["who"]).split()) for each in (first, second))
    return ours.isdisjoint(theirs)


def says_the_same(pair: Aligned) -> bool:
    return not pair.conflicts and norm_text(pair.one) == norm_text(pair.other)


def differing_value(pair: Aligned) -> str:
    """What one subject and relation has two values of, or what two equal texts differ in."""
    ours, theirs = statement_of(pair.one), statement_of(pair.other)
    if ours and theirs and ours.excludes(theirs) and not _denies(pair):
        values = sorted((ours.value, theirs.value))
        return unmark(f"{ours.subject} {ours.relation}: {values[0]} or {values[1]}")
    same_but_one = pair.differences == 1 and norm_text(pair.one) == norm_text(pair.other)
    if same_but_one and traits_of(pair.one).is_rule:
        values = sorted(pair.conflicts[0])
        about = f"{ours.subject} is" if ours and ours.relation == "is" else "the figures differ"
        return f"{about}: {values[0]} or {values[1]}"
    return ""


def _score(pair: Aligned, features: Sequence[float], weights: Weights) -> float:
    learnt = weigh(features, weights)
    if not has_reason(features):
        return min(learnt, WITHOUT_REASON)
    if _denies_more(sentence_of(pair.one), sentence_of(pair.other)):
        return min(learnt, OF_A_PART)
    return learnt


def of_different_times(one: str, other: str) -> bool:
    """Whether one of the two says itself that it held until something, or that it may come, and
    the other does not."""
    ours, theirs = traits_of(one), traits_of(other)
    if ours.is_past != theirs.is_past or ours.is_planned != theirs.is_planned:
        return True
    return (ours.will and not theirs.has_modal) or (theirs.will and not ours.has_modal)


def _denies_more(ours: Sentence, theirs: Sentence) -> bool:
    """Whether the only denial of the two holds words that nothing in the other matches."""
    if ours.negated == theirs.negated:
        return False
    denial, assertion = (ours, theirs) if ours.negated else (theirs, ours)
    return bool(find_unmatched(denial, assertion))


def _denies(pair: Aligned) -> bool:
    return sentence_of(pair.one).negated or sentence_of(pair.other).negated


def _explain(pair: Aligned) -> tuple[Kind, str]:
    """The plainest reason, if the two are a contradiction at all."""
    ours, theirs = sentence_of(pair.one), sentence_of(pair.other)
    if ours.negated != theirs.negated:
        return "polarity_mismatch", "one affirms what the other denies"
    alone, alone_too = find_unmatched(ours, theirs), find_unmatched(theirs, ours)
    for word in alone:
        for another in alone_too:
            if is_opposed(word, another) or exclude(word, another):
                first, second = sorted((word, another))
                return "body_conflict", f"{first} against {second}"
    if pair.conflicts:
        first, second = sorted(pair.conflicts[0])
        return "body_conflict", f"the figures differ: {first} or {second}"
    if ours.binding != theirs.binding:
        return "body_conflict", "one binds, the other leaves it open"
    return "body_conflict", "different values for the same"
