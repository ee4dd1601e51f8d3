"""The messages of an agent, as its model reads them and as a thread keeps them.

What tools return and what was answered before is data, so it stands behind a fence.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

from agents.assistant.skills import found_nothing
from agents.fence import fence
from agents.models.call import Message
from agents.project.assistant_prompt import note_result
from agents.project.state import Citation
from agents.runs.effects import Json
from agents.tools.tool import ToolResult
from schemas.shortening import shorten

LONGEST_NOTE, MOST_NOTES = 2_000, 20  # of what a thread keeps of one piece of work
SYSTEM = "system"
NOTE = ".note"  # ends the id of what we say to a model in the place of a person


def text_of(message: AnyMessage) -> str:
    return message.content if isinstance(message.content, str) else str(message.content)


def note_message(message_id: str, text: str) -> HumanMessage:
    """What we object to in the reply ``message_id``."""
    return HumanMessage(id=f"{message_id}{NOTE}", content=text)


def find_task(messages: Sequence[AnyMessage]) -> HumanMessage | None:
    """The last message in which a person, or another agent, says what to do."""
    asked = (one for one in messages if isinstance(one, HumanMessage))
    tasks = [one for one in asked if not str(one.id).endswith(NOTE)]
    return tasks[-1] if tasks else None


def call_message(message_id: str, calls: Sequence[tuple[str, str, Json]]) -> AIMessage:
    """A reply that calls tools: call id, tool and arguments of each."""
    made = [{"id": call_id, "name": tool, "args": dict(args)} for call_id, tool, args in calls]
    return AIMessage(id=message_id, content="", tool_calls=made)


def result_message(
    message_id: str, call_id: str, tool: str, result: ToolResult, warning: str = ""
) -> ToolMessage:
    """The one result of a call; ``warning`` are our own words about it."""
    return ToolMessage(
        id=message_id,
        content=result.text,
        tool_call_id=call_id,
        name=tool,
        status="error" if result.is_error else "success",
        artifact={
            "warning": warning,
            "error": code_of(result),
            "is_empty": _is_empty(result),
            "citations": [citation.model_dump() for citation in result.citations],
        },
    )


def code_of(result: ToolResult) -> str | None:
    """The code of an error, which may be empty; None: it went well."""
    return str(result.data.get("error", "")) if result.is_error else None


def _is_empty(result: ToolResult) -> bool:
    """Whether a tool has found nothing, by its data where it gives any."""
    data = json.dumps(dict(result.data), ensure_ascii=False, default=str) if result.data else ""
    return found_nothing(data or result.text)


def list_citations(messages: Sequence[AnyMessage]) -> dict[str, Citation]:
    """What tools have returned to cite, by id; the first place of each."""
    citations: dict[str, Citation] = {}
    for message in messages:
        if isinstance(message, ToolMessage) and message.artifact:
            for one in message.artifact["citations"]:
                citation = Citation.model_validate(one)
                citations.setdefault(citation.cited_id, citation)
    return citations


def list_places(messages: Sequence[AnyMessage], cited: Collection[str]) -> list[Citation]:
    """All places that tools have returned for the ids ``cited``, each once."""
    places: dict[tuple[str, str | None, int | None], Citation] = {}
    for message in messages:
        if isinstance(message, ToolMessage) and message.artifact:
            for one in map(Citation.model_validate, message.artifact["citations"]):
                if one.cited_id in cited:
                    places.setdefault((one.cited_id, one.path, one.line_start), one)
    return list(places.values())


def as_model_messages(messages: Sequence[AnyMessage]) -> tuple[Message, ...]:
    """What the model reads, the system message first; results of one step are one message."""
    shown_messages: list[Message] = []
    system = [message for message in messages if isinstance(message, SystemMessage)]
    for message in [*system, *(one for one in messages if not isinstance(one, SystemMessage))]:
        shown = _show(message)
        is_result = isinstance(message, ToolMessage)
        if (
            is_result
            and shown_messages
            and shown_messages[-1].role == "user"
            and _ends_with_result(shown_messages[-1])
        ):
            joined = f"{shown_messages[-1].content}\n\n{shown.content}"
            shown_messages[-1] = shown.model_copy(update={"content": joined})
        else:
            shown_messages.append(shown)
    return tuple(shown_messages)


def _ends_with_result(message: Message) -> bool:
    return " returned:\n" in message.content or " failed:\n" in message.content


def _show(message: AnyMessage) -> Message:
    match message:
        case SystemMessage():
            return Message(role="system", content=text_of(message))
        case HumanMessage():
            return Message(role="user", content=text_of(message))
        case ToolMessage():
            result = ToolResult(text_of(message), {}, is_error=message.status == "error")
            warning = (message.artifact or {}).get("warning", "")
            return note_result(str(message.name), result, warning)
        case AIMessage(tool_calls=calls) if calls:
            reply = {"calls": [{"tool": one["name"], "args": one["args"]} for one in calls]}
            return Message(role="assistant", content=json.dumps(reply, ensure_ascii=False))
        case _:
            return Message(role="assistant", content=fence(text_of(message)))


def note_messages(messages: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    """What a thread keeps of one piece of work: the task and the newest messages, cut, calls with
    results.
    """
    kept = [one for one in messages if not isinstance(one, SystemMessage)][-MOST_NOTES:]
    if (task := find_task(messages)) is not None and task not in kept:
        kept = [task, *kept[1:]]
    notes: list[dict[str, Any]] = []
    for message in kept:
        note: dict[str, Any] = {"type": message.type, "id": message.id}
        note["text"] = shorten(text_of(message), LONGEST_NOTE)
        if isinstance(message, AIMessage) and message.tool_calls:
            note["calls"] = [[one["id"], one["name"], one["args"]] for one in message.tool_calls]
        if isinstance(message, ToolMessage):
            note |= {"call_id": message.tool_call_id, "tool": message.name}
            note["is_error"] = message.status == "error"
        notes.append(note)
    return notes


def read_notes(notes: Sequence[Json]) -> list[AnyMessage]:
    """The messages that a thread goes on with."""
    return [_read_note(note) for note in notes]


def _read_note(note: Json) -> AnyMessage:
    text, message_id = str(note["text"]), str(note["id"])
    if note["type"] == "human":
        return HumanMessage(id=message_id, content=text)
    if note["type"] == "tool":
        result = ToolResult(text, {}, is_error=bool(note["is_error"]))
        return result_message(message_id, str(note["call_id"]), str(note["tool"]), result)
    if note.get("calls"):
        return call_message(message_id, [tuple(call) for call in note["calls"]])
    return AIMessage(id=message_id, content=text)
