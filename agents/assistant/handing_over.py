"""Hands work over from one agent to another, and brings back what came of it.

The other agent gets the task with the user's own words, goes on with what it has done in this
conversation before, and works within the same run: its calls are asked about, stopped and replayed
like those of whoever handed the work over.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AnyMessage, HumanMessage

from agents.assistant.create import run_agent
from agents.assistant.memory import agent_namespace
from agents.assistant.messages import list_citations, note_messages, read_notes, text_of
from agents.assistant.state import AssistantState, begin_state
from agents.assistant.work import Agent, AtWork
from agents.fence import fence
from agents.project.state import Citation
from agents.runs.effects import Json
from agents.tools.tool import ToolResult
from schemas.events.agent import AgentCitation, HandoffFinished, HandoffStarted
from schemas.shortening import shorten

LONGEST_SUMMARY, MOST_SKILLS, MOST_CITED = 2_000, 5, 30
GOOD_ENDS = frozenset(("answered",))


@dataclass(frozen=True, slots=True)
class Task:
    """What is handed over; ``acceptance`` says how one sees that it is done."""

    text: str
    acceptance: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it; ``notes`` are what the thread goes on with."""

    summary: str
    citations: tuple[Citation, ...] = ()
    notes: Sequence[Json] = ()
    is_error: bool = False


def write_task(at_work: AtWork, task: Task) -> str:
    """The task as the other agent reads it, with the user's own words."""
    parts = [
        f"The user's own words, which count where the task differs:\n{at_work.run.request}",
        f"Your task, as {at_work.agent.name} puts it:\n{fence(task.text)}",
    ]
    if task.acceptance:
        parts.append(f"It is done when:\n{fence(task.acceptance)}")
    return "\n\n".join(parts)


async def hand_over(at_work: AtWork, call_id: str, agent: Agent, task: Task) -> ToolResult:
    """Have another agent do the task; a summary of what came of it. Raises WaitsForConfirmation."""
    run = at_work.run
    thread = f"{run.conversation_id}:{agent.name}"
    await begin(at_work, call_id, agent.name, task)
    notes = await _read_thread(at_work, call_id, thread)
    skills = await _find_skills(at_work, call_id, agent.name, task)
    asked = HumanMessage(id=f"{call_id}.task", content=write_task(at_work, task))
    messages: list[AnyMessage] = [*read_notes(notes), asked]
    state = begin_state(
        task.text,
        messages,
        now=run.began.isoformat(timespec="minutes"),
        owner=run.owner,
        conversation_id=run.conversation_id,
        memories=skills,
        has_model=run.model is not None,
        bound=[name for name in run.workflow.tools] if run.workflow else [],
    )
    state = await run_agent(run, agent, call_id, state)
    return await finish(at_work, call_id, agent.name, _summarise(state))


async def begin(at_work: AtWork, call_id: str, to_agent: str, task: Task) -> None:
    await at_work.run.records.record(
        HandoffStarted,
        call_id=call_id,
        from_agent=at_work.agent.name,
        to_agent=to_agent,
        thread=f"{at_work.run.conversation_id}:{to_agent}",
        task=task.text,
    )


async def finish(at_work: AtWork, call_id: str, to_agent: str, done: Done) -> ToolResult:
    """The work is over; its summary is the result of the call."""
    summary = shorten(done.summary, LONGEST_SUMMARY)
    await at_work.run.records.record(
        HandoffFinished,
        call_id=call_id,
        from_agent=at_work.agent.name,
        to_agent=to_agent,
        thread=f"{at_work.run.conversation_id}:{to_agent}",
        summary=summary,
        citations=[AgentCitation(**one.model_dump()) for one in done.citations],
        notes=json.dumps([*done.notes], ensure_ascii=False, sort_keys=True),
        is_error=done.is_error,
    )
    return ToolResult(summary, {}, done.citations, done.is_error)


def _summarise(state: AssistantState) -> Done:
    last = state["messages"][-1]
    cited = [Citation.model_validate(one) for one in last.additional_kwargs.get("citations", ())]
    if not cited:
        cited = list(list_citations(state["messages"]).values())
    return Done(
        summary=text_of(last),
        citations=tuple(cited[:MOST_CITED]),
        notes=note_messages(state["messages"]),
        is_error=state["ended"] not in GOOD_ENDS,
    )


async def _read_thread(at_work: AtWork, call_id: str, thread: str) -> Sequence[Json]:
    """What the agent goes on with: of this run, else of an earlier message."""
    run = at_work.run
    finished = [one for one in run.records.list_told(HandoffFinished) if one.thread == thread]
    if finished:
        notes: Sequence[Json] = json.loads(finished[-1].notes)
        return notes

    async def look() -> Json:
        return {"notes": [*await run.ports.read_thread(thread, run.run_id)]}

    recorded = await at_work.effects_of(f"{call_id}.thread").run("read", {"thread": thread}, look)
    matches: Sequence[Json] = recorded["notes"]
    return matches


async def _find_skills(at_work: AtWork, call_id: str, name: str, task: Task) -> list[str]:
    """What the agent has learnt of such tasks."""
    at_work.store.effects = at_work.effects_of(f"{call_id}.skills")
    namespace = tuple(agent_namespace(name).split(":"))
    matches = await at_work.store.asearch(namespace, query=task.text, limit=MOST_SKILLS)
    return [str(one.value["text"]) for one in matches]
