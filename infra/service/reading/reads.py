"""The questions of people about a project, each with its whole answer.

``project`` is a name or an id everywhere. A question raises NotFound for what is not there,
Conflict for a name that several projects have, and DatabaseUnavailable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from infra.platform.clock import SystemClock
from infra.platform.settings import Settings
from infra.service.foundation.database import ask
from projections.log_reader import fact_at
from projections.read import (
    artifacts,
    atoms,
    contradictions,
    coverage,
    deltas,
    projects,
    reasons,
    runs,
    source_list,
    team,
    waiting,
)
from projections.read import search as ledger_search
from projections.read.artifacts import Artifact
from projections.read.atoms import Atom, Order
from projections.read.burndown import Burndown, read_burndown
from projections.read.contradictions import Card
from projections.read.coverage import Coverage
from projections.read.decisions import Reason
from projections.read.deltas import Delta
from projections.read.page import Page, take
from projections.read.runs import Run
from projections.read.search import Answer, Filters
from projections.read.session import Conn, ReadModel
from projections.read.source_list import SourceState
from projections.read.waiting import Waiting

T = TypeVar("T")


class View(ReadModel):
    """Artifacts of one type with all that is shown beside them.

    ``prd`` or ``items``: what is published; ``ahead``: what a run is writing; ``gone``: what was in
    the list before; ``left_out``: what became no task; ``names`` of members, tasks and sprints;
    ``burndowns`` of the sprints.
    """

    prd: artifacts.Artifact | None
    items: list[artifacts.Item]
    ahead: list[artifacts.SpeculativeArtifact]
    gone: list[artifacts.GoneItem]
    left_out: list[str]
    names: dict[str, str]
    burndowns: list[Burndown]


async def list_atoms(
    settings: Settings,
    project: str,
    *,
    kind: str | None = None,
    status: str | None = None,
    source: str | None = None,
    tag: str | None = None,
    min_confidence: float | None = None,
    order: Order = "worth",
    limit: int | None = None,
) -> list[Atom]:
    """Atoms with their evidence; live ones unless ``status`` is given."""
    now = partial(
        atoms.list_atoms,
        kind=kind,
        status=status,
        source=source,
        tag=tag,
        min_confidence=min_confidence,
        order=order,
    )
    return await _all_of(settings, project, now, limit)


async def list_contradictions(
    settings: Settings, project: str, status: str | None = "open"
) -> list[Card]:
    """Contradictions with both sides, the gravest first; ``status`` None: all."""
    return await _all_of(
        settings, project, partial(contradictions.list_contradictions, status=status)
    )


async def list_waiting(settings: Settings, project: str) -> list[Waiting]:
    """What waits for a person's decision."""
    return await _all_of(settings, project, waiting.list_waiting)


async def list_sources(
    settings: Settings,
    project: str,
    *,
    skipped: bool = False,
    reason: str | None = None,
    source: str | None = None,
    limit: int | None = None,
) -> list[SourceState]:
    """Sources by root and path; ``skipped``: only those that are not read."""
    found = partial(source_list.list_sources, skipped=skipped, reason=reason, source=source)
    return await _all_of(settings, project, found, limit)


async def read_coverage(settings: Settings, project: str) -> Coverage:
    """What has been read, by tier and area, and where the ledger has gaps."""
    return await _of(settings, project, coverage.read_coverage)


async def search_ledger(
    settings: Settings,
    project: str,
    query: str,
    *,
    kinds: Sequence[str] = (),
    areas: Sequence[str] = (),
    statuses: Sequence[str] = (),
    limit: int = 10,
) -> Answer:
    """Passages and atoms that speak to a question, best first."""
    filters = Filters(kinds=tuple(kinds), areas=tuple(areas), statuses=tuple(statuses))
    return await _of(
        settings,
        project,
        lambda tables, known: ledger_search.search_ledger(tables, known, query, filters, limit),
    )


async def read_prd(settings: Settings, project: str) -> Artifact:
    """The published PRD, its text as ``rendered_markdown``. Raises NotFound before the first."""
    return await _of(settings, project, partial(artifacts.read_only_artifact, artifact_type="prd"))


async def read_view(settings: Settings, project: str, artifact_type: str) -> View:
    """All that is shown of a type. Raises NotFound for a PRD that nothing is written of yet."""
    return await _of(settings, project, partial(view, artifact_type=artifact_type))


def view(tables: Conn, project_id: str, artifact_type: str) -> View:
    of_type = (tables, project_id, artifact_type)
    ahead, prd = artifacts.list_speculative(*of_type), None
    if artifact_type == "prd" and (not ahead or artifacts.has_artifact(*of_type)):
        prd = artifacts.read_only_artifact(*of_type)
    many = artifact_type != "prd"
    listed = list(take(partial(artifacts.list_items, *of_type))) if many else []
    now = SystemClock().now()
    return View(
        prd=prd,
        items=listed,
        ahead=ahead,
        gone=list(take(partial(artifacts.list_gone_items, *of_type))),
        left_out=team.list_left_out_tasks(tables, project_id) if artifact_type == "task" else [],
        names=team.read_names(tables, project_id),
        burndowns=[read_burndown(tables, project_id, it.artifact_id, now) for it in listed]
        if artifact_type == "sprint_plan"
        else [],
    )


async def read_names(settings: Settings, project: str) -> dict[str, str]:
    """What people call members, features, tasks and sprints, by id."""
    return await _of(settings, project, team.read_names)


async def list_runs(settings: Settings, project: str) -> list[Run]:
    """Runs, oldest first."""
    return await _all_of(settings, project, runs.list_runs)


async def list_deltas(settings: Settings, project: str) -> list[Delta]:
    """What each merged pull request or push changed."""
    return await _all_of(settings, project, deltas.list_deltas)


async def list_reasons(settings: Settings, known_id: str) -> list[Reason]:
    """The decisions about an id, oldest first. Raises BrokerUnavailable, too."""

    def question(tables: Conn) -> list[Reason]:
        return reasons.list_reasons(
            tables, known_id, lambda place: asyncio.run(fact_at(settings, place))
        )

    return await ask(settings, question)


async def _of(settings: Settings, project: str, question: Callable[[Conn, str], T]) -> T:
    """The answer to a question about a project, which is given by name or id."""
    return await ask(
        settings, lambda tables: question(tables, projects.find_project(tables, project))
    )


async def _all_of(
    settings: Settings, project: str, listing: Callable[..., Page[T]], limit: int | None = None
) -> list[T]:
    """The first items of a list of a project, or all."""
    return await _of(
        settings, project, lambda tables, known: list(take(partial(listing, tables, known), limit))
    )
