"""Titles of items: a short sentence that can be understood without the list around it.

A requirement or decision of the usual form, who must do what, is said as what will be so («The
relay must repeat a failed delivery» → «Relay repeats a failed delivery»); what «we» will do becomes
the task itself («We will introduce a queue» → «Introduce a queue»).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from schemas.events.ledger import AtomRecord
from streams.reduce.wording import position, shorten

MAX_TITLE = 90
AREA_TITLES: Mapping[str, str] = {
    "scope": "Core behaviour",
    "user_needs": "User needs",
    "architecture_decisions": "Architecture",
    "data_model": "Data model and storage",
    "integrations": "Interfaces and integrations",
    "security": "Security and trust",
    "non_functional": "Quality and performance",
    "deployment_constraints": "Deployment",
    "operations": "Operation and monitoring",
    "testing": "Testing",
    "delivery": "Delivery and releases",
    "market": "Market",
}
GOOD_TITLE = 0.6
_MODAL = (
    r"(?:must|shall|should|will|needs? to|(?:has|have|ought) to|(?:is|are) required to|"
    r"(?:is|are) going to)"
)
_SAID = re.compile(
    rf"^(?P<who>[^,;:.?!]{{1,60}}?) {_MODAL} (?P<what>(?!not\b|never\b|have (?!to)).{{8,}})$"
)
_SPEAKER = re.compile(r"^(?:.*[, ])?(?:we|one|you|i)$", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|an?|each|every|all|any|our) ", re.IGNORECASE)
_FILLER = re.compile(r"^(?:(?:also|therefore|then|now|first|eventually|initially|simply|still) )+")
_ADVERB = re.compile(r"^(?:(?:only|always|\w+ly) )+")
_ABLE = re.compile(r"^be (?:able|prepared|allowed) to ")
_ASIDE = re.compile(r" \([^)]*\)")
_LATER = re.compile(
    r"(?:;| [(—–-] ?|, | e\.g|\. |:\s| (?:because|so that|such that|since|i\.e\.?|in case|unless|"
    r"without any|regardless) )"
)
_TORN = re.compile(
    r"\b(?:this|these|those|it|its|they|them|their|above|below|following|here|whose|both|such|"
    r"other|others|same|we|i)\b"
)
_NO_SUBJECT = re.compile(
    r"^(?:if|when|while|as|for|in|at|to|since|first|once|after|because|with|without|therefore|there|"
    r"where|what|which|from|on|by|so|and|but|now|then|that|how|why|ideally|note|also|only|along|"
    r"despite|although|however|next|or|under|during|before|upon|instead|"
    r"(?:the|a) (?:reason|idea|need|challenge|question|problem|goal|following|\w+ thing|"
    r"one|first|second|last|value|above|aim))\b",
    re.IGNORECASE,
)
_VERB_INSIDE = re.compile(r"\b(?:is|are|was|were|can|cannot|has|have|does|do|may|that|and|who)\b")
_NOT_VERBS = """
    for in on at with to by when if either a an the as of and or each every no be about
"""
_NO_VERB = frozenset(_NOT_VERBS.split())
_ONE_WITH_S = ("ss", "us", "is")


def title_of(name: str, lead: AtomRecord) -> str:
    """The title of a cluster around ``name`` that is led by a requirement or decision."""
    phrase = _phrase(lead) or f"Requirements on {name}"
    if name.lower() in phrase.lower() or len(name) + len(phrase) > MAX_TITLE:
        return phrase
    return f"{capitalize(name)}: {lower(phrase)}"


def names_topic(name: str, lead: AtomRecord) -> bool:
    """Whether the title that ``lead`` gives speaks of ``name`` by itself."""
    return name.lower() in _phrase(lead).lower()


def fits_title(atom: AtomRecord) -> float:
    """How well the atom gives a title, 0 to 1."""
    phrase = _phrase(atom)
    if not phrase:
        return 0.0
    faults = 0.5 * bool(_TORN.search(phrase.lower())) + 0.5 * phrase.endswith("…")
    faults += 0.3 * (not 4 <= len(phrase.split()) <= 14) + 0.3 * bool(
        re.search(r"[/<>=+`]", phrase)
    )
    return round(max(0.0, 1.0 - faults), 6)


def _phrase(lead: AtomRecord) -> str:
    said = position(lead, in_context=False).replace("’", "'").replace("'ll ", " will ")
    found = _SAID.match(said)
    if not found:
        return ""
    who, all_of = found["who"], found["who"].lower().startswith("all ")
    what = _ABLE.sub("", _FILLER.sub("", _LATER.split(_ASIDE.sub("", found["what"]))[0])).strip()
    how = found.group() if (found := _ADVERB.match(what)) else ""
    verb, _, rest = what[len(how) :].partition(" ")
    if not verb.isalpha() or not verb.islower() or not rest:
        return ""
    if _SPEAKER.match(who):
        return "" if verb in _NO_VERB else capitalize(shorten(what, MAX_TITLE))
    if _NO_SUBJECT.match(who) or _VERB_INSIDE.search(who.lower()):
        return ""
    who = _ARTICLE.sub("", who)
    many = all_of or _is_plural(who)
    if verb == "be":
        return shorten(capitalize(f"{who} {'are' if many else 'is'} {how}{rest}"), MAX_TITLE)
    if verb in _NO_VERB:
        return ""
    return shorten(capitalize(f"{who} {how}{verb if many else _third(verb)} {rest}"), MAX_TITLE)


def _is_plural(who: str) -> bool:
    last = re.split(r" (?:of|in|for|with|on|at|to) ", who)[0].rsplit(" ", 1)[-1]
    return last.endswith("s") and not last.endswith(_ONE_WITH_S) and not last.isupper()


def _third(verb: str) -> str:
    """The verb as he, she or it does."""
    if verb.endswith("s") and not verb.endswith("ss"):
        return verb
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{verb}s"


def capitalize(text: str) -> str:
    """``text`` with a capital at its beginning, unless it is a name in small letters."""
    first = text.split(" ", 1)[0]
    named = any(sign.isupper() or sign.isdigit() for sign in first)
    return text if named else text[:1].upper() + text[1:]


def lower(text: str) -> str:
    """``text`` as it goes on in a sentence; names keep their capitals."""
    named = any(sign.isupper() for sign in text[1:])
    return text if named else text[:1].lower() + text[1:]
