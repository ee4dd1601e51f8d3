"""Answers without a model: which tool a request means, found by words, and its result as text.

English only, as all rules of the project graph are. What no rule knows is looked for in the ledger.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from agents.project.answers import add_coverage
from agents.project.lexicons import Wording
from agents.project.own_objects import AMBIGUOUS, LISTS, is_about_project
from agents.project.rule_table import FORECAST, HANDED, LONGEST_READ, RULES, Arguments
from agents.project.state import AgentResult, Citation
from agents.project.topic_answers import (
    PartResult,
    cite_topic,
    split_topic,
    tell_topic,
)
from agents.project.turn import Steps
from agents.runs.confirmations import CallDeclined, say_declined
from agents.runs.consent.consent import is_asked_for
from agents.runs.consent.imperatives import is_question, list_orders
from agents.runs.consent.own_words import take_own_words
from agents.tools.box import refuse
from agents.tools.ledger import SEARCH_LEDGER
from agents.tools.search_answers import HITS_TOLD, cite_result, tell_result
from agents.tools.tool import ToolBox, ToolResult
from schemas.answering import NO_ANSWER

NO_MODEL = "Answered by rules: no language model took part."
NOT_UNDERSTOOD = (
    "I did not understand what to change. Say it like 'create a task: export as CSV',"
    " 'mark task-003 as done', 'assign task-003 to Ada', 'rename task-003 to Import',"
    " 'delete task-003', 'move task-003 to sprint-002', 'set feat-001 to must' or"
    " 'close sprint-001'."
)
_GREETING = Wording("answers", "greeting")
# «Remind me what we decided» asks, «remind me to ask» orders.
_CHANGE = Wording("answers", "change")
LONGEST_ASKED, MOST_LINES = 600, 5  # of a question; what is longer and asks nothing is a document
_POLITE_END = re.compile(r"[\s,]+(?:please|pls|thanks|thank you)[\s.!?]*$", re.IGNORECASE)


def concerns_project(request: str) -> bool:
    """Whether the ledger is looked into first: all but greetings and orders."""
    return not (_GREETING.match(request) or _CHANGE.match(request))


def choose_call(request: str) -> tuple[str, Arguments]:
    """The tool that the request means by its first words, and its arguments; the search where no
    rule fits.

    What changes something is read in the user's own words alone, and passed over where they do not
    order it. What is close to an order is chosen, and a person is asked before it is made.
    """
    if handed := HANDED.match(request):
        return HANDED.tool, HANDED.arguments(handed)
    if _is_document(request):
        return HANDED.tool, {"title": request.strip().split("\n")[0][:80], "text": request.strip()}
    question_text = request[:LONGEST_READ]
    own = _POLITE_END.sub("", take_own_words(request)[:LONGEST_READ])
    asks, doubtful = is_question(own), None
    for rule in RULES:
        match = rule.match(own if rule.changes else question_text)
        if match is None:
            continue
        call = rule.tool, rule.arguments(match)
        if rule.tool in AMBIGUOUS and is_about_project(question_text):
            continue
        if not rule.changes:
            return doubtful or call
        if is_asked_for(*call, request, {}):
            return call
        # «When will it be done?» is answered by a forecast, which is written on demand.
        if rule.tool == FORECAST or (not asks and (rule.reports or _CHANGE.match(own))):
            doubtful = doubtful or call
    return doubtful or (SEARCH_LEDGER, search_for(question_text))


def search_for(request: str) -> Arguments:
    return {"query": request[:LONGEST_READ], "limit": HITS_TOLD}


def _is_document(request: str) -> bool:
    """Whether a message is a text that somebody has pasted without a word on it."""
    if len(request) <= LONGEST_ASKED or request.count("\n") < MOST_LINES:
        return False
    own = take_own_words(request)
    return not is_question(own) and not list_orders(own)


async def run_rules(
    steps: Steps, tools: ToolBox, began: datetime, *, because: str = ""
) -> AgentResult:
    """Make the call that the request means, and tell its result. Raises WaitsForConfirmation."""
    name, arguments = choose_call(steps.turn.request)
    if name == SEARCH_LEDGER and _CHANGE.match(take_own_words(steps.turn.request)):
        return await _ask_back(steps, began)
    if arguments.get("kinds"):
        answer = await _answer_topic(steps, tools, arguments)
    else:
        answer = _tell(name, arguments, await _call(steps, tools, name, arguments))
        if name in LISTS and _is_empty(answer.calls[0][2]):
            answer = await _ask_sources(steps, tools, answer)
    why = f"{NO_MODEL} {because}".strip()
    return AgentResult(
        agent=steps.turn.node,
        result_type="answer",
        output={
            "stop_reason": "answered",
            "rounds": 0,
            "coverage": answer.coverage,
            "tool_calls": [
                {"tool": tool, "args": dict(args), "is_error": result.is_error}
                for tool, args, result in answer.calls
            ],
        },
        response=f"{add_coverage(answer.text, answer.coverage)}\n\n{why}",
        citations=answer.citations,
        engine="rules",
        error=answer.error,
        started_at=began,
        finished_at=await steps.read_clock(),
    )


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer and the calls behind it, by tool; ``coverage``: of searches alone."""

    text: str
    citations: tuple[Citation, ...]
    calls: Sequence[tuple[str, Mapping[str, Any], ToolResult]]
    coverage: str | None

    @property
    def error(self) -> str | None:
        return next((str(it.data.get("error")) for *_, it in self.calls if it.is_error), None)


