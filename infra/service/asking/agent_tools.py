"""The tools of agents over the use cases: there is no second way to read or to change anything."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from pydantic import BaseModel

import infra.service.jobs.schedules as schedules
import infra.service.planning.assignments as assignments
import infra.service.planning.planning as planning
import infra.service.planning.rebalancing as rebalancing
import infra.service.writing.quality as quality
from agents.tools.box import RANKS, Tools
from agents.tools.ports import Json, ToolRefused
from agents.tools.registry import build_tools
from agents.tools.research import DEEP_RESEARCH
from agents.tools.tool import Tool, ToolContext, ToolRole
from infra.platform.clock import SystemClock
from infra.platform.errors import NotFound, Refusal, Unavailable
from infra.platform.settings import Settings
from infra.service.asking.research import ask_outside
from infra.service.foundation.database import ask_project
from infra.service.foundation.small_reader import open_reader
from infra.service.ingesting.handed_documents import keep_pasted, tell_kept
from infra.service.models.models import has_research, open_model
from infra.service.planning.items import ItemRequest, change_item
from projections.read import (
    artifact_list,
    artifacts,
    atom_detail,
    atoms,
    contradictions,
    costs,
    coverage,
    item_search,
    jobs,
    overview,
    source_list,
    team,
)
from projections.read.artifact_list import ArtifactDetail
from projections.read.artifacts import Item
from projections.read.page import Page, take
from projections.read.search import Filters
from projections.read.search_answer import answer_question
from projections.read.session import Conn
from projections.read.waiting import count_waiting
from schemas.events.change import ChangedType, ListPhase
from schemas.events.team import RebalanceMove, ReportType

SHOWN_WITHIN_S = 5.0
SECTIONS = ("description", "solutions", "acceptance_criteria")
ACCEPTED = ("edit_unanswered", "tables_behind")  # it is recorded, and will be done

T = TypeVar("T")

P = ParamSpec("P")
Port = Callable[Concatenate["ServicePorts", P], Coroutine[Any, Any, T]]


BOUND = {DEEP_RESEARCH: ("analyst", "planner", "assistant")}  # all others are the assistant's


@dataclass(frozen=True, slots=True)
class AgentTool:
    """What a tool is called, does, takes and may do. ``confirm``: a person is asked before.
    ``agents`` are those that have it.
    """

    name: str
    description: str
    arguments: dict[str, Any]
    space: str
    mutating: bool
    confirm: bool
    role: ToolRole
    agents: tuple[str, ...] = ("assistant",)

    @property
    def callers(self) -> tuple[ToolRole, ...]:
        """The roles that may call it, and so approve a call of it."""
        return tuple(role for role, rank in RANKS.items() if rank >= RANKS[self.role])


def open_tools(settings: Settings) -> Tools:
    """All tools, over this installation."""
    return build_tools(ServicePorts(settings, can_research=has_research(settings)))


async def list_agent_tools(settings: Settings) -> list[AgentTool]:
    """What the assistant can do, without a look at any project."""
    tools = open_tools(settings)
    found = (tools.find(name) for name in tools.names())
    return [describe_tool(one) for one in found if one]


def find_agent_tool(settings: Settings, name: str) -> AgentTool | None:
    """A tool of this installation; None where it has none of this name."""
    found = open_tools(settings).find(name)
    return describe_tool(found) if found else None


def describe_tool(tool: Tool) -> AgentTool:
    return AgentTool(
        tool.name,
        tool.description,
        tool.arguments.model_json_schema(),
        tool.space,
        tool.mutating,
        tool.confirm,
        tool.role,
        BOUND.get(tool.name, ("assistant",)),
    )


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

    async def _ask(
        self,
        project: str,
        query: Callable[Concatenate[Conn, str, P], T],
        *given: P.args,
        **named: P.kwargs,
    ) -> T:
        return await ask_project(self._settings, project, query, *given, **named)

    async def _list(self, project: str, query: Callable[..., Page[T]], **named: Any) -> list[T]:
        """All pages of a list."""

        def every(tables: Conn, project_id: str) -> list[T]:
            return list(take(partial(query, tables, project_id, **named)))

        return await self._ask(project, every)

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
        filters = Filters(kinds=tuple(kinds), areas=tuple(areas), statuses=tuple(statuses))
        judge = open_reader(self._settings)
        return _json(await self._ask(project, answer_question, query, filters, limit, judge))

    @refusing
    async def read_atom(self, project: str, atom_id: str) -> Json:
        return _json(await self._ask(project, atom_detail.read_atom, atom_id))

    @refusing
    async def list_atoms(self, project: str, kind: str, limit: int) -> Sequence[Json]:
        page = await self._ask(project, atoms.list_atoms, kind=kind, limit=limit)
        return _dump(page.items)

    @refusing
    async def list_contradictions(self, project: str) -> Sequence[Json]:
        found = await self._list(project, contradictions.list_contradictions)
        return _dump(found)

    @refusing
    async def list_sources(self, project: str) -> Sequence[Json]:
        found = await self._list(project, source_list.list_sources)
        return _dump(found)

    @refusing
    async def read_gaps(self, project: str) -> Json:
        covered = await self._ask(project, coverage.read_coverage)
        try:
            prd = await self._ask(project, artifacts.read_only_artifact, "prd")
        except NotFound:  # none is written yet
            return {"areas": covered.gaps, "sections": []}
        told = [{"title": one.title, "gap": one.gap} for one in prd.sections]
        return {"areas": covered.gaps, "sections": told}

    @refusing
    async def save_source(self, context: ToolContext, title: str, text: str) -> Json:
        by = {"actor": context.actor, "role": context.role, "key": context.idempotency_key}
        path = await keep_pasted(self._settings, context.project_id, title, text, **by)
        return {"path": path, "told": tell_kept([path])}

    @refusing
    async def list_items(self, project: str, artifact_type: str) -> Sequence[Json]:
        found = await self._list(project, artifacts.list_items, artifact_type=artifact_type)
        names = await self._ask(project, team.read_names)
        return [_name(one, names) for one in found]

    @refusing
    async def search_items(
        self, project: str, types: Sequence[str], words: Sequence[str], *, offset: int, limit: int
    ) -> Json:
        page = {"offset": offset, "limit": limit}
        found = await self._ask(project, item_search.search_items, types, words, **page)
        names = await self._ask(project, team.read_names)
        items = [
            {"artifact_type": one.artifact_type, "item": _name(one.item, names)}
            for one in found.items
        ]
        return {"items": items, "total": found.total}

    @refusing
    async def read_prd(self, project: str) -> Json:
        return _json(await self._ask(project, artifacts.read_only_artifact, "prd"))

    @refusing
    async def read_artifact(self, project: str, artifact_id: str) -> Json:
        found = await self._ask(project, artifact_list.read_artifact, artifact_id)
        return _name(found, await self._ask(project, team.read_names))

    @refusing
    async def list_members(self, project: str) -> Sequence[Json]:
        return _dump(await self._ask(project, team.list_members))

    @refusing
    async def rank_members(self, project: str) -> Sequence[Json]:
        found = await assignments.suggest_assignments(self._settings, project)
        return [asdict(one) for one in found]

    @refusing
    async def read_status(self, project: str) -> Json:
        waiting = await self._ask(project, count_waiting)
        known = _json(await self._ask(project, overview.read_overview))
        return known | {"waiting": sum(waiting.values())}

    @refusing
    async def read_costs(self, project: str) -> Json:
        return _json(await self._ask(project, costs.read_costs, "agent"))

    @refusing
    async def list_jobs(self, project: str, status: str | None, limit: int) -> Sequence[Json]:
        page = await self._ask(project, jobs.list_jobs, status=status, limit=limit)
        return _dump(page.items)

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
    async def propose_rebalance(self, context: ToolContext, proposal: Json) -> Json:
        done = await rebalancing.propose_rebalance(
            self._settings,
            context.project_id,
            sprint_id=proposal["sprint_id"],
            imbalance=proposal["imbalance"],
            moves=[RebalanceMove.model_validate(one) for one in proposal["moves"]],
            actor=context.actor,
            key=context.idempotency_key,
        )
        return _json(done)

    @refusing
    async def schedule_work(self, context: ToolContext, request: str) -> Json:
        made = await schedules.schedule_in_words(
            self._settings,
            context.project_id,
            request,
            actor=context.actor,
            key=context.idempotency_key,
        )
        return {"items": [_tell_work(one) for one in made]}

    @refusing
    async def research(self, context: ToolContext, query: str) -> Json:
        today = SystemClock().now().date().isoformat()
        async with open_model(self._settings) as model:
            if model is None:
                raise ToolRefused("No service that searches the web is configured.", "no_research")
            findings = await ask_outside(model, context, query)
        return {"findings": [one | {"found_on": today} for one in findings]}

    @refusing
    async def change_item(self, context: ToolContext, kind: str, change: Json) -> Json:
        """The item as the tables show it; what they show late is accepted all the same."""
        request = _read_change(context, cast(ChangedType, kind), change)
        try:
            done = await change_item(
                self._settings, request, actor=context.actor, within_s=SHOWN_WITHIN_S
            )
        except Unavailable as late:
            if late.code not in ACCEPTED:
                raise
            return {"accepted": True}
        return _name(done, await self._ask(context.project_id, team.read_names))


def _tell_work(work: schedules.ScheduledWork) -> dict[str, Any]:
    names = ("work_item_id", "title", "agent", "priority", "next_run_at")
    told = _json(work)
    kind = work.recurrence.kind if work.recurrence else "once"
    return {name: told[name] for name in names} | {"recurrence": kind}


def _read_change(context: ToolContext, kind: ChangedType, change: Json) -> ItemRequest:
    """The atoms speak for the new sentences, and for the priority where there is one."""
    own = ("op", "item_id", "expected_version", "atom_ids")
    atom_ids = change.get("atom_ids") or ()
    return ItemRequest(
        context.project_id,
        kind,
        change["op"],
        {name: said for name, said in change.items() if name not in (*own, *SECTIONS)},
        sections=_read_sections(change),
        atom_ids=atom_ids,
        priority_atom_ids=atom_ids if change.get("priority") else (),
        item_id=change.get("item_id"),
        expected_version=change.get("expected_version", 0),
        key=context.idempotency_key,
    )


def _read_sections(change: Json) -> dict[str, list[str]]:
    """What a tool tells; a text of its own is one sentence a line."""
    told = {name: change.get(name) or () for name in SECTIONS}
    lines = {
        name: texts.splitlines() if isinstance(texts, str) else texts
        for name, texts in told.items()
    }
    return {name: [one for one in texts if one.strip()] for name, texts in lines.items() if texts}


def _name(item: Item | ArtifactDetail, names: Mapping[str, str]) -> dict[str, Any]:
    """The item, with what people call the ids that stand in it."""
    told = (*(item.fields or {}).values(), *(item.plan or {}).values())
    known = {one: names[one] for one in told if isinstance(one, str) and one in names}
    return _json(item) | {"names": known}


def _json(found: BaseModel) -> dict[str, Any]:
    return found.model_dump(mode="json")


def _dump(found: Iterable[BaseModel]) -> list[dict[str, Any]]:
    return [_json(one) for one in found]
