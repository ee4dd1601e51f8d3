"""Read from a sentence what work is wanted and when: "every Monday at 9: sprint report".

The words are data (`scheduling_words.toml`). A sentence is understood whole or not at all: what is
left of it and still speaks of time is asked about, and never becomes the title of the work. Where
one recurrence cannot hold what is said, such as two days of a week, there are several.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from agents.project.imperatives import strip_lead
from agents.project.scheduling import FIELDS_OF_CRON, complete, is_cron
from agents.project.scheduling_patterns import (
    NO_CASE,
    READ,
    Found,
    blank,
    exception_pattern,
    find_parts,
    hours_pattern,
    left_patterns,
    list_weekdays,
    start_pattern,
    take_recurrences,
    unheld_patterns,
    words,
)
from agents.project.scheduling_times import Time, move_into, read_part, take_times
from schemas.events.job import Priority
from schemas.events.schedule import Recurrence

ASSISTANT = "assistant"
MOST_SCHEDULES = 14  # twice on each day of a week
LONGEST_READ = 600  # characters of a sentence
_QUOTED = re.compile(r"[«“„\"]([^«»“”„\"\n]{1,200})[»”“\"]")
_MARK = "\ue000"  # stands for the words in quotes: they are the work, whatever they say
_EDGES = re.compile(r"^[\s,;:.!?–-]+|[\s,;:.!?–-]+$")
EVERY_WEEKDAY = list(range(7))


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


@dataclass(frozen=True, slots=True)
class Unclear:
    """What of a sentence is not understood, in its own words; ``question`` asks about it."""

    parts: tuple[str, ...]
    question: str


class _NotHeld(Exception):
    """Words that no recurrence holds."""

    def __init__(self, *parts: str) -> None:
        super().__init__(*parts)
        self.parts = parts


def read_schedules(text: str, now: datetime, timezone: str) -> tuple[ParsedSchedule, ...] | Unclear:
    """The schedules that ``text`` asks for, or what of it has to be asked about.

    ``now`` has a time zone; ``timezone`` is the project's, whose clocks count.
    """
    said = strip_lead(" ".join(text.replace(READ, " ").replace(_MARK, " ").split()))
    if len(said) > LONGEST_READ:
        return Unclear((), TOO_LONG)
    quoted = _QUOTED.search(said)
    bare = f"{said[: quoted.start()]}{_MARK}{said[quoted.end() :]}" if quoted else said
    try:
        recurrences, left = _take_when(bare, now.astimezone(ZoneInfo(timezone)))
        priority, left = _take_priority(left)
        work = find_work(left)
        if work is None or work.job_type is None:
            _check_left(left)
    except _NotHeld as wrong:
        return _ask_about(wrong.parts)
    if not recurrences:
        parts = list(find_parts(said, left_patterns()))  # also in quotes
        return _ask_about(parts) if parts else Unclear((), NO_TIME)
    if work is None:
        return Unclear((said,), NO_WORK.format(when=said))
    if quoted:
        work = Work(_title(work.title.replace(_MARK, quoted[1])), work.agent)
    return tuple(ParsedSchedule(work, one, priority) for one in recurrences)


TOO_LONG = f"Say what is to be scheduled in at most {LONGEST_READ} characters."
NO_TIME = "That names no work with a time: say both, such as 'sprint report every monday at 09:00'."
NO_WORK = (
    "«{when}» says when, and not what: name the work, too, such as 'sprint report every monday at"
    " 09:00'."
)


def read_recurrence(text: str, now: datetime, timezone: str) -> Recurrence | Unclear:
    """Only when, and that by one recurrence: ``text`` says nothing else."""
    said = " ".join(text.replace(READ, " ").split())
    if len(said) > LONGEST_READ:
        return Unclear((), TOO_LONG)
    if by_cron := _read_cron(said):
        return by_cron
    try:
        recurrences, left = _take_when(said, now.astimezone(ZoneInfo(timezone)))
        _check_left(left)
    except _NotHeld as wrong:
        return _ask_about(wrong.parts)
    if len(recurrences) > 1 and (together := _join_weekdays(recurrences)):
        return together
    if len(recurrences) > 1:
        return Unclear(
            (said,), f"{said!r} takes {len(recurrences)} schedules: make one for each day and time."
        )
    if not recurrences or _trim(left):
        return Unclear((said,), WRITE_LIKE.format(when=said))
    return recurrences[0]


def _join_weekdays(made: Sequence[Recurrence]) -> Recurrence | None:
    """Several days of each week at one time, as one recurrence."""
    first = made[0]
    if any(
        (one.kind, one.at, one.first_day) != ("weekly", first.at, first.first_day) for one in made
    ):
        return None
    hour, minute = first.at.split(":")
    days = ",".join(str((one.weekday or 0) + 1) for one in made)
    cron = f"{int(minute)} {int(hour)} * * {days}"
    return Recurrence(kind="cron", cron=cron, first_day=first.first_day)


def _read_hours(match: re.Match[str]) -> Recurrence | None:
    """Every so many hours from midnight on, where each day then has the same."""
    said = match["count"] or "1"
    count = int(said) if said.isdigit() else words()["numbers"].get(said.lower(), 0)
    if not count or 24 % count:
        return None
    return Recurrence(kind="cron", cron="0 * * * *" if count == 1 else f"0 */{count} * * *")


def _read_cron(said: str) -> Recurrence | None:
    """``0 9 * * mon,thu``, with a time zone behind it where it is not the project's."""
    fields, zone = said, ""
    if len(parts := said.split()) == FIELDS_OF_CRON + 1:
        fields, zone = " ".join(parts[:-1]), parts[-1]
    if not is_cron(fields):
        return None
    return Recurrence(kind="cron", cron=fields, timezone=zone)


