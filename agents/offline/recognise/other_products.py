"""What another product asks of its users, by its name: a claim about that product.

A name says little by itself: a part of the own product has one, too. So a sentence counts only
where the named thing asks something of people, and nothing says that the name is the project's own.
"""

from __future__ import annotations

import re

from agents.offline.lexicons import Wording

_MOST_CHARS = 400  # of a sentence
_PLACE = Wording("disowned", "product_place")
_ASKS = (
    Wording("disowned", "product_demands"),
    Wording("disowned", "product_people"),
    Wording("disowned", "people_of_product"),
    _PLACE,
)
_AT_WORK = re.compile(
    r"\b(?:driver|clerk|nurse|doctor|employee|operator|staff|person|people|team)s?\b"
)
_NO_PRODUCT = Wording("disowned", "no_other_product")
_FIRST_HEADING = re.compile(r"^[#=] +(?P<title>[^\n]{1,200})$", re.MULTILINE)
_COMPARES = Wording("disowned", "compares_products")
_BINDS = "(?:must|shall|should|will|is our|is the product|lets|enables)"
_NO_LETTER = re.compile(r"[\W_]+")


def name_of_other(text: str, whole: str, own: str) -> str | None:
    """The other product that a sentence says something of; None where it may be the own one.

    ``whole`` is the text it stands in, ``own`` what its titles call the project.
    """
    text = text[:_MOST_CHARS]
    for wording in _ASKS:
        match = wording.match(text)
        if match is None or _NO_PRODUCT.match(match["name"].lower()):
            continue
        if wording is _PLACE and _may_be_town(match["name"], match[0]):
            continue
        return None if _is_own(match["name"], whole, own) else match["name"]
    return None


def _may_be_town(name: str, text: str) -> bool:
    """«In Lyon every driver must»: those who use a product are called otherwise."""
    return name[1:].islower() and _AT_WORK.search(text) is not None


def own_names(whole: str, *titles: str) -> str:
    """What titles say of the project, without those of comparisons with others."""
    first = _FIRST_HEADING.search(whole)
    named = [*titles, first["title"] if first else ""]
    return " ".join(_bare(it) for it in named if not _COMPARES.says(it))


def _is_own(name: str, whole: str, own: str) -> bool:
    first = name.split()[0]
    if _bare(name) in own or _bare(first) in own:
        return True
    bound = rf"(?<!of )(?<!on )(?<!in )(?<!at )\b{re.escape(first)} {_BINDS}\b"
    return re.search(bound, whole, re.IGNORECASE) is not None


def _bare(text: str) -> str:
    return _NO_LETTER.sub("", text.lower())
