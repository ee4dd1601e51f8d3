"""Asks the model of an agent, and reads its reply: calls, an answer, or something to object to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from agents.assistant.messages import (
    as_model_messages,
    call_message,
    list_citations,
    list_places,
    note_message,
)
from agents.assistant.prompt import ANSWER_SCHEMA, MOST_TOKENS, PROMPT_VERSION
from agents.assistant.rules import reply_by_rules
from agents.assistant.state import AssistantState
from agents.assistant.work import AtWork, Change
from agents.models.call import ModelAnswer, ModelRequest
from agents.models.errors import UNUSABLE, ModelError
from agents.project.answers import check_answer, is_promise
from agents.runs.effects import Json
from schemas.events.agent import EffectRecorded

MAX_ROUNDS = 15
MOST_REPLIES = 80  # of all agents together
LARGEST, DEEPEST = 2**63 - 1, 20
MALFORMED = frozenset(it.code for it in UNUSABLE.values())
ACT_NOW = "You only said what you would do. Do it now with a tool, or give the answer itself."
UNREADABLE = "Your reply was not one JSON object of the two forms. Reply again."
UNKNOWN = "No tool returned {ids}. Answer again; you may cite: {known}."
LIMIT_SAID = "The limit of {limit} rounds is reached."
TOO_LONG = "The limit of {limit} replies for one message is reached."
TOO_DEEP = "The arguments of your calls hold numbers or levels that no tool takes. Reply again."
FAILED_SAID = "The model stopped answering ({code})."


@dataclass(frozen=True, slots=True)
class Objection:
    """What is wrong with a reply, raised once in a piece of work."""

    code: str
    text: str
    answer: str = ""


async def think(at_work: AtWork, state: AssistantState) -> Change:
    """The next reply of the agent, as messages; ``ended`` says why it stops, if it does."""
    number = state["round"] + 1
    if number > MAX_ROUNDS:
        return _end(at_work, number, LIMIT_SAID.format(limit=MAX_ROUNDS), "limit_reached")
    if _count_replies(at_work) >= MOST_REPLIES:
        return _end(at_work, number, TOO_LONG.format(limit=MOST_REPLIES), "limit_reached")
    if state["engine"] == "rules":
        return _take_reply(at_work, state, number, reply_by_rules(at_work, state), {})
    answer = await _ask(at_work, state, number)
    reply = answer.get("reply")
    if reply is None:
        return _take_error(at_work, state, number, answer)
    return _take_reply(at_work, state, number, reply, {"engine": "model"})


def _take_error(at_work: AtWork, state: AssistantState, number: int, answer: Json) -> Change:
    """Ask once more for what cannot be read; without any reply so far rules answer."""
    code = str(answer["code"])
    if code in MALFORMED and "malformed" not in state["objections"]:
        return _object(at_work, state, number, Objection("malformed", UNREADABLE))
    has_rules = at_work.agent.has_rules
    if has_rules and not any(isinstance(one, AIMessage) for one in _of_work(at_work, state)):
        ruled = state | {"engine": "rules"}
        reply = reply_by_rules(at_work, ruled)
        return _take_reply(at_work, state, number, reply, {"engine": "rules"})
    return _end(at_work, number, FAILED_SAID.format(code=code), code)


def _take_reply(
    at_work: AtWork, state: AssistantState, number: int, reply: Json, change: Mapping[str, Any]
) -> Change:
    calls = reply.get("calls") or []
    if not all(map(is_plain, calls)):
        if "malformed" not in state["objections"]:
            return {**change, **_object(at_work, state, number, Objection("malformed", TOO_DEEP))}
        return {**change, **_end(at_work, number, TOO_DEEP, "malformed")}
    if calls:
        named = [
            (f"{at_work.work_id}.{number}.{place}", str(call["tool"]), call.get("args") or {})
            for place, call in enumerate(calls)
        ]
        message = call_message(_message_id(at_work, number), named)
        return {**change, "round": number, "messages": [message]}
    text = str(reply.get("answer") or "")
    citations = list_citations(state["messages"])
    checked = check_answer(text, reply.get("citations") or (), citations)
    wrong = _find_wrong(text, checked.unknown, citations)
    if wrong is not None and wrong.code not in state["objections"]:
        return {**change, **_object(at_work, state, number, wrong)}
    if not checked.text:
        return {**change, **_end(at_work, number, "The model gave no answer.", "empty_answer")}
    places = list_places(state["messages"], {one.cited_id for one in checked.citations})
    message = AIMessage(
        id=_message_id(at_work, number),
        content=checked.text,
        additional_kwargs={"citations": [one.model_dump() for one in places]},
    )
    return {**change, "round": number, "messages": [message], "ended": "answered"}


def _find_wrong(
    text: str, unknown: Sequence[str], citations: Mapping[str, Any]
) -> Objection | None:
    if not text:
        return Objection("malformed", UNREADABLE)
    if is_promise(text):
        return Objection("promise", ACT_NOW, text)
    if unknown:
        answer_text = UNKNOWN.format(ids=", ".join(unknown), known=", ".join(citations) or "none")
        return Objection("citations", answer_text, text)
    return None


def _object(at_work: AtWork, state: AssistantState, number: int, wrong: Objection) -> Change:
    given = (
        [AIMessage(id=_message_id(at_work, number), content=wrong.answer)] if wrong.answer else []
    )
    return {
        "round": number,
        "messages": [*given, _note(at_work, number, wrong.text)],
        "objections": [*state["objections"], wrong.code],
    }


def _end(at_work: AtWork, number: int, text: str, reason: str) -> Change:
    message = AIMessage(id=_message_id(at_work, number), content=text)
    return {"round": number, "messages": [message], "ended": reason}


def _note(at_work: AtWork, number: int, text: str) -> HumanMessage:
    return note_message(_message_id(at_work, number), text)


def _message_id(at_work: AtWork, number: int) -> str:
    return f"{at_work.work_id}.{number}"


def _of_work(at_work: AtWork, state: AssistantState) -> list[AnyMessage]:
    """The messages of this piece of work; those of a thread's earlier work have other ids."""
    begin = f"{at_work.work_id}."
    return [one for one in state["messages"] if str(one.id).startswith(begin)]