WRITE_LIKE = (
    "{when!r} says no time that is known: write it like 'every monday at 09:00', 'every other"
    " friday', 'every month on the 31st', 'every sprint end',"
    " '2026-12-01 at 15:00', or as cron does: '0 9 * * mon,thu Europe/Berlin'."
)


def find_work(text: str) -> Work | None:
    """The work that ``text`` names, for the assistant where no job does it; None: no words."""
    around = words()["around"]
    text = text.replace(READ, " ")
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
    return Work(_title(wanted), ASSISTANT) if wanted else None


def _title(wanted: str) -> str:
    return wanted[:1].upper() + wanted[1:]


def _ask_about(parts: Sequence[str]) -> Unclear:
    told = ", ".join(f"«{part}»" for part in parts)
    return Unclear(
        tuple(parts),
        f"I did not understand {told}, so nothing is scheduled. Say it by days and times, such as"
        " 'every monday and thursday at 9', 'weekdays at 8 and 17', 'every month on the 1st and"
        " 15th' or 'every day except sunday'. If these words are part of the work, put the work in"
        " quotes.",
    )


def _take_when(text: str, local: datetime) -> tuple[list[Recurrence], str]:
    """When, and what is left of the text. Raises _NotHeld."""
    if (hours := hours_pattern().search(text)) and (by_cron := _read_hours(hours)):
        return [by_cron], blank(text, hours)
    if parts := list(find_parts(text, unheld_patterns())):
        raise _NotHeld(*parts)
    excepted, text = _take_exceptions(text)
    start, text = _take_start(text, local)
    found, text = take_recurrences(text)
    if not found:
        if excepted or start:
            raise _NotHeld(*filter(None, [*(said for said, _ in excepted), start and start[0]]))
        return [], text
    times, text = take_times(text)
    _check_times(times)
    made: list[Recurrence] = []
    for one, its in _pair(found, times):
        raw = list(_spread(one, [time.at or "" for time in its], local))
        made += _leave_out(raw, excepted, local.date()) if excepted else raw
    if start:
        made = [_begin_at(one, *start) for one in made]
    if not made or len(made) > MOST_SCHEDULES:
        raise _NotHeld(*(" ".join(one.groups.values()) or one.kind for one in found))
    try:
        whole = [complete(one, local.date()) for one in dict.fromkeys(made)]
        # The earliest first: what has passed is refused before anything else is made.
        return sorted(whole, key=lambda one: (one.kind != "once", _first_moment(one))), text
    except (ValueError, OverflowError):
        raise _NotHeld(*(" ".join(one.groups.values()) for one in found)) from None


