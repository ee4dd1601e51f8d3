"""The questions of `infra.service.reading.reads`, and those on jobs, members and quality."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from infra.cli.remote.asking import (
    adopt,
    adopt_all,
    ask,
    ask_about,
    ask_of,
    client_of,
    unchecked,
)
from infra.client.client import Client
from infra.platform.settings import Settings
from infra.service.reading.explaining import Explanation
from infra.service.reading.reads import View
from infra.service.upkeep.status import InstallationStatus
from projections.read.artifact_list import WholeVersion
from projections.read.artifacts import Artifact
from projections.read.atoms import Atom, Order, PastAtom
from projections.read.batches import Batch
from projections.read.contradictions import Card, Contradiction
from projections.read.copies import NearCopy
from projections.read.coverage import Coverage
from projections.read.decided import DecisionAnswer
from projections.read.decisions import Reason
from projections.read.deltas import Delta, DeltaReport
from projections.read.lineage import Node
from projections.read.merges import Merge
from projections.read.past import PastContradiction
from projections.read.past_coverage import PastCoverage
from projections.read.projects import Project
from projections.read.proposals import Proposal
from projections.read.rejections import Rejection
from projections.read.runs import Phase, Run
from projections.read.search import Answer
from projections.read.source_list import SourceState
from projections.read.waiting import Waiting

PRD = "prd"


def read_status(settings: Settings) -> InstallationStatus:
    with client_of(settings) as client:
        return adopt(InstallationStatus, client.read_installation_status())


async def list_projects(settings: Settings) -> list[Project]:
    return await ask(settings, lambda client: adopt_all(Project, client.list_projects()))


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
    def question(client: Client, project_id: str) -> list[Atom]:
        found = client.list_atoms(
            project_id,
            kind=kind,
            status=unchecked(status),
            path=source,
            tag=tag,
            min_confidence=min_confidence,
            order=order,
        )
        return adopt_all(Atom, found.take(limit))

    return await ask_of(settings, project, question)


async def list_past_atoms(
    settings: Settings,
    project: str,
    moment: int | datetime,
    *,
    kind: str | None = None,
    status: str | None = None,
    tag: str | None = None,
    order: Order = "worth",
    limit: int | None = None,
) -> list[PastAtom]:
    def question(client: Client, project_id: str) -> list[PastAtom]:
        found = client.list_past_atoms(
            project_id,
            **_moment(moment),
            kind=kind,
            status=unchecked(status),
            tag=tag,
            order=order,
        )
        return adopt_all(PastAtom, found.take(limit))

    return await ask_of(settings, project, question)


async def list_contradictions(
    settings: Settings, project: str, status: str | None = "open"
) -> list[Card]:
    def question(client: Client, project_id: str) -> list[Card]:
        found = client.list_contradictions(project_id, status=unchecked(status or "all"))
        return adopt_all(Card, found)

    return await ask_of(settings, project, question)


async def list_contradiction_pairs(
    settings: Settings, project: str, status: str | None = "open"
) -> list[Contradiction]:
    def question(client: Client, project_id: str) -> list[Contradiction]:
        found = client.list_contradiction_pairs(project_id, status=unchecked(status or "all"))
        return adopt_all(Contradiction, found)

    return await ask_of(settings, project, question)


async def list_past_contradictions(
    settings: Settings, project: str, moment: int | datetime, status: str | None = "open"
) -> list[PastContradiction]:
    def question(client: Client, project_id: str) -> list[PastContradiction]:
        found = client.list_past_contradictions(
            project_id, **_moment(moment), status=unchecked(status or "all")
        )
        return adopt_all(PastContradiction, found)

    return await ask_of(settings, project, question)


async def list_merges(settings: Settings, project: str) -> list[Merge]:
    return await ask_of(
        settings, project, lambda client, known: adopt_all(Merge, client.list_merges(known))
    )


async def list_waiting(settings: Settings, project: str) -> list[Waiting]:
    return await ask_of(
        settings, project, lambda client, known: adopt_all(Waiting, client.list_waiting(known))
    )


async def list_proposals(
    settings: Settings, project: str, state: str | None = "waiting"
) -> list[Proposal]:
    wanted = cast(Any, state or "all")
    return await ask_of(
        settings,
        project,
        lambda client, known: adopt_all(Proposal, client.list_proposals(known, state=wanted)),
    )


async def list_decisions(
    settings: Settings, project: str, target: str | None = None
) -> list[DecisionAnswer]:
    return await ask_of(
        settings,
        project,
        lambda client, known: adopt_all(
            DecisionAnswer, client.list_decisions(known, target=target)
        ),
    )


async def list_rejections(
    settings: Settings,
    project: str,
    *,
    code: str | None = None,
    kind: str | None = None,
    source: str | None = None,
    limit: int | None = None,
) -> list[Rejection]:
    def question(client: Client, project_id: str) -> list[Rejection]:
        found = client.list_rejections(project_id, code=code, kind=kind, path=source)
        return adopt_all(Rejection, found.take(limit))

    return await ask_of(settings, project, question)


async def list_sources(
    settings: Settings,
    project: str,
    *,
    skipped: bool = False,
    reason: str | None = None,
    source: str | None = None,
    limit: int | None = None,
) -> list[SourceState]:
    def question(client: Client, project_id: str) -> list[SourceState]:
        found = client.list_sources(project_id, skipped=skipped, reason=reason, path=source)
        return adopt_all(SourceState, found.take(limit))

    return await ask_of(settings, project, question)


async def list_near_copies(settings: Settings, project: str) -> list[NearCopy]:
    return await ask_of(
        settings, project, lambda client, known: adopt_all(NearCopy, client.list_near_copies(known))
    )


async def read_past_coverage(
    settings: Settings, project: str, moment: int | datetime
) -> PastCoverage:
    def question(client: Client, project_id: str) -> PastCoverage:
        return adopt(PastCoverage, client.read_past_coverage(project_id, **_moment(moment)))

    return await ask_of(settings, project, question)


async def read_coverage(settings: Settings, project: str) -> Coverage:
    return await ask_of(
        settings, project, lambda client, known: adopt(Coverage, client.read_coverage(known))
    )


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
    def question(client: Client, project_id: str) -> Answer:
        found = client.search(
            project_id,
            q=query,
            kind=list(kinds),
            area=list(areas),
            status=unchecked(list(statuses)),
            limit=limit,
        )
        return adopt(Answer, found)

    return await ask_of(settings, project, question)


async def explain_source(
    settings: Settings, project: str, path: str, line: int | None = None
) -> Explanation:
    def question(client: Client, project_id: str) -> Explanation:
        return adopt(Explanation, client.explain(project_id, path=path, line=line))

    return await ask_of(settings, project, question)


async def read_prd(settings: Settings, project: str) -> Artifact:
    found = (await read_view(settings, project, PRD)).prd
    assert found is not None, "a view of a PRD that is not there is refused"
    return found


async def read_past_prd(settings: Settings, project: str, moment: int | datetime) -> WholeVersion:
    now = await read_prd(settings, project)

    def question(client: Client, project_id: str) -> WholeVersion:
        found = client.read_past_artifact(project_id, now.artifact_id, **_moment(moment))
        return adopt(WholeVersion, found)

    return await ask_of(settings, project, question)


async def read_view(settings: Settings, project: str, artifact_type: str) -> View:
    def question(client: Client, project_id: str) -> View:
        return adopt(View, client.read_view(project_id, artifact_type))

    return await ask_of(settings, project, question)


async def read_names(settings: Settings, project: str) -> dict[str, str]:
    return (await read_view(settings, project, "report")).names


async def list_runs(settings: Settings, project: str) -> list[Run]:
    return await ask_of(
        settings, project, lambda client, known: adopt_all(Run, client.list_runs(known))
    )


async def list_phases(settings: Settings, project: str) -> dict[str, list[Phase]]:
    return await ask_of(settings, project, _phases)


async def list_deltas(settings: Settings, project: str) -> list[Delta]:
    return await ask_of(
        settings, project, lambda client, known: adopt_all(Delta, client.list_deltas(known))
    )


async def read_run_report(settings: Settings, run_id: str) -> tuple[DeltaReport, list[Phase]]:
    def question(client: Client, project_id: str) -> tuple[DeltaReport, list[Phase]]:
        found = adopt(DeltaReport, client.read_run_report(project_id, run_id))
        return found, _phases(client, project_id).get(run_id, [])

    return await ask_about(settings, run_id, question)


async def list_next_batches(
    settings: Settings, project: str, run_id: str | None = None
) -> list[Batch]:
    def question(client: Client, project_id: str) -> list[Batch]:
        return adopt_all(Batch, client.list_next_batches(project_id, run_id=run_id))

    return await ask_of(settings, project, question)


async def trace(settings: Settings, known_id: str) -> Node:
    return await ask_about(
        settings, known_id, lambda client, known: adopt(Node, client.trace(known, known_id))
    )


async def list_reasons(settings: Settings, known_id: str) -> list[Reason]:
    def question(client: Client, project_id: str) -> list[Reason]:
        return adopt_all(Reason, client.list_reasons(project_id, known_id))

    return await ask_about(settings, known_id, question)


def _phases(client: Client, project_id: str) -> dict[str, list[Phase]]:
    return adopt(dict[str, list[Phase]], client.list_phases(project_id))


def _moment(moment: int | datetime) -> dict[str, Any]:
    """As the API takes it."""
    if isinstance(moment, datetime):
        return {"as_of": moment.isoformat()}
    return {"as_of_seq": moment}
