"""What a document's place and name say of its text: whether it speaks of the project at all,
leads a reader through something, or deliberates.

Names alone, since a chunk does not know the rest of its document. A name that is not known says
nothing: the text then decides.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from agents.offline.lexicons import Wording
from agents.offline.segment.sections import document_name
from schemas.document_roles.roles import role_of
from schemas.events.hygiene import ChunkCreated

_CONVERSATIONS = frozenset(
    {"issue", "pull_request", "review_comment", "comment", "chat_thread", "interview"}
)
_OWN_VOICE = _CONVERSATIONS | {"readme", "agent_guide", "architecture_doc"}
_HOW_TO = Wording("documents", "how_to")
_RECORD = Wording("documents", "records")
_WEIGHING = Wording("documents", "weighing")
_TEACHES = Wording("documents", "teaches")


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known about a chunk before a sentence of it is read.

    ``teaches``: it is a course or a set of steps, of which only what binds is true of the project.
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
    teaches: bool
    deliberates: bool
    own_voice: bool
    recorded: bool
    of_project: bool
    minutes: bool


def read_setting(chunk: ChunkCreated) -> Setting:
    talk = chunk.source_type in _CONVERSATIONS
    how_to, record, weighs, teaches = _manner_of(chunk.path)
    deliberates = talk or record or weighs
    return Setting(
        text=chunk.text_payload,
        name=document_name(chunk.title, chunk.path),
        talk=talk,
        asked=talk or chunk.source_type == "architecture_doc",
        how_to=how_to,
        teaches=teaches,
        deliberates=deliberates,
        own_voice=deliberates or chunk.source_type in _OWN_VOICE,
        recorded=is_record(chunk),
        of_project=chunk.source_type == "readme" and "/" not in chunk.path,
        minutes=role_of(chunk.path, chunk.title, chunk.source_type, ()) == "minutes",
    )


def is_record(chunk: ChunkCreated) -> bool:
    """Whether it was written once, about a choice, and nobody keeps it up: by its name, or as it
    has a status.
    """
    return chunk.document_status is not None or _manner_of(chunk.path)[1]


@functools.lru_cache(maxsize=256)  # a document's chunks come one after another
def _manner_of(path: str) -> tuple[bool, bool, bool, bool]:
    """Whether a document of this name leads a reader through something, is a record, weighs or
    teaches; a record leads nobody, wherever it is kept.
    """
    record = _RECORD.says(path)
    how_to = not record and _HOW_TO.says(path)
    return how_to, record, _WEIGHING.says(path), how_to and _TEACHES.says(path)
