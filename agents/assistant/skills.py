"""What an agent learns from how a task went: which calls found what others had not.

A skill names tools and arguments that have worked, and nothing else: what was asked, what was
handed in and what came back may be a stranger's words, and skills are read by later runs of
everybody.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from schemas.inflection import noun

Outcome = Literal["found", "nothing", "failed"]
MOST_NAMED = 6  # arguments of a call in a skill
# Kinds of task, told by these words alone.
TASKS = (
    "find",
    "search",
    "list",
    "read",
    "send",
    "create",
    "update",
    "delete",
    "reply",
    "summarise",
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call by the names of its tool and of its arguments, and how it went."""

    tool: str
    arguments: tuple[str, ...]
    outcome: Outcome = "found"


def found_nothing(answer: str) -> bool:
    """Whether a tool's answer, a JSON text, holds nothing: no items, no text, a count of zero."""
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return not answer.strip()
    return _is_empty(value)


def learn_skill(agent: str, task: str, calls: Sequence[ToolUse]) -> str | None:
    """A sentence for later runs of ``agent``: after a call that found nothing or failed, which one
    did. None where every call went well, or none did, and for an agent whose name is none: skills
    are kept under it.
    """
    if not _NAME.fullmatch(agent):
        return None
    proven = {call.tool for call in calls if call.outcome == "found" and _is_named(call)}
    for at, call in enumerate(calls):
        if call.outcome == "found" or call.tool not in proven and call.outcome == "failed":
            continue
        if not _NAME.fullmatch(call.tool):
            continue
        after = [each for each in calls[at + 1 :] if each.outcome == "found" and _is_named(each)]
        same = next((each for each in after if each.tool == call.tool), None)
        if better := same or next(iter(after), None):
            return _sentence(task, call, better)
    return None


def _sentence(task: str, call: ToolUse, better: ToolUse) -> str:
    words = set(re.findall(r"[a-z]+", task.casefold()))
    kinds = [kind for kind in TASKS if kind in words]
    purpose = f"In a task to {' or '.join(kinds)}, when" if kinds else "When"
    problem = "finds nothing" if call.outcome == "nothing" else "fails"
    before, now = set(call.arguments), sorted(set(better.arguments))
    named = f" with {_join(now[:MOST_NAMED])}" if now else " without arguments"
    if better.tool != call.tool:
        advice = f"call {better.tool}{named}"
    elif before == set(now):
        what = f"another {noun(len(now), 'value', 'choice of values')} of {_join(now[:MOST_NAMED])}"
        advice = f"call it again with {what}" if now else "call it again"
    else:
        advice = f"call it again{named}"
    return f"{purpose} {call.tool} {problem}, {advice}."


def _is_named(call: ToolUse) -> bool:
    """Whether all names are names, so that no sentence stands in their place."""
    return all(_NAME.fullmatch(name) for name in (call.tool, *call.arguments))


def _join(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _is_empty(value: Any) -> bool:
    if isinstance(value, dict):
        if any(value.get(name) == 0 for name in ("total", "count", "total_count")):
            return True
        return all(_is_empty(item) for item in value.values())
    if isinstance(value, str | list):
        return not value
    return value is None
