"""Say at once what all documents at some paths are: one decision each, taken back one by one."""

from __future__ import annotations

from dataclasses import replace

from infra.platform.errors import Conflict, Invalid, NotFound, Unavailable
from infra.platform.settings import Settings
from infra.service.deciding.decisions import UNANSWERED, Decider, set_document_role
from infra.service.foundation.database import ask
from projections.read.session import ReadModel
from projections.read.source_list import SourceState, list_sources
from schemas.document_roles.public import DocumentRole

MOST_AT_ONCE = 200


class RoleChange(ReadModel):
    """A document that a role was set of; ``code`` is empty once that is recorded, else why not."""

    source_id: str
    path: str
    code: str = ""


async def set_document_roles(
    settings: Settings, project_id: str, path: str, by: Decider, role: DocumentRole | None
) -> list[RoleChange]:
    """Give a role to every document whose path matches the glob and that has another one.

    Nobody waits for the ledger's answers. Raises NotFound where there are none, Invalid where there
    are too many.
    """
    listed = await ask(
        settings,
        lambda tables: list_sources(tables, project_id, source=path, limit=MOST_AT_ONCE + 1),
    )
    if len(listed.items) > MOST_AT_ONCE:
        raise Invalid(
            f"More than {MOST_AT_ONCE} sources match {path}: name fewer.", code="too_many_documents"
        )
    documents = [it for it in listed.items if it.source_id and it.role_reason]
    if not documents:
        raise NotFound(f"No document matches {path}.", code="no_documents")
    changing = [it for it in documents if it.role != (role or it.told_role)]
    return [await _set_role(settings, it, by, role) for it in changing]


async def _set_role(
    settings: Settings, document: SourceState, by: Decider, role: DocumentRole | None
) -> RoleChange:
    source_id, code = document.source_id or "", ""
    alone = replace(
        by,
        key=f"{by.key}|{source_id}",
        expected_revision=document.role_revision,
        answer_within_s=0.0,
    )
    try:
        await set_document_role(settings, source_id, alone, role)
    except Conflict as error:
        code = error.code
    except Unavailable as error:
        if error.code != UNANSWERED:
            raise
    return RoleChange(source_id=source_id, path=document.path, code=code)
