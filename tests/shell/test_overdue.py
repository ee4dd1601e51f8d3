"""What waits for a quarter of an hour is asked for again: once, and then after as long again."""

import asyncio
from collections.abc import Collection, Sequence

from streams.shell.overdue import ASKED_AGAIN_AFTER_S, LOOK_EVERY_S, Overdue


def asked(seen: Sequence[tuple[float, set[str]]]) -> list[tuple[float, set[str]]]:
    """When what is asked for again, if at each of the times just this is awaited."""
    found: list[tuple[float, set[str]]] = []
    now = 0.0
    awaited: set[str] = set()

    async def ask_again(keys: Collection[str]) -> None:
        found.append((now, set(keys)))

    overdue = Overdue(lambda: awaited, ask_again)

    async def looked() -> None:
        nonlocal now, awaited
        for at, keys in seen:
            now, awaited = at, keys
            await overdue.look(now)

    asyncio.run(looked())
    return found


def minutes(first: int, last: int, *keys: str) -> list[tuple[float, set[str]]]:
    return [(60.0 * minute, set(keys)) for minute in range(first, last)]


def test_what_waits_for_a_quarter_of_an_hour_is_asked_for_once_and_again_after_another():
    assert asked(minutes(0, 15, "a")) == []
    late = float(ASKED_AGAIN_AFTER_S)
    assert asked(minutes(0, 30, "a")) == [(late, {"a"})]
    assert asked(minutes(0, 31, "a")) == [(late, {"a"}), (2 * late, {"a"})]


def test_only_what_has_waited_all_the_time_is_asked_for():
    seen = [*minutes(0, 10, "a", "b"), *minutes(10, 16, "b", "c")]
    assert asked(seen) == [(float(ASKED_AGAIN_AFTER_S), {"b"})]
    away = [*minutes(0, 10, "a"), *minutes(10, 11), *minutes(11, 25, "a")]
    assert asked(away) == []


def test_it_is_looked_at_no_more_often_than_needed():
    looks = 0

    def awaited() -> list[str]:
        nonlocal looks
        looks += 1
        return []

    async def ask_again(keys: Collection[str]) -> None: ...

    async def looked() -> None:
        overdue = Overdue(awaited, ask_again)
        for now in range(2 * LOOK_EVERY_S):
            await overdue.look(float(now))

    asyncio.run(looked())
    assert looks == 2
