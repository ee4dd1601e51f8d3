"""The assistant: a loop in which a model calls tools until it can answer.

The loop is a function of the turn and of its effects, so that a turn that was broken off, by a
crash or by a question to a person, is simply run again: what was done answers from its record.
Decided against: a graph task for each call; effect keys already give every call exactly one result.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from agents.models.call import ChatModel, Message
from agents.models.errors import UNUSABLE, ModelError
from agents.project.answer_stream import AnswerStream
from agents.project.answers import (
    CheckedAnswer,
    Compare,
    add_coverage,
    check_answer,
    find_false_sentences,
    is_promise,
    leave_out,
)
from agents.project.assistant_prompt import (
    build_request,
    list_ids,
    note_call,
    note_result,
)
from agents.project.rule_answers import concerns_project, run_rules
from agents.project.state import AgentResult, Citation
from agents.project.turn import AssistantTurn, Steps
from agents.runs.confirmations import CallDeclined, tell_declined
from agents.runs.consent.consent import is_asked_for
from agents.runs.cost import Cost, read_cost
from agents.runs.effects import Effects, Json
from agents.runs.loop_guard import DECLINED, DECLINED_BEFORE, LoopGuard, name_call
from agents.tools.box import read_arguments, refuse
from agents.tools.ledger import SEARCH_LEDGER
from agents.tools.search_answers import tell_result
from agents.tools.tool import Tool, ToolBox, ToolResult
from schemas.inflection import count

MAX_ROUNDS = 10
MALFORMED = frozenset(it.code for it in UNUSABLE.values())
ACT_NOW = "You only said what you would do. Do it now with a tool, or give the answer itself."
SAYS_OTHERWISE = (
    "These sentences say otherwise than what they cite. Say what is cited, or leave them out:"
)
UNREADABLE = "Your reply was not one JSON object of the two forms. Reply again."


@dataclass(slots=True)
class _Work:
    """What came about in a turn so far."""

    steps: Steps
    tools: ToolBox
    compare: Compare
    stream: AnswerStream
    guard: LoopGuard = field(default_factory=LoopGuard)
    notes: list[Message] = field(default_factory=list)
    known: dict[str, Citation] = field(default_factory=dict)
    calls: list[dict[str, Any]] = field(default_factory=list)
    done: dict[str, ToolResult] = field(default_factory=dict)
    declined: dict[str, str] = field(default_factory=dict)
    asked_again: set[str] = field(default_factory=set)
    last: ToolResult | None = None
    coverage: str | None = None
    rounds: int = 0
    cost: Cost = Cost()

    @property
    def turn(self) -> AssistantTurn:
        return self.steps.turn


@dataclass(frozen=True, slots=True)
class _End:
    """The answer, and why the loop ended: answered, a limit, or the code of a model's error."""

    text: str
    citations: tuple[Citation, ...]
    reason: str


async def run_assistant(
    turn: AssistantTurn,
    model: ChatModel | None,
    tools: ToolBox,
    effects: Effects,
    compare: Compare = lambda sentence, cited: (),
) -> AgentResult:
    """The answer to the turn. Raises WaitsForConfirmation where a person is asked first.

    ``compare`` finds what a sentence says otherwise than what it cites.

    Without a model, or when none answers before a tool was chosen, rules answer.
    """
    steps = Steps(turn, effects)
    began = await steps.read_clock()
    stream = AnswerStream(effects, is_open=turn.is_resumed)
    work = _Work(steps, tools, compare, stream)
    if model is None:
        return await run_rules(steps, tools, began)
    if concerns_project(turn.request):
        await _ground(work)
    before = len(work.calls)
    end = await _loop(work, model)
    if isinstance(end, ModelError) and len(work.calls) == before:
        return await run_rules(steps, tools, began, because=str(end))
    if isinstance(end, ModelError):
        end = _stop(work, end.code, f"The model stopped answering ({end.code}).")
    return await _finish(work, end, began)


async def _loop(work: _Work, model: ChatModel) -> _End | ModelError:
    while work.rounds < MAX_ROUNDS:
        work.rounds += 1
        answer = await _ask(work, model)
        reply = answer.get("reply")
        if reply is None:
            if answer["code"] in MALFORMED and _once(work, "malformed"):
                work.notes.append(Message(role="user", content=UNREADABLE))
                continue
            return _error_of(answer)
        if not reply.get("tool"):
            if end := _judge(work, reply):
                return end
            continue
        await _act(work, str(reply["tool"]), reply.get("args") or {})
        if work.guard.ends():
            told_why = "The same calls came again and again, so the work was ended."
            return _stop(work, "loop_guard", told_why)
    return _stop(work, "limit_reached", f"The limit of {MAX_ROUNDS} rounds is reached.")


async def _ask(work: _Work, model: ChatModel) -> Json:
    """The model's reply, or the code of its error; both are recorded."""
    request = build_request(work.turn, work.tools, work.notes, work.steps.made)

    async def make() -> Json:
        try:
            answer = await work.stream.listen(model.stream(request))
        except ModelError as error:
            return {"code": error.code, "message": str(error)}
        return {
            "reply": answer.data,
            "tokens": answer.usage.input_tokens + answer.usage.output_tokens,
            "cost_usd": answer.cost_usd or 0.0,
        }

    answer = await work.steps.ask({"request_hash": request.request_hash}, make)
    work.cost += read_cost(answer)
    return answer


def _error_of(answer: Json) -> ModelError:
    error = ModelError(answer["message"])
    error.code = answer["code"]
    return error


