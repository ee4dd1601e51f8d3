"""What a document is to the product, and how it stands, told of the whole document.

The reader tells the same of each passage, by the same names (``schemas.document_roles``): this is
what people see and correct.
"""

from __future__ import annotations

from collections.abc import Iterable

from schemas.document_roles.public import describe_reason, public_role_of
from schemas.document_roles.roles import tell_role
from schemas.events.hygiene import VERSIONS, DocumentDescribed
from schemas.events.source import SourceInfo
from streams.hygiene.chunks.prose import Heading
from streams.hygiene.documents.status import ToldStatus

_STATUS_REASONS = {"": "", "document": "the document says so", "folder": "its folder says so"}


def describe_document(
    source: SourceInfo, sanitized_hash: str, headings: Iterable[Heading], status: ToldStatus
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
        versions=VERSIONS,
    )
