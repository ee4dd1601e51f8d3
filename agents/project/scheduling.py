"""When work is due: recurrences, quiet hours and sprints, by the clocks of a project.

No clock is read here. A local time that the clocks skip (02:30 on a day on which they go from 02:00
to 03:00) is as much later (03:30); one that they show twice is the first. So work is done on each
of its days, and once.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from schemas.events.job import Priority
from schemas.events.schedule import QuietHours, Recurrence, SprintPoint
from schemas.time_zones import is_time_zone

DAY = timedelta(days=1)
FIELDS_OF_CRON, LONGEST_CRON = 5, 200
_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")
FIRST_YEAR, LAST_YEAR = 1970, 2999  # beyond them calendars and zones end
STEP_DAYS = {"daily": 1, "weekly": 7, "biweekly": 14}


@dataclass(frozen=True, slots=True)
class Sprint:
    """The days of a sprint, both included."""

    first_day: date
    last_day: date

    def day_of(self, point: SprintPoint) -> date:
        match point:
            case "start":
                return self.first_day
            case "midpoint":
                return self.first_day + (self.last_day - self.first_day) // 2
            case "end":
                return self.last_day


def next_run(
    recurrence: Recurrence, after: datetime, zone: ZoneInfo, sprints: Sequence[Sprint] = ()
) -> datetime | None:
    """The first moment later than ``after`` at which the work is due, in UTC; None: never."""
    if recurrence.kind == "cron":
        return _next_by_cron(recurrence, after, zone)
    at = time.fromisoformat(recurrence.at)
    yesterday = after.astimezone(zone).date() - DAY  # a skipped time may be the next day's
    first = max(yesterday, date.fromisoformat(recurrence.first_day or f"{FIRST_YEAR}-01-01"))
    for day in _days(recurrence, first, sprints):
        moment = instant(day, at, zone)
        if moment > after:
            return moment
    return None


def _next_by_cron(recurrence: Recurrence, after: datetime, zone: ZoneInfo) -> datetime | None:
    """As cron has it: a time that the clocks skip is the first after it, one that they show twice
    is the first; what comes every few minutes or hours comes in both hours.
    """
    own = ZoneInfo(recurrence.timezone) if recurrence.timezone else zone
    day = date.fromisoformat(recurrence.first_day or f"{FIRST_YEAR}-01-01")
    begin = max(after, instant(day, time(), own) - timedelta(seconds=1))
    try:
        following = next(CronSim(recurrence.cron, begin.astimezone(own)))
    except (CronSimError, StopIteration, OverflowError):
        return None
    return following.astimezone(UTC)


def instant(day: date, at: time, zone: ZoneInfo) -> datetime:
    """When the clocks of ``zone`` show that time, in UTC."""
    return datetime.combine(day, at, tzinfo=zone).astimezone(UTC)


def find_quiet_end(quiet: QuietHours | None, at: datetime, zone: ZoneInfo) -> datetime | None:
    """The end of the quiet hours that ``at`` is in, in UTC; None where it is in none."""
    if quiet is None:
        return None
    start, end = time.fromisoformat(quiet.start), time.fromisoformat(quiet.end)
    today = at.astimezone(zone).date()
    for day in (today - DAY, today):
        ends_at = instant(day + DAY if end <= start else day, end, zone)
        if instant(day, start, zone) <= at < ends_at:
            return ends_at
    return None


def defer_until(
    priority: Priority, quiet: QuietHours | None, at: datetime, zone: ZoneInfo
) -> datetime | None:
    """Until when work has to wait that is due at ``at``; None: not at all."""
    return None if priority == "urgent" else find_quiet_end(quiet, at, zone)


def slot_of(now: datetime, interval_s: int) -> datetime:
    """The beginning of the stretch of time that ``now`` is in; stretches are counted from 1970."""
    seconds = int(now.timestamp())
    return datetime.fromtimestamp(seconds - seconds % interval_s, UTC)


def _days(recurrence: Recurrence, first: date, sprints: Sequence[Sprint]) -> Iterator[date]:
    """The days of the recurrence from ``first`` on, in order."""
    match recurrence.kind:
        case "once":
            yield date.fromisoformat(recurrence.first_day)
        case "monthly":
            yield from _days_of_months(recurrence.day or 1, first)
        case "sprint":
            point = recurrence.point or "start"
            yield from sorted(day for it in sprints if (day := it.day_of(point)) >= first)
        case kind:
            yield from _days_of_weeks(recurrence, STEP_DAYS[kind], first)


def _days_of_weeks(recurrence: Recurrence, step: int, first: date) -> Iterator[date]:
    # Every second week counts from the first day; without one, from the first Monday there was.
    start = date.fromisoformat(recurrence.first_day or "0001-01-01")
    if recurrence.weekday is not None:
        start += DAY * ((recurrence.weekday - start.weekday()) % 7)
    start += DAY * (-((start - first).days // step) * step if start < first else 0)
    while True:
        yield start
        start += DAY * step


def _days_of_months(wanted: int, first: date) -> Iterator[date]:
    """A month that has no such day has its last one instead."""
    year, month = first.year, first.month
    while True:
        day = date(year, month, min(wanted, monthrange(year, month)[1]))
        if day >= first:
            yield day
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)


def check(recurrence: Recurrence) -> None:
    """Raises ValueError, with a sentence, for a recurrence that names no day or time."""
    if recurrence.kind == "cron":
        _check_cron(recurrence)
    elif recurrence.cron or recurrence.timezone:
        raise ValueError("Only a recurrence of the kind 'cron' has fields of cron and a zone.")
    else:
        check_time(recurrence.at)
    if recurrence.weekday is not None and not 0 <= recurrence.weekday <= 6:
        raise ValueError("A weekday is a number from 0 (Monday) to 6.")
    if recurrence.day is not None and not 1 <= recurrence.day <= 31:
        raise ValueError("A day of the month is a number from 1 to 31.")
    if recurrence.first_day and not _is_day(recurrence.first_day):
        raise ValueError(
            f"{recurrence.first_day!r} is no day from {FIRST_YEAR} to {LAST_YEAR}: write it like"
            " 2026-01-31."
        )


def _check_cron(recurrence: Recurrence) -> None:
    if recurrence.at or recurrence.weekday is not None or recurrence.day is not None:
        raise ValueError("A recurrence of the kind 'cron' says its times by its five fields alone.")
    if not is_cron(recurrence.cron):
        raise ValueError(
            f"{recurrence.cron!r} is no cron expression: write five fields, such as"
            " '0 9 * * mon,thu' (minute, hour, day of the month, month, weekday)."
        )
    if recurrence.timezone and not is_time_zone(recurrence.timezone):
        raise ValueError(
            f"{recurrence.timezone!r} is no time zone: write it like Europe/Berlin or UTC."
        )


def is_cron(text: str) -> bool:
    """Whether it is five fields of cron that name a time that comes."""
    if len(text) > LONGEST_CRON or len(text.split()) != FIELDS_OF_CRON:
        return False
    try:
        next(CronSim(text, datetime(FIRST_YEAR, 1, 1, tzinfo=UTC)))
    except (CronSimError, StopIteration, OverflowError, ValueError):
        return False
    return True


def check_time(at: str) -> None:
    """Raises ValueError, with a sentence, for what is no time of day."""
    if not _TIME.fullmatch(at):
        raise ValueError(f"{at!r} is no time of day: write it like 09:00.")


def _is_day(day: str) -> bool:
    try:
        date_given = date.fromisoformat(day)
    except ValueError:
        return False
    return date_given.isoformat() == day and FIRST_YEAR <= date_given.year <= LAST_YEAR


def complete(recurrence: Recurrence, today: date) -> Recurrence:
    """The same with all that its kind needs; what was left out is taken from its first day."""
    first = date.fromisoformat(recurrence.first_day) if recurrence.first_day else today
    fields: dict[str, object] = {"first_day": first.isoformat()}
    match recurrence.kind:
        case "weekly" | "biweekly" if recurrence.weekday is None:
            fields["weekday"] = first.weekday()
        case "monthly" if recurrence.day is None:
            fields["day"] = first.day
        case "sprint" if recurrence.point is None:
            fields["point"] = "start"
    return recurrence.model_copy(update=fields)
