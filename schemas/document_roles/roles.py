"""The part that a document plays for the product: it introduces it, decides, plans, teaches, or
speaks of something else, such as how it is developed or what coding agents must do.

Told by names alone: the names of its folders, its file, its title and the headings over a passage.
What a folder says of everything in it (records, plans, translations) counts before what a file is
called; otherwise the nearest name that tells something counts.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from schemas.document_roles.lexicons import Wording

_NAMED = {
    role: Wording("roles", role)
    for role in (
        *("foreign", "past", "translation", "agent", "legal", "changelog"),
        *("record", "minutes", "research", "plan", "article", "development", "architecture"),
        *("guide", "reference", "overview", "product"),
    )
}
_NAMED["ahead"] = Wording("roles", "plan", entry="ahead")
_WHOLE = (
    *("foreign", "past", "translation", "agent", "legal", "changelog"),
    *("record", "minutes", "research", "plan"),
)
_GENRES = (*_WHOLE, "article")  # what a folder says of all that is in it
_BY_NAME = (
    *("legal", "changelog", "record", "minutes", "research", "plan", "development"),
    *("architecture", "guide", "reference", "overview", "product"),
)  # what a file or the nearest folder is called
_BY_HEADING = ("legal", "changelog", "minutes", "ahead", "development", "guide", "reference")
_SECTIONED = frozenset({"readme", "overview", "product", "doc", "part", "architecture"})
_AGENT_FILE = Wording("roles", "agent_file")
_TRANSLATED = Wording("roles", "translated")
_OUTSIDE = Wording("roles", "foreign_outside")
_DOCUMENTS = Wording("roles", "documents")
_CONTAINERS = Wording("roles", "containers")
_SUFFIX = re.compile(r"\.(?:mdx?|markdown|rst|adoc|txt|org|html?|ipynb|docx|pdf)$")
_NUMBER = re.compile(r"^(?:v?\d[\d.]*+(?:(?<=\.)|[-_ ])[-_. ]*+)+(?=[a-z])")
_JOINT = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_DATED = re.compile(r"(?:^|[-_/])(?:20\d\d[-_])?[01]\d[-_][0-3]\d\.\w+$")
_OF_MEETINGS = frozenset(
    {"notes", "minutes", "meeting-notes", "attendees", "agenda", "agenda-items"}
)
_NO_WORD = re.compile(r"[^\w.()]+|_+")
TellingName = Literal["", "folder", "file", "title", "heading"]


class NamedRole(NamedTuple):
    """``role``, and the ``name`` that tells it: of a folder, the file, its title or a heading.

    Without ``name`` it is the role of what no name tells about.
    """

    role: str
    by: TellingName = ""
    name: str = ""


def role_of(path: str, title: str, source_type: str, headings: Sequence[str]) -> str:
    """The role of a passage of a document: that of the document, unless a heading over it tells of
    another one («Contributing» in a README).
    """
    document = tell_role(path, title, source_type, headings)
    if document.role not in _SECTIONED:
        return document.role
    own = normalise(_title_apart(path, title))
    names = (normalise(it) for it in reversed(headings))
    named = _first_named((it for it in names if it != own), _BY_HEADING)
    role = named.role if named else ""
    return "plan" if role == "ahead" else role or document.role


def tell_role(path: str, title: str, source_type: str, headings: Sequence[str]) -> NamedRole:
    """The role of a whole document, which is not that of a section under one of ``headings``."""
    if source_type == "agent_guide" and "/" not in path:
        return NamedRole("agent", "file", path)
    if _DATED.search(path):
        of_meetings = (it for it in headings if normalise(it) in _OF_MEETINGS)
        if (heading := next(of_meetings, None)) is not None:
            return NamedRole("minutes", "heading", heading)
    return _role_of_document(path, _title_apart(path, title), source_type == "readme")


def _title_apart(path: str, title: str) -> str:
    return "" if path.endswith(title) else title


@functools.lru_cache(maxsize=256)  # a document's chunks come one after another
def _role_of_document(path: str, title: str, is_readme: bool) -> NamedRole:
    *raw, file = path.split("/")
    stem = _SUFFIX.sub("", file.lower())
    folders = [normalise(it) for it in raw]
    names = [normalise(_SUFFIX.sub("", file)), normalise(title)]
    if _AGENT_FILE.says(path):
        return NamedRole("agent", "file", file)
    if _TRANSLATED.says(stem):
        return NamedRole("translation", "file", file)
    if is_readme and folders in ([], [".github"]):
        return NamedRole("readme", "file", file)
    if genre := _first_named(folders, _GENRES):
        return genre._replace(by="folder")
    if genre := _first_named(names[:1], _GENRES):
        return genre._replace(by="file")
    if outside := _find_outside(folders):
        return NamedRole("foreign", "folder", outside)
    if is_readme:
        return _role_of_readme(folders)
    return _role_by_names(folders, names)


def _role_by_names(folders: list[str], names: list[str]) -> NamedRole:
    nearest = _nearest_of(folders)
    own = _first_named(names[:1], _BY_NAME, "file") or _first_named(names[1:], _BY_NAME, "title")
    if nearest and nearest.role == "development" and (not own or own.role != "architecture"):
        return nearest
    if own and own.role == "overview":
        return own if _is_at_top(folders) else nearest or own._replace(role="product")
    if nearest and nearest.role == "overview":  # a folder holds more than what its name says
        nearest = nearest._replace(role="product")
    return own or nearest or NamedRole("product" if _are_documents(folders) else "doc")


def _role_of_readme(folders: list[str]) -> NamedRole:
    if _are_documents(folders):
        return _nearest_of(folders) or NamedRole("overview" if _is_at_top(folders) else "product")
    return NamedRole("part", "folder", folders[-1])


def _nearest_of(folders: list[str]) -> NamedRole | None:
    return _first_named(reversed(folders), _BY_NAME, "folder")


def _find_outside(folders: list[str]) -> str:
    """The folder of tooling or a trial that no folder of documents is around; else nothing."""
    for folder in folders:
        if _DOCUMENTS.says(folder):
            return ""
        if _OUTSIDE.says(folder):
            return folder
    return ""


def _are_documents(folders: list[str]) -> bool:
    return any(_DOCUMENTS.says(it) for it in folders)


def _is_at_top(folders: list[str]) -> bool:
    """Whether what it introduces is all, not a part that has a folder of its own."""
    return all(
        _CONTAINERS.says(it) or _DOCUMENTS.says(it) or _NAMED["overview"].search(it)
        for it in folders
    )


def _first_named(
    names: Iterable[str], roles: Sequence[str], by: TellingName = ""
) -> NamedRole | None:
    """The first of ``names`` that tells one of ``roles``."""
    for name in names:
        for role in roles:
            if name and _NAMED[role].search(name):
                return NamedRole(role, by, name)
    return None


@functools.lru_cache(maxsize=4_096)
def normalise(name: str) -> str:
    """A name of a folder, file or section in lower-case words with hyphens between them."""
    text = _JOINT.sub("-", name).strip().lower()
    return _NUMBER.sub("", _NO_WORD.sub("-", text).strip("-"))
