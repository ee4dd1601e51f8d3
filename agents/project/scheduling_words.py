"""Read from a sentence what work is wanted and when: "every Monday at 9: sprint report".

The words are data (`scheduling_words.toml`). A sentence is understood whole or not at all: what is
left of it and still speaks of time is asked about, and never becomes the title of the work. Where
one recurrence cannot hold what is said, such as two days of a week, there are several.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from agents.project.scheduling import FIELDS_OF_CRON, complete, is_cron
from agents.runs.consent.imperatives import strip_lead
from agents.runs.consent.scheduling_patterns import (
    READ,
    DayPhrase,
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
from agents.runs.consent.scheduling_times import Time, move_into, read_part, take_times
from agents.runs.consent.scheduling_work import EDGES, Work, capitalise_title, find_work, trim
from schemas.events.job import Priority
from schemas.events.schedule import Recurrence

MOST_SCHEDULES = 14  # twice on each day of a week
LONGEST_READ = 600  # characters of a sentence
_QUOTED = re.compile(r"[«“„\"]([^«»“”„\"\n]{1,200})[»”“\"]")
_MARK = "\ue000"  # stands for the words in quotes: they are the work, whatever they say
EVERY_WEEKDAY = list(range(7))


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
    bare_text = strip_lead(" ".join(text.replace(READ, " ").replace(_MARK, " ").split()))
    if len(bare_text) > LONGEST_READ:
        return Unclear((), TOO_LONG)
    quoted = _QUOTED.search(bare_text)
    bare = (
        f"{bare_text[: quoted.start()]}{_MARK}{bare_text[quoted.end() :]}" if quoted else bare_text
    )
    try:
        recurrences, left = _take_when(bare, now.astimezone(ZoneInfo(timezone)))
        priority, left = _take_priority(left)
        work = find_work(left)
        if work is None or work.job_type is None:
            _check_left(left)
    except _NotHeld as wrong:
        return _ask_about(wrong.parts)
    if not recurrences:
        parts = list(find_parts(bare_text, left_patterns()))  # also in quotes
        return _ask_about(parts) if parts else Unclear((), NO_TIME)
    if work is None:
        return Unclear((bare_text,), NO_WORK.format(when=bare_text))
    if quoted:
        work = Work(capitalise_title(work.title.replace(_MARK, quoted[1])), work.agent)
    return tuple(ParsedSchedule(work, recurrence, priority) for recurrence in recurrences)


TOO_LONG = f"Say what is to be scheduled in at most {LONGEST_READ} characters."
NO_TIME = "That names no work with a time: say both, such as 'sprint report every monday at 09:00'."
NO_WORK = (
    "«{when}» says when, and not what: name the work, too, such as 'sprint report every monday at"
    " 09:00'."
)


def read_recurrence(text: str, now: datetime, timezone: str) -> Recurrence | Unclear:
    """Only when, and that by one recurrence: ``text`` says nothing else."""
    cleaned = " ".join(text.replace(READ, " ").split())
    if len(cleaned) > LONGEST_READ:
        return Unclear((), TOO_LONG)
    if by_cron := _read_cron(cleaned):
        return by_cron
    try:
        recurrences, left = _take_when(cleaned, now.astimezone(ZoneInfo(timezone)))
        _check_left(left)
    except _NotHeld as wrong:
        return _ask_about(wrong.parts)
    if len(recurrences) > 1 and (together := _join_weekdays(recurrences)):
        return together
    if len(recurrences) > 1:
        return Unclear(
            (cleaned,),
            f"{cleaned!r} takes {len(recurrences)} schedules: make one for each day and time.",
        )
    if not recurrences or trim(left):
        return Unclear((cleaned,), WRITE_LIKE.format(when=cleaned))
    return recurrences[0]


def _join_weekdays(made: Sequence[Recurrence]) -> Recurrence | None:
    """Several days of each week at one time, as one recurrence."""
    first = made[0]
    if any(
        (recurrence.kind, recurrence.at, recurrence.first_day)
        != ("weekly", first.at, first.first_day)
        for recurrence in made
    ):
        return None
    hour, minute = first.at.split(":")
    days = ",".join(str((recurrence.weekday or 0) + 1) for recurrence in made)
    cron = f"{int(minute)} {int(hour)} * * {days}"
    return Recurrence(kind="cron", cron=cron, first_day=first.first_day)


def _read_hours(match: re.Match[str]) -> Recurrence | None:
    """Every so many hours from midnight on, where each day then has the same."""
    number = match["count"] or "1"
    count = int(number) if number.isdigit() else words()["numbers"].get(number.lower(), 0)
    if not count or 24 % count:
        return None
    return Recurrence(kind="cron", cron="0 * * * *" if count == 1 else f"0 */{count} * * *")


def _read_cron(text: str) -> Recurrence | None:
    """``0 9 * * mon,thu``, with a time zone behind it where it is not the project's."""
    fields, zone = text, ""
    if len(parts := text.split()) == FIELDS_OF_CRON + 1:
        fields, zone = " ".join(parts[:-1]), parts[-1]
    if not is_cron(fields):
        return None
    return Recurrence(kind="cron", cron=fields, timezone=zone)


