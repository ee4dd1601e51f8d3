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
from streams.reduce.prd.admission import is_admitted, is_held, is_undecided, speaks_at_large
from streams.reduce.prd.placed_atoms import (
    FOR_A_PART,
    FOR_THE_PRODUCT,
    PlacedAtom,
    SectionFit,
    SectionFits,
    read_atom,
)
from streams.reduce.prd.subjects import (
    is_about_product,
    is_about_users,
    tells_choice,
    tells_need,
    tells_purpose,
)
from streams.reduce.texts.sections import is_excluded
from streams.reduce.texts.vocabulary import find_wordings

_WHAT_IT_IS = Wording("reduce", "what_it_is")
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
    listed = placed_atom.atom.attributes.get("scope") == "in" and _is_own(placed_atom)
    if listed and placed_atom.announced == "goals" and placed_atom.of_product:
        return placed_atom.fits("goals", "scope", more=0.2)
    if is_excluded(placed_atom.atom) or listed:
        return _scope(placed_atom)
    match placed_atom.atom.kind:
        case "claim":
            return _claim(placed_atom)
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


def _claim(placed_atom: PlacedAtom) -> SectionFits:
    words, announced = placed_atom.wordings, placed_atom.announced
    if placed_atom.voice < FOR_A_PART or _is_of_others(placed_atom, words):
        return SectionFits()
    if tells_purpose(placed_atom.atom.statement) and placed_atom.of_product:
        return placed_atom.fits("goals", "problem", more=0.3)
    if "limit" in words and _is_own(placed_atom):
        return placed_atom.fits("scope", "risks", more=0.1)
    if words & {"how_to", "limit"}:
        return SectionFits()
    measured = bool(words & {"bound", "quantity"})
    if placed_atom.headings.get("risks") == 1.0 and speaks_at_large(placed_atom):
        return placed_atom.fits("risks")
    if placed_atom.atom.attributes.get("origin") == "minutes":
        return placed_atom.fits("architecture_decisions")
    if placed_atom.atom.attributes.get("origin") == "record":  # it explains a decision
        motivated = ("problem",) if announced == "problem" else ()
        return placed_atom.fits(None, *motivated, "solution_overview")
    if announced == "success_metrics" or ("metric" in words and measured):
        return placed_atom.fits("success_metrics")
    if announced == "results":  # remarks on how it was measured describe no part
        return placed_atom.fits(None, *(("success_metrics",) if measured else ()))
    if "ambition" in words and (placed_atom.of_product or speaks_at_large(placed_atom)):
        return placed_atom.fits("goals", more=0.2)
    if placed_atom.of_product and _introduces(placed_atom):
        return _introduction(placed_atom)
    if is_held(placed_atom):
        return placed_atom.fits(announced, "problem", more=0.1)
    if tells_need(placed_atom.atom.statement, words):
        return placed_atom.fits("users")
    if "to_reader" in words and "capability" not in words:
        return SectionFits()
    if announced == "problem":  # of a part or a design, where none is told
        return placed_atom.fits(None, "problem", "solution_overview")
    if _bears_out(placed_atom):
        return placed_atom.fits(
            announced, more=-0.1 if placed_atom.atom.attributes.get("origin") == "plan" else 0.05
        )
    return _part(placed_atom)


def _is_named(placed_atom: PlacedAtom) -> bool:
    """Whether its subject is the product or a part named after it."""
    return bool(placed_atom.atom.attributes.get("about"))


def _is_able(placed_atom: PlacedAtom) -> bool:
    """Whether it says what the product, and nobody else, can do."""
    return _is_named(placed_atom) or is_about_product(placed_atom.atom.statement)


def _is_of_others(placed_atom: PlacedAtom, words: frozenset[str]) -> bool:
    """Whether it says what something is that somebody else makes."""
    return "foreign" in words and not _is_named(placed_atom)


def _is_own(placed_atom: PlacedAtom) -> bool:
    """Whether a limit is one of this product: by its subject, its document or its heading."""
    return _is_named(placed_atom) or placed_atom.of_product or "scope" in placed_atom.headings


def _introduces(placed_atom: PlacedAtom) -> bool:
    """Whether it is said where the product is introduced, or is about the product as such."""
    if placed_atom.voice < FOR_THE_PRODUCT or "goals" in placed_atom.wordings:
        return "goals" in placed_atom.wordings or _says_what_it_is(placed_atom)
    if placed_atom.atom.attributes.get("about") == "project":
        return True
    return placed_atom.announced in ("problem", "introduction", "goals", "users") or (
        placed_atom.early and not placed_atom.announced
    )


