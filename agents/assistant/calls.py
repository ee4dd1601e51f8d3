"""The node in which the calls of a reply are made: each has one result, whatever becomes of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from agents.assistant.messages import code_of, result_message, text_of
from agents.assistant.state import AssistantState
from agents.assistant.work import AtWork, Change, LocalTool
from agents.project.turn import as_json, read_result
from agents.runs.confirmations import (
    CallDeclined,
    WaitsForConfirmation,
    approve,
    confirmation_of,
    settle,
    tell_declined,
)
from agents.runs.consent.consent import is_asked_for
from agents.runs.effects import EffectKey, Json
from agents.runs.loop_guard import DECLINED, DECLINED_BEFORE, PUT_OFF, LoopGuard, name_call
from agents.tools.box import call_tool, may_call, read_arguments, refuse
from agents.tools.tool import Tool, ToolResult
from schemas.events.agent import ToolCalled, ToolReturned

MOST_CALLS = 10  # of one reply
MOST_BOUND = 40  # tools that a search has found; those found first are left out first
TOO_MANY = "At most {limit} calls of one reply are made: make this one in the next reply."
NOT_HERE = "There is no tool {name!r} here. There are: {known}."
EDITED = "The user has changed the arguments to"
LOOPS = "The same calls came again and again, so the work was ended."


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a reply; ``place`` is its number there, ``key`` the effect that it would be."""

    call_id: str
    tool: str
    arguments: Mapping[str, Any]
    place: int
    key: EffectKey

    @property
    def name(self) -> str:
        return name_call(self.tool, self.arguments)


async def make_calls(at_work: AtWork, state: AssistantState) -> Change:
    """The results of the last reply's calls, as messages.

    What needs no person is done first, in its order, then what people have decided about, in the
    order of their decisions. Raises WaitsForConfirmation for what is left.
    """
    calls = _list_calls(at_work, state)
    done: dict[str, ToolResult] = {}
    asked: list[tuple[Call, Tool]] = []
    repeated = _find_repeated(at_work, state, calls)
    for call in calls:
        if call.call_id in repeated:
            continue
        tool_or_result = _find_tool(at_work, state, call)
        if isinstance(tool_or_result, Tool) and _needs_person(at_work, tool_or_result, call):
            asked.append((call, tool_or_result))
        elif isinstance(tool_or_result, ToolResult):
            done[call.call_id] = tool_or_result
        else:
            done[call.call_id] = await _make(at_work, tool_or_result, call)
    keys = [(call.key, call.tool, call.arguments) for call, _ in asked]
    settled = settle(keys, at_work.run.decisions)
    for number in settled.decided:
        call, tool = asked[number]
        done[call.call_id] = await _make_decided(at_work, tool, call)
    if settled.open:
        raise WaitsForConfirmation(*settled.open)
    for call_id, first in repeated.items():
        done[call_id] = _again(done[first])
    return _collect(at_work, state, calls, done)


def _find_repeated(at_work: AtWork, state: AssistantState, calls: Sequence[Call]) -> dict[str, str]:
    """Changes that the same reply asks for before: each with the call that is made for both."""
    first: dict[str, str] = {}
    repeated: dict[str, str] = {}
    for call in calls:
        tool = at_work.agent.find(call.tool, state["bound"])
        if tool is None or not (tool.mutating or isinstance(tool, Tool) and tool.confirm):
            continue
        if first.setdefault(call.name, call.call_id) != call.call_id:
            repeated[call.call_id] = first[call.name]
    return repeated


def _again(result: ToolResult) -> ToolResult:
    if result.is_error:
        return result
    return ToolResult(f"This was done already:\n{result.text}", {}, result.citations)


def _list_calls(at_work: AtWork, state: AssistantState) -> list[Call]:
    last = state["messages"][-1]
    assert isinstance(last, AIMessage)
    effects = at_work.effects_of_calls(state["round"])
    calls = []
    for place, each in enumerate(last.tool_calls):
        key = effects.next_key(each["name"], each["args"])
        calls.append(Call(str(each["id"]), each["name"], each["args"], place, key))
    return calls


def _find_tool(at_work: AtWork, state: AssistantState, call: Call) -> Tool | LocalTool | ToolResult:
    """The tool of a call that can be made, or its result where it cannot or need not be made."""
    if call.place >= MOST_CALLS:
        return refuse(TOO_MANY.format(limit=MOST_CALLS), PUT_OFF)
    tool = at_work.agent.find(call.tool, state["bound"])
    if tool is None:
        bound = (one.name for one in at_work.agent.list_bound(state["bound"], at_work.run.role))
        message = NOT_HERE.format(name=call.tool, known=", ".join(bound) or "none")
        return refuse(message, "unknown_tool")
    wrong = read_arguments(tool, call.arguments)
    if isinstance(wrong, ToolResult):
        return wrong
    records = at_work.run.records
    is_asked = records.is_asked(
        confirmation_of(call.key, call.tool, call.arguments).confirmation_id
    )
    if (why := records.list_declined().get(call.name)) and not is_asked:
        return refuse(why, DECLINED_BEFORE)
    if not tool.mutating or is_asked:
        return tool
    return _find_done(state, call) or _find_made(at_work, call) or tool


