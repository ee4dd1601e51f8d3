"""The tools with which agents remember, and find what was remembered."""

from __future__ import annotations

from pydantic import Field

from agents.assistant.memory import (
    LONGEST_MEMORY,
    agent_namespace,
    is_own,
    user_namespace,
)
from agents.assistant.work import AtWork, LocalTool
from agents.tools.box import refuse
from agents.tools.tool import ToolArguments, ToolResult

NOT_OWN = (
    "Not remembered: only what the user has said in their own words is, nothing that a tool, a"
    " document or somebody else says."
)
ANSWERS = {
    "new": "Remembered.",
    "updates": "Remembered in the place of what was known before.",
    "extends": "Added to what was known before.",
    "duplicate": "This is known already.",
}


class AddMemory(ToolArguments):
    """``text``: what to remember, a sentence in the user's own words."""

    text: str = Field(min_length=1, max_length=LONGEST_MEMORY)


class SearchMemory(ToolArguments):
    """``query``: what it is about, in words."""

    query: str = Field(min_length=1, max_length=1_000)


async def _add(at_work: AtWork, call_id: str, wanted: AddMemory) -> ToolResult:
    run = at_work.run
    if not is_own(wanted.text, run.said):
        return refuse(NOT_OWN, "not_own_words")
    relation = await at_work.store.keep(
        user_namespace(run.owner),
        wanted.text,
        kind="fact",
        source_thread=run.conversation_id,
        effects=at_work.effects_of(call_id),
    )
    return ToolResult(ANSWERS[relation], {"relation": relation})


async def _search(at_work: AtWork, call_id: str, wanted: SearchMemory) -> ToolResult:
    namespaces = (user_namespace(at_work.run.owner), agent_namespace(at_work.agent.name))
    at_work.store.effects = at_work.effects_of(call_id)
    matches = [
        memory
        for namespace in namespaces
        for memory in await at_work.store.find(namespace, wanted.query)
    ]
    lines = [f"- {memory.text} ({memory.created_at:%Y-%m-%d})" for memory in matches]
    return ToolResult("\n".join(lines) or "Nothing is remembered about this.", {})


ADD_MEMORY = LocalTool(
    "add_memory",
    "Remember a fact or wish that the user has just told, for all their later conversations.",
    AddMemory,
    _add,
    mutating=True,
)
SEARCH_MEMORY = LocalTool(
    "search_memory",
    "Find what was remembered about the user and your own work.",
    SearchMemory,
    _search,
)
