"""Where a specialist works: its place in the turn, what it may read and change, and its results."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from pydantic import BaseModel

from agents.models.call import ChatModel
from agents.project.state import AgentResult, AgentState, Citation
from agents.runs.confirmations import CallDeclined, Decision, approve, say_declined
from agents.runs.consent.consent import is_asked_for
from agents.runs.cost import Cost
from agents.runs.effects import EffectKey, Json
from agents.runs.numbering import RunEffects
from agents.tools.box import RANKS
from agents.tools.ports import Ports, ToolRefused
from agents.tools.show import cite_atom, cite_item, cut, statements_of
from agents.tools.tool import ToolContext, ToolRole

MOST_ITEMS = 150  # of a list that a specialist looks at
MOST_CITED, LONGEST_SNIPPET, LONGEST_LIST = 3, 160, 40


@dataclass(frozen=True, slots=True)
class Listed:
    """The first items of a list; ``total`` is how many it has, ``counted`` how many of those are of
    the kind that was asked about.
    """

    items: Sequence[Json]
    total: int
    counted: int = 0


Change = Callable[[ToolContext, Json], Awaitable[Json]]
"""Makes a change with these arguments; its answer. Raises ToolRefused."""


@dataclass(slots=True)
class SpecialistContext:
    """``request`` is what the user asks, ``task`` what the supervisor says of it;
    ``can_research`` as it was when the turn began. ``decisions`` are those of people about calls of
    this turn. ``said`` is what the user has said where another agent has worded the request.
    """

    name: str
    request: str
    task: str
    state: AgentState
    effects: RunEffects
    ports: Ports
    model: ChatModel | None
    actor: str
    role: ToolRole
    now: Callable[[], datetime]
    can_research: bool = False
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    cost: Cost = Cost()
    used_model: bool = False
    said: str | None = None

    @property
    def project_id(self) -> str:
        return self.state["project"].project_id

    async def read_clock(self) -> datetime:
        return await self.effects.read_clock(self.now)

    async def list_items(
        self, artifact_type: str, wanted: Callable[[Json], bool] = lambda _: True
    ) -> Sequence[Json]:
        """The present artifacts of a type, the first ones of those that are wanted."""
        return (await self.count_items(artifact_type, wanted)).items

    async def count_items(
        self,
        artifact_type: str,
        wanted: Callable[[Json], bool] = lambda _: True,
        counted: Callable[[Json], bool] = lambda _: False,
        best: Callable[[Json], float] | None = None,
    ) -> Listed:
        """The same, with how many there are; with ``best`` those that it rates highest, in order.

        Ordered before the first ones are taken: all of a long list would not fit into the log.
        """

        async def look() -> Json:
            every = await self.ports.list_items(self.project_id, artifact_type)
            items = [item for item in every if wanted(item)]
            if best is not None:
                items.sort(key=best, reverse=True)
            return {
                "items": [slim_item(item) for item in items[:MOST_ITEMS]],
                "total": len(items),
                "counted": sum(map(counted, items)),
            }

        return await self._list(f"{artifact_type} list", look)

    async def list_tasks(self, planned: Iterable[str]) -> Sequence[Json]:
        """The tasks with these ids."""
        ids = frozenset(planned)
        return await self.list_items("task", lambda task: task["artifact_id"] in ids)

    async def find_coming_sprint(self) -> Json | None:
        """The first sprint of the plan that nobody has closed, with its whole lists; ``coming`` of
        it is how many there are.
        """

        async def look() -> Json:
            items = [
                item
                for item in await self.ports.list_items(self.project_id, "sprint_plan")
                if not (item["fields"].get("user_edited") or {}).get("is_closed")
            ]
            first = [slim_item(item, longest_list=None) for item in items[:1]]
            return {"items": [item | {"coming": len(items)} for item in first]}

        return next(iter(await self._read("coming sprint", look)), None)

    async def list_atoms(self, kind: str, limit: int) -> Listed:
        """The first live ones; there are as many as when the turn began."""

        async def look() -> Json:
            atoms = await self.ports.list_atoms(self.project_id, kind, limit)
            count = self.state["project"].counts_by_kind.get(kind, 0)
            first = [_slim_atom(atom) for atom in atoms]
            return {"items": first, "total": max(count, len(first))}

        return await self._list(f"{kind} atoms", look)

    async def list_contradictions(self) -> Listed:
        async def look() -> Json:
            contradictions = await self.ports.list_contradictions(self.project_id)
            names = ("contradiction_id", "severity", "explanation")
            first = [
                {name: contradiction[name] for name in names}
                for contradiction in contradictions[:MOST_ITEMS]
            ]
            return {"items": first, "total": len(contradictions)}

        return await self._list("contradictions", look)

    async def list_members(self) -> Sequence[Json]:
        async def look() -> Json:
            members = await self.ports.list_members(self.project_id)
            names = ("member_id", "name", "capacity_points")
            return {"items": [{name: member[name] for name in names} for member in members]}

        return await self._read("members", look)

    async def rank_members(self, planned: Iterable[str]) -> Sequence[Json]:
        """For each of these tasks that is to be done who can do it, the best first."""
        ids = frozenset(planned)

        async def look() -> Json:
            rankings = await self.ports.rank_members(self.project_id)
            return {
                "items": [
                    {
                        "task_id": each["task_id"],
                        "task": each["task"],
                        "member_ids": [it["member_id"] for it in each["ranking"]],
                    }
                    for each in rankings
                    if each["task_id"] in ids
                ][:MOST_ITEMS]
            }

        return await self._read("ranked members", look)

    @property
    def ordered(self) -> str:
        """The words in which the user orders changes."""
        return self.request if self.said is None else self.said

    def is_asked(self, tool: str, args: Json) -> bool:
        """Whether the user's own words ask for this change."""
        return is_asked_for(tool, args, self.ordered, {})

    async def change(
        self, tool: str, args: Json, make: Change, *, needs: ToolRole = "pm", confirm: bool = False
    ) -> Json:
        """What a change answers; it is asked for once, by whom its route lets ask, too. With
        ``confirm`` it is made when a person has said so, as they let it be made.

        Raises ToolRefused, WaitsForConfirmation, CallDeclined.
        """
        is_allowed = RANKS[self.role] >= RANKS[needs]

        async def call(effect_id: str, final: Json) -> Json:
            context = ToolContext(self.project_id, self.actor, self.role, effect_id)
            try:
                if not is_allowed:
                    raise ToolRefused(f"Your role {self.role} may not do that.", "forbidden")
                return {"answer": dict(await make(context, final)), "text": "Done."}
            except ToolRefused as refused:
                return {"is_error": True, "text": str(refused), "code": refused.code}

        def ask_person(key: EffectKey) -> Json:
            return approve(key, tool, args, self.decisions)

        if confirm and is_allowed:
            result = await self.effects.call_approved(tool, args, call, ask_person)
        else:
            result = await self.effects.call(tool, args, partial(call, final=args))
        if result.get("is_error"):
            raise ToolRefused(result["text"], result["code"])
        answer: Json = result["answer"]
        return answer

    async def finish(
        self,
        output: BaseModel,
        response: str,
        began: datetime,
        *,
        citations: Sequence[Citation] = (),
        requires_review: bool = True,
    ) -> AgentResult:
        """The result with its structured answer."""
        return AgentResult(
            agent=self.name,
            result_type=type(output).__name__,
            output=output.model_dump(mode="json"),
            response=response,
            requires_review=requires_review,
            citations=tuple(citations),
            engine="model" if self.used_model else "rules",
            tokens=self.cost.tokens,
            cost_usd=self.cost.cost_usd,
            started_at=began,
            finished_at=await self.read_clock(),
        )

    async def give_up(self, error: ToolRefused, began: datetime) -> AgentResult:
        """The result of work that was refused; the answer says why."""
        return AgentResult(
            agent=self.name,
            result_type="refusal",
            response=str(error),
            error=error.code,
            engine="rules",
            started_at=began,
            finished_at=await self.read_clock(),
        )

    async def _list(self, what: str, look: Callable[[], Awaitable[Json]]) -> Listed:
        """What was recorded before there were totals counts what it has. Raises ToolRefused."""
        result = await self._look(what, look)
        items = result["items"]
        return Listed(items, result.get("total", len(items)), result.get("counted", 0))

    async def _read(self, what: str, look: Callable[[], Awaitable[Json]]) -> Sequence[Json]:
        """Raises ToolRefused."""
        items: Sequence[Json] = (await self._look(what, look))["items"]
        return items

    async def _look(self, what: str, look: Callable[[], Awaitable[Json]]) -> Json:
        """Raises ToolRefused."""

        async def make() -> Json:
            try:
                return await look()
            except ToolRefused as refused:
                return {"refused": str(refused), "code": refused.code}

        result = await self.effects.run("read", {"what": what}, make)
        if "refused" in result:
            raise ToolRefused(result["refused"], result["code"])
        return result


