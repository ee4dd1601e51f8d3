"""What a document is to the product, and how it stands, told of the whole document.

The reader tells the same of each passage, by the same names (``schemas.document_roles``): this is
what people see and correct.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice

from schemas.document_roles.public import describe_reason, public_role_of
from schemas.document_roles.roles import tell_role
from schemas.events.hygiene import VERSIONS, DescribedHeading, DocumentDescribed
from schemas.events.source import SourceInfo
from schemas.readers import PROSE_TYPES, TALK_TYPES
from streams.headings import find_role
from streams.hygiene.chunks.prose import Heading
from streams.hygiene.documents.status import ToldStatus

MOST_HEADINGS = 200  # that are told of a document
_STATUS_REASONS = {"": "", "document": "the document says so", "folder": "its folder says so"}


def is_prose(source: SourceInfo) -> bool:
    """Whether a source is a document at all, not code and not talk."""
    return source.source_type in PROSE_TYPES - TALK_TYPES


def describe_unread(source: SourceInfo) -> DocumentDescribed:
    """What a document is that is not read, such as a changelog, by its names alone."""
    return describe_document(source, "", (), ToldStatus(), ())


def describe_document(
    source: SourceInfo,
    sanitized_hash: str,
    headings: Sequence[Heading],
    status: ToldStatus,
    line_starts: Sequence[int],
) -> DocumentDescribed:
    titles = [heading.title for heading in headings]
    told = tell_role(source.path, source.title, source.source_type, titles)
    return DocumentDescribed(
        source_id=source.source_id,
        sanitized_hash=sanitized_hash,
        role=public_role_of(told),
        role_reason=describe_reason(told),
        origin=told.role,
        status=status.status,
        status_reason=_STATUS_REASONS[status.by],
        headings=list(islice(_describe_headings(headings, line_starts), MOST_HEADINGS)),
        versions=VERSIONS,
    )


def _describe_headings(
    headings: Sequence[Heading], line_starts: Sequence[int]
) -> Iterator[DescribedHeading]:
    for heading in headings:
        role, section = find_role(heading.title)
        if role:
            line = bisect_right(line_starts, heading.start)
            yield DescribedHeading(title=heading.title, line=line, role=role, section=section)
