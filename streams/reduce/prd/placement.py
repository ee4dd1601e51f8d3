"""Which sections of a PRD an atom may stand in, and how well it fits there.

Decided from the atom's kind and marks, the headings it was found under and its wording (data:
``placement.toml``), and how much its document speaks for the product. An atom has at most one
section of its own, and others that take it when they are short of material. What cannot stand alone
as a sentence, or speaks of work on the product, stands nowhere: an empty section says so, and that
is worth more than a line nobody understands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from schemas.events.atom import DOCUMENT_STATUS
from schemas.events.ledger import AtomRecord, EvidenceRow
from streams.lexicons import Wording
from streams.reduce.prd.admission import is_admitted, is_undecided
from streams.reduce.prd.claims import WHAT_IT_IS, is_of_others, is_own, place_claim
from streams.reduce.prd.placed_atoms import (
    FOR_A_PART,
    FOR_THE_PRODUCT,
    PlacedAtom,
    SectionFit,
    SectionFits,
    read_atom,
)
from streams.reduce.prd.subjects import (
    is_about_users,
    tells_choice,
)
from streams.reduce.texts.sections import is_excluded
from streams.reduce.texts.vocabulary import find_wordings

_GUARDS = Wording("reduce", "guards")
_HARMS = Wording("reduce", "harms")
_DECIDING = frozenset({"record", "minutes", "plan", "talk", "architecture"})
_NORMATIVE = re.compile(r"\b(?:MUST|SHALL|REQUIRED)\b|\bshall\b")
_STORY = re.compile(r"^as an? \w", re.IGNORECASE)
_FOR_CODE = frozenset(
    ("functional_requirements", "non_functional_requirements", "solution_overview")
    + ("data_and_integrations", "deployment_and_operations", "risks", "open_questions")
)


def places(atom: AtomRecord, rows: Iterable[EvidenceRow] = ()) -> SectionFits:
    """Where the atom may stand, by what it says and where it was found (``rows``)."""
    found = read_atom(atom, rows)
    fits = _by_kind(found) if found and is_admitted(found) else SectionFits()
    if found and fits.own and is_undecided(found):
        fits = SectionFits(None, (fits.own, *fits.others))
    if atom.verified_by and fits.own is None:  # what a person vouches for is not left out
        return _verified(atom, fits)
    if atom.attributes.get("origin") != "code":
        return fits
    own = (fits.own,) if fits.own else ()
    kept = tuple(place for place in (*own, *fits.others) if place.section_id in _FOR_CODE)
    return SectionFits(None, kept)  # a comment in code fills what documents leave short


_SECTION_OF_KIND = {
    "claim": "solution_overview",
    "decision": "architecture_decisions",
    "requirement": "functional_requirements",
    "risk": "risks",
    "unknown": "open_questions",
    "domain_signal": "users",
}


def _verified(atom: AtomRecord, fits: SectionFits) -> SectionFits:
    """The section that may take it, else that of its kind; names and tasks still stand nowhere."""
    if fits.others:
        return SectionFits(fits.others[0], fits.others[1:])
    section = _SECTION_OF_KIND.get(atom.kind)
    return SectionFits(SectionFit(section)) if section else fits


def _by_kind(placed_atom: PlacedAtom) -> SectionFits:
    listed = placed_atom.atom.attributes.get("scope") == "in" and is_own(placed_atom)
    if listed and placed_atom.announced == "goals" and placed_atom.of_product:
        return placed_atom.fits("goals", "scope", more=0.2)
    if is_excluded(placed_atom.atom) or listed:
        return _scope(placed_atom)
    match placed_atom.atom.kind:
        case "claim":
            return place_claim(placed_atom)
        case "decision":
            return _decision(placed_atom)
        case "requirement":
            return _requirement(placed_atom)
        case "entity":
            return _entity(placed_atom)
        case "domain_signal":
            return _signal(placed_atom)
        case "risk":
            return _risk(placed_atom)
        case "unknown":
            return _unknown(placed_atom)
        case _:  # action items are plan, not product
            return SectionFits()


def _scope(placed_atom: PlacedAtom) -> SectionFits:
    """The product's own scope before that of one design."""
    if placed_atom.voice < FOR_A_PART:
        return SectionFits()
    return placed_atom.fits("scope", more=0.2 + 0.3 * (placed_atom.voice >= FOR_THE_PRODUCT))


