"""Where a statement comes from, how its document stands, whether it is about the project.

A writer of documents prefers a README to a comment in code, and what the project is to what one of
its parts does. It sees atoms, not paths, so the reader notes all three as attributes, which are no
part of an atom's fingerprint: the same statement in two places stays one atom.
"""

from __future__ import annotations

import re

from agents.offline.lexicons import Wording, load_words
from agents.offline.segment.sections import document_name, simplify
from schemas.events.atom import DOCUMENT_STATUS
from schemas.events.hygiene import ChunkCreated

ORIGIN = "origin"  # readme, overview, architecture, doc, guide, talk, code, manifest
ABOUT = "about"  # «project», or absent
_OVERVIEW = Wording("documents", "overview")
_DECISIONS = Wording("documents", "decision_folders")
_GUIDE = Wording("documents", "guide")
_TALK = frozenset(
    {"issue", "pull_request", "review_comment", "comment", "chat_thread", "interview"}
)
_PROSE = frozenset({"doc", "export", "edited_artifact"})
_NOT_A_NAME = load_words("documents", "no_names")
_NAMED = re.compile(r"(?:The )?[A-Z]\w+(?: [A-Z]\w+)? (?:is|are) (?:an?|the) ")
_SUBJECT_END = Wording("documents", "subject_ends")


def origin_of(chunk: ChunkCreated) -> str:
    """The sort of document, from the one that speaks for the project to the one that is code."""
    path = chunk.path
    if chunk.source_type in _TALK:
        return "talk"
    if _DECISIONS.search(path):
        return "architecture"
    if chunk.source_type == "readme":
        if "/" not in path or _OVERVIEW.search(path):
            return "overview" if "/" in path else "readme"
        return "guide" if _GUIDE.search(path) else "doc"
    if chunk.source_type == "manifest":
        return "manifest"
    if chunk.source_type == "agent_guide":
        return "guide"
    if chunk.source_type == "architecture_doc":
        return "architecture"
    if chunk.source_type in _PROSE:
        if _OVERVIEW.search(path):
            return "overview"
        return "guide" if _GUIDE.search(path) else "doc"
    return "code"


def describe_standing(chunk: ChunkCreated, title: str) -> dict[str, str]:
    """The attributes of a statement made in ``chunk``."""
    origin = origin_of(chunk)
    given = {ORIGIN: origin}
    if chunk.document_status is not None:
        given[DOCUMENT_STATUS] = chunk.document_status
    if origin in ("readme", "overview") and _is_about_project(chunk, title):
        given[ABOUT] = "project"
    return given


def _is_about_project(chunk: ChunkCreated, title: str) -> bool:
    """Whether the subject is what the document's first heading names.

    Before any heading, where a README says what the project is, a name that something «is» will do.
    """
    match = _SUBJECT_END.search(title)
    subject = simplify(title[: match.start()]).split() if match else []
    if not 1 <= len(subject) <= 4:
        return False
    top = chunk.structure_path[0] if chunk.structure_path else _first_heading(chunk.text_payload)
    if not top and origin_of(chunk) == "readme":
        return bool(_NAMED.match(title))
    names = set(simplify(top or document_name(chunk.title, chunk.path)).split()) - _NOT_A_NAME
    return not names.isdisjoint(subject)


def _first_heading(text: str) -> str:
    match = re.search(r"^#{1,2} +(.+)$|^(.+)\n=+$", text, re.MULTILINE)
    return (match.group(1) or match.group(2)) if match else ""
