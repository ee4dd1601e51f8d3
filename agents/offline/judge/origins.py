"""Where a statement comes from, how its document stands, whether it is about the project.

A writer of documents prefers a README to a comment in code, and what the project is to what one of
its parts does. It sees atoms, not paths, so the reader notes all three as attributes, which are no
part of an atom's fingerprint: the same statement in two places stays one atom.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Sequence

from agents.offline.judge.headings import headings_over
from agents.offline.lexicons import Wording, load_words
from agents.offline.segment.sections import document_name, simplify
from schemas.document_roles.roles import role_of
from schemas.events.atom import ABOUT, DOCUMENT_STATUS, DOCUMENT_SUCCESSOR, ORIGIN, UNDER
from schemas.events.hygiene import ChunkCreated

_SUBJECT_END = Wording("documents", "subject_ends")
_NOT_A_NAME = load_words("documents", "no_names")
_ALL_OF_IT = load_words("documents", "whole")
_TALK = frozenset(
    {"issue", "pull_request", "review_comment", "comment", "chat_thread", "interview"}
)
_PROSE = frozenset(
    {"doc", "export", "edited_artifact", "readme", "agent_guide", "architecture_doc"}
)
_INTRODUCING = ("readme", "overview")
_TELLING = (*_INTRODUCING, "product", "doc", "architecture", "guide", "plan", "record")
_MAY_BE_TALK = frozenset({"doc", "product", "plan", "record", "overview"})
_SPEAKER = re.compile(
    r"^[ \t>*-]*+(?:\*\*|__)?(?P<who>[A-Z]{2,3}|@[\w-]{2,20}|[A-Z][a-z'’-]+ [A-Z][\w.'’-]*)"
    r"(?:\*\*|__)?:(?:\*\*|__)? ",
    re.MULTILINE,
)
TURNS, TURNS_OF_ONE = 6, 2
_NAMED = re.compile(r"(?:The )?[A-Z]\w+(?: [A-Z]\w+)? (?:is|are) (?:an?|the) ")
_WORD = re.compile(r"[a-z\d]+")
_WRITTEN = re.compile(r"[A-Za-z\d]+")
MAX_SUBJECT = 5  # words


def origin_of(chunk: ChunkCreated) -> str:
    """The sort of document, from the one that speaks for the project to the one that is code."""
    if chunk.source_type in _TALK:
        return "talk"
    if chunk.source_type == "manifest":
        return "manifest"
    if chunk.source_type not in _PROSE:
        return "code"
    role = role_of(chunk.path, chunk.title, chunk.source_type, chunk.structure_path)
    if role in _MAY_BE_TALK and is_written_talk(chunk.text_payload):
        return "minutes"
    return "architecture" if chunk.source_type == "architecture_doc" and role == "doc" else role


@functools.lru_cache(maxsize=8)  # the statements of a chunk come one after another
def is_written_talk(text: str) -> bool:
    """Whether it notes down who said what: «LW: …», «Ann Lee: …», again and again, by several."""
    turns = Counter(turn["who"] for turn in _SPEAKER.finditer(text))
    again = sum(count >= TURNS_OF_ONE for count in turns.values())
    return sum(turns.values()) >= TURNS and again > 1


def describe_standing(chunk: ChunkCreated, title: str, at: int) -> dict[str, str]:
    """The attributes of a statement made in ``chunk``, ``at`` characters after its beginning."""
    origin = origin_of(chunk)
    given = {ORIGIN: origin}
    if chunk.document_status is not None:
        given[DOCUMENT_STATUS] = chunk.document_status
    if chunk.document_successor is not None:
        given[DOCUMENT_SUCCESSOR] = chunk.document_successor
    if origin != "code" and (over := headings_over(chunk.text_payload, at)):
        given[UNDER] = "\n".join(over)
    if origin in _TELLING and (about := _subject_of(chunk, origin, title)):
        given[ABOUT] = about
    return given


def _subject_of(chunk: ChunkCreated, origin: str, title: str) -> str:
    """«project» where the subject is the project itself, «part» where it is named after it."""
    match = _SUBJECT_END.search(title)
    subject = simplify(title[: match.start()]) if match else ""
    words = _WORD.findall(subject)
    if not 1 <= len(words) <= MAX_SUBJECT:
        return ""
    if origin in _INTRODUCING:
        top = _top_of(chunk)
        if not top and origin == "readme":
            return "project" if _NAMED.match(title) else ""
        name_words = set(_WORD.findall(simplify(top or document_name(chunk.title, chunk.path))))
        named = not (name_words - _NOT_A_NAME).isdisjoint(words)
        if named or (words[0] in ("this", "the") and set(words[1:]) <= _ALL_OF_IT and words[1:]):
            return "project"
    return _named_after(words, _own_name(chunk.root), title)


def _named_after(words: list[str], own: tuple[str, ...], title: str) -> str:
    """The same by the name that the repository has; before it, written as a name, its maker's may
    stand: «Acme Depot» of a repository `depot`.
    """
    core = words[1:] if words[0] in ("the", "our") else words
    if not own or not core:
        return ""
    joined = "".join(own)
    for length in range(len(core), 0, -1):
        text = "".join(core[:length])
        is_own = text == joined or (length == 1 and len(own) <= 2 and text == own[0])
        if is_own or (text.endswith(joined) and _is_name(core[:length], title)):
            return "project" if set(core[length:]) <= _ALL_OF_IT else "part"
    return ""


def _is_name(words: Sequence[str], title: str) -> bool:
    """Whether each of the words is written with a capital."""
    raw = _WRITTEN.findall(title)
    return all(it.capitalize() in raw or it.upper() in raw for it in words)


@functools.lru_cache(maxsize=64)
def _own_name(root: str) -> tuple[str, ...]:
    """The words of a repository's or folder's name; none where any may be called so."""
    words = _WORD.findall(root.rstrip("/").removesuffix(".git").rpartition("/")[2].lower())
    return () if not words or words[0] in _NOT_A_NAME | _ALL_OF_IT else tuple(words)


def _top_of(chunk: ChunkCreated) -> str:
    if chunk.structure_path:
        return chunk.structure_path[0]
    match = re.search(r"^#{1,2} +(.+)$|^(.+)\n=+$", chunk.text_payload, re.MULTILINE)
    return (match.group(1) or match.group(2)) if match else ""
