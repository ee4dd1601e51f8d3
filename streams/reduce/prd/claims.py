"""Which section a claim may stand in: by its product's purpose, users, abilities and parts."""

from __future__ import annotations

from streams.lexicons import Wording
from streams.reduce.prd.admission import is_held, speaks_at_large
from streams.reduce.prd.placed_atoms import FOR_A_PART, FOR_THE_PRODUCT, PlacedAtom, SectionFits
from streams.reduce.prd.subjects import (
    is_about_product,
    is_about_users,
    tells_need,
    tells_purpose,
    tells_service,
)

WHAT_IT_IS = Wording("reduce", "what_it_is")


def place_claim(placed_atom: PlacedAtom) -> SectionFits:
    words, announced = placed_atom.wordings, placed_atom.announced
    if placed_atom.voice < FOR_A_PART or is_of_others(placed_atom, words):
        return SectionFits()
    if tells_purpose(placed_atom.atom.statement) and placed_atom.of_product:
        return placed_atom.fits("goals", "problem", more=0.3)
    if "limit" in words and is_own(placed_atom):
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
    if _is_planned(placed_atom):
        return placed_atom.fits("functional_requirements", "solution_overview", more=-0.05)
    return _part(placed_atom)


def _is_planned(placed_atom: PlacedAtom) -> bool:
    """Whether a plan says what the product, or those whom it serves, will do."""
    statement = placed_atom.atom.statement
    return placed_atom.atom.attributes.get("origin") == "plan" and (
        _is_able(placed_atom) or is_about_users(statement)
    )


def _is_named(placed_atom: PlacedAtom) -> bool:
    """Whether its subject is the product or a part named after it."""
    return bool(placed_atom.atom.attributes.get("about"))


def _is_able(placed_atom: PlacedAtom) -> bool:
    """Whether it says what the product, and nobody else, can do."""
    return _is_named(placed_atom) or is_about_product(placed_atom.atom.statement)


def is_of_others(placed_atom: PlacedAtom, words: frozenset[str]) -> bool:
    """Whether it says what something is that somebody else makes."""
    return "foreign" in words and not _is_named(placed_atom)


def is_own(placed_atom: PlacedAtom) -> bool:
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
    if tells_service(placed_atom.atom.statement) and announced not in _LISTED_BELOW:
        return placed_atom.fits("problem", "functional_requirements", more=0.25)
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


_LISTED_BELOW = frozenset({"functional_requirements", "users"})  # headings over many such lines


def _says_what_it_is(placed_atom: PlacedAtom) -> bool:
    """Whether it defines the product; before any other name, only what also tells its purpose."""
    if not WHAT_IT_IS.match(placed_atom.atom.statement):
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
    if WHAT_IT_IS.match(placed_atom.atom.statement):
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
