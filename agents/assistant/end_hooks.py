"""What happens once an agent is done: what to ask next, and what to do better next time."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from langchain_core.messages import AIMessage, ToolMessage

from agents.assistant.memory import ToolUse, agent_namespace, learn_skill
from agents.assistant.messages import text_of
from agents.assistant.state import AssistantState
from agents.assistant.work import AtWork, Change, Hook
from agents.fence import FENCE_RULE, fence
from agents.models.call import Message, ModelAnswer, ModelRequest
from agents.models.errors import AllProvidersFailed, ModelError
from agents.runs.effects import Json
from schemas.events.agent import FollowupsSuggested
from schemas.shortening import shorten

MOST_ACTIONS, LONGEST_ACTION = 4, 120
WITHIN_S = 20.0  # the answer waits for them
PROMPT_VERSION = "follow-ups-1"
INSTRUCTIONS = (
    "A user has asked an assistant something and got an answer. Suggest up to 4 short things, each"
    " at most 12 words, that the user may want to ask or have done next, as they would write them."
    " Suggest none where nothing follows.\n\n" + FENCE_RULE
)
ACTIONS: dict[str, Any] = {
    "type": "object",
    "properties": {"follow_up_actions": {"type": "array", "items": {"type": "string"}}},
    "required": ["follow_up_actions"],
    "additionalProperties": False,
}


async def follow_up_actions_node(at_work: AtWork, state: AssistantState) -> Change:
    """Suggest what to do next; nothing is changed, and a failure harms nothing."""
    run = at_work.run
    if run.model is None or state["ended"] != "answered" or state["engine"] == "rules":
        return {}
    answer = await at_work.effects_at("follow_ups", state["round"]).run(
        "model", {"query": state["query"]}, lambda: _ask(at_work, state)
    )
    actions = [shorten(" ".join(str(one).split()), LONGEST_ACTION) for one in answer["actions"]]
    actions = list(dict.fromkeys(filter(None, actions)))[:MOST_ACTIONS]
    if actions:
        await run.records.record(FollowupsSuggested, actions=actions)
    return {}


async def _ask(at_work: AtWork, state: AssistantState) -> Json:
    run, model = at_work.run, at_work.run.model
    assert model is not None
    text = f"User: {state['query']}\n\nAssistant: {text_of(state['messages'][-1])}"
    request = ModelRequest(
        tier="free",
        prompt_version=PROMPT_VERSION,
        messages=(
            Message(role="system", content=INSTRUCTIONS),
            Message(role="user", content=fence(text)),
        ),
        answer_schema=ACTIONS,
        max_output_tokens=300,
        may_repair=False,
        project_id=run.project_id,
        agent="follow_ups",
        stage="agents",
        run_id=run.run_id,
    )
    try:
        answer = await _within(model.complete(request))
    except ModelError as error:
        return {"actions": [], "code": error.code}
    used = answer.usage.input_tokens + answer.usage.output_tokens
    actions = answer.data["follow_up_actions"]
    return {"actions": actions, "tokens": used, "cost_usd": answer.cost_usd or 0.0}


async def _within(asked: Any) -> ModelAnswer:
    try:
        return await asyncio.wait_for(asked, WITHIN_S)
    except TimeoutError:
        raise AllProvidersFailed(f"No suggestion within {WITHIN_S:.0f} s.") from None


async def memory_learning_node(at_work: AtWork, state: AssistantState) -> Change:
    """Keep how the work was done, for this agent's later work; once a piece of work."""
    if state["memories_stored"] or at_work.run.is_fork:
        return {"memories_stored": True}
    skill = learn_skill(at_work.agent.name, state["query"], _list_made(at_work, state))
    if skill is not None:
        await at_work.store.keep(
            agent_namespace(at_work.agent.name),
            skill,
            kind="skill",
            source_thread=at_work.run.conversation_id,
            effects=at_work.effects_at(f"{at_work.agent.name}:learning", state["round"]),
        )
    return {"memories_stored": True}


def _list_made(at_work: AtWork, state: AssistantState) -> list[ToolUse]:
    """The calls of this piece of work, by names alone."""
    results = {one.tool_call_id: one for one in state["messages"] if isinstance(one, ToolMessage)}
    begin = f"{at_work.work_id}."
    return [
        ToolUse(call["name"], tuple(call["args"]), _outcome_of(results[str(call["id"])]))
        for message in state["messages"]
        if isinstance(message, AIMessage) and str(message.id).startswith(begin)
        for call in message.tool_calls
        if call["id"] in results
    ]


def _outcome_of(result: ToolMessage) -> Literal["found", "nothing", "failed"]:
    if result.status == "error":
        return "failed"
    return "nothing" if (result.artifact or {}).get("is_empty") else "found"


FOLLOW_UPS = Hook("follow_up_actions", follow_up_actions_node)
MEMORY_LEARNING = Hook("memory_learning", memory_learning_node)
