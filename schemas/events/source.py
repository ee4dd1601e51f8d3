"""Facts from the outside: what a source's bytes were at one revision.

A revision is one ``source.revised`` with the first part of the content. Further parts of a long
content come before it. So a small file is one record, and ``source.revised`` is always the last
record of a revision.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from schemas.envelope import Event, Part

CONTENT_PART_BYTES = 512 * 1024
MARK_CHARS = 24  # 2026-01-31T23:59:59.999Z

Connector = Literal["upload", "github", "jira", "slack", "artifact_edit", "interview", "api"]
SourceType = Literal[
    "readme",
    "agent_guide",
    "architecture_doc",
    "doc",
    "manifest",
    "entry_point",
    "code",
    "config",
    "issue",
    "pull_request",
    "review_comment",
    "comment",
    "chat_thread",
    "export",
    "interview",
    "edited_artifact",
    "other",
]
# Why there is no text of a source that is there: nobody could read it, or need not.
UnreadReason = Literal[
    "unreadable", "encrypted", "no_text", "not_fetched", "too_large", "translation"
]

# Their revision_ref begins with the time of change in UTC, so that it sorts.
SERVICES: frozenset[Connector] = frozenset(("github", "jira", "slack", "api", "artifact_edit"))


class SourceInfo(Part):
    """What is known of a source without reading it.

    ``external_ref`` is ``<root>@<path>``; ``path`` is relative to the root, with forward slashes.
    ``priority_tier`` is 1, 2 or 3; 1 is read first. ``language`` and ``mime`` are hints.
    """

    source_id: str
    connector: Connector = "upload"
    root: str
    external_ref: str
    path: str
    title: str = ""
    source_type: SourceType
    priority_tier: int
    language: str | None = None
    mime: str | None = None
    declared_charset: str | None = None


class SourceRevised(Event):
    """A source has this content now. Key ``source_id``.

    ``trigger_key`` is the idempotency key of the ingestion that brought it; ``content`` is part 0,
    nonce and AES-GCM ciphertext under the data key ``key_id``; ``raw_sha256`` is of the whole
    content in clear. ``source_time`` is when the content came to be outside (git author date), or
    null. With ``unread`` there is no text to be had: ``content`` is empty, ``raw_sha256`` is of
    what the connector saw, and ``unread_detail`` says in a few words what is missing.
    """

    type_name: ClassVar[str] = "source.revised"
    topic: ClassVar[str] = "source.v1"

    source: SourceInfo
    trigger_key: str
    revision_ref: str | None = None
    source_time: datetime | None = None
    force_include: bool = False
    unread: UnreadReason | None = None
    unread_detail: str = ""
    part_count: int = 1
    byte_count: int
    raw_sha256: str
    key_id: str
    content: bytes

    @property
    def aggregate_id(self) -> str:
        return self.source.source_id

    @property
    def local_key(self) -> str:
        return f"{self.source.source_id}|{self.trigger_key}"


class SourceContentPart(Event):
    """A further part of a revision's content; ``part_index`` counts from 1."""

    type_name: ClassVar[str] = "source.content_part"
    topic: ClassVar[str] = "source.v1"

    source_id: str
    trigger_key: str
    part_index: int
    part_count: int
    key_id: str
    content: bytes

    @property
    def aggregate_id(self) -> str:
        return self.source_id

    @property
    def local_key(self) -> str:
        return f"{self.source_id}|{self.trigger_key}|{self.part_index}"
