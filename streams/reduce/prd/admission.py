"""What a document may say in a PRD, by the part it plays.

Minutes hold what was said in passing beside what was agreed, research holds what one person told,
a decision record explains: most of it is true and is no statement of the product. So each speaks
only of what such a document is for, under a heading or in words that tell so.
"""

from __future__ import annotations

import re

from schemas.events.atom import DOCUMENT_STATUS, ORIGIN
from streams.reduce.prd.placed_atoms import PlacedAtom
from streams.reduce.prd.subjects import is_about_users

_AGREED = re.compile(
    r"\b(?:we|they|the (?:team|group|board|committee|council)|all|everybody|everyone"
    r"|it (?:was|is)|was|were|has been) (?:have |has |had |all )?"
    r"(?:decid\w+|agree[ds]?|approv\w+|accept\w+|chose)\b"
    r"|^(?:decided|agreed|approved|resolved|decision|resolution)\b",
    re.IGNORECASE,
)
# «We have to stay on this» is an opinion, «each parcel must be weighed» a demand.
_DEMANDS = re.compile(
    r"^(?!(?:we|i|you|they|people)\b).*\b(?:must|shall|(?:is|are) required to|ha(?:s|ve) to)\b",
    re.IGNORECASE,
)
# «Anna, that is slow», «anna: that is slow», «Anna Lee: that is slow»
_OPINION = re.compile(r"^@?[A-Za-z][\w.-]{1,20}(?: [A-Z][\w.-]*){0,2}(?: \(@?[\w-]+\))?(?:,|:) ")
_ASKS_US = re.compile(r"(?:should|do we|can we|shall we|must we|who|which|how do we)\b.*\?$", re.I)
SHORT = 12  # words of a line in a list of users
_STRONG = frozenset({"problem", "goals", "users"})  # headings that hold whatever it says
_WEAK = frozenset({"architecture", "part", "guide", "development", "reference", "talk"})
_OF_A_PART = frozenset({"product", "plan"})  # they tell the problem of one feature
_DECIDES = frozenset({"architecture_decisions", "functional_requirements", "scope", "goals"})


def is_admitted(found: PlacedAtom) -> bool:
    """Whether a document of this sort speaks for the product in what the atom says."""
    told = found.atom.attributes
    match told.get(ORIGIN, ""):
        case "minutes":
            return _of_minutes(found)
        case "research":
            return _of_research(found)
        case _:
            return True


def is_undecided(found: PlacedAtom) -> bool:
    """Whether nobody has agreed to its document, or a question came up only in talk: it stands
    where a section would be short without it.
    """
    told = found.atom.attributes
    if found.atom.kind == "unknown":
        return told.get(ORIGIN) == "minutes" and found.announced != "open_questions"
    return told.get(DOCUMENT_STATUS) == "proposed"


def _of_minutes(found: PlacedAtom) -> bool:
    """What was agreed, asked or feared under a heading that says so, or in words that do."""
    text, announced = found.atom.statement, found.announced
    if _OPINION.match(text):
        return False
    match found.atom.kind:
        case "decision":
            return announced == "architecture_decisions" or bool(_AGREED.search(text))
        case "requirement":
            return announced in _DECIDES or bool(_DEMANDS.search(text))
        case "risk":
            return announced == "risks"
        case "unknown":
            return announced == "open_questions" or bool(_ASKS_US.match(text))
        case "claim":
            return announced in ("architecture_decisions", "risks")
        case _:
            return False


def _of_research(found: PlacedAtom) -> bool:
    """What users need and where they struggle; nothing that the researchers set themselves."""
    match found.atom.kind:
        case "domain_signal" | "claim":
            return bool(found.wordings & {"needs"}) or found.announced in ("users", "problem")
        case "risk" | "unknown":
            return found.announced in ("risks", "open_questions")
        case _:
            return False


def speaks_at_large(found: PlacedAtom) -> bool:
    """Whether its document is about the product, not about one part or decision of it."""
    return found.atom.attributes.get(ORIGIN) not in _WEAK | {"record"}


def is_held(found: PlacedAtom) -> bool:
    """Whether the heading right over it says what it is, in a document about the product."""
    if found.announced not in _STRONG or not speaks_at_large(found):
        return False
    origin = found.atom.attributes.get(ORIGIN)
    if found.announced == "problem":
        return found.of_product or origin not in _OF_A_PART
    if found.announced == "goals":  # those of one design are requirements
        return found.of_product or origin != "plan"
    if found.announced != "users":
        return True
    text = found.atom.statement
    return found.headings["users"] == 1.0 and (is_about_users(text) or len(text.split()) < SHORT)
