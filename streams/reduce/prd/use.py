"""Whether a reader would print a statement in a PRD, as learnt from judgements of others.

The rules of ``placement`` say where a statement belongs; a strict reader could use one of three
that they put among the first ten of a section. A linear model (its card: ``use_weights.md``) tells
from the signs of a statement how likely he would print it. What he would hardly print stands
nowhere, the rest of a section in that order. Decided against: to let weights choose the section,
too. Lines read no better so, and a third of those that a product manager wants was lost.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass

from schemas.events.atom import ORIGIN
from schemas.events.ledger import AtomRecord, EvidenceRow
from schemas.linear import Odds, read_model, read_odds
from streams.reduce.prd.placed_atoms import SectionFits
from streams.reduce.prd.signs import signs_of

WORTH_PRINTING = 0.1  # of 25 that were read below .15 three were usable
UNJUDGED = 0.3  # of sorts without judgements: about the mean of a section
VOUCHED = 1.0  # what a person has verified comes first


@dataclass(frozen=True, slots=True)
class _Model:
    """``origins`` are the sorts of documents of which enough statements were judged."""

    use: Odds
    origins: frozenset[str]


@functools.cache
def load_model() -> _Model:
    content = read_model("streams.reduce.prd", "use_weights")
    return _Model(read_odds(content), frozenset(content["origins"]))


def use_of(atom: AtomRecord, rows: Iterable[EvidenceRow], fits: SectionFits) -> float:
    """How likely a reader would print the statement among the first of its section, 0 to 1.

    Names of things, what rules put under scope (nine of ten of it is right there), and what stands
    in documents of a sort of which nothing was judged (code, talk, one that nobody told), count as
    the others do.
    """
    if atom.verified_by:
        return VOUCHED
    is_scope = fits.own is not None and fits.own.section_id == "scope"
    is_judged = atom.attributes.get(ORIGIN) in load_model().origins
    if atom.kind == "entity" or is_scope or not is_judged:
        return UNJUDGED
    return load_model().use.probability(signs_of(atom, rows, fits))
