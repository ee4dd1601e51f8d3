"""What the assistant reads and asks, over the use cases of this installation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from agents.assistant.run import Answered
from agents.models.call import ChatModel
from agents.project.graph import find_best, run_graph
from agents.runs.effects import Json
from agents.runs.numbering import RunEffects
from agents.tools.ports import Ports
from agents.tools.registry import build_tools
from agents.tools.tool import ToolRole
from infra.platform.errors import Invalid
from infra.platform.settings import Settings
from infra.service.asking.agent_parts import Surroundings, TurnContext, build_parts
from infra.service.asking.agent_turns import begin_state
from infra.service.asking.turn_log import TurnLog, TurnPlace
from infra.service.assistant.memories import clean, free_id
from infra.service.foundation.database import ask
from projections.read import agents as read
from projections.read import memories
from projections.read.projects import list_project_ids

MOST_MEMORIES = 1_000
GONE = "The chosen project is not there any more."
OF_MEMORY = ("memory_id", "namespace", "text", "kind", "created_at", "source_thread")


@dataclass(frozen=True, slots=True)
class InstallationPorts:
    """See ``agents.assistant.run``. ``said`` are the user's words, which alone order changes."""

    settings: Settings
    turn_log: TurnLog
    turn: TurnPlace
    project_id: str
    role: ToolRole
    said: str
    model: ChatModel | None
    project_ports: Ports
    asked_by: str

    async def list_memories(self, namespaces: Sequence[str]) -> Sequence[Json]:
        found = await ask(
            self.settings,
            lambda tables: memories.list_live(tables, [*namespaces], MOST_MEMORIES),
        )
        return [one.model_dump(mode="json", include=set(OF_MEMORY)) for one in found]

    async def prepare_memory(self, namespace: str, text: str) -> Json:
        try:
            text = clean(self.settings, text)
        except Invalid:
            return {"text": "", "memory_id": ""}
        memory_id = await ask(self.settings, lambda tables: free_id(tables, namespace, text))
        return {"text": text, "memory_id": memory_id}

    async def read_thread(self, thread: str, before_turn: str) -> Sequence[Json]:
        return await ask(
            self.settings, lambda tables: read.read_thread(tables, thread, before_turn)
        )

    async def ask_project(self, question: str, work_id: str) -> Answered:
        turn = TurnPlace(self.project_id, self.turn.conversation_id, work_id, self.asked_by)
        effects = RunEffects(self.turn_log, work_id, self.project_id, "project", 0)

        async def look() -> Json:
            if not await ask(self.settings, partial(list_project_ids, name_or_id=self.project_id)):
                return {}
            return await ask(
                self.settings, lambda tables: read.read_project_state(tables, self.project_id)
            )

        project = dict(await effects.run("read", {"what": "project"}, look))
        if not project:
            return Answered(GONE, is_error=True)
        context = TurnContext(
            project=project,
            history=[],
            has_model=self.model is not None,
            has_research=self.project_ports.can_research,
            asked_by=self.asked_by,
        )
        around = Surroundings(
            turn=turn,
            role=self.role,
            context=context,
            turn_log=self.turn_log,
            model=self.model,
            tools=build_tools(self.project_ports),
            ports=self.project_ports,
            decisions=self.turn_log.list_decisions(),
            said=self.said,
        )
        state = await run_graph(
            build_parts(around), begin_state(question, context, self.project_id)
        )
        best = find_best(state["results"])
        return Answered(
            state["final_response"],
            best.citations if best else (),
            is_error=bool(best and best.error),
        )
