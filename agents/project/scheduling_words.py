"""Read from a sentence what work is wanted and when: "every Monday at 9: sprint report".

The words are data (``scheduling_words.toml``). What is not understood is not guessed: then there is
no schedule, and whoever asked can be asked again.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from agents.project.scheduling import complete
from schemas.events.job import Priority
from schemas.events.schedule import Recurrence

WORDS = Path(__file__).with_suffix(".toml")
ASSISTANT = "assistant"
_TIMES = (
    r"(?:at |@ ?|by )(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?(?: ?(?P<half>[ap])\.?m\b\.?)?"
    r"(?: o'clock)?",
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?: ?(?P<half>[ap])\.?m\b\.?)?",
    r"(?P<hour>\d{1,2}) ?(?P<half>[ap])\.?m\b\.?",
)
_EDGES = re.compile(r"^[\s,;:.!?–-]+|[\s,;:.!?–-]+$")


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done: by a job, or where there is none by an agent, in the asker's words."""

    title: str
    agent: str
    job_type: str | None = None
    payload: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class ParsedSchedule:
    work: Work
    recurrence: Recurrence
    priority: Priority = "scheduled"


def parse_schedule(text: str, now: datetime, timezone: str) -> ParsedSchedule | None:
    """The schedule that ``text`` asks for; None where it says no time, or no work.

    ``now`` has a time zone; ``timezone`` is the project's, whose clocks count.
    """
    found = _split(text, now.astimezone(ZoneInfo(timezone)))
    if found is None:
        return None
    recurrence, rest = found
    priority, rest = _take_priority(rest)
    work = find_work(rest)
    return ParsedSchedule(work, recurrence, priority) if work else None


def parse_recurrence(text: str, now: datetime, timezone: str) -> Recurrence | None:
    """Only when: ``text`` says nothing else."""
    found = _split(text, now.astimezone(ZoneInfo(timezone)))
    return found[0] if found and not _trim(found[1]) else None


def find_work(text: str) -> Work | None:
    """The work that ``text`` names, for the assistant where no job does it; None: no words."""
    around = _words()["around"]
    bare, reminders = re.subn(_any_of(around["reminders"]), " ", text, flags=re.IGNORECASE)
    wanted = _trim(re.sub(_any_of(around["lead_ins"]), " ", bare, flags=re.IGNORECASE))
    for entry, pattern in () if reminders else _work_patterns():
        if pattern.fullmatch(wanted):
            return Work(
                title=entry["title"],
                agent=entry["agent"],
                job_type=entry.get("job_type"),
                payload=entry.get("payload") or {},
            )
    title = wanted[:1].upper() + wanted[1:]
    return Work(title, ASSISTANT) if title else None


@dataclass(frozen=True, slots=True)
class _Found:
    """A pattern's kind, its groups, and the place of the words."""

    kind: str
    groups: Mapping[str, str]
    span: tuple[int, int]
    day: int | None = None


def _split(text: str, local: datetime) -> tuple[Recurrence, str] | None:
    """When, and what is left of the text; None where it says no time, or one that there is not."""
    found = next(_find_recurrences(text), None)
    if found is None:
        return None
    rest = _cut(text, *found.span)
    if "count" in found.groups:
        return _after_a_while(found, local), rest
    time, rest = _take_time(rest, found)
    try:
        at, today = _clock(time), local.date()
        day = _first_day(found, local, at)
        raw = Recurrence(
            kind=found.kind,  # type: ignore[arg-type]  # kinds of the data file
            at=at,
            weekday=_weekday(found) if found.kind != "once" else None,
            day=found.day or (int(found.groups["day"]) if "day" in found.groups else None),
            point=_words()["points"].get(found.groups.get("point", "")),
            first_day=day.isoformat(),
        )
        return complete(raw, today), rest
    except ValueError:
        return None


def _find_recurrences(text: str) -> Iterator[_Found]:
    lowered = text.lower()
    for entry, pattern in _recurrence_patterns():
        if match := pattern.search(lowered):
            groups = {name: value for name, value in match.groupdict().items() if value}
            yield _Found(entry["kind"], groups, match.span(), entry.get("day"))


def _first_day(found: _Found, local: datetime, at: str) -> date:
    """The day of what is done once, else today."""
    today, groups = local.date(), found.groups
    if "date" in groups:
        return date.fromisoformat(groups["date"])
    if "relative" in groups:
        return today + timedelta(days=_words()["relative"][groups["relative"]])
    weekday = _weekday(found)
    if found.kind == "once" and weekday is not None:
        ahead = (weekday - today.weekday()) % 7
        has_passed = ahead == 0 and at <= f"{local:%H:%M}"
        return today + timedelta(days=7 if has_passed else ahead)
    return today


