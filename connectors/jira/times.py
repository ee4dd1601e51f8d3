"""Times as Jira shows them to people: in the order, with the words of a locale.

The interface writes ISO 8601. Exports write what the reader's settings say: ``14/Jan/25 9:05 AM``,
``14.01.25 09:05``, ``2025/01/14 午前9:05``. A written time without a zone is read as UTC. Where
numbers alone leave open which is the day, the other times of the file decide (``Order``).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Literal

from connectors.jira.months import AFTERNOON, MONTHS, MORNING, YEAR_FIRST

Order = Literal["dmy", "mdy", "ymd"]
USUAL: tuple[Order, ...] = ("dmy", "mdy")  # a year of two digits comes first only in few locales
LONGEST_TIME = 60  # characters
FIRST_MS, LAST_MS = 10**11, 10**14  # of the epoch: years 1973 to 5138
CENTURY = 2000
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,](\d{1,9}))?\s*(.*)", re.DOTALL)
_ZONE = re.compile(r"([+-])(\d{2}):?(\d{2})\b|\b(Z|UTC|GMT)\b")
_PART = re.compile(r"\d{1,2}[月월]|\d+|[^\W\d_]+(?:\.[^\W\d_]+)*\.?")
_BETWEEN = re.compile(r"(?<=\d)\s*([./-])\s*(?=\d)")


@dataclass(frozen=True, slots=True)
class Written:
    """The parts of a time: three numbers of a date in their order, or with a month by name."""

    numbers: tuple[int, ...]
    digits: tuple[int, ...]
    month: int | None
    month_first: bool
    year_first: bool
    mark: str
    clock: timedelta
    zone: timezone | None


def time_written(written: str, order: Order | None = None) -> datetime | None:
    """The time in UTC; None where it is none, or may be two."""
    with suppress(ValueError, OverflowError):
        parsed = datetime.fromisoformat(written)  # what the interface writes, and quickly
        return parsed.replace(tzinfo=parsed.tzinfo or UTC).astimezone(UTC)
    parts = _parts(written)
    if parts is None:
        return None
    if order and parts.month is None:
        return _at(parts, order)
    timestamps = {at for each in USUAL if (at := _at(parts, each))}
    return timestamps.pop() if len(timestamps) == 1 else None if timestamps else _at(parts, "ymd")


def time_of_number(ms: int) -> datetime | None:
    """A time in milliseconds of the epoch; None for another number."""
    in_range = FIRST_MS <= ms < LAST_MS
    return datetime.fromtimestamp(ms // 1000, UTC) if in_range else None


def order_of(pairs: Iterable[tuple[str, str]]) -> Order | None:
    """The one order in which all these times can be read; None where several can.

    Of each pair the first time is not after the second: of creation and change, for example.
    """
    fitting: list[Order] = [*USUAL, "ymd"]
    for pair in pairs:
        parts = [each for it in pair if (each := _parts(it)) and each.month is None]
        fitting = [order for order in fitting if _fits(parts, order)] or fitting
    usual = [order for order in fitting if order in USUAL] or fitting
    return usual[0] if len(usual) == 1 else None


def _fits(parts: list[Written], order: Order) -> bool:
    times = [_at(each, order) for each in parts]
    timestamps = [at for at in times if at]
    return len(timestamps) == len(times) and timestamps == sorted(timestamps)


def _parts(written: str) -> Written | None:
    text = unicodedata.normalize("NFKC", written).strip()
    if len(text) > LONGEST_TIME:
        return None
    clock = _CLOCK.search(text)
    date, after = (text[: clock.start()], clock[5]) if clock else (text, "")
    zone, after = _zone_of(after) if clock else (None, "")
    numbers, words, months, month_first = list[str](), list[str](), list[int](), False
    for part in _PART.findall(f"{date} {after}"):
        name = part.casefold().rstrip(".")
        named = int(part[:-1]) if part[-1] in "月월" and part[0].isdigit() else MONTHS.get(name)
        if named and not months:
            months, month_first = [named], not numbers
        else:
            (numbers if part.isdigit() else words).append(name)
    marks = set(_BETWEEN.findall(date))
    is_told = bool(clock or months or not words)
    if len(numbers) + len(months) != 3 or not is_told or not _are_fillers(words):
        return None
    return Written(
        numbers=tuple(map(int, numbers)),
        digits=tuple(map(len, numbers)),
        month=months[0] if months else None,
        month_first=month_first,
        year_first=not YEAR_FIRST.isdisjoint(words),
        mark=marks.pop() if len(marks) == 1 else "",
        clock=_clock_of(clock, words) if clock else timedelta(),
        zone=zone,
    )


def _zone_of(after: str) -> tuple[timezone | None, str]:
    match = _ZONE.search(after)
    if not match:
        return None, after
    rest = after[: match.start()] + after[match.end() :]
    if not match[1]:
        return UTC, rest
    offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
    if offset >= timedelta(hours=24):
        return None, rest
    return timezone(-offset if match[1] == "-" else offset), rest


def _are_fillers(words: list[str]) -> bool:
    """Whether words between the parts can be days of the week, marks of the hour, and the like."""
    return len(words) <= 3 and all(len(word) <= 10 for word in words)


def _clock_of(clock: re.Match[str], words: list[str]) -> timedelta:
    hour, minute, second = int(clock[1]), int(clock[2]), int(clock[3] or 0)
    bare = [word.replace(".", "") for word in words]
    spellings = {*bare, "".join(bare)}  # «a. m.» is two words
    if spellings & AFTERNOON and hour < 12:
        hour += 12
    elif spellings & MORNING and hour == 12:
        hour = 0
    micros = int((clock[4] or "0")[:6].ljust(6, "0"))
    return timedelta(hours=hour, minutes=minute, seconds=second, microseconds=micros)


def _at(parts: Written, order: Order) -> datetime | None:
    """The time if the numbers are read in this order."""
    try:
        year, month, day = _date_of(parts, order)
        at = datetime(year, month, day, tzinfo=parts.zone or UTC) + parts.clock
        in_utc = at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return in_utc if parts.clock < timedelta(days=1) else None


def _date_of(parts: Written, order: Order) -> tuple[int, int, int]:
    numbers, digits = parts.numbers, parts.digits
    if parts.month is not None:
        first, last = numbers
        year_first = digits[0] == 4 or (not parts.month_first and first > 31)
        year, day = (first, last) if year_first else (last, first)
        return _year(year, digits), parts.month, day
    if digits[0] == 4 or parts.year_first:
        return _year(numbers[0], digits), numbers[1], numbers[2]
    if parts.mark == "." or (order == "dmy"):
        if order != "dmy":
            raise ValueError("with points the day is first")
        return _year(numbers[2], digits), numbers[1], numbers[0]
    if order == "mdy":
        return _year(numbers[2], digits), numbers[0], numbers[1]
    if digits[2] == 4:
        raise ValueError("the year is last")
    return _year(numbers[0], digits), numbers[1], numbers[2]


def _year(number: int, digits: tuple[int, ...]) -> int:
    """A year of two digits is of this century, where no number of the date has four."""
    return number + CENTURY if number < 100 and max(digits) <= 2 else number
