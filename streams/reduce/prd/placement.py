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

_WHAT_IT_IS = re.compile(
    r"^(?:(?:The|An?) [\w.@/-]+|[A-Z@][\w.@/-]*)(?: [\w.@/-]+){0,4}"
    r" (?:(?:is|are) (?:an?|the)|(?:is|are|was|were) (?:designed|built|created|made|meant|intended)"
    r" (?:to|for)) "
)
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


def _by_kind(found: PlacedAtom) -> SectionFits:
    listed = found.atom.attributes.get("scope") == "in" and _is_own(found)
    if listed and found.announced == "goals" and found.of_product:
        return found.fits("goals", "scope", more=0.2)
    if is_excluded(found.atom) or listed:
        return _scope(found)
    match found.atom.kind:
        case "claim":
            return _claim(found)
        case "decision":
            return _decision(found)
        case "requirement":
            return _requirement(found)
        case "entity":
            return _entity(found)
        case "domain_signal":
            return _signal(found)
        case "risk":
            return _risk(found)
        case "unknown":
            return _unknown(found)
        case _:  # action items are plan, not product
            return SectionFits()


def _scope(found: PlacedAtom) -> SectionFits:
    """The product's own scope before that of one design."""
    if found.voice < FOR_A_PART:
        return SectionFits()
    return found.fits("scope", more=0.2 + 0.3 * (found.voice >= FOR_THE_PRODUCT))


def _claim(found: PlacedAtom) -> SectionFits:
    words, announced = found.wordings, found.announced
    if found.voice < FOR_A_PART or _is_of_others(found, words):
        return SectionFits()
    if tells_purpose(found.atom.statement) and found.of_product:
        return found.fits("goals", "problem", more=0.3)
    if "limit" in words and _is_own(found):
        return found.fits("scope", "risks", more=0.1)
    if words & {"how_to", "limit"}:
        return SectionFits()
    measured = bool(words & {"bound", "quantity"})
    if found.headings.get("risks") == 1.0 and speaks_at_large(found):
        return found.fits("risks")
    if found.atom.attributes.get("origin") == "minutes":
        return found.fits("architecture_decisions")
    if found.atom.attributes.get("origin") == "record":  # it explains a decision
        motivated = ("problem",) if announced == "problem" else ()
        return found.fits(None, *motivated, "solution_overview")
    if announced == "success_metrics" or ("metric" in words and measured):
        return found.fits("success_metrics")
    if announced == "results":  # remarks on how it was measured describe no part
        return found.fits(None, *(("success_metrics",) if measured else ()))
    if "ambition" in words and (found.of_product or speaks_at_large(found)):
        return found.fits("goals", more=0.2)
    if found.of_product and _introduces(found):
        return _introduction(found)
    if is_held(found):
        return found.fits(announced, "problem", more=0.1)
    if tells_need(found.atom.statement, words):
        return found.fits("users")
    if "to_reader" in words and "capability" not in words:
        return SectionFits()
    if announced == "problem":  # of a part or a design, where none is told
        return found.fits(None, "problem", "solution_overview")
    if _bears_out(found):
        return found.fits(
            announced, more=-0.1 if found.atom.attributes.get("origin") == "plan" else 0.05
        )
    return _part(found)


def _is_named(found: PlacedAtom) -> bool:
    """Whether its subject is the product or a part named after it."""
    return bool(found.atom.attributes.get("about"))


def _is_able(found: PlacedAtom) -> bool:
    """Whether it says what the product, and nobody else, can do."""
    return _is_named(found) or is_about_product(found.atom.statement)


def _is_of_others(found: PlacedAtom, words: frozenset[str]) -> bool:
    """Whether it says what something is that somebody else makes."""
    return "foreign" in words and not _is_named(found)


def _is_own(found: PlacedAtom) -> bool:
    """Whether a limit is one of this product: by its subject, its document or its heading."""
    return _is_named(found) or found.of_product or "scope" in found.headings


def _introduces(found: PlacedAtom) -> bool:
    """Whether it is said where the product is introduced, or is about the product as such."""
    if found.voice < FOR_THE_PRODUCT or "goals" in found.wordings:
        return "goals" in found.wordings or _says_what_it_is(found)
    if found.atom.attributes.get("about") == "project":
        return True
    return found.announced in ("problem", "introduction", "goals", "users") or (
        found.early and not found.announced
    )