def _after_a_while(found: _Found, local: datetime) -> Recurrence:
    """A minute that has begun counts as a whole one, so that nothing is due too early."""
    said = found.groups["count"]
    count = int(said) if said.isdigit() else _words()["numbers"][said]
    # Wall-clock days, but real hours: both are what people mean.
    if found.groups["unit"] in ("day", "week"):
        moment = local + timedelta(**{f"{found.groups['unit']}s": count})
    else:
        later = local.timestamp() + timedelta(**{f"{found.groups['unit']}s": count}).total_seconds()
        moment = datetime.fromtimestamp(later, local.tzinfo)
    if moment.second or moment.microsecond:
        moment += timedelta(minutes=1)
    return Recurrence(kind="once", at=f"{moment:%H:%M}", first_day=moment.date().isoformat())


def _weekday(found: _Found) -> int | None:
    said = found.groups.get("weekday")
    return _words()["weekdays"][said] if said else None


def _take_time(text: str, found: _Found) -> tuple[str, str]:
    """The time of day as it was said, or the usual one, and the text without it."""
    for pattern in _time_patterns():
        if match := pattern.search(text):
            return match.group(), _cut(text, *match.span())
    names = _words()["times"]
    part = found.groups.get("part") or found.groups.get("relative", "")
    if part in names:
        return part, text
    said = re.search(rf"\b(?:(?:in the|at|this) )?({'|'.join(names)})\b", text, re.IGNORECASE)
    if said:
        return said.group(1).lower(), _cut(text, *said.span())
    return _words()["usual_time"], text


def _clock(said: str) -> str:
    """The time of day like ``09:00``. Raises ValueError where there is no such time."""
    if said in _words()["times"]:
        return str(_words()["times"][said])
    match = next(found for it in _time_patterns() if (found := it.search(said)))
    groups = match.groupdict()
    hour, minute = int(groups["hour"]), int(groups.get("minute") or 0)
    if groups.get("half"):
        if not 1 <= hour <= 12:
            raise ValueError(said)
        hour = hour % 12 + (12 if groups["half"].lower() == "p" else 0)
    if hour > 23 or minute > 59:
        raise ValueError(said)
    return f"{hour:02}:{minute:02}"


def _take_priority(text: str) -> tuple[Priority, str]:
    for priority, words in _words()["priorities"].items():
        for word in words:
            if match := re.search(rf"\b{word}\b", text, re.IGNORECASE):
                return priority, _cut(text, *match.span())
    return "scheduled", text


def _any_of(patterns: Sequence[str]) -> str:
    return rf"\b(?:{'|'.join(patterns)})\b"


def _trim(text: str) -> str:
    """Without what only joined it to the words that were taken out."""
    text, links = " ".join(text.split()), _any_of(_words()["around"]["links"])
    while (shorter := re.sub(rf"^{links}\s+", "", _EDGES.sub("", text), flags=re.I)) != text:
        text = shorter
    return text


def _cut(text: str, start: int, end: int) -> str:
    return f"{text[:start]} {text[end:]}"


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads(WORDS.read_text(encoding="utf-8"))


@cache
def _recurrence_patterns() -> tuple[tuple[dict[str, Any], re.Pattern[str]], ...]:
    words = _words()
    fill = {
        f"{{{name[:-1]}}}": f"(?:{'|'.join(sorted(words[name], key=len, reverse=True))})"
        for name in ("weekdays", "points", "numbers")
    }

    def compiled(pattern: str) -> re.Pattern[str]:
        for name, options in fill.items():
            pattern = pattern.replace(name, options)
        return re.compile(rf"\b{pattern}(?!\w)")

    entries = words["recurrence"]
    return tuple((entry, compiled(each)) for entry in entries for each in entry["patterns"])


@cache
def _work_patterns() -> tuple[tuple[dict[str, Any], re.Pattern[str]], ...]:
    """Each matches the whole of what is wanted: "sync with the vendor" is no job."""
    around = _words()["around"]
    before = rf"(?:(?:{'|'.join([*around['verbs'], *around['links']])})\s+)*"
    after = rf"(?:\s+(?:{'|'.join(around['trailing'])}))*"
    return tuple(
        (entry, re.compile(f"{before}(?:{each}){after}", re.IGNORECASE))
        for entry in _words()["work"]
        for each in entry["patterns"]
    )


@cache
def _time_patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"(?<![\d-]){each}(?!\w)", re.IGNORECASE) for each in _TIMES)
