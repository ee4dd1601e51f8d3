"""A title says in a few words what will be so, and can be read by itself."""

from __future__ import annotations

from datetime import date

import pytest

from streams.reduce.planning import Work, order, schedule
from streams.reduce.titles import GOOD_TITLE, fits_title, title_of
from tests.reduce.ledgers import a_requirement, an_atom


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("The relay must repeat a failed delivery", "Relay repeats a failed delivery"),
        ("Operators must also see every order, because they pay", "Operators see every order"),
        ("Profile names must be unique within a relay", "Profile names are unique within a relay"),
        ("All relays should carry a seal (of wax)", "Relays carry a seal"),
        ("We will introduce a durable queue for orders", "Introduce a durable queue for orders"),
        ("The relay should only store signed orders", "Relay only stores signed orders"),
        ("The relay has to copy every order twice", "Relay copies every order twice"),
    ],
)
def test_who_must_do_what_is_said_as_what_will_be_so(said, title):
    atom = a_requirement(said)

    assert title_of(title.split()[1], atom) == title
    assert fits_title(atom) >= GOOD_TITLE


@pytest.mark.parametrize(
    "said",
    [
        "If the queue is full the relay must stop the intake",
        "The relay must not lose an order on its way",
        "Whose orders should be kept is written in the contract",
        "It must be possible to see them in the list below",
    ],
)
def test_what_cannot_stand_alone_gives_no_title(said):
    assert fits_title(a_requirement(said)) < GOOD_TITLE


def test_a_title_without_its_topic_names_it_first():
    atom = an_atom("decision", "We will store every order on two disks")

    assert title_of("delivery queue", atom) == "Delivery queue: store every order on two disks"


def test_work_is_planned_by_priority_after_what_it_needs_three_at_a_time():
    work = [
        Work("late", 5, 0.1),
        Work("needs", 5, 0.9, ("base",)),
        Work("base", 5, 0.2),
        Work("other", 5, 0.8),
    ]
    plan = order(work)
    dates = schedule(plan, date(2026, 1, 5))

    assert [one.key for one in plan] == ["base", "needs", "other", "late"]
    assert dates["needs"].start > dates["base"].end
    for day in {one.start for one in dates.values()}:
        assert sum(one.start <= day <= one.end for one in dates.values()) <= 3


def test_twice_the_velocity_ends_the_plan_in_half_the_time():
    plan = order([Work(f"w{n}", 20, 0.5) for n in range(6)])
    start = date(2026, 1, 5)

    slow, fast = (
        max(one.end for one in schedule(plan, start, velocity).values()) for velocity in (20, 40)
    )

    assert 2 * ((fast - start).days + 1) == (slow - start).days + 1


def test_needs_that_go_in_a_circle_are_left_out_where_they_close_it():
    plan = order([Work("a", 1, 0.5, ("b",)), Work("b", 1, 0.4, ("a",))])

    assert [(one.key, one.needs) for one in plan] == [("b", ()), ("a", ("b",))]


def test_a_title_is_made_of_what_the_author_said_without_its_context():
    atom = an_atom(
        "decision",
        "Order intake: we will store every order on two disks",
        attributes={"context": "Order intake"},
    )

    assert title_of("delivery queue", atom) == "Delivery queue: store every order on two disks"