WRITE_LIKE = (
    "{when!r} says no time that is known: write it like 'every monday at 09:00', 'every other"
    " friday', 'every month on the 31st', 'every sprint end',"
    " '2026-12-01 at 15:00', or as cron does: '0 9 * * mon,thu Europe/Berlin'."
)


def _ask_about(parts: Sequence[str]) -> Unclear:
    text = ", ".join(f"«{part}»" for part in parts)
    return Unclear(
        tuple(parts),
        f"I did not understand {text}, so nothing is scheduled. Say it by days and times, such as"
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
    phrases, text = take_recurrences(text)
    if not phrases:
        if excepted or start:
            raise _NotHeld(*filter(None, [*(text for text, _ in excepted), start and start[0]]))
        return [], text
    times, text = take_times(text)
    _check_times(times)
    made: list[Recurrence] = []
    for phrase, its in _pair(phrases, times):
        raw = list(_spread(phrase, [time.at or "" for time in its], local))
        made += _leave_out(raw, excepted, local.date()) if excepted else raw
    if start:
        made = [_begin_at(recurrence, *start) for recurrence in made]
    if not made or len(made) > MOST_SCHEDULES:
        raise _NotHeld(*(" ".join(phrase.groups.values()) or phrase.kind for phrase in phrases))
    try:
        whole = [complete(recurrence, local.date()) for recurrence in dict.fromkeys(made)]
        # The earliest first: what has passed is refused before anything else is made.
        return sorted(
            whole, key=lambda recurrence: (recurrence.kind != "once", _first_moment(recurrence))
        ), text
    except (ValueError, OverflowError):
        raise _NotHeld(*(" ".join(phrase.groups.values()) for phrase in phrases)) from None


def _first_moment(recurrence: Recurrence) -> str:
    return f"{recurrence.first_day} {recurrence.at}" if recurrence.kind == "once" else ""


def _check_times(times: Sequence[Time]) -> None:
    """Raises _NotHeld for what is no time, and where it is not clear which half of the day is."""
    wrong = [time.said for time in times if time.at is None]
    for before, time in pairwise(times):
        if time.is_more and time.half == "p" and not before.half:  # "at 8 and 9 pm"
            wrong.append(before.said)
    if wrong:
        raise _NotHeld(*wrong)


def _pair(
    phrases: Sequence[DayPhrase], times: Sequence[Time]
) -> Iterator[tuple[DayPhrase, Sequence[Time]]]:
    """Which times belong to which days. Raises _NotHeld where that is not clear."""
    firsts = [time for time in times if not time.is_more]
    if len(firsts) > len(phrases):
        raise _NotHeld(*(time.said for time in times))
    if len(phrases) == 1 or not times or times[0].start > phrases[-1].start:
        yield from ((phrase, times) for phrase in phrases)
        return
    ends = [phrase.start for phrase in phrases[1:]] + [10**9]
    for phrase, end in zip(phrases, ends, strict=True):
        its = [time for time in times if phrase.start < time.start < end]
        if not its:
            raise _NotHeld(*(time.said for time in times))
        yield phrase, its


def _spread(phrase: DayPhrase, times: Sequence[str], local: datetime) -> Iterator[Recurrence]:
    """The recurrences of one thing that was said. Raises _NotHeld."""
    if "count" in phrase.groups:
        yield from _after_a_while(phrase, times, local)
        return
    part = phrase.groups.get("part") or phrase.groups.get("relative", "")
    point = words()["points"].get(phrase.groups.get("point", ""))
    for at in [move_into(part, time) for time in times] or [read_part(part)]:
        base = Recurrence(kind=phrase.kind, at=at, point=point)  # type: ignore[arg-type]
        if phrase.kind == "once":
            yield from (
                base.model_copy(update={"first_day": day.isoformat()})
                for day in _days_once(phrase, local, at)
            )
        elif phrase.kind == "monthly":
            days: list[int | None] = [*phrase.dates]
            for day in days or [phrase.day]:
                if day is not None and not 1 <= day <= 31:
                    raise _NotHeld(phrase.groups["dates"])
                yield base.model_copy(update={"day": day})
        else:
            weekdays: list[int | None] = [*phrase.weekdays]
            for weekday in weekdays or [None]:
                yield base.model_copy(update={"weekday": weekday})


def _days_once(phrase: DayPhrase, local: datetime, at: str) -> list[date]:
    """The days of what is done once; a weekday is the next one. Raises _NotHeld."""
    today, groups = local.date(), phrase.groups
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
    ahead = [(weekday - today.weekday()) % 7 for weekday in phrase.weekdays]
    has_passed = at <= f"{local:%H:%M}"
    return [today + timedelta(days=7 if not days and has_passed else days) for days in ahead]


def _after_a_while(
    phrase: DayPhrase, times: Sequence[str], local: datetime
) -> Iterator[Recurrence]:
    """A minute that has begun counts as a whole one, so that nothing is due too early."""
    number, unit = phrase.groups["count"], phrase.groups["unit"]
    count = int(number) if number.isdigit() else words()["numbers"][number]
    # Wall-clock days, but real hours: both are what people mean.
    if unit in ("day", "week"):
        moment = local + timedelta(**{f"{unit}s": count})
    elif times:
        raise _NotHeld(f"in {number} {unit}", *times)
    else:
        later = local.timestamp() + timedelta(**{f"{unit}s": count}).total_seconds()
        moment = datetime.fromtimestamp(later, local.tzinfo)
    if moment.second or moment.microsecond:
        moment += timedelta(minutes=1)
    for at in times or [f"{moment:%H:%M}"]:
        yield Recurrence(kind="once", at=at, first_day=moment.date().isoformat())


def _take_exceptions(text: str) -> tuple[list[tuple[str, list[int]]], str]:
    exceptions = []
    while match := exception_pattern().search(text):
        exceptions.append((match.group(), list_weekdays(match["days"])))
        text = blank(text, match)
    return exceptions, text


def _leave_out(
    made: Sequence[Recurrence], excepted: Sequence[tuple[str, list[int]]], today: date
) -> list[Recurrence]:
    """Without the days that are excepted. Raises _NotHeld where that is no list of weekdays."""
    without = {day for _, days in excepted for day in days}
    kept = []
    for recurrence in made:
        if recurrence.kind == "daily":
            days = [day for day in EVERY_WEEKDAY if day not in without]
            kept += [
                recurrence.model_copy(update={"kind": "weekly", "weekday": day}) for day in days
            ]
        elif recurrence.kind in ("weekly", "biweekly") and recurrence.weekday is not None:
            kept += [recurrence] if recurrence.weekday not in without else []
        else:
            raise _NotHeld(*(text for text, _ in excepted))
    if not kept:
        raise _NotHeld(*(text for text, _ in excepted))
    return kept


def _take_start(text: str, local: datetime) -> tuple[tuple[str, str] | None, str]:
    """From which day on, as it was said and as a day. Raises _NotHeld for what is no day."""
    match = start_pattern().search(text)
    if match is None:
        return None, text
    start, today = match["start"].lower(), local.date()
    if start == "next week":
        day = today + timedelta(days=7 - today.weekday())
    elif start in words()["relative"]:
        day = today + timedelta(days=words()["relative"][start])
    elif weekdays := list_weekdays(start):
        day = today + timedelta(days=(weekdays[0] - today.weekday()) % 7 or 7)
    else:
        try:
            day = date.fromisoformat(start)
        except ValueError:
            raise _NotHeld(start) from None
    return (match.group(), day.isoformat()), blank(text, match)


def _begin_at(recurrence: Recurrence, text: str, first_day: str) -> Recurrence:
    if recurrence.kind == "once":
        raise _NotHeld(text)
    return recurrence.model_copy(update={"first_day": first_day})


def _check_left(text: str) -> None:
    """Raises _NotHeld for what is left of a text and still speaks of time."""
    pieces = (EDGES.sub("", piece) for piece in text.split(READ))
    parts = [part for piece in pieces for part in find_parts(piece, left_patterns())]
    if parts:
        raise _NotHeld(*dict.fromkeys(parts))


def _take_priority(text: str) -> tuple[Priority, str]:
    for priority, patterns in words()["priorities"].items():
        for pattern in patterns:
            if match := re.search(rf"\b{pattern}\b", text, re.IGNORECASE):
                return priority, blank(text, match)
    return "scheduled", text