def _first_moment(one: Recurrence) -> str:
    return f"{one.first_day} {one.at}" if one.kind == "once" else ""


def _check_times(times: Sequence[Time]) -> None:
    """Raises _NotHeld for what is no time, and where it is not clear which half of the day is."""
    wrong = [one.said for one in times if one.at is None]
    for before, one in pairwise(times):
        if one.is_more and one.half == "p" and not before.half:  # "at 8 and 9 pm"
            wrong.append(before.said)
    if wrong:
        raise _NotHeld(*wrong)


def _pair(found: Sequence[Found], times: Sequence[Time]) -> Iterator[tuple[Found, Sequence[Time]]]:
    """Which times belong to which days. Raises _NotHeld where that is not clear."""
    firsts = [one for one in times if not one.is_more]
    if len(firsts) > len(found):
        raise _NotHeld(*(one.said for one in times))
    if len(found) == 1 or not times or times[0].start > found[-1].start:
        yield from ((one, times) for one in found)
        return
    ends = [one.start for one in found[1:]] + [10**9]
    for one, end in zip(found, ends, strict=True):
        its = [time for time in times if one.start < time.start < end]
        if not its:
            raise _NotHeld(*(time.said for time in times))
        yield one, its


def _spread(found: Found, times: Sequence[str], local: datetime) -> Iterator[Recurrence]:
    """The recurrences of one thing that was said. Raises _NotHeld."""
    if "count" in found.groups:
        yield from _after_a_while(found, times, local)
        return
    part = found.groups.get("part") or found.groups.get("relative", "")
    point = words()["points"].get(found.groups.get("point", ""))
    for at in [move_into(part, one) for one in times] or [read_part(part)]:
        base = Recurrence(kind=found.kind, at=at, point=point)  # type: ignore[arg-type]
        if found.kind == "once":
            yield from (
                base.model_copy(update={"first_day": day.isoformat()})
                for day in _days_once(found, local, at)
            )
        elif found.kind == "monthly":
            days: list[int | None] = [*found.dates]
            for day in days or [found.day]:
                if day is not None and not 1 <= day <= 31:
                    raise _NotHeld(found.groups["dates"])
                yield base.model_copy(update={"day": day})
        else:
            weekdays: list[int | None] = [*found.weekdays]
            for weekday in weekdays or [None]:
                yield base.model_copy(update={"weekday": weekday})


def _days_once(found: Found, local: datetime, at: str) -> list[date]:
    """The days of what is done once; a weekday is the next one. Raises _NotHeld."""
    today, groups = local.date(), found.groups
    try:
        if "date" in groups:
            return [date.fromisoformat(groups["date"])]
        if "month" in groups:
            month, day = words()["months"][groups["month"]], int(groups["month_day"])
            this = date(int(groups.get("year", today.year)), month, day)
            is_over = this < today and "year" not in groups
            return [this.replace(year=this.year + 1) if is_over else this]
    except ValueError:
        raise _NotHeld(" ".join(groups.values())) from None
    if "relative" in groups:
        return [today + timedelta(days=words()["relative"][groups["relative"]])]
    ahead = [(weekday - today.weekday()) % 7 for weekday in found.weekdays]
    has_passed = at <= f"{local:%H:%M}"
    return [today + timedelta(days=7 if not one and has_passed else one) for one in ahead]


def _after_a_while(found: Found, times: Sequence[str], local: datetime) -> Iterator[Recurrence]:
    """A minute that has begun counts as a whole one, so that nothing is due too early."""
    said, unit = found.groups["count"], found.groups["unit"]
    count = int(said) if said.isdigit() else words()["numbers"][said]
    # Wall-clock days, but real hours: both are what people mean.
    if unit in ("day", "week"):
        moment = local + timedelta(**{f"{unit}s": count})
    elif times:
        raise _NotHeld(f"in {said} {unit}", *times)
    else:
        later = local.timestamp() + timedelta(**{f"{unit}s": count}).total_seconds()
        moment = datetime.fromtimestamp(later, local.tzinfo)
    if moment.second or moment.microsecond:
        moment += timedelta(minutes=1)
    for at in times or [f"{moment:%H:%M}"]:
        yield Recurrence(kind="once", at=at, first_day=moment.date().isoformat())


