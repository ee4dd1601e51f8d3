"""What the nodes of one agent of the assistant share while it works."""

from __future__ import annotations

from typing import Annotated, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.graph.message import add_messages


class AssistantState(TypedDict):
    """``messages`` grow, or change by their ids; all else is replaced.

    ``query`` is what this agent is asked, ``mem0_user_id`` the person whose memories it may see,
    ``memories`` those that were found for the query. ``bound`` are the names of tools that a search
    has bound, ``round`` counts the replies. ``ended`` is empty while the agent works, then why it
    has stopped: ``answered``, a limit, or the code of a model's error. ``engine`` is ``model``, or
    ``rules`` where none takes part. ``objections`` are those that were raised once.
    """

    query: str
    messages: Annotated[list[AnyMessage], add_messages]
    current_datetime: str | None
    mem0_user_id: str | None
    memories: list[str]
    memories_stored: bool
    conversation_id: str | None
    bound: list[str]
    round: int
    ended: str
    engine: str
    objections: list[str]


STATE_TYPES = (HumanMessage, AIMessage, ToolMessage, SystemMessage)  # that a state holds


def begin_state(
    query: str,
    messages: list[AnyMessage],
    *,
    now: str,
    owner: str,
    conversation_id: str,
    memories: list[str],
    has_model: bool,
    bound: list[str],
) -> AssistantState:
    """The state before the first step."""
    return {
        "query": query,
        "messages": messages,
        "current_datetime": now,
        "mem0_user_id": owner,
        "memories": memories,
        "memories_stored": False,
        "conversation_id": conversation_id,
        "bound": bound,
        "round": 0,
        "ended": "",
        "engine": "model" if has_model else "rules",
        "objections": [],
    }