def _decision(placed_atom: PlacedAtom) -> SectionFits:
    """What was decided; what is only proposed is none, nor is what a guide tells its reader."""
    words, told = placed_atom.wordings, placed_atom.atom.attributes
    if told.get(DOCUMENT_STATUS) == "proposed" or "proposed" in words:
        return SectionFits()
    if placed_atom.voice <= FOR_A_PART and words & {"how_to", "to_reader", "work_on_it"}:
        return SectionFits()
    reasoned = bool(told.get("rationale") or told.get("alternatives"))
    headed = "architecture_decisions" in placed_atom.headings
    said = tells_choice(placed_atom.atom.statement)
    decides = told.get("origin") in _DECIDING or told.get(DOCUMENT_STATUS) == "accepted"
    if not (decides or headed or said):
        return SectionFits()  # it describes how things are
    if "limit" in words and is_own(placed_atom):
        return placed_atom.fits("scope", "architecture_decisions", more=0.1)
    if not (reasoned or said or headed or "choice" in words):
        return placed_atom.fits(None, "architecture_decisions")  # it tells how something works
    more = 0.1 * reasoned + 0.1 * said + 0.1 * headed
    if placed_atom.atom.area in ("deployment_constraints", "operations"):
        return placed_atom.fits("architecture_decisions", "deployment_and_operations", more=more)
    if placed_atom.atom.area in ("data_model", "integrations"):
        return placed_atom.fits("architecture_decisions", "data_and_integrations", more=more)
    return placed_atom.fits("architecture_decisions", "solution_overview", more=more)


def _requirement(placed_atom: PlacedAtom) -> SectionFits:
    words, announced = placed_atom.wordings, placed_atom.announced
    told = placed_atom.atom.attributes.get("requirement_type") == "non_functional"
    origin = placed_atom.atom.attributes.get("origin")
    quality = told or "quality" in words
    sort = "non_functional_requirements" if quality else "functional_requirements"
    if placed_atom.voice < FOR_A_PART:
        return SectionFits()
    if origin == "record" and announced != sort:  # a condition of one decision
        return placed_atom.fits(None, sort)
    if "limit" in words and is_own(placed_atom):
        return placed_atom.fits("scope", sort, more=0.1)
    if "how_to" in words and announced not in _LISTS_OF_WISHES:
        return SectionFits()
    if "to_reader" in words:
        return placed_atom.fits(None, sort)
    if announced == "success_metrics" or (
        announced in ("goals", "scope") and placed_atom.of_product
    ):
        return placed_atom.fits(announced, sort, more=0.1)
    if _STORY.match(placed_atom.atom.statement):
        return placed_atom.fits("functional_requirements", "users", more=0.1)
    bound = bool(words & {"bound", "quantity"})
    if bound and "metric" in words:
        return placed_atom.fits("success_metrics", sort)
    more = 0.1 * (announced == "functional_requirements") + 0.1 * (bound and quality)
    more += placed_atom.near("goals")  # the goals of one design are requirements of the product
    more += 0.15 * bool(_NORMATIVE.search(placed_atom.atom.statement))
    aims = "goals" in words and placed_atom.of_product
    return placed_atom.fits(sort, *(("goals",) if aims else ()), more=more)


_LISTS_OF_WISHES = frozenset({"goals", "scope", "functional_requirements", "users"})


