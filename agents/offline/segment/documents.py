"""What a document's place and name say of its text: whether it speaks of the project at all,
leads a reader through something, or deliberates.

Names alone, since a chunk does not know the rest of its document. A name that is not known says
nothing: the text then decides.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from agents.offline.lexicons import Wording
from agents.offline.segment.sections import document_name
from schemas.events.hygiene import ChunkCreated

_CONVERSATIONS = frozenset(
    {"issue", "pull_request", "review_comment", "comment", "chat_thread", "interview"}
)
_OWN_VOICE = _CONVERSATIONS | {"readme", "agent_guide", "architecture_doc"}
_HOW_TO = Wording("documents", "how_to")
_RECORD = Wording("documents", "records")
_WEIGHING = Wording("documents", "weighing")
_SILENT = re.compile(
    r"(?:^|/)(?:(?:change-?logs?|what(?:s|-s)?[-_]?new|changes|(?:change[-_])?history|news|"
    r"rel(?:ease)?[-_ ]?notes)(?:[-_ ](?:for[-_ ])?v?\d[\d.x]*\w*)?|releases?|notice|"
    r"licen[cs]e(?:[-_](?:[al]?gpl|mit|cc|apache|bsd|mpl)[\w-]*)?|contributors|authors|adopters|"
    r"codeowners|\w*code[-_]of[-_]conduct|contributing|maintainers|dependencies|"
    r"pull_request_template|third[-_]party\w*|credits|.*template|"
    r"(?:0{3,4}|x{3,4}|n{3,4}|adr|rfc|kep)[-_]template[-_].*)(?:\.\w+)?$|"
    r"(?:^|/)(?:(?:issue|pull_request)_template|\.changelog|"
    r"changelogs?|licenses|rel(?:ease)?[-_ ]?notes|testdata|fixtures?|golden|__snapshots__)/|"
    r"(?:^|/)(?:release[-_])?v?\d+\.\d+[\w.]*\.(?:md|mdx|rst|adoc|txt)$|"
    r"(?:^|/)releases?/(?:[\w-]+[-_])?v?\d+[._-]\d+[\w.-]*\.\w+$|"
    r"(?:^|/)notes/(?:[a-z][\w-]*[-_])?v?\d{1,2}\.\d+[\w.-]*\.\w+$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known about a chunk before a sentence of it is read.

    ``talk``: people speak in it, in turn. ``asked``: questions in it are meant. ``deliberates``:
    decisions are taken or proposed in documents like it, talk among them. ``own_voice``: its «we»
    are those who make the project, not a teacher and the reader. ``recorded``: it was written once,
    about a choice. ``of_project``: it is the project's own README, whose first heading is the
    project's name.
    """

    text: str
    name: str
    talk: bool
    asked: bool
    how_to: bool
    deliberates: bool
    own_voice: bool
    recorded: bool
    of_project: bool


def setting_of(chunk: ChunkCreated) -> Setting:
    talk = chunk.source_type in _CONVERSATIONS
    how_to, record, weighs = _manner_of(chunk.path)
    deliberates = talk or record or weighs
    return Setting(
        text=chunk.text_payload,
        name=document_name(chunk.title, chunk.path),
        talk=talk,
        asked=talk or chunk.source_type == "architecture_doc",
        how_to=how_to,
        deliberates=deliberates,
        own_voice=deliberates or chunk.source_type in _OWN_VOICE,
        recorded=is_record(chunk),
        of_project=chunk.source_type == "readme" and "/" not in chunk.path,
    )


def is_record(chunk: ChunkCreated) -> bool:
    """Whether it was written once, about a choice, and nobody keeps it up: by its name, or as it
    has a status.
    """
    return chunk.document_status is not None or _manner_of(chunk.path)[1]


@functools.lru_cache(maxsize=256)  # a document's chunks come one after another
def _manner_of(path: str) -> tuple[bool, bool, bool]:
    """Whether a document of this name leads a reader through something, is a record, weighs."""
    return bool(_HOW_TO.search(path)), bool(_RECORD.search(path)), bool(_WEIGHING.search(path))


@functools.lru_cache(maxsize=256)
def is_silent(path: str) -> bool:
    """Whether documents of this name state nothing about the project: logs, licences, templates,
    what a test compares with."""
    return bool(_SILENT.search(path))
