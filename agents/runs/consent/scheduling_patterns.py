"""The words of `scheduling_words.toml` as patterns, and where they stand in a text.

What is read is blanked by a mark, so that nothing is read twice and words around it do not meet.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

WORDS = Path(__file__).with_name("scheduling_words.toml")
READ = "\0"  # stands for what is read already
NO_CASE = re.IGNORECASE | re.ASCII
_TO = r"(?: ?[-–—] ?| (?:to|through|thru) )"
_AND = r"(?:, ?(?:and )?| (?:and|&) | ?[&+/] ?)(?:(?:also )?(?:on |every |each )?)"


@dataclass(frozen=True, slots=True)
class DayPhrase:
    """When work is wanted, as it was said: the kind, the groups of the pattern, and the place."""

    kind: str
    groups: Mapping[str, str]
    start: int
    day: int | None = None

    @property
    def weekdays(self) -> list[int]:
        return list_weekdays(self.groups.get("days", ""))

    @property
    def dates(self) -> list[int]:
        return [
            read_ordinal(ordinal) for ordinal in _ordinal().findall(self.groups.get("dates", ""))
        ]


@cache
def words() -> dict[str, Any]:
    return tomllib.loads(WORDS.read_text(encoding="utf-8"))


def any_word(names: Sequence[str] | Mapping[str, Any]) -> str:
    """A pattern for any of these, the longest first."""
    return f"(?:{'|'.join(sorted(names, key=len, reverse=True))})"


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of the data file, between borders of words."""
    for name, options in _fill().items():
        pattern = pattern.replace(f"{{{name}}}", options)
    return re.compile(rf"(?<![\w/.]){pattern}(?![\w/]|\.\w)", NO_CASE)


@cache
def hours_pattern() -> re.Pattern[str]:
    return compiled(r"(?:(?:every|each) (?:(?P<count>[0-9]{1,2}|{numbers}) )?hours?|hourly)")


def take_recurrences(text: str) -> tuple[list[DayPhrase], str]:
    """All that is said of when, in its order, and the text without it."""
    recurrences = []
    for entry, pattern in _recurrences():
        while match := pattern.search(text):
            groups = {name: value.lower() for name, value in match.groupdict().items() if value}
            recurrences.append(DayPhrase(entry["kind"], groups, match.start(), entry.get("day")))
            text = blank(text, match)
    return sorted(recurrences, key=lambda match: match.start), text


def list_weekdays(text: str) -> list[int]:
    """The weekdays of a list such as "mon-wed and fridays", each once, in order."""
    days = []
    for first, last in _days().findall(text):
        if first.lower().removesuffix("s") in words()["groups"]:
            days += words()["groups"][first.lower().removesuffix("s")]
            continue
        begin = _weekday(first)
        length = (_weekday(last) - begin) % 7 if last else 0
        days += [(begin + step) % 7 for step in range(length + 1)]
    return sorted(set(days))


def read_ordinal(text: str) -> int:
    """The day of a month; 0 for what is none."""
    number = words()["ordinals"].get(text.lower())
    digits = re.match(r"[0-9]+", text)
    return int(number or (digits and digits.group()) or 0)


def blank(text: str, match: re.Match[str]) -> str:
    """The text with the mark where the match was; places of other words stay as they are."""
    start, end = match.span()
    return f"{text[:start]}{READ * (end - start)}{text[end:]}"


@cache
def unheld_patterns() -> tuple[re.Pattern[str], ...]:
    """What no schedule can hold."""
    return tuple(compiled(each) for each in words()["unheld"]["patterns"])


@cache
def left_patterns() -> tuple[re.Pattern[str], ...]:
    """What still speaks of time where it is left over."""
    return tuple(re.compile(each, NO_CASE) for each in words()["left"]["patterns"])


@cache
def exception_pattern() -> re.Pattern[str]:
    return compiled(
        "(?:(?:but|and),? )?(?:except|excluding|not|other than|apart from|without)"
        "(?: for)?(?: on)? (?P<days>{days})"
    )


@cache
def start_pattern() -> re.Pattern[str]:
    """From when on: a weekday is no beginning where another follows, as in "from mon to fri"."""
    return compiled(
        "(?:(?:starting|beginning)(?: from| on)?|from|as of)"
        " (?P<start>next week|tomorrow|today|[0-9]{4}-[0-9]{2}-[0-9]{2}"
        rf"|(?:next )?{{weekdays}}(?!{_TO}{{weekdays}}))(?: on(?:wards?)?)?"
    )


@cache
def _fill() -> dict[str, str]:
    word_lists = words()
    fill = {
        name: any_word(word_lists[name]) for name in ("weekdays", "points", "numbers", "months")
    }
    group = rf"{any_word(word_lists['groups'])}s?"
    day_pattern = rf"(?:{group}|{fill['weekdays']}s?(?:{_TO}{fill['weekdays']}s?)?)"
    many = rf"(?:{group}|{fill['weekdays']}s|{fill['weekdays']}{_TO}{fill['weekdays']}s?)"
    date = rf"(?:{any_word(word_lists['ordinals'])}|[0-9]{{1,2}}(?:st|nd|rd|th)?)"
    verbs = any_word(word_lists["around"]["verbs"])
    return fill | {
        "verbs": verbs,
        "days": rf"{day_pattern}(?:{_AND}{day_pattern})*",
        "many_days": rf"(?:{many}(?:{_AND}{day_pattern})*)",
        "dates": rf"{date}(?:{_AND}(?:the )?{date})*",
        "several_dates": rf"{date}(?:{_AND}(?:the )?{date})+",
    }


@cache
def _recurrences() -> tuple[tuple[dict[str, Any], re.Pattern[str]], ...]:
    entries = words()["recurrence"]
    return tuple((entry, compiled(each)) for entry in entries for each in entry["patterns"])


@cache
def _days() -> re.Pattern[str]:
    word_lists = words()
    day = any_word(word_lists["weekdays"])
    groups = rf"{any_word(word_lists['groups'])}s?"
    return re.compile(rf"\b({groups}|{day}(?=s?\b))s?(?:{_TO}({day}))?", NO_CASE)


@cache
def _ordinal() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{any_word(words()['ordinals'])}|[0-9]{{1,2}})", NO_CASE)


def _weekday(text: str) -> int:
    return int(words()["weekdays"][text.lower()])


def find_parts(text: str, patterns: Sequence[re.Pattern[str]]) -> Iterator[str]:
    """The words of a text that one of the patterns fits, each once."""
    seen = set()
    for pattern in patterns:
        for match in pattern.finditer(text):
            part = " ".join(match.group().replace(READ, " ").split())
            if part and part.lower() not in seen:
                seen.add(part.lower())
                yield part
