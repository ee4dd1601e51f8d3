"""The times of day of a sentence: "at 8 and 17", "7.30 pm", "at noon", "8 in the evening"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

from agents.runs.consent.scheduling_patterns import NO_CASE, READ, any_word, blank, words

_HALF = r"(?: ?(?P<half>[ap])\.?m\b\.?)"
_PART = r"(?: (?:in the|at) (?P<part>morning|afternoon|evening|night))"
_CLOCK = rf"(?P<hour>[0-9]{{1,2}})(?:[:.](?P<minute>[0-9]{{2}}))?{_HALF}?(?: o'clock)?{_PART}?"
_WITH_MINUTE = rf"(?P<hour>[0-9]{{1,2}}):(?P<minute>[0-9]{{2}}){_HALF}?{_PART}?"
_WITH_HALF = rf"(?P<hour>[0-9]{{1,2}})(?:\.(?P<minute>[0-9]{{2}}))?{_HALF}"
_BORDER = r"(?!\w|[:/-]\w)"
_EXACT = ("noon", "midnight", "lunchtime")
_AFTER_NOON = ("afternoon", "evening", "night", "tonight")


@dataclass(frozen=True, slots=True)
class Time:
    """A time of day like ``09:00``, or what was said that is none; ``start`` is its place.

    ``is_more``: it goes on a list, as 17 does in "at 8 and 17".
    """

    at: str | None
    said: str
    start: int
    half: str = ""
    is_more: bool = False


def take_times(text: str) -> tuple[list[Time], str]:
    """The times of day in their order, and the text without them."""
    times: list[Time] = []
    while match := _first(text):
        times.append(_read(match))
        text = blank(text, match)
        while more := _next().match(text, match.end()):  # "at 8 and 17": no `at` is said again
            times.append(replace(_read(more), is_more=True))
            text = blank(text, more)
            match = more
    if times:  # "in the morning at 8" is said already
        text = _part_of_day().sub(lambda it: READ * len(it.group()), text)
        return sorted(times, key=lambda time: time.start), text
    while match := _named().search(text):
        times.append(Time(words()["times"][match["name"].lower()], match.group(), match.start()))
        text = blank(text, match)
    return times, text


def read_part(part: str) -> str:
    """The usual time of a part of the day."""
    return str(words()["times"].get(part, words()["usual_time"]))


def move_into(part: str, at: str) -> str:
    """8 of an evening is 20:00, where nobody has said which half of the day is meant."""
    hour, minute = at.split(":")
    late = part in _AFTER_NOON and 1 <= int(hour) < 12
    return f"{int(hour) + 12:02}:{minute}" if late else at


def _read(match: re.Match[str]) -> Time:
    groups = match.groupdict()
    text = match.group().replace(READ, " ").strip(" ,")
    if name := groups.get("name"):
        return Time(words()["times"][name.lower()], text, match.start(), "named")
    hour = int(groups["hour"])
    minute = int(groups.get("minute") or 0)
    half, part = (groups.get("half") or "").lower(), (groups.get("part") or "").lower()
    if half and not 1 <= hour <= 12 or hour > 23 or minute > 59:
        return Time(None, text, match.start())
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    at = f"{hour:02}:{minute:02}"
    return Time(move_into(part, at) if part else at, text, match.start(), half or part)


def _first(text: str) -> re.Match[str] | None:
    matches = [match for pattern in _patterns() if (match := pattern.search(text))]
    return min(matches, key=lambda match: (match.start(), -match.end()), default=None)


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    named = rf"(?:at )?(?P<name>{any_word(_EXACT)})"
    forms = (rf"(?:at |@ ?|by ){_CLOCK}(?! ?(?:%|percent))", _WITH_MINUTE, _WITH_HALF, named)
    return tuple(re.compile(rf"(?<![\w.:/-])(?:{each}){_BORDER}", NO_CASE) for each in forms)


@cache
def _next() -> re.Pattern[str]:
    return re.compile(
        r"(?:, ?(?:and )?| (?:and|&) | ?& ?)(?:at )?"
        rf"(?:(?P<name>{any_word(_EXACT)})|{_CLOCK}){_BORDER}"
        rf"(?! (?:other|more|people|times|days?|weeks?|months?|points?|tasks?)\b)",
        NO_CASE,
    )


@cache
def _named() -> re.Pattern[str]:
    names = any_word(words()["times"])
    return re.compile(rf"(?<![\w-])(?:(?:in the|at|this) )?(?P<name>{names})(?![\w-])", NO_CASE)


@cache
def _part_of_day() -> re.Pattern[str]:
    return re.compile(r"(?<!\w)(?:in the (?:morning|afternoon|evening)|at night)(?!\w)", NO_CASE)
