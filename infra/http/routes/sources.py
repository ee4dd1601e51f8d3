"""The sources of a project: which are read, what became of each sentence."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import DECIDERS, LEADERS, OBSERVERS, READERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.moments import MaybeAsOf, read_place, read_since
from infra.http.parameters import (
    DEFAULT_LIMIT,
    OF_ANY,
    Cursor,
    Glob,
    Limit,
    Named,
    Project,
    Sequence,
    UpdatedSince,
    Wait,
)
from infra.http.routes.decisions import DECIDED, DecisionRequest, answer, decider
from infra.service.deciding.decisions import Decider, set_document_role
from infra.service.deciding.document_roles import RoleChange, set_document_roles
from infra.service.ingesting.removal import SourceRemoval
from infra.service.ingesting.removal import remove_source as ask_for_removal
from infra.service.reading.explaining import Explanation, explain_source
from projections.read import belonging, chunks, coverage, past, source_detail, source_list
from projections.read.chunks import Chunk, ChunkDetail
from projections.read.coverage import Coverage
from projections.read.decided import DecisionAnswer
from projections.read.page import Page
from projections.read.past_coverage import PastCoverage
from projections.read.source_detail import SourceDetail
from projections.read.source_list import SourceState
from schemas.document_roles.public import DocumentRole
from schemas.events.hitl import Role

router = APIRouter(route_class=Guarded, tags=["Sources"])
SourceId = Annotated[str, Path(max_length=100)]
ChunkState = Literal["pending", "scheduled", "extracted", "skipped"]


class RoleDecision(DecisionRequest):
    """``role`` null: the document has the role that its names tell."""

    role: DocumentRole | None


class RolesDecision(BaseModel):
    """``path`` is a glob over paths, such as `docs/how-we-work/*`; ``role`` as of one document."""

    model_config = ConfigDict(extra="forbid")

    path: str = Field(min_length=1, max_length=1_000)
    role: DocumentRole | None
    rationale: str = Field("", max_length=4_000)


@router.get("/v1/projects/{project}/sources", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_sources(
    api: ApiDep,
    project: Project,
    skipped: bool = False,
    reason: Named = None,
    path: Glob = None,
    role: DocumentRole | None = None,
    updated_since: UpdatedSince = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[SourceState]:
    """Sources by root and path; ``skipped``: only those that are not read, each with its reason;
    ``role``: only documents that play this part.

    ``updated_since`` tells also which were removed.
    """
    return await api.tables.ask(
        source_list.list_sources,
        project,
        skipped=skipped,
        reason=reason,
        source=path,
        role=role,
        updated_since=read_since(updated_since),
        cursor=cursor,
        limit=limit,
    )


@router.get("/v1/projects/{project}/sources/{source_id}", responses=OF_ANY)
@allow(*READERS)
async def read_source(api: ApiDep, project: Project, source_id: SourceId) -> SourceDetail:
    """A source with its text as it was read: secrets are replaced in it."""
    return await api.tables.ask(source_detail.read_source, project, source_id)


@router.post(
    "/v1/projects/{project}/sources/{source_id}/role",
    response_model=DecisionAnswer,
    responses=DECIDED,
)
@allow(*DECIDERS, writes=True)
async def decide_document_role(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    source_id: SourceId,
    body: RoleDecision,
    wait: Wait = False,
) -> Any:
    """Say what a document is to the product: its statements count as of such a document at once.

    Nothing is read again; null takes the role back that a person has given. ``expected_revision``
    is the ``role_revision`` of the source.
    """
    by = decider(caller, write, body, wait)
    await api.tables.ask(belonging.check_belongs, project, source_id)
    return await answer(set_document_role(api.settings, source_id, by, body.role), by, source_id)


@router.post("/v1/projects/{project}/source-roles", status_code=202, responses=OF_ANY)
@allow(*DECIDERS, writes=True)
async def decide_document_roles(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, body: RolesDecision
) -> list[RoleChange]:
    """Say at once what all documents at some paths are, one decision each; at most 200.

    Those that have the role already are left alone. The ledger answers in time: see the decisions
    of the project.
    """
    by = Decider(caller.name, cast(Role, caller.role), body.rationale, key=write.key)
    return await set_document_roles(api.settings, project, body.path, by, body.role)


@router.delete("/v1/projects/{project}/sources/{source_id}", status_code=202, responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def remove_source(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, source_id: SourceId
) -> SourceRemoval:
    """Withdraw all evidence of a source; what no other source says is obsolete then.

    `GET …/ingestions/{trigger_key}` tells how far it is. A complete ingest of the root brings the
    source back where it still holds it.
    """
    return await ask_for_removal(api.settings, project, source_id, actor=caller.name, key=write.key)


@router.get("/v1/projects/{project}/chunks", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_chunks(
    api: ApiDep,
    project: Project,
    source_id: Named = None,
    state: ChunkState | None = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Chunk]:
    """The pieces in which sources are read, by source and place, without their text."""
    return await api.tables.ask(
        chunks.list_chunks, project, source_id=source_id, state=state, cursor=cursor, limit=limit
    )


@router.get("/v1/projects/{project}/chunks/{chunk_id}", responses=OF_ANY)
@allow(*READERS)
async def read_chunk(
    api: ApiDep, project: Project, chunk_id: Annotated[str, Path(max_length=100)]
) -> ChunkDetail:
    """A chunk with its text as it was read."""
    return await api.tables.ask(chunks.read_chunk, project, chunk_id)


@router.get("/v1/projects/{project}/explain", responses=OF_ANY)
@allow(*READERS)
async def explain(
    api: ApiDep,
    project: Project,
    path: Annotated[str, Query(min_length=1, max_length=1_000)],
    line: Annotated[int | None, Query(ge=1, le=2**31)] = None,
) -> Explanation:
    """What became of each sentence of a source: an atom, refused, or left out, and why."""
    return await explain_source(api.settings, project, path, line)


@router.get("/v1/projects/{project}/coverage", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_coverage(api: ApiDep, project: Project) -> Coverage:
    """What has been read, by tier and area, and where the ledger has gaps."""
    return await api.tables.ask(coverage.read_coverage, project)


@router.get("/v1/projects/{project}/coverage/past", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_past_coverage(
    api: ApiDep,
    project: Project,
    as_of: MaybeAsOf = None,
    as_of_seq: Sequence | None = None,
) -> PastCoverage:
    """What had been read at ``as_of``, or by change set ``as_of_seq``; give one of both.

    How many chunks there were to be read then is not kept.
    """
    return await api.tables.ask(past.read_past_coverage, project, read_place(as_of_seq, as_of))