def _introduction(found: PlacedAtom) -> SectionFits:
    """Of what introduces the product: its goals, its users, its problem, or what it can do."""
    words, announced = found.wordings, found.announced
    if _says_what_it_is(found):
        users = ("users",) if words & {"users", "needs"} else ()
        return found.fits("problem", *users, "solution_overview", more=0.3)
    if "goals" in words or announced == "goals":
        return found.fits("goals", "problem", more=0.2 * ("goals" in words))
    if announced == "users" or tells_need(found.atom.statement, words):
        return found.fits("users", "problem", more=0.1)
    if "problem" in words:
        return found.fits("problem", more=0.2)
    if "users" in words and "purpose" in words:
        return found.fits("users", "problem", "functional_requirements")
    if "capability" in words and _is_able(found):
        return found.fits("functional_requirements", "solution_overview")
    if "purpose" in words or announced == "problem":
        return found.fits("problem", "solution_overview")
    return found.fits(None, "solution_overview")


def _says_what_it_is(found: PlacedAtom) -> bool:
    """Whether it defines the product; before any other name, only what also tells its purpose."""
    if not _WHAT_IT_IS.match(found.atom.statement):
        return False
    return found.atom.attributes.get("about") == "project" or "purpose" in found.wordings


_BORNE_OUT = {  # the words that a claim under a heading needs to belong there
    "functional_requirements": frozenset({"capability"}),
    "non_functional_requirements": frozenset({"bound", "quantity"}),
    "deployment_and_operations": frozenset({"operation"}),
    "data_and_integrations": frozenset({"data"}),
    "solution_overview": frozenset({"capability", "data", "operation", "purpose"}),
}


def _bears_out(found: PlacedAtom) -> bool:
    """Whether a claim says what the heading over it announces."""
    needed = _BORNE_OUT.get(found.announced)
    if "to_reader" in found.wordings and found.announced != "functional_requirements":
        return False
    return needed is not None and (found.of_product or bool(found.wordings & needed))


def _part(found: PlacedAtom) -> SectionFits:
    """A claim about a part: what it is, how it runs, what data it keeps, what it can do."""
    words, area = found.wordings, found.atom.area
    if "to_reader" in words:
        return found.fits(None, "functional_requirements")
    if _WHAT_IT_IS.match(found.atom.statement):
        return found.fits("solution_overview", more=0.1)
    if area in ("deployment_constraints", "operations") and "operation" in words:
        own = "deployment_and_operations" if _is_named(found) else None
        return found.fits(own, "deployment_and_operations", "solution_overview")
    if area in ("data_model", "integrations") and "data" in words:
        own = "data_and_integrations" if _is_named(found) else None
        return found.fits(own, "data_and_integrations", "solution_overview")
    if "capability" in words and _is_able(found):
        return found.fits("functional_requirements", "solution_overview", more=-0.1)
    if "bound" in words or area in ("non_functional", "security"):
        return found.fits(None, "non_functional_requirements", "solution_overview")
    return found.fits(None, "solution_overview")


def _decision(found: PlacedAtom) -> SectionFits:
    """What was decided; what is only proposed is none, nor is what a guide tells its reader."""
    words, told = found.wordings, found.atom.attributes
    if told.get(DOCUMENT_STATUS) == "proposed" or "proposed" in words:
        return SectionFits()
    if found.voice <= FOR_A_PART and words & {"how_to", "to_reader", "work_on_it"}:
        return SectionFits()
    reasoned = bool(told.get("rationale") or told.get("alternatives"))
    headed = "architecture_decisions" in found.headings
    said = tells_choice(found.atom.statement)
    decides = told.get("origin") in _DECIDING or told.get(DOCUMENT_STATUS) == "accepted"
    if not (decides or headed or said):
        return SectionFits()  # it describes how things are
    if "limit" in words and _is_own(found):
        return found.fits("scope", "architecture_decisions", more=0.1)
    if not (reasoned or said or headed or "choice" in words):
        return found.fits(None, "architecture_decisions")  # it tells how something works
    more = 0.1 * reasoned + 0.1 * said + 0.1 * headed
    if found.atom.area in ("deployment_constraints", "operations"):
        return found.fits("architecture_decisions", "deployment_and_operations", more=more)
    if found.atom.area in ("data_model", "integrations"):
        return found.fits("architecture_decisions", "data_and_integrations", more=more)
    return found.fits("architecture_decisions", "solution_overview", more=more)


