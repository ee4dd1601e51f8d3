"""A node at work: its effects, its records, what it costs, and how it asks people."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from agents.development.errors import DevelopmentError
from agents.development.governed.context import GovernedRun
from agents.development.governed.state import CostState, EndState
from agents.development.workflow_ports import Value
from agents.models.call import Message, ModelAnswer, ModelRequest
from agents.runs.confirmations import Confirmation, Decision, WaitsForConfirmation, confirmation_of
from agents.runs.effects import Json
from agents.runs.numbering import RunEffects
from schemas.events.workflow import WorkflowNodeEntered, WorkflowNodeFinished, WorkflowStatus
from schemas.ids import sha256_hex

END = "__end__"
NO_COST: CostState = {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0}
FAILED = "failed"
MOST_OUTPUT_TOKENS = 16_000
V = TypeVar("V", bound=Value)


@dataclass(frozen=True, slots=True)
class Step:
    """What a node has come to: what changes in the state, and the node that comes next.

    ``goes_to`` empty: the first of its targets. ``detail`` says in words why it goes there.
    """

    change: Mapping[str, Any] = field(default_factory=dict)
    goes_to: str = ""
    detail: str = ""


class RunEnded(Exception):
    """The run ends at this node, without an artifact."""

    def __init__(self, status: WorkflowStatus, error: str, message: str) -> None:
        super().__init__(message)
        self.end: EndState = {"status": status, "error": error, "message": message}


class PortFailed(DevelopmentError):
    """A port could not do its work; ``cause`` is the class of the error."""

    def __init__(self, cause: str, message: str) -> None:
        super().__init__(message)
        self.cause = cause


@dataclass(slots=True)
class AtNode:
    """A visit of a node; ``visit`` counts from 1. ``cost`` is that of the run until now."""

    run: GovernedRun
    node: str
    visit: int
    effects: RunEffects
    cost: CostState

    async def record(self, kind: Any, /, **fields: Any) -> None:
        """The event is in the log."""
        await self.run.records.record(kind, **fields)

    async def ask_model(
        self,
        tier: Any,
        messages: tuple[Message, ...],
        *,
        prompt_version: str,
        schema: dict[str, Any] | None = None,
        may_repair: bool = True,
    ) -> ModelAnswer:
        """The recorded answer of a model. Raises ModelError."""
        run = self.run
        number = self.effects.counts[self.node, self.visit]
        request = ModelRequest(
            tier=tier,
            prompt_version=prompt_version,
            messages=messages,
            answer_schema=schema,
            max_output_tokens=MOST_OUTPUT_TOKENS,
            occurrence=f"{self.node}|{self.visit}|{number}",
            may_repair=may_repair,
            project_id=run.project_id,
            agent=f"{run.workflow_type}_{tier}",
            stage=self.node,
            run_id=run.run_id,
            workflow_id=run.run_id,
        )

        async def make() -> Json:
            return (await run.model.complete(request)).model_dump(mode="json")

        recorded = await self.effects.run("model", {"request": request.request_hash}, make)
        answer = ModelAnswer.model_validate(recorded)
        self.add_cost(answer.usage.input_tokens, answer.usage.output_tokens, answer.cost_usd)
        return answer

    async def call(
        self, name: str, args: Json, kind: type[V], make: Callable[[str], Awaitable[V]]
    ) -> V:
        """What a port answers, recorded; ``make`` is given the key of the call.

        Raises PortFailed where it cannot, which is recorded, too.
        """

        async def perform(key: str) -> Json:
            try:
                return (await make(key)).model_dump(mode="json")
            except DevelopmentError as error:
                return {"is_error": True, FAILED: {"kind": error.kind, "message": str(error)}}

        return _read(await self.effects.call(name, args, perform), kind)

    async def read(self, kind: type[V], given: Json, make: Callable[[], Awaitable[V]]) -> V:
        """What a port reads, recorded. Raises PortFailed."""

        async def perform() -> Json:
            try:
                return (await make()).model_dump(mode="json")
            except DevelopmentError as error:
                return {FAILED: {"kind": error.kind, "message": str(error)}}

        return _read(await self.effects.run("read", given, perform), kind)

    async def ask_person(self, gate: str, about: Json, summary: str) -> tuple[str, Decision]:
        """What a person has decided at a gate, with the id of the question.

        A question that nobody answers in time is asked again. Raises WaitsForConfirmation.
        """
        while True:
            key = self.effects.next_key(gate, about)
            asked = confirmation_of(key, gate, about)
            decision = self.run.decisions.get(asked.confirmation_id)
            if decision is None:
                raise WaitsForConfirmation(
                    Confirmation(
                        confirmation_id=asked.confirmation_id,
                        tool=gate,
                        arguments=asked.arguments,
                        summary=summary,
                    )
                )
            if decision.decided_by is not None:
                return asked.confirmation_id, decision

    def add_cost(self, input_tokens: int, output_tokens: int, cost_usd: float | None) -> None:
        before = self.cost["cost_usd"]
        self.cost = {
            "input_tokens": self.cost["input_tokens"] + input_tokens,
            "output_tokens": self.cost["output_tokens"] + output_tokens,
            "cost_usd": None if before is None or cost_usd is None else before + cost_usd,
        }


Perform = Callable[[AtNode, Any], Awaitable[Step]]
"""The work of a node."""


def make_node(
    run: GovernedRun, name: str, perform: Perform, next_node: str
) -> Callable[[Any], Awaitable[Any]]:
    """The node as the graph calls it; it goes to ``next_node`` where it does not say otherwise.

    It answers with a change of the state and nothing else, so it can go nowhere but along the edges
    of the graph.
    """

    async def node(state: Any) -> dict[str, Any]:
        visit = state.get("visits", {}).get(name, 0) + 1
        effects = RunEffects(run.effects, run.run_id, run.project_id, name, visit)
        at = AtNode(run, name, visit, effects, state.get("cost", NO_COST))
        await at.record(WorkflowNodeEntered, node=name, iteration=visit)
        try:
            step = await perform(at, state)
        except RunEnded as ended:
            step = Step({"end": ended.end}, END, str(ended))
        goes_to = step.goes_to or next_node
        await at.record(
            WorkflowNodeFinished,
            node=name,
            iteration=visit,
            next_node="" if goes_to == END else goes_to,
            detail=step.detail,
        )
        visits = {**state.get("visits", {}), name: visit}
        return {**step.change, "visits": visits, "cost": at.cost, "goes_to": goes_to}

    return node


def hash_text(text: str) -> str:
    """The SHA-256 of the bytes of an artifact."""
    return sha256_hex(text)


def _read(answer: Json, kind: type[V]) -> V:
    failed = answer.get(FAILED)
    if failed is not None:
        raise PortFailed(str(failed["kind"]), str(failed["message"]))
    return kind.model_validate(answer)
