"""Which documents tell of one capability, and under which name.

A document of its own among those of features is named by the short title of its navigation, its
title or its folder. A record is named by its title. Any other page of the documentation that is
named after a thing counts less, and least one whose title only leads to a thing or that stands
among pages about anything: artifacts take them where other documents speak of the thing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agents.offline.judge.capability_names import (
    capability_name,
    is_chosen_from,
    is_generic,
    name_beginning,
    name_handled,
    name_of_folder,
    spell_as_in,
)
from agents.offline.lexicons import Wording
from agents.offline.recognise.fragments import is_order
from agents.offline.segment.passages import Span
from schemas.events.hygiene import ChunkCreated
from schemas.features import DOC, DONE, PAGE, PLANNED, RECORD, TOPIC

_ELSEWHERE = Wording("capabilities", "elsewhere")
_ELSEWHERE_WORDS = Wording("capabilities", "elsewhere_words")
_HALF_ELSEWHERE = Wording("capabilities", "half_elsewhere")
_RECORDS = Wording("capabilities", "record_folders")
_FOLDERS = Wording("capabilities", "product_folders")
_INTRODUCTIONS = Wording("capabilities", "introductions")
_PARTS = Wording("capabilities", "product_folders", entry="parts-people-choose-from")
_FREE = Wording("capabilities", "product_folders", entry="parts-even-of-a-reference")
_PLANS = Wording("capabilities", "plan_headings")
_ROOT = Wording("documents", "root_folder")
_DOCUMENTED = Wording("documents", "documented")
_CHOICES = Wording("documents", "choices")
_PROPOSED = Wording("documents", "proposed")
_KIND_IN_STEM = Wording("documents", "kind_in_stem")
_OF_CODE = re.compile(r"[A-Z]?[a-z]+(?:[A-Z][a-z]+){2,}|I[A-Z][a-z]\w+")
_FIELD = re.compile(r"^(?P<key>[\w-]+):[ \t]*(?P<value>\S.*?)[ \t]*$", re.MULTILINE)
_SHORT_TITLES = (
    *("sidebarTitle", "sidebar_label", "navTitle", "nav_title", "linkTitle", "linktitle"),
    *("sidebar_title", "menuTitle", "short_title", "shortTitle"),
)
_GROUPS = ("parent", "category", "section", "group")
MAX_FOLDERS = 5
MOST_BEFORE = 3_000  # characters of front matter and comments before a title
_TITLED = re.compile(r"\s*(?:#[ \t]+\S[^\n]*|[^\n]+\n={3,})")


class Page(NamedTuple):
    """A document that tells of one capability; ``told`` is where its front matter describes it."""

    name: str
    place: str
    state: str
    group: str
    titled: Span
    told: Span | None
    starts: int


def page_of(chunk: ChunkCreated) -> Page | None:
    """The page that ``chunk`` begins, if it is one of a capability."""
    place = _place_of(chunk)
    if not place:
        return None
    text = chunk.text_payload
    front, fields = read_front_matter(text)
    title = chunk.structure_path[0] if chunk.structure_path else text[slice(*fields["title"])]
    at = text.find(title)
    titled = (at, at + len(title)) if at >= 0 else (0, len(text))
    short = (text[slice(*fields[key])] for key in _SHORT_TITLES if key in fields)
    titles = [*short, title]
    own, folders = _folders_of(chunk.path)
    if not folders and _INTRODUCTIONS.match(own):
        return None
    given = {"titled": place == PAGE, "planned": place == RECORD}
    name = _best_of([name for title in titles if (name := capability_name(title, **given))])
    if not name and place == RECORD:
        name = next(filter(None, map(name_beginning, (*titles, title))), "")
    if not name and (_INTRODUCTIONS.match(own) or is_generic(title)):
        own = own if not _INTRODUCTIONS.match(own) else folders.pop()
        name = spell_as_in(_name_stem(own), text)
        place = TOPIC if place == DOC and " " not in name else place
    elif folders and _INTRODUCTIONS.match(own):
        folders.pop()
    if not name and place in (DOC, TOPIC):
        own_name = title if is_chosen_from(title) else ""
        name = own_name or next(filter(None, map(name_handled, titles)), "")
        place = place if " " in name else TOPIC
    if not name:
        return None
    if " " not in name and (kind := _KIND_IN_STEM.fullmatch(own.lower())):
        name = f"{name} {kind['kind']}"
    group = "" if place == RECORD else _group_of(text, fields, folders)
    if " " not in name and (part := _PARTS.search(f"/{chunk.path.lower()}")):
        name = f"{name} {_singular(part.group().strip('/'))}"
    if place in (DOC, TOPIC) and (is_order(name) or _OF_CODE.fullmatch(name)):
        return None
    if group.lower() == name.lower():
        group = ""
    description = fields.get("description")
    return Page(
        name, place, _state_of(chunk, place), group, titled, description, max(front, titled[1])
    )


def is_elsewhere(path: str) -> bool:
    """Whether documents of this name are about no capability of the product."""
    low = path.lower().rsplit(".", 1)[0]
    return _ELSEWHERE.says(low) or _ELSEWHERE_WORDS.says(low)


def is_introduction(chunk: ChunkCreated) -> bool:
    """Whether the document introduces the product: its README, or an overview of its documents."""
    folders, _, name = chunk.path.lower().rpartition("/")
    if not folders:
        return True
    stem = name.split(".", 1)[0]
    text = _ROOT.sub("", f"/{folders}/").strip("/")
    return bool(
        _INTRODUCTIONS.match(stem) and len(text.split("/")) <= 1 and not is_elsewhere(folders)
    )


def is_plan(path: str) -> bool:
    """Whether the document is a roadmap by its name."""
    folders, _, name = path.lower().rpartition("/")
    stem = name.split(".", 1)[0]
    if stem in ("index", "readme"):
        stem = folders.rpartition("/")[2]
    return bool(_PLANS.match(re.sub(r"[-_]+", " ", stem)))


def read_front_matter(text: str) -> tuple[int, dict[str, Span]]:
    """Where the front matter ends, and where the values of its single lines stand."""
    if not text.startswith("---"):
        return 0, {}
    end = text.find("\n---", 3)
    if end < 0:
        return 0, {}
    spans: dict[str, Span] = {}
    for field in _FIELD.finditer(text, 3, end):
        start, stop = field.span("value")
        if text[start] in "\"'":
            start, stop = start + 1, stop - (text[stop - 1] == text[start] and stop - start > 1)
        spans.setdefault(field["key"], (start, stop))
    return end + 4, spans


def _place_of(chunk: ChunkCreated) -> str:
    """What sort of page it may be; nothing where it is none or does not begin its document."""
    path = chunk.path.lower()
    if not _opens_document(chunk) or "/" not in path:
        return ""
    if chunk.source_type not in ("doc", "readme", "architecture_doc") or is_plan(path):
        return ""
    folders, _, name = path.rpartition("/")
    folders += "/"
    if len(_folders_of(path)[1]) > MAX_FOLDERS:
        return ""
    if kept := _RECORDS.search(folders):
        over = chunk.document_status in ("rejected", "superseded") or _CHOICES.search(path)
        own = name.split(".", 1)[0]
        inside = path[kept.end() :]
        unnamed = _INTRODUCTIONS.match(own) and "/" not in inside
        return "" if over or is_elsewhere(inside) or unnamed else RECORD
    part = _FREE.search(folders)
    if is_elsewhere(path[part.end() :] if part else path):
        return ""
    if _FOLDERS.says(folders):
        return PAGE
    if not _DOCUMENTED.match(folders):
        return ""
    return TOPIC if _HALF_ELSEWHERE.says(path.rsplit(".", 1)[0]) else DOC


def _opens_document(chunk: ChunkCreated) -> bool:
    """Whether it begins its document, or the text behind its front matter and licence."""
    if chunk.part_index:
        return False
    if not chunk.anchor_start:
        fields = read_front_matter(chunk.text_payload)[1]
        return bool(chunk.structure_path) or "title" in fields
    titled = _TITLED.match(chunk.text_payload)
    return (
        chunk.anchor_start <= MOST_BEFORE
        and len(chunk.structure_path) == 1
        and titled is not None
        and chunk.structure_path[0] in titled.group()
    )


def _name_stem(own: str) -> str:
    title = name_of_folder(own)
    return capability_name(title) or name_handled(title)


def _state_of(chunk: ChunkCreated, place: str) -> str:
    if place != RECORD or chunk.document_status == "accepted":
        return DONE
    proposed = chunk.document_status == "proposed" or _PROPOSED.search(chunk.path)
    return PLANNED if proposed else DONE


def _folders_of(path: str) -> tuple[str, list[str]]:
    """The name of the file, and of its folders those that are no root of documents."""
    folders, _, name = path.rpartition("/")
    kept = _ROOT.sub("", f"/{folders}/").strip("/")
    return name.split(".", 1)[0], [it for it in kept.split("/") if it]


def _best_of(names: list[str]) -> str:
    """The first, unless it is one word of a longer name that tells more."""
    if not names or " " in names[0]:
        return names[0] if names else ""
    word = names[0].lower()
    longer = (it for it in names[1:] if word in it.lower().split() and len(it.split()) <= 4)
    return next(longer, names[0])


def _group_of(text: str, fields: dict[str, Span], folders: list[str]) -> str:
    """What the documents call the group that the page stands in."""
    for key in _GROUPS:
        if key in fields and (name := group_name(text[slice(*fields[key])])):
            return name
    return group_name(name_of_folder(folders[-1])) if folders else ""


def group_name(raw: str) -> str:
    """``raw`` as the name of a group of features; nothing where it says no more than that."""
    text = "" if raw.rstrip().endswith("?") else capability_name(raw)
    if text:
        return text
    part = name_of_folder(raw.strip().lower())
    return part if _PARTS.says(f"/{part.lower()}/") else ""


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") else word
