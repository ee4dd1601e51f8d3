"""Whom or what a statement is about, and whether it tells a purpose or a choice.

A line about users has them as its subject, one about what the product can do the product or its
users; what only mentions them stands elsewhere.
"""

from __future__ import annotations

from streams.lexicons import Wording

_PURPOSE = Wording("reduce", "purpose")
# Whom it is about comes first: «many volunteers want …», «the treasurer needs …».
_OF_USERS = Wording("reduce", "of_users")
_WANTS = Wording("reduce", "wants")
_OF_PRODUCT = Wording("reduce", "of_product")
_SERVICE = Wording("reduce", "does_for")
_DECIDED = Wording("reduce", "decided")


def is_about_users(text: str) -> bool:
    """Whether those whom the product serves come first and do or want something."""
    return bool(_OF_USERS.match(text))


def tells_need(text: str, words: frozenset[str]) -> bool:
    """Whether it says what users want; ``words`` are the wordings found in it."""
    return is_about_users(text) and ("needs" in words or _WANTS.says(text))


def is_about_product(text: str) -> bool:
    """Whether it says what the product, a part of it or a user of it can do."""
    return bool(_OF_PRODUCT.match(text))


def tells_choice(text: str) -> bool:
    """Whether it says that the team has chosen or will do something."""
    return _DECIDED.says(text)


def tells_purpose(text: str) -> bool:
    """Whether it says what the whole project is for."""
    return bool(_PURPOSE.match(text))


def tells_service(text: str) -> bool:
    """Whether it says for whom a named thing does something: «Depot helps couriers find lanes»."""
    return bool(_SERVICE.match(text))
