"""The tools of agents over the use cases: there is no second way to read or to change anything."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from pydantic import BaseModel

import infra.service.assignments as assignments
import infra.service.costs as costs
import infra.service.jobs as jobs
import infra.service.planning as planning
import infra.service.quality as quality
import infra.service.reads as reads
import infra.service.schedules as schedules
import infra.service.tasks as tasks
import infra.service.team as team
from agents.project.scheduling_words import parse_schedule
from agents.tools.box import Tools
from agents.tools.ports import Json, ToolRefused
from agents.tools.registry import build_tools
from agents.tools.tool import ToolContext, ToolRole
from infra.clock import SystemClock
from infra.errors import Refusal, Unavailable
from infra.service.models import has_research, open_model
from infra.service.reading import ask
from infra.service.researching import ask_outside
from infra.settings import Settings
from projections.read import artifact_list, atom_detail, overview
from projections.read.projects import project_of
from projections.read.session import Conn
from schemas.events.change import ListPhase
from schemas.events.team import ReportType

SHOWN_WITHIN_S = 5.0
ACCEPTED = ("edit_unanswered", "tables_behind")  # it is recorded, and will be done

T = TypeVar("T")
P = ParamSpec("P")
Port = Callable[Concatenate["ServicePorts", P], Coroutine[Any, Any, T]]


@dataclass(frozen=True, slots=True)
class AgentTool:
    """What a tool is called, does, takes and may do. ``confirm``: a person is asked before."""

    name: str
    description: str
    arguments: dict[str, Any]
    space: str
    mutating: bool
    confirm: bool
    role: ToolRole


def open_tools(settings: Settings) -> Tools:
    """All tools, over this installation."""
    return build_tools(ServicePorts(settings, can_research=has_research(settings)))


async def list_agent_tools(settings: Settings) -> list[AgentTool]:
    """What the assistant can do, without a look at any project."""
    tools = open_tools(settings)
    found = (tools.find(name) for name in tools.names())
    return [
        AgentTool(
            one.name,
            one.description,
            one.arguments.model_json_schema(),
            one.space,
            one.mutating,
            one.confirm,
            one.role,
        )
        for one in found
        if one
    ]


def refusing(port: Port[P, T]) -> Port[P, T]:
    """What the use case refuses is an answer for the model."""

    @wraps(port)
    async def call(self: ServicePorts, /, *given: P.args, **named: P.kwargs) -> T:
        try:
            return await port(self, *given, **named)
        except Refusal as refused:
            raise ToolRefused(str(refused), refused.code) from refused

    return call


class ServicePorts:
    """The ports of the tools, over one installation. ``can_research``: whether tools may ask the
    world outside; a turn goes on as it began.
    """

    def __init__(self, settings: Settings, *, can_research: bool) -> None:
        self._settings, self.can_research = settings, can_research

    async def _ask(self, project: str, question: Callable[[Conn, str], T]) -> T:
        return await ask(
            self._settings, lambda tables: question(tables, project_of(tables, project))
        )

    @refusing
    async def search_ledger(
        self,
        project: str,
        query: str,
        *,
        kinds: Sequence[str],
        areas: Sequence[str],
        statuses: Sequence[str],
        limit: int,
    ) -> Json:
        filters = {"kinds": kinds, "areas": areas, "statuses": statuses}
        return _json(
            await reads.search_ledger(self._settings, project, query, **filters, limit=limit)
        )

    @refusing
    async def read_atom(self, project: str, atom_id: str) -> Json:
        return _json(await self._ask(project, partial(atom_detail.whole_atom, atom_id=atom_id)))

    @refusing
    async def list_atoms(self, project: str, kind: str, limit: int) -> Sequence[Json]:
        return _list(await reads.list_atoms(self._settings, project, kind=kind, limit=limit))

    @refusing
    async def list_contradictions(self, project: str) -> Sequence[Json]:
        return _list(await reads.list_contradictions(self._settings, project))

    @refusing
    async def list_sources(self, project: str) -> Sequence[Json]:
        return _list(await reads.list_sources(self._settings, project))

    @refusing
    async def list_items(self, project: str, artifact_type: str) -> Sequence[Json]:
        return _list((await reads.read_view(self._settings, project, artifact_type)).items)

    @refusing
    async def read_prd(self, project: str) -> Json:
        return _json(await reads.read_prd(self._settings, project))

    @refusing
    async def read_artifact(self, project: str, artifact_id: str) -> Json:
        return _json(
            await self._ask(project, partial(artifact_list.whole_artifact, artifact_id=artifact_id))
        )

    @refusing
    async def list_members(self, project: str) -> Sequence[Json]:
        return _list(await team.list_members(self._settings, project))

    @refusing
    async def rank_members(self, project: str) -> Sequence[Json]:
        found = await assignments.suggest_assignments(self._settings, project)
        return [asdict(one) for one in found]

    @refusing
    async def read_status(self, project: str) -> Json:
        waiting = await reads.list_waiting(self._settings, project)
        return _json(await self._ask(project, overview.overview)) | {"waiting": len(waiting)}

    @refusing
    async def read_costs(self, project: str) -> Json:
        return _json(await costs.read_costs(self._settings, project))

    @refusing
    async def list_jobs(self, project: str, status: str | None, limit: int) -> Sequence[Json]:
        found = await jobs.list_jobs(self._settings, project, status=status, limit=limit)
        return _list(found.items)

    @refusing
    async def request_report(
        self, context: ToolContext, report_type: str, as_of: str | None
    ) -> Json:
        found = await planning.request_report(
            self._settings,
            context.project_id,
            cast(ReportType, report_type),
            as_of=as_of,
            actor=context.actor,
            key=context.idempotency_key,
        )
        return _json(found)

    @refusing
    async def request_generation(self, context: ToolContext, phase: str) -> Json:
        found = await planning.request_generation(
            self._settings,
            context.project_id,
            cast(ListPhase, phase),
            actor=context.actor,
            key=context.idempotency_key,
        )
        return {"artifact_ids": found.artifact_ids}

    @refusing
    async def run_quality(self, context: ToolContext, artifact: str) -> Json:
        request = quality.GateRequest(
            context.project_id, artifact, key=context.idempotency_key, may_revise=False
        )
        return _json(await quality.run_quality(self._settings, request))

    @refusing
    async def schedule_work(self, context: ToolContext, request: str) -> Json:
        place = (self._settings, context.project_id)
        zone = (await schedules.read_project_settings(*place)).timezone
        parsed = parse_schedule(request, SystemClock().now(), zone)
        if parsed is None:
            raise ToolRefused(
                "That names no work with a time: say both, such as 'sprint report every monday at"
                " 09:00'.",
                "schedule_invalid",
            )
        wanted = schedules.WorkRequest(
            recurrence=parsed.recurrence,
            title=parsed.work.title,
            agent=parsed.work.agent,
            job_type=parsed.work.job_type,
            payload=parsed.work.payload,
            priority=parsed.priority,
        )
        done = _json(
            await schedules.schedule_work(
                *place, wanted, actor=context.actor, key=context.idempotency_key
            )
        )
        names = ("work_item_id", "title", "agent", "priority", "next_run_at")
        return {name: done[name] for name in names} | {"recurrence": parsed.recurrence.kind}

    @refusing
    async def research(self, context: ToolContext, query: str) -> Json:
        today = SystemClock().now().date().isoformat()
        async with open_model(self._settings) as model:
            if model is None:
                raise ToolRefused("No service that searches the web is configured.", "no_research")
            findings = await ask_outside(model, context, query)
        return {"findings": [one | {"found_on": today} for one in findings]}

    @refusing
    async def change_task(self, context: ToolContext, change: Json) -> Json:
        told = _read_task(change)
        try:
            if change["op"] == "create":
                done = await tasks.create_task(
                    self._settings,
                    context.project_id,
                    told,
                    actor=context.actor,
                    key=context.idempotency_key,
                    within_s=SHOWN_WITHIN_S,
                )
            else:
                request = tasks.TaskRequest(
                    context.project_id,
                    change["op"],
                    change["task_id"],
                    change["expected_version"],
                    told,
                    key=context.idempotency_key,
                )
                done = await tasks.change_task(
                    self._settings, request, actor=context.actor, within_s=SHOWN_WITHIN_S
                )
        except Unavailable as late:
            if late.code not in ACCEPTED:
                raise
            return {"accepted": True}
        return _json(done)


def _read_task(change: Json) -> tasks.TaskText:
    """What a tool tells of a task; a text of its own is one sentence a line."""
    sections = {
        "description": str(change.get("description") or "").splitlines(),
        "solutions": change.get("solutions") or (),
        "acceptance_criteria": change.get("acceptance_criteria") or (),
    }
    told = ("title", "feature_id", "assignee_id", "estimate_points", "status")
    return tasks.TaskText(
        **{name: change[name] for name in told if change.get(name) is not None},
        sections={
            key: [one for one in texts if one.strip()] for key, texts in sections.items() if texts
        },
        required_skills=change.get("required_skills") or None,
        atom_ids=change.get("atom_ids") or (),
    )


def _json(found: BaseModel) -> dict[str, Any]:
    return found.model_dump(mode="json")


def _list(found: Iterable[BaseModel]) -> list[dict[str, Any]]:
    return [_json(one) for one in found]