def _take_exceptions(text: str) -> tuple[list[tuple[str, list[int]]], str]:
    found = []
    while match := exception_pattern().search(text):
        found.append((match.group(), list_weekdays(match["days"])))
        text = blank(text, match)
    return found, text


def _leave_out(
    made: Sequence[Recurrence], excepted: Sequence[tuple[str, list[int]]], today: date
) -> list[Recurrence]:
    """Without the days that are excepted. Raises _NotHeld where that is no list of weekdays."""
    without = {day for _, days in excepted for day in days}
    kept = []
    for one in made:
        if one.kind == "daily":
            days = [day for day in EVERY_WEEKDAY if day not in without]
            kept += [one.model_copy(update={"kind": "weekly", "weekday": day}) for day in days]
        elif one.kind in ("weekly", "biweekly") and one.weekday is not None:
            kept += [one] if one.weekday not in without else []
        else:
            raise _NotHeld(*(said for said, _ in excepted))
    if not kept:
        raise _NotHeld(*(said for said, _ in excepted))
    return kept


def _take_start(text: str, local: datetime) -> tuple[tuple[str, str] | None, str]:
    """From which day on, as it was said and as a day. Raises _NotHeld for what is no day."""
    match = start_pattern().search(text)
    if match is None:
        return None, text
    said, today = match["start"].lower(), local.date()
    if said == "next week":
        day = today + timedelta(days=7 - today.weekday())
    elif said in words()["relative"]:
        day = today + timedelta(days=words()["relative"][said])
    elif weekdays := list_weekdays(said):
        day = today + timedelta(days=(weekdays[0] - today.weekday()) % 7 or 7)
    else:
        try:
            day = date.fromisoformat(said)
        except ValueError:
            raise _NotHeld(said) from None
    return (match.group(), day.isoformat()), blank(text, match)


def _begin_at(one: Recurrence, said: str, first_day: str) -> Recurrence:
    if one.kind == "once":
        raise _NotHeld(said)
    return one.model_copy(update={"first_day": first_day})


def _check_left(text: str) -> None:
    """Raises _NotHeld for what is left of a text and still speaks of time."""
    pieces = (_EDGES.sub("", piece) for piece in text.split(READ))
    parts = [part for piece in pieces for part in find_parts(piece, left_patterns())]
    if parts:
        raise _NotHeld(*dict.fromkeys(parts))


def _take_priority(text: str) -> tuple[Priority, str]:
    for priority, said in words()["priorities"].items():
        for word in said:
            if match := re.search(rf"\b{word}\b", text, re.IGNORECASE):
                return priority, blank(text, match)
    return "scheduled", text


def _any_of(patterns: Sequence[str]) -> str:
    return rf"\b(?:{'|'.join(patterns)})\b"


def _trim(text: str) -> str:
    """Without what only joined it to the words that were taken out."""
    text, links = (
        " ".join(text.replace(READ, " ").split()),
        _any_of(words()["around"]["links"]),
    )
    while (shorter := re.sub(rf"^{links}\s+", "", _EDGES.sub("", text), flags=re.I)) != text:
        text = shorter
    return text


@cache
def _work_patterns() -> tuple[tuple[dict[str, Any], re.Pattern[str]], ...]:
    """Each matches the whole of what is wanted: "sync with the vendor" is no job."""
    around = words()["around"]
    before = rf"(?:(?:{'|'.join([*around['verbs'], *around['links']])})\s+)*"
    after = rf"(?:\s+(?:{'|'.join(around['trailing'])}))*"
    return tuple(
        (entry, re.compile(f"{before}(?:{each}){after}", NO_CASE))
        for entry in words()["work"]
        for each in entry["patterns"]
    )
