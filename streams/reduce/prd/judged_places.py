"""Which sections an atom stands in: rules say where, weights that people's judgements trained say
whether it is worth printing, and in which order.

The rules of ``placement`` alone put two of three statements where a strict reader does not want
them. A linear model (its card: ``section_weights.md``) tells from the same signs how likely a
reader would look for a statement in each section, and whether he would print it at all. Decided
against: the likeliest section as the statement's own. It was right as often on the whole, but the
lines that a product manager asked for by name were found half as often.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from schemas.events.atom import ORIGIN
from schemas.events.ledger import AtomRecord, EvidenceRow
from schemas.linear import Odds, Weights, read_model, read_odds, read_weights
from schemas.worth import worth
from streams.headings import ELSEWHERE
from streams.reduce.prd.placed_atoms import SectionFit, SectionFits, voice_of
from streams.reduce.prd.placement import places
from streams.reduce.prd.signs import signs_of

WORTH_PRINTING = 0.2  # below it a reader would rather miss the statement
WORTH_ADDING = 0.25  # of one that rules give no section of its own
POSSIBLE = 0.4  # how likely a section is that takes it when it is short of material
NAMED_BY_RULES = 0.3  # what it counts that rules would let that section take it
KEPT = 2.0  # what it counts that a reader would print the statement among the first ten
OF_WORTH = 0.5
VOUCHED = 2.0  # what a person has verified comes first
NOWHERE = "none"  # the label of what stands in no section


@dataclass(frozen=True, slots=True)
class _Model:
    """``origins`` are the sorts of documents of which enough statements were judged."""

    sections: Weights
    kept: Odds
    origins: frozenset[str]


@functools.cache
def load_model() -> _Model:
    content = read_model("streams.reduce.prd", "section_weights")
    return _Model(read_weights(content), read_odds(content["kept"]), frozenset(content["origins"]))


def judge_places(atom: AtomRecord, rows: Iterable[EvidenceRow] = ()) -> SectionFits:
    """Where the atom stands, each section with what counts for it there, 0 to about 3.

    What a person has verified, lists of what is in scope, names of things, and what stands in
    documents of a sort of which nothing was judged (code, talk, one that nobody told) stand where
    the rules say.
    """
    found = list(rows)
    fits = places(atom, found)
    if atom.verified_by or _is_for_rules(atom, fits):
        fitting = tuple(fit for fit in fits.others if fit.fit > 0)
        by = worth(atom) + VOUCHED * (atom.verified_by is not None)
        return _raise_all(SectionFits(fits.own, fitting), by)
    signs = signs_of(atom, found, fits)
    if atom.kind == "action_item" or not voice_of(atom) or f"under {ELSEWHERE}" in signs:
        return SectionFits()
    kept = load_model().kept.probability(signs)
    if kept < (WORTH_PRINTING if fits.own else WORTH_ADDING):
        return _raise_all(SectionFits(spare=fits.own), worth(atom))
    likely = load_model().sections.probabilities(signs)
    own = SectionFit(fits.own.section_id, likely[fits.own.section_id]) if fits.own else None
    others = tuple(_list_others(fits, likely))
    return _raise_all(SectionFits(own, others), KEPT * kept + OF_WORTH * worth(atom))


def _is_for_rules(atom: AtomRecord, fits: SectionFits) -> bool:
    """Whether the rules alone say where it stands: nine of ten of what they put under scope is
    right there, and of some sorts nothing was judged.
    """
    if atom.kind == "entity" or (fits.own and fits.own.section_id == "scope"):
        return True
    return atom.attributes.get(ORIGIN) not in load_model().origins


def _list_others(fits: SectionFits, likely: Mapping[str, float]) -> Iterator[SectionFit]:
    """The sections that may take it besides its own, the likeliest first."""
    own = fits.own.section_id if fits.own else ""
    named = {fit.section_id for fit in fits.others}
    known = {fit: likely[fit] + NAMED_BY_RULES * (fit in named) for fit in likely}
    for section in sorted(known, key=lambda it: (-known[it], it)):
        if section not in (own, NOWHERE) and known[section] >= POSSIBLE:
            yield SectionFit(section, known[section])


def _raise_all(fits: SectionFits, by: float) -> SectionFits:
    def raised(fit: SectionFit) -> SectionFit:
        return SectionFit(fit.section_id, round(fit.fit + by, 6))

    return SectionFits(
        raised(fits.own) if fits.own else None,
        tuple(map(raised, fits.others)),
        raised(fits.spare) if fits.spare else None,
    )
