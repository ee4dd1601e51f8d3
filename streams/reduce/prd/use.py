"""Whether a reader would print a statement in a PRD, as people's judgements of others say.

The rules of ``placement`` say where a statement belongs; two of three of those they put among the
first ten of a section a strict reader did not want there. A linear model that was
trained by such judgements (its card: ``use_weights.md``) tells from the same signs how likely he
would print one. What he would hardly
print stands nowhere, the rest of a section stands in that order. Decided against: to let weights
choose the section, too, or more of the statements. Lines read better so, but half of those that a
product manager asks for by name were lost.
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

WORTH_PRINTING = 0.1  # below it one of eight that were read was usable
UNTOLD = 0.3  # the use of what nobody judged: about that of the others in a section
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
        return UNTOLD
    return load_model().use.probability(signs_of(atom, rows, fits))
