"""Replies without a model: what a person orders plainly is done, all else goes to the project.

The same graph runs, so that what is asked, recorded and shown is the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from langchain_core.messages import ToolMessage

from agents.assistant.messages import list_citations, text_of
from agents.assistant.state import AssistantState
from agents.assistant.work import AtWork
from agents.project.rule_answers import NO_MODEL

_REMEMBER = re.compile(
    r"^\W*(?:please\s+)?(?:remember|note|keep in mind)\b\s*(?:that\b|:)?\s*(?P<text>\S[\s\S]*)",
    re.I,
)
_RECALL = re.compile(
    r"\bwhat (?:do|did) (?:you|i)\b.*\b(?:remember|know about me|tell you)\b|\bdo you remember\b",
    re.I,
)
NOTHING = (
    "No language model is configured, and no project is chosen, so there is nobody who could do"
    " this. I can remember what you tell me (“remember that …”) and find it again (“what do you"
    " remember about …”). Choose a project to ask about it."
)


def reply_by_rules(at_work: AtWork, state: AssistantState) -> Mapping[str, Any]:
    """The reply that a model would give: calls, or an answer."""
    results = _results_of(at_work, state)
    if results:
        return _answer(state, results)
    asked, names = at_work.run.request, {tool.name for tool in at_work.agent.tools}
    if "call_executor" in names:
        return {"calls": [_choose(asked)]}
    if "handoff" in names and at_work.run.has_project:
        return {"calls": [{"tool": "handoff", "args": {"provider": "project", "task": asked}}]}
    return {"answer": f"{NOTHING}\n\n{NO_MODEL}"}


def _choose(asked: str) -> dict[str, Any]:
    if match := _REMEMBER.match(asked):
        return {"tool": "add_memory", "args": {"text": match["text"][:1_000]}}
    if _RECALL.search(asked):
        return {"tool": "search_memory", "args": {"query": asked[:1_000]}}
    return {"tool": "call_executor", "args": {"task": asked}}


def _results_of(at_work: AtWork, state: AssistantState) -> list[ToolMessage]:
    """The results of this piece of work."""
    begin = f"{at_work.work_id}."
    return [
        one
        for one in state["messages"]
        if isinstance(one, ToolMessage) and str(one.id).startswith(begin)
    ]


def _answer(state: AssistantState, results: list[ToolMessage]) -> dict[str, Any]:
    text = text_of(results[-1])
    answer = text if NO_MODEL in text else f"{text}\n\n{NO_MODEL}"
    return {"answer": answer, "citations": [*list_citations(results)]}
