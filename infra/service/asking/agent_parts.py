"""What the project graph is built of: specialists over ports, tools, and the log of the turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from agents.models.call import ChatModel, Message
from agents.project import analyst, assigner, assistant, planner, reporter, scheduler, supervisor
from agents.project.graph import Decision, Parts, Perform
from agents.project.specialist import SpecialistContext, Work, do_work
from agents.project.state import AgentResult, AgentState, Specialist
from agents.project.turn import AssistantTurn
from agents.runs.confirmations import Decision as PersonDecision
from agents.runs.effects import EffectKey, Json
from agents.runs.numbering import RunEffects
from agents.tools.ports import Ports
from agents.tools.tool import ToolBox, ToolRole
from infra.platform.clock import SystemClock
from infra.platform.settings import Settings
from infra.service.asking.turn_log import TurnLog, TurnPlace
from infra.service.foundation.database import ask
from infra.service.ingesting.handed_documents import tell_kept
from projections.read import agents as read
from projections.read.session import Conn
from streams.reflection.comparing import find_differences
from streams.reflection.passage import Passage


@dataclass(frozen=True, slots=True)
class TurnContext:
    """What a turn begins with. It is recorded, so that whoever runs it again begins alike.

    ``attached`` are the paths of the sources that came with the message.
    """

    project: dict[str, Any]
    history: list[dict[str, str]]
    has_model: bool
    has_research: bool = False
    asked_by: str = ""
    attached: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """All that the parts of one turn need. ``decisions`` are those of people about its calls.
    ``said`` is what the user has said where another agent has worded the request.
    """

    turn: TurnPlace
    role: ToolRole
    context: TurnContext
    turn_log: TurnLog
    model: ChatModel | None
    tools: ToolBox
    ports: Ports
    decisions: Mapping[str, PersonDecision]
    said: str | None = None

    @property
    def effects(self) -> RunEffects:
        place = self.turn
        return RunEffects(self.turn_log, place.turn_id, place.project_id, "turn", 0)


async def read_context(
    settings: Settings,
    turn_log: TurnLog,
    turn: TurnPlace,
    history: int,
    attached: Sequence[str] = (),
) -> TurnContext:
    """The project as it is, what was said last, who asks, and what there is to ask; recorded."""

    async def make() -> Json:
        from infra.service.models.models import has_model, has_research

        def question(tables: Conn) -> Json:
            said = read.list_newest_messages(tables, turn.conversation_id, turn.turn_id, history)
            if attached:  # the agents know of it, and that it cannot be found yet
                said = [*said, {"role": "assistant", "content": tell_kept(attached)}]
            return {"project": read.read_project_state(tables, turn.project_id), "history": said}

        found = {"has_model": has_model(settings), "has_research": has_research(settings)}
        came = {"attached": [*attached]} if attached else {}
        return {**await ask(settings, question), **found, "asked_by": turn.asked_by, **came}

    effects = RunEffects(turn_log, turn.turn_id, turn.project_id, "turn", 0)
    known = await effects.run("read", {"what": "context"}, make)
    return TurnContext(**{"asked_by": turn.asked_by, **known})


def build_parts(around: Surroundings) -> Parts:
    """The supervisor and the six specialists."""
    effects = around.effects

    async def decide(state: AgentState) -> Decision:
        here = effects.at("supervisor", state["iteration"])
        return await supervisor.decide(state, around.model, here)

    def specialist(name: Specialist, work: Work) -> Perform:
        async def perform(state: AgentState) -> AgentResult:
            return await do_work(_context_of(around, name, effects, state), work)

        return perform

    specialists: dict[Specialist, Perform] = {
        "analyst": specialist("analyst", analyst.analyse),
        "planner": specialist("planner", planner.plan),
        "assigner": specialist(
            "assigner", partial(assigner.look_at_workload, propose=around.ports.propose_rebalance)
        ),
        "reporter": specialist("reporter", reporter.report),
        "assistant": partial(_assist, around),
        "scheduler": specialist(
            "scheduler", partial(scheduler.schedule, do=around.ports.schedule_work)
        ),
    }
    return Parts(decide, specialists, around.turn_log.record)


def _context_of(
    around: Surroundings, name: Specialist, effects: RunEffects, state: AgentState
) -> SpecialistContext:
    return SpecialistContext(
        name=name,
        request=state["request"],
        task=state["message_to_agent"],
        state=state,
        effects=effects.at(name, state["iteration"]),
        ports=around.ports,
        model=around.model,
        actor=around.context.asked_by,
        role=around.role,
        now=SystemClock().now,
        can_research=around.context.has_research,
        decisions=around.decisions,
        said=around.said,
    )


async def _assist(around: Surroundings, state: AgentState) -> AgentResult:
    turn = AssistantTurn(
        turn_id=around.turn.turn_id,
        request=state["request"],
        project=state["project"],
        actor=around.context.asked_by,
        role=around.role,
        history=tuple(Message.model_validate(said) for said in around.context.history),
        iteration=state["iteration"],
        decisions=around.decisions,
        is_resumed=around.turn_log.is_resumed,
        said=around.said,
    )
    effects = around.turn_log if around.said is None else _Unheard(around.turn_log)
    return await assistant.run_assistant(turn, around.model, around.tools, effects, _compare)


@dataclass(frozen=True, slots=True)
class _Unheard:
    """The effects of a turn whose answer another agent words: it is not told as it comes."""

    turn_log: TurnLog

    async def run(
        self, key: EffectKey, kind: str, given: Json, make: Callable[[], Awaitable[Json]]
    ) -> Json:
        return await self.turn_log.run(key, kind, given, make)

    async def tell(self, event: str, data: Json) -> None:
        if event != "token":
            await self.turn_log.tell(event, data)


def _compare(sentence: str, cited: str) -> list[str]:
    """What an answer's sentence says otherwise than the quotes it cites, as for statements; «two
    requirements speak of this» shares no word with them, and is honest.
    """
    found = find_differences(sentence, Passage(cited))
    grave = (one for one in found if one.is_grave and one.code != "nothing_shared")
    return [f"{one.code}: {one.detail}" for one in grave]