Work = Callable[[SpecialistContext, datetime], Awaitable[AgentResult]]
"""What a specialist does, and when it began. Raises ToolRefused, CallDeclined."""


async def do_work(specialist: SpecialistContext, work: Work) -> AgentResult:
    """The result of the work; where something was refused, the answer says why."""
    began = await specialist.read_clock()
    try:
        return await work(specialist, began)
    except ToolRefused as refused:
        return await specialist.give_up(refused, began)
    except CallDeclined as declined:
        return await specialist.give_up(ToolRefused(say_declined(declined), "declined"), began)


def slim_item(item: Json, longest_list: int | None = LONGEST_LIST) -> dict[str, Any]:
    """What specialists need of an artifact: its fields, its first statement, its first citations.

    It stands in the log of the turn, so it has to stay small.
    """
    statements = statements_of(item)
    return {
        **{name: item[name] for name in ("artifact_id", "number", "title")},
        "fields": _cut_lists(item.get("fields") or {}, longest_list),
        "plan": _cut_lists(item.get("plan") or {}, longest_list),
        "text": cut(statements[0]["text"]) if statements else "",
        "cited": [_slim_citation(citation) for citation in cite_item(item)[1 : MOST_CITED + 1]],
    }


def cite_slim(items: Sequence[Json], most: int = 12) -> list[Citation]:
    """The citations of slim items, each once, the first ones of all before the second ones."""
    citations: dict[str, Citation] = {}
    for place in range(MOST_CITED):
        for item in items:
            if place < len(item["cited"]):
                citation = Citation.model_validate(item["cited"][place])
                citations.setdefault(citation.cited_id, citation)
    return list(citations.values())[:most]


def _slim_atom(atom: Json) -> dict[str, Any]:
    named = {name: atom[name] for name in ("atom_id", "title")}
    return named | {"cited": [_slim_citation(cite_atom(atom))]}


def _slim_citation(citation: Citation) -> dict[str, Any]:
    snippet = cut(citation.snippet or "", LONGEST_SNIPPET) or None
    return citation.model_copy(update={"snippet": snippet}).model_dump()


def _cut_lists(fields: Json, longest: int | None) -> dict[str, Any]:
    return {
        name: value[:longest] if isinstance(value, list) else value
        for name, value in fields.items()
    }
