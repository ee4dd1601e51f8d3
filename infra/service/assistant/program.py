"""Answers a message to the assistant: its agents over the log of the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from agents.assistant.comms import COMMS, run_comms
from agents.assistant.messages import text_of
from agents.assistant.providers import Provider
from agents.assistant.run import AssistantRun, Workflow
from agents.assistant.state import STATE_TYPES, AssistantState, begin_state
from agents.project.answer_stream import AnswerStream
from agents.project.state import Citation
from agents.runs.saver import RunSaver
from agents.tools.tool import ToolRole
from infra.platform.settings import Settings
from infra.service.asking.agent_tools import ServicePorts
from infra.service.asking.turn_log import TurnLog, TurnPlace
from infra.service.assistant.context import UTC, AssistantContext, read_context
from infra.service.assistant.ports import InstallationPorts
from infra.service.assistant.providers import declare_providers, list_providers
from infra.service.assistant.records import LogRecords
from infra.service.assistant.tools import list_offered, register_tools
from infra.service.runs.checkpoints import make_saver
from infra.service.runs.opening import open_run_model
from schemas.envelope import SERVICE_WIDE
from schemas.events.agent import AgentCitation, RequestReceived, Responded

LAST_SAID = 2  # messages before this one that may hold what is to be remembered


async def run_assistant(
    settings: Settings,
    environ: Mapping[str, str],
    turn_log: TurnLog,
    turn: TurnPlace,
    asked: RequestReceived,
    *,
    saves: bool = True,
) -> AssistantState:
    """Go through the agents, up to the answer in the log. Raises what its parts raise.

    With ``saves`` each agent goes on at the step that was kept last.
    """
    project_id = asked.project or SERVICE_WIDE
    offered = await _list_offered(settings, environ, asked.project, is_replay=turn_log.is_replay)
    context = await read_context(settings, turn_log, turn, asked, offered)
    providers = {
        name: replace(one, missing=context.missing.get(name, "")) for name, one in offered.items()
    }
    ports = ServicePorts(settings, can_research=context.has_research)
    role = cast("ToolRole", asked.role)
    async with open_run_model(
        settings, has_model=context.has_model, is_replay=turn_log.is_replay
    ) as model:
        run = AssistantRun(
            run_id=turn.turn_id,
            conversation_id=turn.conversation_id,
            owner=asked.owner,
            request=asked.text,
            said=_list_own(context, asked),
            project_id=project_id,
            role=role,
            began=context.now,
            time_zone=asked.time_zone or UTC,
            model=model,
            effects=turn_log,
            records=LogRecords(turn_log),
            ports=InstallationPorts(
                settings,
                turn_log,
                turn,
                project_id,
                role,
                asked.text,
                model,
                ports,
                context.asked_by,
            ),
            tools=register_tools(ports, providers, has_project=bool(asked.project)),
            providers=providers,
            save=_savers(settings, turn_log) if saves else _no_saver,
            answer_stream=AnswerStream(turn_log),
            decisions=turn_log.list_decisions(),
            workflow=Workflow(**context.workflow) if context.workflow else None,
            has_project=bool(asked.project),
            is_fork=bool(asked.forked_from),
        )
        state = await run_comms(run, _begin(context, asked, turn))
    await _respond(turn_log, state)
    return state


async def _list_offered(
    settings: Settings, environ: Mapping[str, str], project: str, *, is_replay: bool
) -> dict[str, Provider]:
    """The providers by name; a replay asks nobody, so it needs no account of theirs."""
    if is_replay:
        return list_offered(project, declare_providers(settings))
    outside = await list_providers(settings, environ, project_id=project or None)
    return list_offered(project, outside)


def _list_own(context: AssistantContext, asked: RequestReceived) -> tuple[str, ...]:
    """What the user has said last: older words are not remembered anew."""
    said = [one["content"] for one in context.said if one["role"] == "user"]
    return (*said[-LAST_SAID:], asked.text)


def _begin(context: AssistantContext, asked: RequestReceived, turn: TurnPlace) -> AssistantState:
    messages: list[AnyMessage] = [
        (HumanMessage if one["role"] == "user" else AIMessage)(
            id=f"said.{place}", content=one["content"]
        )
        for place, one in enumerate(context.said)
    ]
    return begin_state(
        asked.text,
        [*messages, HumanMessage(id=f"{turn.turn_id}.asked", content=asked.text)],
        now=context.now.isoformat(timespec="minutes"),
        owner=asked.owner,
        conversation_id=turn.conversation_id,
        memories=context.memories,
        has_model=context.has_model,
        bound=[],
    )


def _savers(settings: Settings, turn_log: TurnLog) -> Any:
    def save(work_id: str) -> RunSaver:
        return make_saver(settings, turn_log, work_id, STATE_TYPES)

    return save


def _no_saver(work_id: str) -> None:
    return None


async def _respond(turn_log: TurnLog, state: AssistantState) -> None:
    """The last event of the run; a work that has ended without an answer says so in its words."""
    last = state["messages"][-1]
    cited = [Citation.model_validate(one) for one in last.additional_kwargs.get("citations", ())]
    await turn_log.record(
        Responded,
        text=text_of(last),
        agent=COMMS,
        citations=[AgentCitation(**one.model_dump()) for one in cited],
        engine="model" if state["engine"] == "model" else "rules",
    )
