"""Whom or what a statement is about, and whether it tells a purpose or a choice.

A line about users has them as its subject, one about what the product can do the product or its
users; what only mentions them stands elsewhere.
"""

from __future__ import annotations

import re

_PURPOSE = re.compile(
    r"^the (?:purpose|goal|aim|mission|objective)s? of (?:this|the) (?:project|repository|product"
    r"|team|service|programme?|initiative|working group)\b",
    re.IGNORECASE,
)
_SERVES = (
    r"users?|customers?|members?|visitors?|readers?|clients?|patients?|students?|teachers?|parents?"
    r"|citizens?|residents?|applicants?|volunteers?|staff|employees?|colleagues?|managers?|operators?"
    r"|admins?|administrators?|analysts?|developers?|engineers?|designers?|researchers?|scientists?"
    r"|maintainers?|teams?|organi[sz]ations?|companies|businesses|agencies|departments?|schools?"
    r"|merchants?|sellers?|buyers?|publishers?|authors?|editors?|people|everyone"
    r"|participants?|respondents?|interviewees|households?|families|treasurers?|accountants?"
)
# Whom it is about comes first: «many volunteers want …», «the treasurer needs …».
_OF_USERS = re.compile(
    rf"^(?:[\w'’-]+ ){{0,5}}(?:{_SERVES})\b"
    r"(?! (?:research|testing|interviews?|stor(?:y|ies)|needs?))"
    r"(?=.* (?:who|that|want|need|expect|struggle|complain|prefer|ask|feel|rely|find|found|use|must"
    r"|can|are|is|have|has|do|does|said|told|report|like|hand|search|get|buy|pay|work|take|wish)\w*\b)",
    re.IGNORECASE,
)
_WANTS = re.compile(
    r"\b(?:wants?|needs?|expects?|struggles?|complains?|prefers?|wish(?:es)?|asks? for"
    r"|would (?:pay|like))\b",
    re.IGNORECASE,
)
_OF_PRODUCT = re.compile(
    r"^(?:(?:the |our |this |each |every |an? )?(?:[\w-]+ ){0,2}?(?:system|application|app|product"
    r"|service|platform|tool|web ?site|site|portal|api|dashboard|page|server|client|library|module"
    r"|engine|editor|search|form|screen|catalogue|counter|interface|report|list|it)\b"
    rf"|(?:an? |the |all |any )?(?:[\w-]+ ){{0,2}}?(?:{_SERVES}|you) (?:can|may|get)\b"
    r"|(?:[\w -]{2,40}: )?(?:support|provide|allow|let|enable|offer|send|notif|generate|import"
    r"|export|show|display|create|manage|store|track|validate|detect|convert|integrate|handle)\w*\b)",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"^(?:[\w -]{2,40}: )?(?:we|the (?:[\w-]+ )?team|the project) (?:will|have|has|are|chose"
    r"|decided|agreed|use|keep|adopt|build|store|run|selected|picked|prefer|no longer|do not"
    r"|don.t)\b"
    r"|\b(?:decided|decision|chose|chosen|agreed|selected|adopted|instead of|rather than"
    r"|standardi[sz]ed?)\b",
    re.IGNORECASE,
)


def is_about_users(text: str) -> bool:
    """Whether those whom the product serves come first and do or want something."""
    return bool(_OF_USERS.match(text))


def tells_need(text: str, words: frozenset[str]) -> bool:
    """Whether it says what users want; ``words`` are the wordings found in it."""
    return is_about_users(text) and ("needs" in words or bool(_WANTS.search(text)))


def is_about_product(text: str) -> bool:
    """Whether it says what the product, a part of it or a user of it can do."""
    return bool(_OF_PRODUCT.match(text))


def tells_choice(text: str) -> bool:
    """Whether it says that the team has chosen or will do something."""
    return bool(_DECIDED.search(text))


def tells_purpose(text: str) -> bool:
    """Whether it says what the whole project is for."""
    return bool(_PURPOSE.match(text))