def is_plain(value: Any, depth: int = 0) -> bool:
    """Whether a value of JSON can be stored: no number is too large, and no level too deep."""
    if depth > DEEPEST:
        return False
    match value:
        case int():
            return abs(value) <= LARGEST
        case dict():
            return all(is_plain(one, depth + 1) for one in value.values())
        case list():
            return all(is_plain(one, depth + 1) for one in value)
        case _:
            return True


def _count_replies(at_work: AtWork) -> int:
    """How often a model was asked in this run by now."""
    records = at_work.run.records.list_told(EffectRecorded)
    return sum(1 for one in records if one.kind == "model")


async def _ask(at_work: AtWork, state: AssistantState, number: int) -> Json:
    """The model's reply, or the code of its error; both are recorded."""
    run = at_work.run
    request = ModelRequest(
        tier="standard",
        prompt_version=PROMPT_VERSION,
        messages=as_model_messages(state["messages"]),
        answer_schema=ANSWER_SCHEMA,
        max_output_tokens=MOST_TOKENS,
        occurrence=f"{at_work.work_id}.{number}",
        project_id=run.project_id,
        agent=at_work.agent.name,
        stage="agents",
        run_id=run.run_id,
    )

    async def make() -> Json:
        try:
            answer = await _read_answer(at_work, request)
        except ModelError as error:
            return {"code": error.code, "message": str(error)}
        return {
            "reply": answer.data,
            "tokens": answer.usage.input_tokens + answer.usage.output_tokens,
            "cost_usd": answer.cost_usd or 0.0,
        }

    effects = at_work.effects_at(at_work.agent.name, number)
    # Not what was asked: the words of a tool may change while the run waits, its answers do not.
    return await effects.run("model", {"round": number}, make)


async def _read_answer(at_work: AtWork, request: ModelRequest) -> ModelAnswer:
    """The whole answer; that of an agent which talks to a person is told as it comes."""
    run = at_work.run
    assert run.model is not None
    if not at_work.agent.tells_tokens:
        return await run.model.complete(request)
    return await run.answer_stream.listen(run.model.stream(request))
