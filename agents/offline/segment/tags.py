"""Tags, labels, badges and headings that take a statement back or deny what stands under them.

Words of a process («cancelled») are states of things too: a label of such a word alone says nothing
where its neighbours are labelled with other words («Pending: …»), which who asks must see to.
"""

from __future__ import annotations

import functools
import re
from typing import Literal

from agents.offline.lexicons import Wording
from schemas.bounded_cache import MIB, bounded_cache

Stance = Literal[
    "forbidden",
    "waived",
    "excluded",
    "unsupported",
    "postponed",
    "weighed",
    "withdrawn",
    "others",
    "fine",
]


_GONE = Wording("polarity", "status_gone", "status_gone_loose")
_SURELY_GONE = Wording("polarity", "status_gone")
SIGN = Wording("polarity", "sign_gone")
_HEADINGS: tuple[tuple[Stance, Wording], ...] = (
    ("forbidden", Wording("polarity", "forbidden_heading")),
    ("excluded", Wording("polarity", "excluded_heading")),
    ("waived", Wording("polarity", "waived_heading")),
    ("unsupported", Wording("polarity", "unsupported_heading")),
    ("postponed", Wording("polarity", "postponed_heading")),
    ("withdrawn", Wording("polarity", "withdrawn_heading")),
    ("others", Wording("polarity", "others_heading")),
    ("fine", Wording("polarity", "allowed_heading")),
)
_TAG = re.compile(
    r"^\W{0,400}?(?P<open>[\[(<{*_`~:]{0,20})(?P<said>[^\W\d][^\n:\])>*_`}|.;]{2,48}?)[\])>}*_`:]*"
    r"(?:\s*(?P<colon>:)[*_`]*|(?<=[\])>}`])|\s+[–—-])(?=\s|$)"
)
_SHOUTED = re.compile(r"(?P<said>[A-ZÄÖÜ]{6,14})[ \t]+(?=[A-Z\d\[`*])")
_LABEL_REMARK = re.compile(
    r"^\W*+(?:\*\*|__)?[\w #.-]{2,40}?\s*[(\[](?P<said>[^()\[\]\n]{3,40})[)\]]\s*"
    r"(?::(?:\*\*|__)?|(?:\*\*|__):?)(?=\s)"
)
_LAST_REMARK = re.compile(r"[(\[{](?P<said>[^()\[\]{}\n]{3,48})[)\]}][\s.*_`]*$")
_LAST_WORD = re.compile(
    r"(?:\s[–—|-]|[.;!](?=\s))\s*+[*_`~:]*+(?P<said>[^\n–—|.;]{3,30}?)[\s.*_`:]*$"
)
_STATUS_LINE = Wording("polarity", "status_line")
_BADGE = re.compile(
    r"!\[(?P<alt>[^\]\n]*)\]\([^)\s]*?/badge/(?P<said>[^)\s?]+)|!\[(?P<only>[^\]\n]{3,40})\]\("
)
_TAIL = Wording("polarity", "tag_tail")
_BEFORE = Wording("polarity", "before_tag")
_STRUCK = re.compile(r"^\W*(?:~~[^~]+~~|<(s|del|strike)>.*</\1>)\W*$", re.IGNORECASE)
_DO_NOT = re.compile(r"\b(?:don ?t|do not|never|avoid|bad|wrong)\b")
_SIGNED = 6  # characters before or after a statement within which a sign stands for all of it


def takes_back(text: str, *, surely: bool = False) -> bool:
    """Whether a tag, label or cell says that something holds no longer: «withdrawn (2024)»."""
    match = (_SURELY_GONE if surely else _GONE).search(text)
    if match is None or not _BEFORE.match(text[: match.start()]):
        return False
    return _TAIL.match(text[match.end() :]) is not None


@functools.lru_cache(maxsize=512)
def is_taken_back(raw: str, *, surely: bool = False) -> bool:
    """Whether a heading or passage carries a tag, label, badge or sign that takes it back."""
    line = raw.strip()
    if _STRUCK.match(line):
        return True
    if SIGN.says(line[-_SIGNED:]):
        return True
    if (status := _SHOUTED.match(line)) and takes_back(status["said"]):
        return True
    is_bracketed = "(" in line or "[" in line
    if is_bracketed and (remark := _LABEL_REMARK.match(line)) and takes_back(remark["said"]):
        return True
    if (tag := _TAG.match(line)) and takes_back(tag["said"]):
        shouted = tag["said"].isupper() or "[" in tag["open"] or "(" in tag["open"]
        return shouted or not surely or takes_back(tag["said"], surely=True)
    if (last := _LAST_REMARK.search(line)) and takes_back(last["said"]):
        return True
    if (word := _LAST_WORD.search(line)) and takes_back(word["said"], surely=surely):
        return True
    return "![" in line and any(_is_badge_gone(it) for it in _BADGE.finditer(line))


def _is_badge_gone(badge: re.Match[str]) -> bool:
    text = badge["only"] or re.sub(r"%20|_", " ", badge["said"] or "").replace("--", "–")
    parts = [it for it in re.split(r"[-:]", text) if it]
    if len(parts) > 1 and not re.search(r"stat|life|stab|maint|support", parts[0], re.IGNORECASE):
        return takes_back(parts[0], surely=True)
    return any(takes_back(it) for it in parts[:2])


def status_in(text: str) -> str:
    """What a line says that is nothing but a status; nothing where it is none."""
    match = _STATUS_LINE.match(text)
    return match["said"] if match else ""


@functools.lru_cache(maxsize=512)  # all that stands under it asks
def stance_of_heading(heading: str, text: str) -> Stance | None:
    """What a heading, whose words are ``text``, says of what stands under it."""
    for stance, wording in _HEADINGS:
        if wording.match(text):
            return stance
    if is_crossed(heading):
        return "forbidden" if _DO_NOT.search(text) else "withdrawn"
    return "withdrawn" if is_taken_back(heading, surely=True) else None


def is_crossed(raw: str) -> bool:
    """Whether a cross or the like stands before it."""
    return SIGN.says(raw.strip()[:_SIGNED])


@bounded_cache(MIB // 2, 2)
def label_of(raw: str) -> str:
    """The label before a passage's text, without its marks: «Pending» of «**Pending**: …»."""
    tag = _TAG.match(raw)
    return tag["said"].strip() if tag and tag["colon"] else ""