async def _ground(work: _Work) -> None:
    """Look into the ledger before the model is asked; the model goes on from what is there."""
    tool = work.tools.find(SEARCH_LEDGER)
    if tool:
        await _act(work, SEARCH_LEDGER, {"query": work.turn.request[:1_000]})


async def _act(work: _Work, name: str, arguments: Mapping[str, Any]) -> None:
    """One call and its one result, which the model reads."""
    call = name_call(name, arguments)
    result = await _call(work, name, arguments, call)
    error = str(result.data.get("error", "")) if result.is_error else None
    work.guard.take(call, name, error)
    for citation in result.citations:
        work.known.setdefault(citation.cited_id, citation)
    if name == SEARCH_LEDGER and not result.is_error:
        work.coverage = _better(work.coverage, result)
    work.last = work.last if result.is_error else result
    work.calls.append({"tool": name, "args": dict(arguments), "is_error": result.is_error})
    warning = work.guard.warn(call, name)
    work.notes += [note_call(name, dict(arguments)), note_result(name, result, warning)]


def _better(before: str | None, result: ToolResult) -> str:
    """``none`` as long as every search of the turn has found nothing."""
    status = "some" if result.citations else "none"
    return before if before == "some" else status


async def _call(work: _Work, name: str, arguments: Mapping[str, Any], call: str) -> ToolResult:
    tool = work.tools.find(name)
    if tool is None:
        ids = list_ids(work.tools.names())
        return refuse(f"There is no tool {name!r}. There are: {ids}.", "unknown_tool")
    if isinstance(wrong := read_arguments(tool, arguments), ToolResult):
        return wrong
    if call in work.declined:
        return refuse(work.declined[call], DECLINED_BEFORE)
    if call in work.done:
        return work.done[call]
    if not (tool.mutating or tool.confirm):
        return await work.steps.call(tool, arguments)
    try:
        result = await _change(work, tool, arguments)
    except CallDeclined as declined:
        work.declined[call] = tell_declined(declined.is_expired, declined.reason)
        return refuse(work.declined[call], DECLINED)
    if not result.is_error:
        work.done[call] = result  # a change is made once, however often it is asked for
    return result


async def _change(work: _Work, tool: Tool, arguments: Mapping[str, Any]) -> ToolResult:
    """A call that changes something or leaves the machine: asked for in the user's own words, or
    confirmed by a person.
    """
    if tool.confirm or not _is_asked_for(work, tool, arguments):
        return await work.steps.call_confirmed(tool, arguments)
    return await work.steps.call(tool, arguments)


def _is_asked_for(work: _Work, tool: Tool, arguments: Mapping[str, Any]) -> bool:
    names = {
        key: citation.snippet or ""
        for key, citation in work.known.items()
        if key.startswith("art_")
    }
    return is_asked_for(tool.name, arguments, work.turn.ordered, names)


def _judge(work: _Work, reply: Json) -> _End | None:
    """The end of the loop, or None where the answer is asked for once more."""
    text = str(reply.get("answer") or "")
    if not text and _once(work, "malformed"):
        _reply(work, json.dumps(reply), UNREADABLE)
        return None
    if is_promise(text) and _once(work, "promise"):
        _reply(work, text, ACT_NOW)
        return None
    checked = check_answer(text, reply.get("citations") or (), work.known)
    if checked.unknown and _once(work, "citations"):
        unknown, known_ids = list_ids(checked.unknown), list_ids(work.known)
        _reply(work, text, f"No tool returned {unknown}. Answer again; you may cite: {known_ids}.")
        return None
    if not checked.text:
        return _stop(work, "empty_answer", "The model gave no answer.")
    return _compare(work, checked)


def _compare(work: _Work, checked: CheckedAnswer) -> _End | None:
    """Sentences that say otherwise than what they cite are asked for once more, then left out."""
    false = find_false_sentences(checked.text, work.known, work.compare)
    if not false:
        return _End(checked.text, checked.citations, "answered")
    if _once(work, "false_sentence"):
        text = "\n".join(f"- {sentence.text} ({', '.join(sentence.differs)})" for sentence in false)
        _reply(work, checked.text, f"{SAYS_OTHERWISE}\n{text}")
        return None
    left = leave_out(checked.text, false)
    if not left:
        return _stop(work, "false_sentence", "The model's answer said other than what it cited.")
    note = f"{count(len(false), 'sentence')} left out: the ledger says otherwise."
    return _End(f"{left}\n\n({note})", checked.citations, "answered")


def _reply(work: _Work, text: str, objection: str) -> None:
    work.notes += [
        Message(role="assistant", content=text),
        Message(role="user", content=objection),
    ]


def _once(work: _Work, why: str) -> bool:
    """Whether the model may be asked once more for this reason."""
    first = why not in work.asked_again
    work.asked_again.add(why)
    return first


def _stop(work: _Work, reason: str, why: str) -> _End:
    """The answer with what there is; it says that the work did not come to its end."""
    if work.last is None:
        return _End(f"{why} Nothing was found.", (), reason)
    note = f"What was found last:\n{tell_result(work.last)}"
    return _End(f"{why} {note}", work.last.citations, reason)


async def _finish(work: _Work, end: _End, began: datetime) -> AgentResult:
    return AgentResult(
        agent=work.turn.node,
        result_type="answer",
        output={
            "stop_reason": end.reason,
            "rounds": work.rounds,
            "coverage": work.coverage,
            "tool_calls": work.calls,
        },
        response=add_coverage(end.text, work.coverage),
        citations=end.citations,
        engine="model",
        error=None if end.reason == "answered" else end.reason,
        tokens=work.cost.tokens,
        cost_usd=work.cost.cost_usd,
        started_at=began,
        finished_at=await work.steps.read_clock(),
    )
