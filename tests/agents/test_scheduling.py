"""When work is due: recurrences over months, leap years and clock changes, and quiet hours."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.project.scheduling import (
    Sprint,
    check,
    complete,
    defer_until,
    find_quiet_end,
    instant,
    next_run,
    slot_of,
)
from schemas.events.schedule import QuietHours, Recurrence

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = [
    ZoneInfo(name)
    for name in (
        *("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"),
        *("America/Sao_Paulo", "Pacific/Apia", "Africa/Casablanca"),
    )
]
SPRINTS = (
    Sprint(date(2026, 1, 5), date(2026, 1, 18)),
    Sprint(date(2026, 1, 19), date(2026, 2, 1)),
)


def local(text: str, zone: ZoneInfo = BERLIN) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def run_after(after: str, zone: ZoneInfo = BERLIN, **fields: object) -> str | None:
    """The next run on the local clock."""
    recurrence = Recurrence.model_validate({"at": "09:00", **fields})
    found = next_run(recurrence, local(after, zone), zone, SPRINTS)
    return f"{found.astimezone(zone):%Y-%m-%d %H:%M}" if found else None


@pytest.mark.parametrize(
    ("after", "fields", "expected"),
    [
        ("2026-03-02T08:59", {"kind": "daily"}, "2026-03-02 09:00"),
        ("2026-03-02T09:00", {"kind": "daily"}, "2026-03-03 09:00"),
        ("2026-12-31T10:00", {"kind": "daily"}, "2027-01-01 09:00"),
        ("2026-11-26T12:00", {"kind": "weekly", "weekday": 0}, "2026-11-30 09:00"),
        ("2026-11-30T09:00", {"kind": "weekly", "weekday": 0}, "2026-12-07 09:00"),
        (
            "2026-11-26T12:00",
            {"kind": "weekly", "weekday": 0, "first_day": "2027-01-01"},
            "2027-01-04 09:00",
        ),
        (
            "2026-11-26T12:00",
            {"kind": "biweekly", "weekday": 4, "first_day": "2026-11-13"},
            "2026-11-27 09:00",
        ),
        (
            "2026-11-27T09:00",
            {"kind": "biweekly", "weekday": 4, "first_day": "2026-11-13"},
            "2026-12-11 09:00",
        ),
        ("2026-01-31T10:00", {"kind": "monthly", "day": 31}, "2026-02-28 09:00"),
        ("2028-01-31T10:00", {"kind": "monthly", "day": 31}, "2028-02-29 09:00"),
        ("2026-02-28T10:00", {"kind": "monthly", "day": 31}, "2026-03-31 09:00"),
        ("2026-02-01T10:00", {"kind": "monthly", "day": 29}, "2026-02-28 09:00"),
        ("2026-03-31T10:00", {"kind": "monthly", "day": 30}, "2026-04-30 09:00"),
        ("2026-12-31T10:00", {"kind": "monthly", "day": 15}, "2027-01-15 09:00"),
        ("2026-02-01T10:00", {"kind": "once", "first_day": "2026-02-03"}, "2026-02-03 09:00"),
        ("2026-02-03T09:00", {"kind": "once", "first_day": "2026-02-03"}, None),
        ("2026-01-01T10:00", {"kind": "sprint", "point": "start"}, "2026-01-05 09:00"),
        ("2026-01-05T09:00", {"kind": "sprint", "point": "start"}, "2026-01-19 09:00"),
        ("2026-01-06T09:00", {"kind": "sprint", "point": "midpoint"}, "2026-01-11 09:00"),
        ("2026-01-18T08:00", {"kind": "sprint", "point": "end"}, "2026-01-18 09:00"),
        ("2026-02-01T09:00", {"kind": "sprint", "point": "end"}, None),
    ],
)
def test_the_next_run_is_on_the_day_that_the_recurrence_names(after, fields, expected):
    assert run_after(after, **fields) == expected


@pytest.mark.parametrize(
    ("after", "at", "zone", "expected"),
    [
        # Berlin goes from 02:00 to 03:00 on 29 March, and from 03:00 to 02:00 on 25 October 2026.
        ("2026-03-28T10:00", "09:00", BERLIN, "2026-03-29T07:00"),
        ("2026-03-27T10:00", "09:00", BERLIN, "2026-03-28T08:00"),
        ("2026-10-25T05:00", "09:00", BERLIN, "2026-10-25T08:00"),
        ("2026-03-28T10:00", "02:30", BERLIN, "2026-03-29T01:30"),  # skipped: 03:30 local
        ("2026-10-24T10:00", "02:30", BERLIN, "2026-10-25T00:30"),  # twice: the first
        ("2026-03-07T10:00", "02:30", ZoneInfo("America/New_York"), "2026-03-08T07:30"),
        ("2026-10-03T10:00", "02:15", ZoneInfo("Australia/Lord_Howe"), "2026-10-03T15:45"),
    ],
)
def test_the_local_time_is_kept_when_the_clocks_change(after, at, zone, expected):
    found = next_run(Recurrence(kind="daily", at=at), local(after, zone), zone)
    assert found == datetime.fromisoformat(expected).replace(tzinfo=UTC)


def test_a_time_that_the_clocks_show_twice_is_used_once():
    daily = Recurrence(kind="daily", at="02:30")
    first = next_run(daily, local("2026-10-25T00:00"), BERLIN)
    assert first is not None
    assert next_run(daily, first, BERLIN) == datetime(2026, 10, 26, 1, 30, tzinfo=UTC)


moments = st.integers(946_684_800, 2_840_140_800).map(lambda s: datetime.fromtimestamp(s, UTC))
times = st.times().map(lambda at: f"{at:%H:%M}")
days = st.dates(date(1999, 1, 1), date(2061, 1, 1)).map(date.isoformat)
recurrences = st.builds(
    Recurrence,
    kind=st.sampled_from(["daily", "weekly", "biweekly", "monthly"]),
    at=times,
    weekday=st.integers(0, 6),
    day=st.integers(1, 31),
    first_day=days,
)


@given(recurrences, moments, st.sampled_from(ZONES))
def test_the_next_run_is_later_and_on_the_local_time(recurrence, after, zone):
    found = next_run(recurrence, after, zone)
    assert found is not None and found > after

    shown = found.astimezone(zone)
    wanted = time.fromisoformat(recurrence.at)
    same_day = datetime.combine(shown.date(), wanted, tzinfo=zone)
    is_skipped = same_day.astimezone(UTC).astimezone(zone).time() != wanted
    assert shown.time() == wanted or is_skipped or zone.key == "Pacific/Apia"
    if recurrence.kind in ("weekly", "biweekly") and shown.time() == wanted:
        assert shown.weekday() == recurrence.weekday
    assert shown.date() >= date.fromisoformat(recurrence.first_day)


@given(recurrences, moments, st.sampled_from(ZONES))
def test_runs_follow_each_other_without_a_gap(recurrence, after, zone):
    """From just before a run the same run is found: none is passed over."""
    found = next_run(recurrence, after, zone)
    assert found is not None
    assert next_run(recurrence, found - timedelta(seconds=1), zone) == found
    following = next_run(recurrence, found, zone)
    longest = {"daily": 2, "weekly": 8, "biweekly": 15, "monthly": 32}[recurrence.kind]
    assert following is not None and following - found <= timedelta(days=longest + 1)


NIGHT = QuietHours(start="22:00", end="07:00")
LUNCH = QuietHours(start="12:00", end="13:00")


@pytest.mark.parametrize(
    ("quiet", "at", "expected"),
    [
        (NIGHT, "2026-03-02T21:59", None),
        (NIGHT, "2026-03-02T22:00", "2026-03-03T07:00"),
        (NIGHT, "2026-03-03T06:59", "2026-03-03T07:00"),
        (NIGHT, "2026-03-03T07:00", None),
        (LUNCH, "2026-03-03T12:30", "2026-03-03T13:00"),
        (LUNCH, "2026-03-03T13:00", None),
        (NIGHT, "2026-03-28T23:00", "2026-03-29T07:00"),  # this night has 8 hours
        (None, "2026-03-02T23:00", None),
    ],
)
def test_quiet_hours_end_on_the_local_clock(quiet, at, expected):
    found = find_quiet_end(quiet, local(at), BERLIN)
    assert found == (local(expected).astimezone(UTC) if expected else None)


@given(times, times, moments, st.sampled_from(ZONES))
def test_after_the_end_of_quiet_hours_it_is_not_quiet(start, end, at, zone):
    if start == end:
        return
    quiet = QuietHours(start=start, end=end)
    ends_at = find_quiet_end(quiet, at, zone)
    if ends_at is not None:
        assert ends_at > at
        assert ends_at == instant(
            ends_at.astimezone(zone).date(), time.fromisoformat(end), zone
        ) or (ends_at.astimezone(zone).strftime("%H:%M") != end)


def test_only_urgent_work_runs_in_quiet_hours():
    at = local("2026-03-02T23:00")
    morning = local("2026-03-03T07:00")

    assert defer_until("urgent", NIGHT, at, BERLIN) is None
    assert defer_until("scheduled", NIGHT, at, BERLIN) == morning
    assert defer_until("background", NIGHT, at, BERLIN) == morning
    assert defer_until("background", NIGHT, local("2026-03-02T12:00"), BERLIN) is None


def test_what_a_recurrence_leaves_out_is_taken_from_its_first_day():
    today = date(2026, 11, 26)  # a Thursday
    assert complete(Recurrence(kind="weekly", at="09:00"), today).weekday == 3
    assert complete(Recurrence(kind="monthly", at="09:00"), today).day == 26
    assert complete(Recurrence(kind="sprint", at="09:00"), today).point == "start"
    assert complete(Recurrence(kind="once", at="09:00"), today).first_day == "2026-11-26"


@pytest.mark.parametrize(
    "wrong",
    [{"at": "9:00"}, {"at": "24:00"}, {"weekday": 7}, {"day": 32}, {"first_day": "2026-02-30"}],
)
def test_a_recurrence_that_names_no_time_is_refused(wrong):
    with pytest.raises(ValueError, match=r"\.$"):
        check(Recurrence.model_validate({"kind": "daily", "at": "09:00"} | wrong))


def test_slots_are_the_same_on_every_machine():
    assert slot_of(datetime(2026, 3, 2, 9, 14, 59, tzinfo=UTC), 900) == datetime(
        2026, 3, 2, 9, 0, tzinfo=UTC
    )
    assert slot_of(local("2026-03-02T10:15"), 900) == datetime(2026, 3, 2, 9, 15, tzinfo=UTC)


@pytest.mark.parametrize("day", ["0001-01-01", "1969-12-31", "3000-01-01", "9999-12-31"])
@pytest.mark.parametrize("kind", ["once", "daily", "weekly", "monthly"])
def test_a_day_at_the_end_of_the_calendar_is_refused(kind: Any, day: str):
    with pytest.raises(ValueError, match="is no day from 1970 to 2999"):
        check(Recurrence(kind=kind, at="23:30", first_day=day))


def by_cron(fields: str, **given: Any) -> Recurrence:
    return Recurrence(kind="cron", cron=fields, **given)


def test_fields_of_cron_are_due_as_cron_has_them_on_clocks_of_their_own():
    after = datetime(2026, 3, 2, 12, tzinfo=UTC)  # a Monday
    assert next_run(by_cron("0 9 * * mon,thu"), after, BERLIN) == datetime(
        2026, 3, 5, 8, tzinfo=UTC
    )
    tokyo = by_cron("30 9 * * *", timezone="Asia/Tokyo")
    assert next_run(tokyo, after, BERLIN) == datetime(2026, 3, 3, 0, 30, tzinfo=UTC)
    later = by_cron("0 */6 * * *", first_day="2026-03-10")
    assert next_run(later, after, BERLIN) == datetime(2026, 3, 9, 23, tzinfo=UTC)


def test_what_comes_by_cron_comes_once_where_the_clocks_skip_or_repeat_its_time():
    skipped = next_run(by_cron("30 2 * * *"), datetime(2026, 3, 28, 12, tzinfo=UTC), BERLIN)
    assert skipped == datetime(2026, 3, 29, 1, tzinfo=UTC)
    first = next_run(by_cron("30 2 * * *"), datetime(2026, 10, 24, 12, tzinfo=UTC), BERLIN)
    assert first == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert next_run(by_cron("30 2 * * *"), first, BERLIN) == datetime(
        2026, 10, 26, 1, 30, tzinfo=UTC
    )


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (by_cron("61 * * * *"), "no cron expression"),
        (by_cron("0 0 30 2 *"), "no cron expression"),
        (by_cron("* * * * * *"), "no cron expression"),
        (by_cron("@daily"), "no cron expression"),
        (by_cron("0 9 * * *", timezone="Mars/Base"), "no time zone"),
        (by_cron("0 9 * * *", at="09:00"), "five fields alone"),
        (
            Recurrence(kind="daily", at="09:00", timezone="UTC"),
            "Only a recurrence of the kind 'cron'",
        ),
    ],
)
def test_fields_that_name_no_time_are_refused_with_a_sentence(wrong: Recurrence, told: str):
    with pytest.raises(ValueError, match=told):
        check(wrong)
