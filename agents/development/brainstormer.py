"""The brainstormer: asks and answers until an idea has become a design document.

An answer is a function of what was written before and of the model's answers, which are recorded
under their requests: a turn that was broken off is gone through again and asks nobody twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agents.development.design_doc import WRITE_DESIGN_DOC, Design, DesignTools
from agents.development.ports import Toolbox
from agents.fence import FENCE_RULE, fence
from agents.models.call import ChatModel, Message, ModelRequest

AGENT, STAGE = "brainstormer", "development"
PROMPT_VERSION = "brainstorm-1"
LONGEST_MESSAGE = 8_000
MOST_STEPS = 3
MOST_TOKENS = 8_000
MOST_HISTORY = 60_000  # characters; what is older is left out
Role = Literal["person", "brainstormer"]
ANSWER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reply": {"type": "string", "minLength": 1},
        "tool": {"type": "string"},
        "arguments": {"type": "object"},
    },
    "required": ["reply"],
    "additionalProperties": False,
}
RULES = f"""\
You help somebody to turn an idea into a design that others can build from.
- Ask what you must know, one or two questions at a time, and build on the answers: who needs it, \
what it must and must not do, what is there already, how it can fail, how one sees that it works.
- Offer choices with what speaks for and against each. Say what you would take.
- Write the design document when the person asks for it, or agrees that enough is decided: goal, \
requirements, decisions with their reasons, open questions, how it is tested.
- You write nothing else, run nothing and read no files.

Reply with one JSON object and nothing else:
- {{"reply": TEXT}} answers or asks.
- {{"reply": TEXT, "tool": "{WRITE_DESIGN_DOC.name}", "arguments": {{"file_name": NAME, \
"markdown": TEXT}}}} writes the design document as well; NAME ends with .md. It is your only tool.

{FENCE_RULE}"""


@dataclass(frozen=True, slots=True)
class Line:
    """What somebody has written in a session."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class BrainstormTurn:
    """What is to be answered: ``lines`` end with the message of the person. ``design`` is the
    document as it is. ``occurrence`` tells this turn from all others.
    """

    brainstorm_id: str
    project_id: str
    occurrence: str
    lines: Sequence[Line]
    design: Design | None = None


@dataclass(frozen=True, slots=True)
class BrainstormAnswer:
    """``model`` is the one that has answered last, tokens are those of all steps."""

    text: str
    design: Design | None
    model: str
    input_tokens: int
    output_tokens: int


async def answer(model: ChatModel, turn: BrainstormTurn) -> BrainstormAnswer:
    """Answer the person; a call of the tool that is refused goes back to the model.

    Raises ModelError.
    """
    tools, spent, refused = DesignTools(), [0, 0], ""
    messages = build_messages(turn)
    for step in range(1, MOST_STEPS + 1):
        got = await model.complete(_request(turn, messages, step))
        spent = [spent[0] + got.usage.input_tokens, spent[1] + got.usage.output_tokens]
        reply, called = _read(got.data, got.text)
        refused = await _use(tools, called)
        served = f"{got.provider}/{got.model}"
        if not refused:
            return BrainstormAnswer(reply, tools.design, served, *spent)
        messages = (
            *messages,
            Message(role="assistant", content=got.text),
            Message(
                role="user",
                content=f"The call was refused, and nothing was written: {refused} Reply again.",
            ),
        )
    text = f"{reply}\n\n(The design document was not written: {refused})"
    return BrainstormAnswer(text, None, served, *spent)


def build_messages(turn: BrainstormTurn) -> tuple[Message, ...]:
    """The rules, the design as it is, and as many of the last lines as there is room for."""
    kept, size = list[Line](), 0
    for line in reversed(turn.lines):
        size += len(line.text)
        if kept and size > MOST_HISTORY:
            break
        kept.insert(0, line)
    messages = [Message(role="system", content=RULES)]
    if turn.design:
        document = f"The design document {turn.design.file_name} as it is now:"
        messages.append(Message(role="user", content=f"{document}\n{fence(turn.design.markdown)}"))
    if left_out := len(turn.lines) - len(kept):
        note = f"(The first {left_out} messages of this session are left out.)"
        messages.append(Message(role="user", content=note))
    roles: Mapping[Role, Literal["user", "assistant"]] = {
        "person": "user",
        "brainstormer": "assistant",
    }
    messages += [Message(role=roles[line.role], content=line.text) for line in kept]
    return tuple(messages)


def _request(turn: BrainstormTurn, messages: tuple[Message, ...], step: int) -> ModelRequest:
    return ModelRequest(
        tier="strong",
        prompt_version=PROMPT_VERSION,
        messages=messages,
        answer_schema=ANSWER_SCHEMA,
        max_output_tokens=MOST_TOKENS,
        occurrence=f"{turn.occurrence}|{step}",
        project_id=turn.project_id,
        agent=AGENT,
        stage=STAGE,
        run_id=turn.brainstorm_id,
    )


def _read(data: Any, text: str) -> tuple[str, tuple[str, Mapping[str, Any]] | None]:
    """The reply of an answer, and the call of a tool in it."""
    if not isinstance(data, Mapping):
        return text, None
    name, arguments = data.get("tool"), data.get("arguments")
    reply = str(data.get("reply") or "").encode("utf-8", "replace").decode().strip()
    if not isinstance(name, str) or not name:
        return reply, None
    return reply, (name, arguments if isinstance(arguments, Mapping) else {})


async def _use(tools: Toolbox, called: tuple[str, Mapping[str, Any]] | None) -> str:
    """Why the call was refused; empty where it was made, or there is none."""
    if called is None:
        return ""
    outcome = await tools.call(*called)
    return outcome.text if outcome.is_error else ""
