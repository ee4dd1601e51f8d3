"""What a document may say in a PRD, by the part it plays.

Minutes hold what was said in passing beside what was agreed, research holds what one person told,
a decision record explains: most of it is true and is no statement of the product. So each speaks
only of what such a document is for, under a heading or in words that tell so.
"""

from __future__ import annotations

import re

from schemas.events.atom import DOCUMENT_STATUS, ORIGIN
from streams.lexicons import Wording
from streams.reduce.prd.placed_atoms import PlacedAtom
from streams.reduce.prd.subjects import is_about_users

_AGREED = Wording("reduce", "agreed")
# «We have to stay on this» is an opinion, «each parcel must be weighed» a demand.
_DEMANDS = Wording("reduce", "demands")
_METHODS = Wording("reduce", "research_methods")
_LOOSE = Wording("reduce", "loose")
# «Anna, that is slow», «anna: that is slow», «Anna Lee: that is slow»
_OPINION = re.compile(r"^@?[A-Za-z][\w.-]{1,20}(?: [A-Z][\w.-]*){0,2}(?: \(@?[\w-]+\))?(?:,|:) ")
_ASKS_US = re.compile(r"(?:should|do we|can we|shall we|must we|who|which|how do we)\b.*\?$", re.I)
SHORT = 12  # words of a line in a list of users
OVER_PART = 0.7  # how much the heading over a part of a section tells
_STRONG = frozenset({"problem", "goals", "users"})  # headings that hold whatever it says
_WEAK = frozenset({"architecture", "part", "guide", "development", "reference", "talk"})
_OF_A_PART = frozenset({"product", "plan"})  # they tell the problem of one feature
_DECIDES = frozenset({"architecture_decisions", "functional_requirements", "scope", "goals"})


def is_admitted(placed_atom: PlacedAtom) -> bool:
    """Whether a document of this sort speaks for the product in what the atom says."""
    attributes = placed_atom.atom.attributes
    match attributes.get(ORIGIN, ""):
        case "minutes":
            return _of_minutes(placed_atom)
        case "research":
            return _of_research(placed_atom)
        case _:
            return True


def is_undecided(placed_atom: PlacedAtom) -> bool:
    """Whether nobody has agreed to its document, or a question came up only in talk: it stands
    where a section would be short without it.
    """
    attributes = placed_atom.atom.attributes
    if placed_atom.atom.kind == "unknown":
        return attributes.get(ORIGIN) == "minutes" and placed_atom.announced != "open_questions"
    return attributes.get(DOCUMENT_STATUS) == "proposed"


def _of_minutes(placed_atom: PlacedAtom) -> bool:
    """What was agreed, asked or feared under a heading that says so, or in words that do."""
    text, announced = placed_atom.atom.statement, placed_atom.announced
    if _OPINION.match(text):
        return False
    match placed_atom.atom.kind:
        case "decision":
            return announced == "architecture_decisions" or _AGREED.says(text)
        case "requirement":
            return announced in _DECIDES or _DEMANDS.says(text)
        case "risk":
            return announced == "risks"
        case "unknown":
            return announced == "open_questions" or bool(_ASKS_US.match(text))
        case "claim":
            agreed = announced == "architecture_decisions" and not _LOOSE.says(text)
            return agreed or announced == "risks"
        case _:
            return False


def _of_research(placed_atom: PlacedAtom) -> bool:
    """What users need and where they struggle; nothing that the researchers did."""
    if _METHODS.says(placed_atom.atom.statement):
        return False
    match placed_atom.atom.kind:
        case "domain_signal" | "claim":
            return bool(placed_atom.wordings & {"needs"}) or placed_atom.announced in (
                "users",
                "problem",
            )
        case "risk" | "unknown":
            return placed_atom.announced in ("risks", "open_questions")
        case _:
            return False


def speaks_at_large(placed_atom: PlacedAtom) -> bool:
    """Whether its document is about the product, not about one part or decision of it."""
    return placed_atom.atom.attributes.get(ORIGIN) not in _WEAK | {"record"}


def is_held(placed_atom: PlacedAtom) -> bool:
    """Whether the heading right over it says what it is, in a document about the product."""
    if placed_atom.announced not in _STRONG or not speaks_at_large(placed_atom):
        return False
    origin = placed_atom.atom.attributes.get(ORIGIN)
    if placed_atom.announced == "problem":
        return placed_atom.of_product or origin not in _OF_A_PART
    if placed_atom.announced == "goals":  # those of one design are requirements
        return placed_atom.of_product or origin != "plan"
    if placed_atom.announced != "users":
        return True
    text = placed_atom.atom.statement
    if is_about_users(text):
        return placed_atom.headings["users"] >= OVER_PART
    return placed_atom.headings["users"] == 1.0 and len(text.split()) < SHORT
