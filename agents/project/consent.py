"""Whether a change is what the user has asked for, in their own words.

What a tool or a source says is never a reason to change something: a change whose kind or whose
texts are not the user's own words is shown to them first. The words looked for are English; in
another language every change is shown first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from agents.tools.tool import Tool

OWN_SHARE = 0.6  # of the words of each text
_ASKED = {
    "create": r"create|add|make|new|open|file|write|log|set up|put|note",
    "update": r"update|change|set|rename|move|assign|reassign|mark|close|edit|estimate|give|start"
    r"|finish|complete|reopen|block|unblock|raise|lower",
    "delete": r"delete|remove|drop|discard",
    "generate": r"stand-?ups?|daily|reports?|retros?|retrospectives?|sprints?",
    "forecast": r"forecasts?|when|deliver\w*|finish\w*|done|ready|ship\w*|predict\w*|estimate",
    "break": r"break\w*|split\w*|tasks?|divide",
    "run": r"quality|check\w*|judge|review\w*|assess\w*|evaluate",
    "schedule": r"schedule|remind\w*|every|each|daily|weekly|monthly|plan",
}
_NUMBERED = re.compile(r"[a-z]+-0*(\d+)")
_WORD = re.compile(r"[^\W_]+")
_SMALL = frozenset(
    ("a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "is", "it", "of", "on", "or")
    + ("that", "the", "this", "to", "with")
)
_STATUSES = {
    "todo": r"todo|to do|open|reopen",
    "in_progress": r"in progress|start(?:ed)?|begin|begun|resume",
    "in_review": r"in review|review",
    "done": r"done|finish(?:ed)?|completed?|closed?",
    "blocked": r"blocked|block",
}


def is_asked_for(
    tool: Tool, arguments: Mapping[str, Any], request: str, names: Mapping[str, str]
) -> bool:
    """Whether the user's message asks for a change of this kind, in words that hold its texts.

    ``names`` are those of artifacts by id: who names one has named its id.
    """
    asked = _ASKED.get(tool.name.partition("_")[0], "")
    if not asked or not re.search(rf"\b(?:{asked})\b", request, re.IGNORECASE):
        return False
    words = _words(request)
    return all(
        _is_own(text, words) or (text in names and _is_own(_title_of(names[text]), words))
        for text in _texts(arguments)
    ) and all(_is_meant(name, value, request) for name, value in arguments.items())


def _is_meant(name: str, value: Any, request: str) -> bool:
    """Whether a figure, a switch or a status is in the request; all else is read as text."""
    match value:
        case bool():  # `closed`: who closes or opens something says so
            said = rf"{name.removesuffix('d')}\w*" if value else "open|reopen"
        case int() | float():
            said = re.escape(f"{value:g}")
        case str() if name == "status":
            said = _STATUSES.get(value, re.escape(value.replace("_", " ")))
        case _:
            return True
    return re.search(rf"\b(?:{said})\b", request, re.IGNORECASE) is not None


def _title_of(name: str) -> str:
    """The name without the number in front."""
    number, _, title = name.partition(" ")
    return title if _NUMBERED.fullmatch(number) else name


def _texts(value: Any, name: str = "") -> Iterator[str]:
    """The free texts among the arguments; a day and a status are none."""
    if isinstance(value, str) and name not in ("as_of", "status"):
        yield value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _texts(one, str(key))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one, name)


def _is_own(text: str, words: frozenset[str]) -> bool:
    if numbered := _NUMBERED.fullmatch(text.lower()):
        return numbered[1] in words
    said = _words(text) - _SMALL
    return not said or len(said & words) >= OWN_SHARE * len(said)


def _words(text: str) -> frozenset[str]:
    """Numbers without leading zeros, so that `task 3` is `task-003`."""
    return frozenset(word.lstrip("0") or word for word in _WORD.findall(text.lower()))