def _find_made(at_work: AtWork, call: Call) -> ToolResult | None:
    """The result of the same change by any agent of this run."""
    records = at_work.run.records
    made = {
        one.position.effect_id
        for one in records.list_told(ToolCalled)
        if name_call(one.tool, json.loads(one.arguments)) == call.name
    }
    for one in records.list_told(ToolReturned):
        is_other = one.position.effect_id != call.key.effect_id
        if one.position.effect_id in made and is_other and not one.is_error:
            return _again(read_result(json.loads(one.answer)))
    return None


def _find_done(state: AssistantState, call: Call) -> ToolResult | None:
    """The result of the same change in this piece of work: it is made once, however often it is
    asked for.
    """
    same = {
        one["id"]
        for message in state["messages"]
        if isinstance(message, AIMessage)
        for one in message.tool_calls
        if name_call(one["name"], one["args"]) == call.name and one["id"] != call.call_id
    }
    for message in state["messages"]:
        if (
            isinstance(message, ToolMessage)
            and message.tool_call_id in same
            and message.status == "success"
            and _is_of_work(message, call)
        ):
            return _again(ToolResult(text_of(message), {}))
    return None


def _is_of_work(message: ToolMessage, call: Call) -> bool:
    """Not of an earlier turn, from which a thread goes on."""
    return message.tool_call_id.rpartition(".")[0].rpartition(".")[0] == call.key.run_id


def _needs_person(at_work: AtWork, tool: Tool, call: Call) -> bool:
    """Whether a person is asked: not about what only reads, what they may not do, or what their own
    words order.
    """
    run = at_work.run
    if not (tool.mutating or tool.confirm) or not may_call(run.role, tool):
        return False
    return tool.confirm or not is_asked_for(tool.name, call.arguments, run.request, {})


async def _make(at_work: AtWork, tool: Tool | LocalTool, call: Call) -> ToolResult:
    if isinstance(tool, Tool):
        return await _call(at_work, tool, call, call.arguments)
    arguments = read_arguments(tool, call.arguments)
    assert not isinstance(arguments, ToolResult)  # `_find_tool` has read them
    return await tool.perform(at_work, call.call_id, arguments)


async def _make_decided(at_work: AtWork, tool: Tool, call: Call) -> ToolResult:
    """What comes of a call about which a person has decided."""
    try:
        approved = approve(call.key, call.tool, call.arguments, at_work.run.decisions)
    except CallDeclined as declined:
        return refuse(tell_declined(declined.is_expired, declined.reason), DECLINED)
    result = await _call(at_work, tool, call, approved)
    if approved is call.arguments:
        return result
    changed = json.dumps(dict(approved), ensure_ascii=False)
    return replace(result, text=f"{EDITED} {changed}\n{result.text}")


async def _call(
    at_work: AtWork, tool: Tool, call: Call, arguments: Mapping[str, Any]
) -> ToolResult:
    """The one result of the call, recorded."""
    run = at_work.run

    async def make(key: str) -> Json:
        return as_json(await call_tool(tool, run.context(key), arguments))

    effects = at_work.effects_of_calls(call.key.iteration)
    return read_result(
        await effects.make_call(call.key, tool.name, arguments, make, once=tool.once)
    )


def _collect(
    at_work: AtWork,
    state: AssistantState,
    calls: Sequence[Call],
    done: Mapping[str, ToolResult],
) -> Change:
    """The messages of the results, in the order of the calls; names that a search has bound."""
    guard = _count(at_work, state["messages"])
    messages: list[AnyMessage] = []
    bound = [*state["bound"]]
    for call in calls:
        result = done[call.call_id]
        guard.take(call.name, call.tool, code_of(result))
        warning = guard.warn(call.name, call.tool)
        bound += [name for name in result.data.get("bound", ()) if name not in bound]
        message_id = f"{call.call_id}.result"
        messages.append(result_message(message_id, call.call_id, call.tool, result, warning))
    change: dict[str, Any] = {"messages": messages, "bound": bound[-MOST_BOUND:]}
    if guard.ends():
        end = AIMessage(id=f"{at_work.work_id}.{state['round']}.end", content=LOOPS)
        change |= {"messages": [*messages, end], "ended": "loop_guard"}
    return change


def _count(at_work: AtWork, messages: Sequence[AnyMessage]) -> LoopGuard:
    """The guard as it stands after this piece of work so far, but for the last reply."""
    guard, begin = LoopGuard(), f"{at_work.work_id}."
    results = {one.tool_call_id: one for one in messages if isinstance(one, ToolMessage)}
    for message in messages:
        for each in message.tool_calls if isinstance(message, AIMessage) else ():
            result = results.get(str(each["id"]))
            if result is None or not str(each["id"]).startswith(begin):
                continue
            error = (result.artifact or {}).get("error") if result.status == "error" else None
            guard.take(name_call(each["name"], each["args"]), each["name"], error)
    return guard
