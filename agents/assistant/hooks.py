"""What happens to the messages of an agent before each call of its model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    trim_messages,
)
from langchain_core.messages.utils import count_tokens_approximately

from agents.assistant.messages import SYSTEM, find_task, text_of
from agents.assistant.prompt import instruct
from agents.assistant.state import AssistantState
from agents.assistant.work import AtWork, Change, Hook

LONGEST_MESSAGE = 50_000  # characters
MAX_TOKENS = 100_000
STUB = "[Left out here: a message of {length:,} characters.]"


async def filter_messages_node(at_work: AtWork, state: AssistantState) -> Change:
    """Replace what is too long, strip NULs, and remove what is empty or has lost its pair."""
    changes: list[Any] = []
    kept: list[AnyMessage] = []
    for message in state["messages"]:
        clean = _clean(message)
        if clean is None:
            changes.append(RemoveMessage(id=str(message.id)))
            continue
        kept.append(clean)
        if clean is not message:
            changes.append(clean)
    return {"messages": [*changes, *pair_up(kept)]}


async def manage_system_prompts_node(at_work: AtWork, state: AssistantState) -> Change:
    """The one system message, as it has to be now."""
    return {"messages": [SystemMessage(id=SYSTEM, content=instruct(at_work, state))]}


async def trim_messages_node(at_work: AtWork, state: AssistantState) -> Change:
    """Keep the newest messages that the model has room for, and what it is asked; calls stay
    together with their results.
    """
    kept = trim(state["messages"], MAX_TOKENS)
    ids = {message.id for message in kept}
    gone = [one for one in state["messages"] if one.id not in ids]
    return {"messages": [*(RemoveMessage(id=str(one.id)) for one in gone), *pair_up(kept)]}


PRE_MODEL_HOOKS = (
    Hook("filter_messages", filter_messages_node),
    Hook("manage_system_prompts", manage_system_prompts_node),
    Hook("trim_messages", trim_messages_node),
)


def trim(messages: Sequence[AnyMessage], max_tokens: int) -> list[AnyMessage]:
    """The newest messages within ``max_tokens``, with the system message and the task. Both are
    kept, whatever their size.
    """
    task = find_task(messages)
    fixed = [one for one in messages if isinstance(one, SystemMessage) or one is task]
    if count_tokens_approximately(messages) <= max_tokens:
        return [*messages]
    room = max_tokens - count_tokens_approximately(fixed)
    rest = [one for one in messages if one not in fixed]
    newest = trim_messages(
        rest, max_tokens=max(room, 0), strategy="last", token_counter=count_tokens_approximately
    )
    ids = {one.id for one in (*fixed, *newest)}
    return [one for one in messages if one.id in ids]


def pair_up(messages: Sequence[AnyMessage]) -> list[Any]:
    """The changes after which each call has exactly one result behind it, and each result its call.

    The first result of a call counts.
    """
    called: set[str] = set()
    answered: dict[str, str] = {}  # the message with the result, by call
    for message in messages:
        if isinstance(message, AIMessage):
            called |= {str(call["id"]) for call in message.tool_calls}
        elif isinstance(message, ToolMessage) and message.tool_call_id in called:
            answered.setdefault(message.tool_call_id, str(message.id))
    changes: list[Any] = []
    for message in messages:
        if isinstance(message, AIMessage) and message.tool_calls:
            left = [call for call in message.tool_calls if call["id"] in answered]
            if not left:
                changes.append(RemoveMessage(id=str(message.id)))
            elif len(left) < len(message.tool_calls):
                changes.append(message.model_copy(update={"tool_calls": left}))
        elif isinstance(message, ToolMessage) and (
            answered.get(message.tool_call_id) != str(message.id)
        ):
            changes.append(RemoveMessage(id=str(message.id)))
    return changes


def _clean(message: AnyMessage) -> AnyMessage | None:
    """The message as a model may read it; None where nothing of it is left."""
    text = text_of(message)
    clean = text.replace("\0", "")
    if len(clean) > LONGEST_MESSAGE:
        clean = STUB.format(length=len(clean))
    has_calls = isinstance(message, AIMessage) and bool(message.tool_calls)
    if not clean.strip() and not has_calls and not isinstance(message, ToolMessage):
        return None
    return message if clean == text else message.model_copy(update={"content": clean})
