"""What is different since a place in the ledger: for those who follow a project."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from infra.http.access import READERS, Guarded, allow
from infra.http.api import ApiDep
from infra.http.moments import MaybeAsOf, read_place
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Project, Sequence
from projections.read import changes, ledger_position
from projections.read.changes import LARGEST_WINDOW, WINDOW, Changes
from projections.read.ledger_position import LedgerPosition

router = APIRouter(route_class=Guarded, tags=["Ledger"])


@router.get("/v1/projects/{project}/changes", responses=OF_ANY)
@allow(*READERS)
async def list_changes(
    api: ApiDep,
    project: Project,
    since_seq: Sequence | None = None,
    since: MaybeAsOf = None,
    window: Annotated[
        int, Query(ge=1, le=LARGEST_WINDOW, description="Most change sets of one question.")
    ] = WINDOW,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Changes:
    """What came, went, changed and was decided after ``since_seq`` or ``since``, with the places it
    rests on; give one of both.

    Where ``next_cursor`` is there, more of the same answer follows. After it, and where ``to_seq``
    is below ``head_seq``, ask again from there.
    """
    place = read_place(since_seq, since, "since")
    return await api.tables.ask(
        changes.list_changes, project, place, window, cursor=cursor, limit=limit
    )


@router.get("/v1/projects/{project}/position", responses=OF_ANY)
@allow(*READERS)
async def read_position(api: ApiDep, project: Project) -> LedgerPosition:
    """The last change set of the ledger, and when it was recorded."""
    return await api.tables.ask(ledger_position.read_position, project)