def _introduction(placed_atom: PlacedAtom) -> SectionFits:
    """Of what introduces the product: its goals, its users, its problem, or what it can do."""
    words, announced = placed_atom.wordings, placed_atom.announced
    if _says_what_it_is(placed_atom):
        users = ("users",) if words & {"users", "needs"} else ()
        return placed_atom.fits("problem", *users, "solution_overview", more=0.3)
    if "goals" in words or announced == "goals":
        return placed_atom.fits("goals", "problem", more=0.2 * ("goals" in words))
    if announced == "users" or tells_need(placed_atom.atom.statement, words):
        return placed_atom.fits("users", "problem", more=0.1)
    if "problem" in words:
        return placed_atom.fits("problem", more=0.2)
    if "users" in words and "purpose" in words:
        return placed_atom.fits("users", "problem", "functional_requirements")
    if "capability" in words and _is_able(placed_atom):
        return placed_atom.fits("functional_requirements", "solution_overview")
    if "purpose" in words or announced == "problem":
        return placed_atom.fits("problem", "solution_overview")
    return placed_atom.fits(None, "solution_overview")


def _says_what_it_is(placed_atom: PlacedAtom) -> bool:
    """Whether it defines the product; before any other name, only what also tells its purpose."""
    if not _WHAT_IT_IS.match(placed_atom.atom.statement):
        return False
    return (
        placed_atom.atom.attributes.get("about") == "project" or "purpose" in placed_atom.wordings
    )


_BORNE_OUT = {  # the words that a claim under a heading needs to belong there
    "functional_requirements": frozenset({"capability"}),
    "non_functional_requirements": frozenset({"bound", "quantity"}),
    "deployment_and_operations": frozenset({"operation"}),
    "data_and_integrations": frozenset({"data"}),
    "solution_overview": frozenset({"capability", "data", "operation", "purpose"}),
}


def _bears_out(placed_atom: PlacedAtom) -> bool:
    """Whether a claim says what the heading over it announces."""
    needed = _BORNE_OUT.get(placed_atom.announced)
    if "to_reader" in placed_atom.wordings and placed_atom.announced != "functional_requirements":
        return False
    return needed is not None and (placed_atom.of_product or bool(placed_atom.wordings & needed))


def _part(placed_atom: PlacedAtom) -> SectionFits:
    """A claim about a part: what it is, how it runs, what data it keeps, what it can do."""
    words, area = placed_atom.wordings, placed_atom.atom.area
    if "to_reader" in words:
        return placed_atom.fits(None, "functional_requirements")
    if _WHAT_IT_IS.match(placed_atom.atom.statement):
        return placed_atom.fits("solution_overview", more=0.1)
    if area in ("deployment_constraints", "operations") and "operation" in words:
        own = "deployment_and_operations" if _is_named(placed_atom) else None
        return placed_atom.fits(own, "deployment_and_operations", "solution_overview")
    if area in ("data_model", "integrations") and "data" in words:
        own = "data_and_integrations" if _is_named(placed_atom) else None
        return placed_atom.fits(own, "data_and_integrations", "solution_overview")
    if "capability" in words and _is_able(placed_atom):
        return placed_atom.fits("functional_requirements", "solution_overview", more=-0.1)
    if "bound" in words or area in ("non_functional", "security"):
        return placed_atom.fits(None, "non_functional_requirements", "solution_overview")
    return placed_atom.fits(None, "solution_overview")


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
    if "limit" in words and _is_own(placed_atom):
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
    if "limit" in words and _is_own(placed_atom):
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
    if _is_of_others(placed_atom, words):
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
    if "limit" in placed_atom.wordings and _is_own(placed_atom):
        return placed_atom.fits("scope", "risks")
    if "bound" in placed_atom.wordings and not placed_atom.near("risks"):
        return placed_atom.fits(None, "non_functional_requirements")
    severity = {"critical": 0.2, "high": 0.1}.get(placed_atom.atom.severity or "", 0.0)
    endangers = {"danger", "consequence"} <= placed_atom.wordings
    if not (severity or endangers or placed_atom.near("risks")):
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
    return placed_atom.fits("open_questions", more=0.1 * placed_atom.atom.statement.endswith("?"))


_DESCRIPTIONS = frozenset(
    {"readme", "overview", "product", "doc", "guide", "part"}
)  # there a question mark is rhetoric


def _is_admitted(placed_atom: PlacedAtom) -> bool:
    return "open" in placed_atom.wordings and "unfinished" not in placed_atom.wordings
