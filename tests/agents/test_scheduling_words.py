"""What work is wanted and when, out of a sentence."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.project.scheduling_words import (
    ParsedSchedule,
    Unclear,
    read_recurrence,
    read_schedules,
)
from agents.runs.consent.scheduling_work import ASSISTANT, find_work
from schemas.events.schedule import Recurrence

NOW = datetime(2026, 11, 26, 16, 0, 30, tzinfo=UTC)  # a Thursday, 17:00:30 in Berlin


def read_one(text: str) -> ParsedSchedule | None:
    """The one schedule that a sentence asks for; None: it is asked back."""
    found = read_schedules(text, NOW, "Europe/Berlin")
    if isinstance(found, Unclear):
        return None
    (one,) = found
    return one


def understand(text: str) -> tuple[str, str | None, str, dict[str, object]] | None:
    """Title, job, time and the rest of the recurrence."""
    found = read_one(text)
    if found is None:
        return None
    when = found.recurrence.model_dump(exclude={"kind", "at"}, exclude_none=True)
    kind, at = found.recurrence.kind, found.recurrence.at
    return found.work.title, found.work.job_type, f"{kind} {at}", when


@pytest.mark.parametrize(
    ("text", "title", "job_type", "when", "detail"),
    [
        (
            "every Monday 09:00: sprint report",
            *("Sprint report", "report", "weekly 09:00", {"weekday": 0}),
        ),
        (
            "Could you please make a sprint report every Monday at 9?",
            *("Sprint report", "report", "weekly 09:00", {"weekday": 0}),
        ),
        ("stand-up every morning", "Stand-up", "report", "daily 09:00", {}),
        ("every morning at 7.30 make the stand-up", "Stand-up", "report", "daily 07:30", {}),
        (
            "every other friday in the afternoon check the risks",
            *("Risk check", None, "biweekly 14:00", {"weekday": 4}),
        ),
        (
            "every two weeks on Tuesday 8am stand-up",
            *("Stand-up", "report", "biweekly 08:00", {"weekday": 1}),
        ),
        (
            "on the last day of every month send the management report to the team",
            *("Management report", "report", "monthly 09:00", {"day": 31}),
        ),
        (
            "every month on the 30th at noon forecast",
            *("Delivery forecast", "report", "monthly 12:00", {"day": 30}),
        ),
        (
            "at the end of every sprint at 17:00 a sprint report",
            *("Sprint report", "report", "sprint 17:00", {"point": "end"}),
        ),
        (
            "plan sprints halfway of each sprint",
            *("Sprint planning", "sprint_planning", "sprint 09:00", {"point": "midpoint"}),
        ),
        (
            "remind me to call the vendor tomorrow at 3 pm",
            *("Call the vendor", None, "once 15:00", {"first_day": "2026-11-27"}),
        ),
        (
            "Remind us on monday that we ship",
            *("We ship", None, "once 09:00", {"first_day": "2026-11-30"}),
        ),
        (
            "remind me in two hours to deploy",
            *("Deploy", None, "once 19:01", {"first_day": "2026-11-26"}),
        ),
        (
            "in 3 days quality check",
            *("Quality check of the PRD", "quality_run", "once 17:01", {"first_day": "2026-11-29"}),
        ),
        (
            "on 2026-12-24 at midnight sync all connectors",
            *("Reading of connected services", "connector_sync", "once 00:00"),
            {"first_day": "2026-12-24"},
        ),
    ],
)
def test_a_sentence_names_work_and_time(text, title, job_type, when, detail):
    found = understand(text)
    assert found is not None
    assert found[:3] == (title, job_type, when)
    assert found[3].items() >= detail.items()


@pytest.mark.parametrize(
    "text",
    [
        "what is the status?",
        "every monday",  # no work
        "every blue moon: sprint report",
        "every Monday at 25:00 sprint report",
        "on 2026-02-30 sprint report",
        "remind us every weekday",  # no work
        "",
    ],
)
def test_what_is_not_understood_is_not_guessed(text):
    assert understand(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "every monday sync with the vendor",
        "remind me every monday to write the sprint report",
        "every monday present the delivery forecast to the board of Acme",
    ],
)
def test_a_job_is_only_what_was_named_and_nothing_more(text):
    found = read_one(text)
    assert found is not None
    assert (found.work.agent, found.work.job_type) == (ASSISTANT, None)


def test_urgent_words_make_work_urgent():
    found = read_one("tonight urgent risk check")
    assert found is not None
    assert (found.priority, found.work.agent, found.recurrence.at) == ("urgent", "analyst", "20:00")


def test_a_weekday_whose_time_has_passed_is_the_next_one():
    late = read_recurrence("on thursday at 16:00", NOW, "Europe/Berlin")
    still = read_recurrence("on thursday at 18:00", NOW, "Europe/Berlin")
    assert isinstance(late, Recurrence) and late.first_day == "2026-12-03"
    assert isinstance(still, Recurrence) and still.first_day == "2026-11-26"


def test_a_recurrence_alone_says_nothing_else():
    for alone in ("every day at 6 pm", "on tomorrow at 9", "on friday", "on 2026-12-01 at 10:00"):
        assert isinstance(read_recurrence(alone, NOW, "UTC"), Recurrence)
    assert isinstance(read_recurrence("every day at 6 pm sprint report", NOW, "UTC"), Unclear)
    several = read_recurrence("weekdays at 8 and 17", NOW, "UTC")
    assert isinstance(several, Unclear) and "10 schedules" in several.question


def test_work_is_named_in_either_order():
    assert find_work("report sprint") == find_work("the sprint report please")
    assert find_work("   ") is None


def when_of(text: str) -> list[tuple[object, ...]] | Unclear:
    """Kind, time and day of each schedule."""
    found = read_schedules(text, NOW, "Europe/Berlin")
    if isinstance(found, Unclear):
        return found
    return [
        (
            it.recurrence.kind,
            it.recurrence.at,
            it.recurrence.first_day
            if it.recurrence.kind == "once"
            else it.recurrence.weekday
            if it.recurrence.day is None
            else it.recurrence.day,
        )
        for it in found
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "every tuesday and friday at 8: stand-up",
            [("weekly", "08:00", 1), ("weekly", "08:00", 4)],
        ),
        ("stand-up mondays & fridays", [("weekly", "09:00", 0), ("weekly", "09:00", 4)]),
        ("tue-thu at 10 remind me to oil", [("weekly", "10:00", day) for day in (1, 2, 3)]),
        ("friday to monday at 7 sync", [("weekly", "07:00", day) for day in (0, 4, 5, 6)]),
        (
            "each day except saturday at 7 stand-up",
            [("weekly", "07:00", d) for d in (0, 1, 2, 3, 4, 6)],
        ),
        ("every weekday but not on friday: stand-up", [("weekly", "09:00", d) for d in range(4)]),
        ("weekends at noon sync", [("weekly", "12:00", 5), ("weekly", "12:00", 6)]),
        (
            "every monday at 8 and 17: stand-up",
            [("weekly", "08:00", 0), ("weekly", "17:00", 0)],
        ),
        (
            "every monday at 9 and every thursday at 5 pm: stand-up",
            [("weekly", "09:00", 0), ("weekly", "17:00", 3)],
        ),
        ("every other tue and thu stand-up", [("biweekly", "09:00", 1), ("biweekly", "09:00", 3)]),
        ("on the 3rd and the 20th: forecast", [("monthly", "09:00", 3), ("monthly", "09:00", 20)]),
        ("every month on the first forecast", [("monthly", "09:00", 1)]),
        ("every fifth of the month: forecast", [("monthly", "09:00", 5)]),
        ("every evening at 8 stand-up", [("daily", "20:00", None)]),
        ("at 8 in the evening every friday stand-up", [("weekly", "20:00", 4)]),
        ("in 2 days at 10 forecast", [("once", "10:00", "2026-11-28")]),
        ("on december 24 at 10 remind me to bake", [("once", "10:00", "2026-12-24")]),
        ("on 3 march forecast", [("once", "09:00", "2027-03-03")]),
        (
            "remind us on monday and friday to ship",
            [("once", "09:00", "2026-11-27"), ("once", "09:00", "2026-11-30")],
        ),
    ],
)
def test_what_one_recurrence_cannot_hold_is_several(text, wanted):
    found = when_of(text)
    assert not isinstance(found, Unclear), found
    assert sorted(found, key=str) == sorted(wanted, key=str)


def test_a_schedule_begins_when_it_is_said_to():
    found = read_one("from next week every monday: sprint report")
    assert found and found.recurrence.first_day == "2026-11-30"
    found = read_one("every friday starting 2027-01-01: sprint report")
    assert found and found.recurrence.first_day == "2027-01-01"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("every wednesday but not on holidays: stand-up", "but not on holidays"),
        ("every third thursday: stand-up", "every third thursday"),
        ("last tuesday of the month: stand-up", "last tuesday of the month"),
        ("first monday of every month: stand-up", "first monday of every month"),
        ("twice a week check the risks", "twice a week"),
        ("quarterly forecast", "quarterly"),
        ("every 3 days stand-up", "every 3 days"),
        ("every other day stand-up", "every other day"),
        ("every monday until june: stand-up", "until june"),
        ("every monday or tuesday: stand-up", "monday or tuesday"),
        ("every monday for 3 weeks: stand-up", "for 3 weeks"),
        ("every monday at 8 and 9 pm stand-up", "at 8"),
        ("every monday at 25:00 stand-up", "at 25:00"),
        ("on 2026-02-30 stand-up", "2026-02-30"),
        ("every sprint except friday: stand-up", "except friday"),
        ("remind me on friday to prepare monday's show", "monday"),
        ("thursday at 9: stand-up", "thursday"),
        ("every friday at 4 remind me of the 9 am call", "9 am"),
        ("every monday", "every monday"),
    ],
)
def test_what_is_not_understood_is_named_in_a_question(text, part):
    found = read_schedules(text, NOW, "Europe/Berlin")
    assert isinstance(found, Unclear), found
    assert part in found.parts
    assert part in found.question


def test_words_in_quotes_are_the_work_whatever_they_say():
    found = read_one("remind me on friday: «prepare monday's show at 9»")
    assert found
    assert found.work.title == "Prepare monday's show at 9"
    assert (found.recurrence.kind, found.recurrence.at) == ("once", "09:00")


DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SAID = st.lists(
    st.sampled_from(
        [
            *DAYS,
            *(f"{day}s" for day in DAYS),
            "mon",
            "every",
            "other",
            "second",
            "each",
            "and",
            "or",
        ]
        + ["except", "not", "on", "at", "8", "17:30", "9 pm", "noon", "the", "of", "month", "week"]
        + ["day", "weekdays", "to", "-", ",", ":", "in", "3", "days", "until", "next", "first"]
        + ["15th", "from", "starting", "sprint", "report", "remind me", "call the depot", "daily"]
        + ["«", "»", "twice", "holidays", "december", "tomorrow", "2026-12-01"]
    ),
    max_size=14,
).map(" ".join)


@settings(max_examples=400, deadline=None)
@given(SAID)
def test_each_day_that_is_named_is_in_the_schedules_or_in_the_question(text: str):
    found = read_schedules(text, NOW, "Europe/Berlin")
    named = {day for day in DAYS if day in text}
    if isinstance(found, Unclear):
        asked = f"{' '.join(found.parts)} {found.question}".lower()
        assert found.question and (
            not found.parts or all(it in found.question for it in found.parts)
        )
        assert not named or found.parts, (text, asked)
        return
    titles = " ".join(it.work.title.lower() for it in found)
    if "«" not in text:
        assert not any(day in titles for day in DAYS), (text, titles)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_understood_or_asked_about(text: str):
    read_schedules(text, NOW, "Europe/Berlin")
    read_recurrence(text, NOW, "Europe/Berlin")


def test_a_long_text_is_asked_about():
    for text in (
        "every monday and " * 3_000,
        "at 9 and " * 3_000,
        "the first, " * 3_000,
        "9" * 9_000,
    ):
        assert isinstance(read_schedules(text, NOW, "Europe/Berlin"), Unclear)


@pytest.mark.parametrize(
    ("text", "cron", "zone"),
    [
        ("0 9 * * mon,thu", "0 9 * * mon,thu", ""),
        ("15 7 1 * * Europe/Lisbon", "15 7 1 * *", "Europe/Lisbon"),
        ("every 2 hours", "0 */2 * * *", ""),
        ("hourly", "0 * * * *", ""),
        ("every monday and thursday at 9", "0 9 * * 1,4", ""),
        ("weekdays at 8:30", "30 8 * * 1,2,3,4,5", ""),
    ],
)
def test_fields_of_cron_hours_and_lists_of_weekdays_are_one_recurrence(text, cron, zone):
    found = read_recurrence(text, NOW, "Europe/Berlin")
    assert isinstance(found, Recurrence)
    assert (found.kind, found.cron, found.timezone) == ("cron", cron, zone)


@pytest.mark.parametrize("text", ["every 5 hours", "every 2 hours on weekdays", "61 * * * *"])
def test_hours_that_days_do_not_share_evenly_are_asked_about(text):
    assert isinstance(read_recurrence(text, NOW, "Europe/Berlin"), Unclear)
