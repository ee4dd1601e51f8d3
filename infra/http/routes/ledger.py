"""The ledger: atoms with evidence, contradictions, merges, refusals, search and traces."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from infra.http.access import READERS, Guarded, allow
from infra.http.api import ApiDep
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
    View,
)
from projections.read import (
    atom_detail,
    atoms,
    contradictions,
    lineage,
    merges,
    past,
    rejections,
    summary,
    waiting,
)
from projections.read.atom_detail import AtomDetail, Link
from projections.read.atoms import Atom, Order, PastAtom
from projections.read.contradictions import ContradictionCard
from projections.read.lineage import TraceNode
from projections.read.merges import Merge
from projections.read.page import Page
from projections.read.past import PastContradiction
from projections.read.rejections import Rejection
from projections.read.search import Answer, Filters
from projections.read.waiting import WaitingItem
from schemas.areas import Area
from schemas.events.atom import AtomKind
from schemas.events.ledger import AtomStatus
from schemas.events.working_summary import WorkingSummary

router = APIRouter(route_class=Guarded, tags=["Ledger"])
Id = Annotated[str, Path(max_length=200)]
CardStatus = Literal["open", "escalated", "resolved", "dismissed", "all"]
Listed = AtomStatus | Literal["all"]


@router.get("/v1/projects/{project}/atoms", responses=OF_ANY)
@allow(*READERS)
async def list_atoms(
    api: ApiDep,
    project: Project,
    kind: AtomKind | None = None,
    status: Listed | None = None,
    path: Glob = None,
    tag: Named = None,
    min_confidence: Annotated[float | None, Query(ge=0, le=1)] = None,
    order: Order = "worth",
    updated_since: UpdatedSince = None,
    view: View = "whole",
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Atom]:
    """Atoms with their evidence, most valuable first; live ones unless ``status`` is given.

    `status=all` with ``updated_since`` tells also what has gone. A slim one has no ``evidence``;
    ``evidence_count`` says how much there is.
    """
    return await api.tables.ask(
        atoms.list_atoms,
        project,
        kind=kind,
        status=status,
        source=path,
        tag=tag,
        min_confidence=min_confidence,
        order=order,
        updated_since=read_since(updated_since),
        is_slim=view == "slim",
        cursor=cursor,
        limit=limit,
    )


@router.get("/v1/projects/{project}/ledger", responses=OF_ANY)
@allow(*READERS)
async def list_past_atoms(
    api: ApiDep,
    project: Project,
    as_of_seq: Sequence | None = None,
    as_of: MaybeAsOf = None,
    kind: AtomKind | None = None,
    status: Listed | None = None,
    tag: Named = None,
    order: Order = "worth",
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[PastAtom]:
    """Atoms as they stood after change set ``as_of_seq``, or at ``as_of``; give one of both."""
    return await api.tables.ask(
        past.list_past_atoms,
        project,
        read_place(as_of_seq, as_of),
        kind=kind,
        status=status,
        tag=tag,
        order=order,
        cursor=cursor,
        limit=limit,
    )


@router.get("/v1/projects/{project}/ledger/search", responses=OF_ANY)
@allow(*READERS)
async def search(
    api: ApiDep,
    project: Project,
    q: Annotated[str, Query(min_length=1, max_length=1_000, description="A question or words.")],
    kind: Annotated[list[AtomKind] | None, Query(max_length=20)] = None,
    area: Annotated[list[Area] | None, Query(max_length=20)] = None,
    status: Annotated[list[AtomStatus] | None, Query(max_length=20)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
) -> Answer:
    """Passages and atoms that speak to a question, best first, each with its places."""
    filters = Filters(
        kinds=tuple(kind or ()), areas=tuple(area or ()), statuses=tuple(status or ())
    )
    return await api.tables.answer(project, q, filters, limit)


@router.get("/v1/projects/{project}/atoms/{atom_id}", responses=OF_ANY)
@allow(*READERS)
async def read_atom(api: ApiDep, project: Project, atom_id: Id) -> AtomDetail:
    """An atom with evidence, links and history."""
    return await api.tables.ask(atom_detail.read_atom, project, atom_id)


@router.get("/v1/projects/{project}/working-summary", responses=OF_ANY)
@allow(*READERS)
async def read_working_summary(api: ApiDep, project: Project) -> WorkingSummary:
    """The digest of the ledger that readers of new chunks are given, with its gaps."""
    return await api.tables.ask(summary.read_working_summary, project)


@router.get("/v1/projects/{project}/links", responses=OF_ANY)
@allow(*READERS)
async def list_links(
    api: ApiDep, project: Project, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[Link]:
    """Links between atoms by id."""
    return await api.tables.ask(atom_detail.list_links, project, cursor=cursor, limit=limit)


@router.get("/v1/projects/{project}/contradictions", responses=OF_ANY)
@allow(*READERS)
async def list_contradictions(
    api: ApiDep,
    project: Project,
    status: CardStatus = "open",
    updated_since: UpdatedSince = None,
    view: View = "whole",
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[ContradictionCard]:
    """Contradictions with both sides and what they affect, the gravest first.

    A slim one has neither quotes (``evidence``) nor ``affected_artifacts``.
    """
    wanted = None if status == "all" else status
    return await api.tables.ask(
        contradictions.list_contradictions,
        project,
        wanted,
        updated_since=read_since(updated_since),
        is_slim=view == "slim",
        cursor=cursor,
        limit=limit,
    )


@router.get("/v1/projects/{project}/contradictions/past", responses=OF_ANY)
@allow(*READERS)
async def list_past_contradictions(
    api: ApiDep,
    project: Project,
    as_of: MaybeAsOf = None,
    as_of_seq: Sequence | None = None,
    status: CardStatus = "open",
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[PastContradiction]:
    """Contradictions that had the status at ``as_of``, or after change set ``as_of_seq``, as they
    were, the gravest first; give one of both.
    """
    wanted = None if status == "all" else status
    return await api.tables.ask(
        past.list_past_contradictions,
        project,
        read_place(as_of_seq, as_of),
        wanted,
        cursor=cursor,
        limit=limit,
    )


@router.get("/v1/projects/{project}/merge-candidates", responses=OF_ANY)
@allow(*READERS)
async def list_merges(
    api: ApiDep,
    project: Project,
    updated_since: UpdatedSince = None,
    view: View = "whole",
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Merge]:
    """Merges in ledger order, then the pairs in review. A slim one has no bodies of statements."""
    return await api.tables.ask(
        merges.list_merges,
        project,
        updated_since=read_since(updated_since),
        is_slim=view == "slim",
        cursor=cursor,
        limit=limit,
    )


@router.get("/v1/projects/{project}/waiting", responses=OF_ANY)
@allow(*READERS)
async def list_waiting(
    api: ApiDep, project: Project, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[WaitingItem]:
    """What waits for a person's decision, and what it holds up."""
    return await api.tables.ask(waiting.list_waiting, project, cursor=cursor, limit=limit)


@router.get("/v1/projects/{project}/rejections", responses=OF_ANY)
@allow(*READERS)
async def list_rejections(
    api: ApiDep,
    project: Project,
    code: Named = None,
    kind: AtomKind | None = None,
    path: Glob = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Rejection]:
    """Refused candidates and refused rows of evidence, each with the rule that refused it."""
    return await api.tables.ask(
        rejections.list_rejections,
        project,
        code=code,
        kind=kind,
        source=path,
        cursor=cursor,
        limit=limit,
    )


@router.get("/v1/projects/{project}/trace/{known_id}", responses=OF_ANY)
@allow(*READERS)
async def trace(api: ApiDep, project: Project, known_id: Id) -> TraceNode:
    """From an id down to the evidence and the log, and up to the artifacts that cite it."""
    return await api.tables.ask(lineage.trace, project, known_id)
