"""What a document and its sections are about, so that a statement can be told with it.

The first heading names a document, never its file: one that is moved or copied is not read again,
and its statements would keep the old name.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from agents.offline.lexicons import Wording
from agents.offline.segment.documents import Setting
from agents.offline.segment.passages import Passage
from agents.offline.segment.sections import (
    bare_name,
    is_generic,
    role_of,
    show_heading,
    subject_of,
    version_in,
)
from schemas.bounded_cache import MIB, bounded_cache

MOST_NAME = 70  # characters of a document's name in front of a title
MOST_WORDS = 9  # of a heading that says when something holds
MANNER_WORDS = 2  # of a first part that says what manner of document it is: «Predicate type: …»
_NUMBER = Wording("headings", "numbered_title")
_MANNER = Wording("headings", "manner")
_BADGES = re.compile(r"\s*!?\[[^\]]*\]\([^)]*\)\s*$")
_KIND = Wording("headings", "kind_last")
_PART = re.compile(r"(?:part|step|chapter|section|phase|appendix) (?:\d|[ivx]+\b)", re.IGNORECASE)
_IS_MEETING = Wording("headings", "meeting_title")
_STANDING = Wording("headings", "standing")
_NO_NAME = Wording("headings", "no_place_name")
_LEADS = Wording("headings", "leads")
_SHORT_CODE = re.compile(r"`[\w.-]{1,3}`")  # «`any`», of which the text says what it does
_REMARK = re.compile(r"\s*\([^()]*\)$")
_CUT = re.compile(r"(?:[:,;(–—]| - ).*")
_LABEL = re.compile(
    r"(?:\[?(?:\*\*`{0,2}|`{1,2})(?P<name>[A-Za-z][\w.\-/ ]{1,40}?)"
    r"(?:`{0,2}(?P<colon>:)?`{0,2}\*\*|`{1,2})(?:\]\([^()\s]*\))?(?: \([^)\n]{1,40}\))?"
    r"(?(colon)|(?:\s*[:–—-]|[ \t]*(?=\n)))|(?P<term>[A-Za-z][\w.\-/ ()]{1,40})::)(?=\s)"
)  # «- **TIMEOUT**: Seconds to wait. …», «TIMEOUT:: Seconds …», or alone in its line: of it every
# sentence speaks


class Place(NamedTuple):
    """Where a statement stands: what the document is about, the section, the one ``over`` that, and
    the item's label.

    ``term`` is the label where it stands alone in its line, as what the item is about.
    ``name`` is what the document is called where its first heading does not say what it is about.
    ``recorded``: the document was written once, about what its heading says. ``of_project``: it is
    the project's own README.
    """

    whole: str = ""
    part: str = ""
    label: str = ""
    name: str = ""
    over: str = ""
    recorded: bool = False
    of_project: bool = False
    term: str = ""


def place_of(passage: Passage, setting: Setting) -> Place:
    whole = document_subject(passage.headings)
    part, over = _parts_of(passage.headings[bool(whole) :])
    text = alone = ""
    if passage.form == "item" and (label := _LABEL.match(setting.text, passage.start, passage.end)):
        text = label.group("name") or label.group("term")
        text = text if role_of(text) == "plain" else ""
        alone = text if setting.text[label.end() - 1] in "*`)" else ""
    return Place(
        whole,
        part,
        text,
        setting.name,
        over,
        setting.recorded,
        setting.of_project,
        alone,
    )


@functools.lru_cache(maxsize=256)
def _parts_of(headings: tuple[str, ...]) -> tuple[str, str]:
    """The two innermost headings that are names: «Log streaming», not «How it works» under it."""
    titles = (heading for heading in reversed(headings) if not version_in(heading))
    part, over, *_ = (*islice(filter(None, map(_name_of, titles)), 2), "", "")
    return part, over


def _name_of(heading: str) -> str:
    if _IS_MEETING.match(heading) or _STANDING.match(heading):
        return ""
    if _SHORT_CODE.fullmatch(heading):
        return show_heading(heading)
    return bare_name(subject_of((heading,)) or _occasion(heading))


def _occasion(heading: str) -> str:
    """A longer heading that says when something holds: «Running the agent as a Windows service»,
    «When clients use synced calls».
    """
    words = len(heading.split())
    if not 3 <= words <= MOST_WORDS or len(heading) > MOST_NAME or _LEADS.match(heading):
        return ""
    return show_heading(heading) if role_of(heading) in ("plain", "how_to") else ""


def document_subject(headings: Sequence[str]) -> str:
    """What the document is about, by its first heading; nothing where that says nothing."""
    return _make_title(headings[0]) if headings else ""


def _shorten(text: str) -> str:
    """The first part of a long name that says something: «Predicate type» does not."""
    if len(text) <= MOST_NAME:
        return text
    first = _CUT.sub("", text)
    rest = text[len(first) :].strip(" :,;–—-")
    return rest if len(first.split()) <= MANNER_WORDS and len(rest) <= MOST_NAME else first


@bounded_cache(MIB // 2, 9)
def _make_title(heading: str) -> str:
    """A heading as a document's name, without number, badges and what manner of document it is."""
    if role_of(heading) != "plain" and not _occasion(heading):
        return ""
    while (bare := _BADGES.sub("", heading)) != heading and bare:
        heading = bare
    text = show_heading(heading)
    while (match := _NUMBER.match(text) or _MANNER.match(text)) is not None:
        text = text[match.end() :]
    if text != show_heading(heading):  # «ADR 7: Lanes for parcels.»
        text = re.sub(r"(?<=[\w)])\.$", "", text)
    text = _KIND.sub("", text)
    if _PART.match(text):
        return ""
    if len(text) > MOST_NAME:
        text = _shorten(_REMARK.sub("", text))
    speaks = 2 < len(text) <= MOST_NAME and not _NO_NAME.match(text)
    title = text.replace(": ", " – ")  # a title's own colon ends what is put before it
    return title if speaks and not is_generic(text) else ""
