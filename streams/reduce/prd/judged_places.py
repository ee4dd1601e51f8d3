"""Which sections an atom stands in: rules propose, weights that people's judgements trained decide.

The rules of ``placement`` alone put half of what they placed where a reader wants it. What they
say, and the same signs that they read, go into a linear model (its card: ``section_weights.md``)
that tells for each section how likely a reader would look for the statement there, and whether he
would print it at all. An atom has the likeliest section as its own; one that is likely nowhere
stands nowhere, because an empty section is worth more than lines that nobody understands.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass

from schemas.events.atom import DOCUMENT_STATUS, ORIGIN
from schemas.events.ledger import AtomRecord, EvidenceRow
from schemas.linear import Odds, Weights, read_model, read_odds, read_weights
from schemas.worth import worth
from streams.headings import ELSEWHERE
from streams.reduce.prd.placed_atoms import SectionFit, SectionFits, voice_of
from streams.reduce.prd.placement import places
from streams.reduce.prd.signs import signs_of

LIKELY = 0.35  # from here on a section is the atom's own: two of three such are right
POSSIBLE = 0.25  # from here on a section that is short of material takes it
SELDOM = 0.15  # the same for sections of which few statements were judged
FEW_JUDGED = frozenset({"open_questions", "success_metrics"})
WORTH_PRINTING = 0.2  # below it a reader would rather miss the statement
KEPT = 1.0  # what it counts that a reader would print the statement among the first ten
OF_WORTH = 0.1  # among statements that fit alike
NOWHERE = "none"
ABILITIES, QUALITIES = "functional_requirements", "non_functional_requirements"


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
    """Where the atom stands, each section with what counts for it there, 0 to about 2.

    What a person has verified, lists of what is in scope, names of things, and what stands in
    documents of a sort of which nothing was judged (code, talk, one that nobody told) stand where
    the rules say.
    """
    found = list(rows)
    fits = places(atom, found)
    if atom.verified_by or _is_for_rules(atom, fits):
        fitting = tuple(fit for fit in fits.others if fit.fit > 0)
        return _raise_all(SectionFits(fits.own, fitting), worth(atom))
    signs = signs_of(atom, found, fits)
    kept = load_model().kept.probability(signs)
    is_no_product = not voice_of(atom) or f"under {ELSEWHERE}" in signs
    if atom.kind == "action_item" or is_no_product:
        return SectionFits()
    spare = SectionFits(spare=fits.own)
    if kept < WORTH_PRINTING:
        return _raise_all(spare, worth(atom))
    proposed = atom.attributes.get(DOCUMENT_STATUS) == "proposed"
    able = [
        fit
        for fit in _weigh(signs, fits)
        if not (proposed and fit.section_id == "architecture_decisions")
    ]
    is_likely = bool(able) and able[0].fit >= _least(able[0].section_id, LIKELY)
    own = able[0] if is_likely and not proposed else None  # nobody has agreed to it
    others = tuple(able[1:] if own else able)
    if not own and not others:
        return _raise_all(spare, worth(atom))
    return _raise_all(SectionFits(own, others), KEPT * kept + OF_WORTH * worth(atom))


def _is_for_rules(atom: AtomRecord, fits: SectionFits) -> bool:
    """Whether the rules alone say where it stands: nine of ten of what they put under scope is
    right there, and of some sorts nothing was judged.
    """
    if atom.kind == "entity" or (fits.own and fits.own.section_id == "scope"):
        return True
    return atom.attributes.get(ORIGIN) not in load_model().origins


def _weigh(signs: set[str], fits: SectionFits) -> list[SectionFit]:
    """The sections that may take a statement with these signs, the likeliest first. Whether a
    requirement tells how well something is done, the rules know as surely.
    """
    likely = load_model().sections.probabilities(signs)
    if fits.own and fits.own.section_id == QUALITIES:
        likely[QUALITIES] = max(likely[QUALITIES], likely[ABILITIES])
        likely[ABILITIES] = 0.0
    return [
        SectionFit(section, likely[section])
        for section in sorted(likely, key=lambda it: (-likely[it], it))
        if section != NOWHERE and likely[section] >= _least(section, POSSIBLE)
    ]


def _least(section: str, usual: float) -> float:
    return SELDOM if section in FEW_JUDGED else usual


def _raise_all(fits: SectionFits, by: float) -> SectionFits:
    def raised(fit: SectionFit) -> SectionFit:
        return SectionFit(fit.section_id, round(fit.fit + by, 6))

    return SectionFits(
        raised(fits.own) if fits.own else None,
        tuple(map(raised, fits.others)),
        raised(fits.spare) if fits.spare else None,
    )
