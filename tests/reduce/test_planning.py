"""Planned work has an order by priority and need, and dates where a velocity is known."""

from __future__ import annotations

from datetime import date

from streams.reduce.features.planning import Work, order, schedule


def test_work_is_planned_by_priority_after_what_it_needs_three_at_a_time():
    work = [
        Work("late", 5, 0.1),
        Work("needs", 5, 0.9, ("base",)),
        Work("base", 5, 0.2),
        Work("other", 5, 0.8),
    ]
    plan = order(work)
    dates = schedule(plan, date(2026, 1, 5), 20)

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
