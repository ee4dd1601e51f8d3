"""What a heading says about the text under it: which kind it states, or that it states nothing.

A list of roles instead of a trained model: authors name these sections much alike everywhere, and a
reader of the ledger can see why an atom has its kind.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Literal

from agents.offline.lexicons import Wording, load_words
from agents.offline.segment.tags import Stance, stance_of_heading
from agents.offline.segment.wording import strip_markup
from schemas.bounded_cache import MIB, bounded_cache

Role = Literal[
    "decision",
    "risk",
    "unknown",
    "action_item",
    "requirement",
    "story",
    "non_goal",
    "terms",
    "how_to",
    "rejected",
    "mitigation",
    "gain",
    "forbidden",
    "topics",
    "waived",
    "unsupported",
    "postponed",
    "nothing",
    "little",
    "plain",
]

_ROLES: tuple[Role, ...] = (
    "nothing",
    "topics",
    "little",
    "rejected",
    "non_goal",
    "decision",
    "mitigation",
    "gain",
    "risk",
    "unknown",
    "action_item",
    "requirement",
    "story",
    "terms",
    "how_to",
)  # the first whose list matches counts
_COMPILED = tuple((role, Wording("headings", role)) for role in _ROLES)
_ROLE_OF_STANCE: dict[Stance, Role] = {
    "forbidden": "forbidden",
    "waived": "waived",
    "excluded": "non_goal",
    "unsupported": "unsupported",
    "postponed": "postponed",
    "weighed": "rejected",
    "withdrawn": "rejected",
    "others": "rejected",
    "fine": "plain",
}
_BINDING = frozenset({"decision", "requirement", "story", "action_item"})
_DENYING = frozenset({"forbidden", "waived", "non_goal", "unsupported", "postponed"})
_NUMBERING = Wording("headings", "numbering")
_VERSION = Wording("headings", "version")
_STANDING = Wording("headings", "standing")
_GENERIC = load_words("headings", "generic")
_SETTLED = Wording("headings", "settled")
_IS_CODE = re.compile(r"(?:\*\*)?(`{1,2})[^`]+\1:?(?:\*\*)?:?")
_ABOUT = re.compile(r"^(?:about|introduction to|overview of) (?:the )?(?=\w{3})", re.IGNORECASE)
# «ODH-ADR-MS-0003-tenancy» is about tenancy: organisation and part stand around the number.
RECORD_ID = (
    r"(?:[a-z]{2,12}[-_]){0,2}(?:adr|rfc|kep|adp|cep|rfd|pep)(?:[-_][a-z]{1,12}){0,2}[-_]\d{2,6}"
)
_RECORD_NUMBER = Wording("headings", "record_number")
_FILED_UNDER = Wording("headings", "filed_under")
FILE = r"\S+\.(?:mdx?|rst|adoc|txt)$"  # «# CLAUDE.md»
_NO_NAME = Wording("headings", "no_section_name")
_EMOJI = re.compile(r"(?<!\w):[a-z][a-z\d_]{2,30}:(?![\w`])")
_ASKING = re.compile(r"(?:how|why|what|when|where|who)\b")
_SUFFIX = re.compile(r"\.\w{1,8}$")
_REMARKS = re.compile(r"\([^)]*\)|\{[^}]*\}|<[^>]*>|:\w+:")
_NO_WORD = re.compile(r"[^\w &-]+|_")


@bounded_cache(MIB, 4)
def simplify(heading: str) -> str:
    """``heading`` in lower-case words without numbering, markup and remarks in parentheses."""
    text = _REMARKS.sub(" ", heading).lower()
    text = " ".join(_NO_WORD.sub(" ", text).split()).strip("- ")
    return _NUMBERING.sub("", text)


@bounded_cache(MIB, 2)
def role_of(heading: str) -> Role:
    """What a heading says of its text; one that is code names a part: «`constraints`»."""
    if _IS_CODE.fullmatch(heading.strip()):
        return "plain"
    text = simplify(heading)
    if stance := stance_of_heading(heading, text):
        return _ROLE_OF_STANCE[stance]
    for role, pattern in _COMPILED:
        if pattern.match(text):
            return role
    return "plain"


@functools.lru_cache(maxsize=256)
def role_in(headings: tuple[str, ...], *, recorded: bool = False) -> tuple[Role, bool]:
    """The role of the innermost telling heading, and whether it is the innermost of all.

    A section under one that states nothing, or under a rejected option, states nothing either.
    ``recorded``: the document is a record, whose first heading «Add a cache» leads nobody.
    """
    roles = [role_of(heading) for heading in headings]
    if recorded and roles and roles[0] == "how_to":
        roles[0] = "plain"
    if "topics" in roles:
        if roles[-1] == "topics":
            return "nothing", True
        roles = ["plain" if role == "topics" else role for role in roles]
    if "nothing" in roles[-3:]:
        return "nothing", True
    if "rejected" in roles:
        return "rejected", True
    if "little" in roles[-3:]:
        return "little", True
    for depth, role in enumerate(reversed(roles)):
        if role == "plain" and allows(headings[-1 - depth]):
            return "plain", True
        if role != "plain":
            denied = _denied_over(roles[: len(roles) - depth - 1]) if role in _BINDING else None
            return denied or role, depth == 0 and denied is None
    return "plain", True


def allows(heading: str) -> bool:
    """Whether what stands under it is an exception to what is denied over it."""
    return stance_of_heading(heading, simplify(heading)) == "fine"


def _denied_over(roles: Sequence[Role]) -> Role | None:
    """What a section over one of needs or plans denies: «Out of scope» over «Requirements»."""
    return next((it for it in reversed(roles) if it in _DENYING), None)


def is_settled(headings: tuple[str, ...]) -> bool:
    """Whether the questions under these headings have been answered."""
    return any(_SETTLED.match(simplify(heading)) for heading in headings)


def is_generic(heading: str) -> bool:
    """Whether headings like it stand over sections of any document."""
    return simplify(heading).replace(" ", "-") in _GENERIC


def version_in(heading: str) -> str:
    """The version that ``heading`` names and nothing else, or nothing."""
    match = _VERSION.fullmatch(heading.strip())
    return match.group("version") if match else ""


def show_heading(heading: str) -> str:
    """A heading as a reader sees it, without emoji: «:camel: = Apache Camel» is «Apache Camel»."""
    return strip_markup(_EMOJI.sub("", heading)).strip(" #:").lstrip("+= ")


def subject_of(headings: Sequence[str]) -> str:
    """The innermost heading that names something, or nothing."""
    for heading in reversed(headings):
        text = simplify(heading)
        if (
            role_of(heading) == "plain"
            and not is_generic(heading)
            and 2 < len(text) <= 60
            and len(text.split()) <= 6
            and not heading.rstrip().endswith(("?", "!", "."))
            and not _ASKING.match(text)
            and not _STANDING.match(heading)
        ):
            return _ABOUT.sub("", show_heading(heading))
    return ""


def bare_name(subject: str) -> str:
    """A heading or file name as the name of something, or nothing."""
    name = _RECORD_NUMBER.sub("", subject).rsplit(": ", 1)[-1].replace("`", "").strip()
    return "" if _NO_NAME.search(name) else name


def document_name(title: str, path: str) -> str:
    """What a document is about, by its title or else its file name."""
    stem = _SUFFIX.sub("", path.rsplit("/", 1)[-1])
    if title and title not in (path, path.rsplit("/", 1)[-1]):
        name = strip_markup(title)
    elif stem.lower() in ("readme", "index", "agents", "claude", "main") and "/" in path:
        name = path.rsplit("/", 2)[-2]
    else:
        name = stem
    name = _FILED_UNDER.sub("", name)
    name = " ".join(re.sub(r"[-_]+", " ", name).split()) if " " not in name else name.strip()
    return name[:80]