def _tell(tool: str, arguments: Mapping[str, Any], result: ToolResult) -> _Answer:
    calls = [(tool, arguments, result)]
    if tool != SEARCH_LEDGER or result.is_error:
        return _Answer(result.text, result.citations, calls, None)
    coverage = "some" if result.citations else "none"
    return _Answer(tell_result(result), cite_result(result), calls, coverage)


async def _answer_topic(steps: Steps, tools: ToolBox, first: Arguments) -> _Answer:
    """Each part by a search of its own; what comes nearest, where the first has found nothing."""
    parts = []
    for part in split_topic(steps.turn.request, first):
        result = await _call(steps, tools, SEARCH_LEDGER, part.arguments)
        if result.is_error:
            return _tell(SEARCH_LEDGER, first, result)
        parts.append(PartResult(part, result))
    calls = [(SEARCH_LEDGER, part.part.arguments, part.result) for part in parts]
    nearest = None
    if not parts[0].hits:
        of_any_kind = {"query": first["query"], "limit": HITS_TOLD}
        nearest = await _call(steps, tools, SEARCH_LEDGER, of_any_kind)
        calls.append((SEARCH_LEDGER, of_any_kind, nearest))
    citations = cite_topic(parts, nearest)
    return _Answer(tell_topic(parts, nearest), citations, calls, "some" if citations else "none")


async def _ask_sources(steps: Steps, tools: ToolBox, empty: _Answer) -> _Answer:
    """What the documents say, where Cairn itself holds nothing of what is asked for."""
    arguments = search_for(steps.turn.request)
    result = await _call(steps, tools, SEARCH_LEDGER, arguments)
    calls = [*empty.calls, (SEARCH_LEDGER, arguments, result)]
    if result.is_error or result.data.get("coverage") in NO_ANSWER:
        return replace(empty, calls=calls)
    answer = _tell(SEARCH_LEDGER, arguments, result)
    return replace(answer, text=f"{empty.text}\n\n{answer.text}", calls=calls)


def _is_empty(result: ToolResult) -> bool:
    """Whether a tool that lists something has found nothing to list."""
    lists = [value for value in result.data.values() if isinstance(value, list | tuple)]
    return not result.is_error and bool(lists) and not any(lists) and not result.citations


async def _ask_back(steps: Steps, began: datetime) -> AgentResult:
    """An order that no rule understands is not looked for in the ledger like a question."""
    return AgentResult(
        agent=steps.turn.node,
        result_type="answer",
        output={"stop_reason": "not_understood", "rounds": 0, "coverage": None, "tool_calls": []},
        response=f"{NOT_UNDERSTOOD}\n\n{NO_MODEL}",
        engine="rules",
        started_at=began,
        finished_at=await steps.read_clock(),
    )


async def _call(
    steps: Steps, tools: ToolBox, name: str, arguments: Mapping[str, Any]
) -> ToolResult:
    """A rule reads the user's own words: what they order is done, all else is confirmed first."""
    tool = tools.find(name)
    if tool is None:
        return refuse(f"There is no tool {name}.", "unknown_tool")
    is_sure = not tool.mutating or is_asked_for(name, arguments, steps.turn.ordered, {})
    if is_sure and not tool.confirm:
        return await steps.call(tool, arguments)
    try:
        return await steps.call_confirmed(tool, arguments)
    except CallDeclined as declined:
        return ToolResult(say_declined(declined), {"declined": True})
