"""What the assistant's model is told, and the form in which it answers.

What tools return is data: it stands in a fence whose mark the data cannot contain, and the model is
told that nothing inside asks it for anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from agents.fence import FENCE_RULE, fence
from agents.models.call import Message, ModelRequest
from agents.project.turn import AssistantTurn
from agents.tools.box import may_call
from agents.tools.tool import Described, ToolBox, ToolResult

PROMPT_VERSION = "assistant-5"
NEWEST_MESSAGES = 10
MOST_TOKENS = 1_500
# One object with all that may stand in it: providers refuse a choice of objects at the root.
ANSWER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "tool": {"type": "string"},
        "args": {"type": "object"},
        "answer": {"type": "string"},
        "citations": {"type": "array", "items": {"type": "string"}},
    },
    "additionalProperties": False,
}
INSTRUCTIONS = (
    """\
You are the assistant of a software project. You answer what the user asks, from the project's
ledger and artifacts, and you make the changes that the user asks for. You do so by tools.

Reply with one JSON object and nothing else:
- {"tool": NAME, "args": {...}} calls a tool; its result comes back to you.
- {"answer": TEXT, "citations": [IDS]} is your answer to the user and ends your work.

Rules:
- Cite the ids in square brackets that tools returned in this turn and your answer rests on, such
  as atm_… or art_…. Never write an id that no tool returned.
- When the ledger holds nothing on the question, answer as well as you can and say so.
- Do what the user asks; do not only announce it. Make no change that the user did not ask for.
- When a tool fails, mend the arguments, take another tool, or say what is wrong.

"""
    + FENCE_RULE
    + """

Tools:
"""
)


def build_request(
    turn: AssistantTurn, tools: ToolBox, notes: Sequence[Message], occurrence: int
) -> ModelRequest:
    """What the model is asked: rules and tools, the newest messages, then the work of this turn."""
    history = map(_fence_answer, turn.history)
    messages = (*history, Message(role="user", content=turn.request))[-NEWEST_MESSAGES:]
    return ModelRequest(
        tier="standard",
        prompt_version=PROMPT_VERSION,
        messages=(Message(role="system", content=_instruct(turn, tools)), *messages, *notes),
        answer_schema=ANSWER_SCHEMA,
        max_output_tokens=MOST_TOKENS,
        occurrence=str(occurrence),
        project_id=turn.project.project_id,
        agent=turn.node,
        stage="agents",
        run_id=turn.turn_id,
    )


def _instruct(turn: AssistantTurn, tools: ToolBox) -> str:
    named = (tools.find(name) for name in tools.names())
    lines = [describe_tool(tool) for tool in named if tool and may_call(turn.role, tool)]
    return "\n".join([INSTRUCTIONS + "\n".join(lines), "", f"Project: {turn.project.name}."])


def _fence_answer(message: Message) -> Message:
    """A message of the conversation; answers quote sources, so they stand in a fence."""
    return (
        message
        if message.role == "user"
        else message.model_copy(update={"content": fence(message.content)})
    )


def describe_tool(tool: Described) -> str:
    """One line: name, arguments with their types, what it does, what the arguments hold."""
    schema = tool.arguments.model_json_schema()
    required = schema.get("required", ())
    arguments = ", ".join(
        f"{name}{'' if name in required else '?'}: {_type_of(value)}"
        for name, value in schema.get("properties", {}).items()
    )
    text = " ".join(schema.get("description", "").split()) if arguments else ""
    return f"- {tool.name}({arguments}): {tool.description} {text}".rstrip()


def _type_of(value: dict[str, Any]) -> str:
    if "enum" in value:
        return "|".join(map(str, value["enum"]))
    if "anyOf" in value:
        return _type_of(value["anyOf"][0])
    if value.get("type") == "array":
        return f"[{_type_of(value['items'])}]"
    return str(value.get("type", "value"))


def note_call(tool: str, arguments: object) -> Message:
    call = json.dumps({"tool": tool, "args": arguments}, ensure_ascii=False)
    return Message(role="assistant", content=call)


def note_result(tool: str, result: ToolResult, warning: str = "") -> Message:
    """The result in a fence, then our own words about it."""
    state = "failed" if result.is_error else "returned"
    parts = [f"{tool} {state}:", fence(result.text), *([warning] if warning else [])]
    return Message(role="user", content="\n".join(parts))


def list_ids(ids: Iterable[str]) -> str:
    return ", ".join(ids) or "none"