def _entity(placed_atom: PlacedAtom) -> SectionFits:
    """Something that is described; a bare name describes nothing."""
    atom = placed_atom.atom
    what, said = atom.attributes.get("entity_type", "other"), atom.body
    about = atom.attributes.get("about") == "project"
    words = find_wordings(said)
    if len(said.split()) < 6 or words & {"unfinished", "work_on_it", "how_to"}:
        return SectionFits()
    if is_of_others(placed_atom, words):
        return SectionFits()
    known = round(min(atom.evidence_count, 6) * 0.03, 6)
    if about:
        return placed_atom.fits("problem", "solution_overview", more=known + 0.3)
    if placed_atom.voice < FOR_A_PART:
        return SectionFits()
    if what in ("integration", "dataset"):
        return placed_atom.fits("data_and_integrations", more=known)
    if what in ("system", "product", "component"):
        return placed_atom.fits("solution_overview", "data_and_integrations", more=known + 0.1)
    return placed_atom.fits(None, "data_and_integrations")


def _signal(placed_atom: PlacedAtom) -> SectionFits:
    """What users or the market say."""
    if placed_atom.voice < FOR_A_PART and not placed_atom.of_product:
        return SectionFits()
    if (
        not placed_atom.wordings & {"needs", "users", "problem"}
        and placed_atom.announced != "users"
    ):
        return SectionFits()
    if not is_about_users(placed_atom.atom.statement) and placed_atom.announced not in (
        "users",
        "problem",
    ):
        return SectionFits()
    if placed_atom.atom.attributes.get("signal_type", "user") == "user":
        return placed_atom.fits("users", "problem", more=0.1)
    return placed_atom.fits("problem", "users", more=0.1)


def _risk(placed_atom: PlacedAtom) -> SectionFits:
    """What endangers the product; a limit in a description of its use is a limit, no risk."""
    if placed_atom.voice < FOR_A_PART:
        return SectionFits()
    near, statement = placed_atom.near("risks"), placed_atom.atom.statement
    if not near and WHAT_IT_IS.match(statement) and not _HARMS.says(statement):
        return place_claim(placed_atom)
    if not near and _GUARDS.match(statement):
        return placed_atom.fits(None, "non_functional_requirements")
    if "limit" in placed_atom.wordings and is_own(placed_atom):
        return placed_atom.fits("scope", "risks")
    if "bound" in placed_atom.wordings and not near:
        return placed_atom.fits(None, "non_functional_requirements")
    severity = {"critical": 0.2, "high": 0.1}.get(placed_atom.atom.severity or "", 0.0)
    endangers = {"danger", "consequence"} <= placed_atom.wordings
    if not (severity or endangers or near):
        return SectionFits()
    small = 0.25 * (placed_atom.atom.attributes.get("origin") == "record")  # of one decision
    return placed_atom.fits("risks", more=round(severity - small, 6))


def _unknown(placed_atom: PlacedAtom) -> SectionFits:
    """What the team does not know; a question that a document asks its reader is none."""
    if (
        placed_atom.atom.attributes.get("origin") == "record"
        and placed_atom.announced != "open_questions"
    ):
        return SectionFits()  # what a decision answered
    described = placed_atom.atom.attributes.get("origin") in _DESCRIPTIONS
    if placed_atom.asked_by_heading or "to_reader" in placed_atom.wordings:
        return SectionFits()
    if described and placed_atom.announced != "open_questions" and not _is_admitted(placed_atom):
        return SectionFits()
    asks = placed_atom.atom.statement.endswith("?")
    if not asks and placed_atom.announced != "open_questions" and not _is_admitted(placed_atom):
        return SectionFits()
    return placed_atom.fits("open_questions", more=0.1 * asks)


_DESCRIPTIONS = frozenset(
    {"readme", "overview", "product", "doc", "guide", "part"}
)  # there a question mark is rhetoric


def _is_admitted(placed_atom: PlacedAtom) -> bool:
    return "open" in placed_atom.wordings and "unfinished" not in placed_atom.wordings