def _requirement(found: PlacedAtom) -> SectionFits:
    words, announced = found.wordings, found.announced
    told = found.atom.attributes.get("requirement_type") == "non_functional"
    origin = found.atom.attributes.get("origin")
    quality = told or "quality" in words
    sort = "non_functional_requirements" if quality else "functional_requirements"
    if found.voice < FOR_A_PART:
        return SectionFits()
    if origin == "record" and announced != sort:  # a condition of one decision
        return found.fits(None, sort)
    if "limit" in words and _is_own(found):
        return found.fits("scope", sort, more=0.1)
    if "how_to" in words and announced not in _LISTS_OF_WISHES:
        return SectionFits()
    if "to_reader" in words:
        return found.fits(None, sort)
    if announced == "success_metrics" or (announced in ("goals", "scope") and found.of_product):
        return found.fits(announced, sort, more=0.1)
    if _STORY.match(found.atom.statement):
        return found.fits("functional_requirements", "users", more=0.1)
    bound = bool(words & {"bound", "quantity"})
    if bound and "metric" in words:
        return found.fits("success_metrics", sort)
    more = 0.1 * (announced == "functional_requirements") + 0.1 * (bound and quality)
    more += found.near("goals")  # the goals of one design are requirements of the product
    more += 0.15 * bool(_NORMATIVE.search(found.atom.statement))
    aims = "goals" in words and found.of_product
    return found.fits(sort, *(("goals",) if aims else ()), more=more)


_LISTS_OF_WISHES = frozenset({"goals", "scope", "functional_requirements", "users"})


def _entity(found: PlacedAtom) -> SectionFits:
    """Something that is described; a bare name describes nothing."""
    atom = found.atom
    what, said = atom.attributes.get("entity_type", "other"), atom.body
    about = atom.attributes.get("about") == "project"
    words = find_wordings(said)
    if len(said.split()) < 6 or words & {"unfinished", "work_on_it", "how_to"}:
        return SectionFits()
    if _is_of_others(found, words):
        return SectionFits()
    known = round(min(atom.evidence_count, 6) * 0.03, 6)
    if about:
        return found.fits("problem", "solution_overview", more=known + 0.3)
    if found.voice < FOR_A_PART:
        return SectionFits()
    if what in ("integration", "dataset"):
        return found.fits("data_and_integrations", more=known)
    if what in ("system", "product", "component"):
        return found.fits("solution_overview", "data_and_integrations", more=known + 0.1)
    return found.fits(None, "data_and_integrations")


def _signal(found: PlacedAtom) -> SectionFits:
    """What users or the market say."""
    if found.voice < FOR_A_PART and not found.of_product:
        return SectionFits()
    if not found.wordings & {"needs", "users", "problem"} and found.announced != "users":
        return SectionFits()
    if not is_about_users(found.atom.statement) and found.announced not in ("users", "problem"):
        return SectionFits()
    if found.atom.attributes.get("signal_type", "user") == "user":
        return found.fits("users", "problem", more=0.1)
    return found.fits("problem", "users", more=0.1)


def _risk(found: PlacedAtom) -> SectionFits:
    """What endangers the product; a limit in a description of its use is a limit, no risk."""
    if found.voice < FOR_A_PART:
        return SectionFits()
    if "limit" in found.wordings and _is_own(found):
        return found.fits("scope", "risks")
    if "bound" in found.wordings and not found.near("risks"):
        return found.fits(None, "non_functional_requirements")
    severity = {"critical": 0.2, "high": 0.1}.get(found.atom.severity or "", 0.0)
    endangers = {"danger", "consequence"} <= found.wordings
    if not (severity or endangers or found.near("risks")):
        return SectionFits()
    small = 0.25 * (found.atom.attributes.get("origin") == "record")  # of one decision
    return found.fits("risks", more=round(severity - small, 6))


def _unknown(found: PlacedAtom) -> SectionFits:
    """What the team does not know; a question that a document asks its reader is none."""
    if found.atom.attributes.get("origin") == "record" and found.announced != "open_questions":
        return SectionFits()  # what a decision answered
    described = found.atom.attributes.get("origin") in _DESCRIPTIONS
    if found.asked_by_heading or "to_reader" in found.wordings:
        return SectionFits()
    if described and found.announced != "open_questions" and not _is_admitted(found):
        return SectionFits()
    return found.fits("open_questions", more=0.1 * found.atom.statement.endswith("?"))


_DESCRIPTIONS = frozenset(
    {"readme", "overview", "product", "doc", "guide", "part"}
)  # there a question mark is rhetoric


def _is_admitted(found: PlacedAtom) -> bool:
    return "open" in found.wordings and "unfinished" not in found.wordings
