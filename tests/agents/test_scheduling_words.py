"""What work is wanted and when, out of a sentence."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from agents.project.scheduling_words import ASSISTANT, find_work, parse_recurrence, parse_schedule

NOW = datetime(2026, 11, 26, 16, 0, 30, tzinfo=UTC)  # a Thursday, 17:00:30 in Berlin


def understand(text: str) -> tuple[str, str | None, str, dict[str, object]] | None:
    """Title, job, time and the rest of the recurrence."""
    found = parse_schedule(text, NOW, "Europe/Berlin")
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
        "remind us every weekday",  # five times a week is no recurrence
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
    found = parse_schedule(text, NOW, "Europe/Berlin")
    assert found is not None
    assert (found.work.agent, found.work.job_type) == (ASSISTANT, None)


def test_urgent_words_make_work_urgent():
    found = parse_schedule("tonight urgent risk check", NOW, "Europe/Berlin")
    assert found is not None
    assert (found.priority, found.work.agent, found.recurrence.at) == ("urgent", "analyst", "20:00")


def test_a_weekday_whose_time_has_passed_is_the_next_one():
    late = parse_recurrence("on thursday at 16:00", NOW, "Europe/Berlin")
    still = parse_recurrence("on thursday at 18:00", NOW, "Europe/Berlin")
    assert late and late.first_day == "2026-12-03"
    assert still and still.first_day == "2026-11-26"


def test_a_recurrence_alone_says_nothing_else():
    for alone in ("every day at 6 pm", "on tomorrow at 9", "on friday", "on 2026-12-01 at 10:00"):
        assert parse_recurrence(alone, NOW, "UTC") is not None
    assert parse_recurrence("every day at 6 pm sprint report", NOW, "UTC") is None


def test_work_is_named_in_either_order():
    assert find_work("report sprint") == find_work("the sprint report please")
    assert find_work("   ") is None
