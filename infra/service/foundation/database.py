"""The database from asynchronous code: each question in a thread, so that the loop goes on."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from infra.platform import postgres
from infra.platform.errors import Unavailable
from infra.platform.loop import in_thread
from infra.platform.recording import note_recording
from infra.platform.settings import Settings
from projections.read.projects import find_project
from projections.read.session import Conn, reading

LOOK_EVERY_S = 0.05
VISIBLE_WITHIN_S = 30.0

P = ParamSpec("P")
T = TypeVar("T")


async def ask(settings: Settings, question: Callable[[Conn], T]) -> T:
    """Answer ``question`` from the tables. Raises DatabaseUnavailable, and what it raises."""

    def answer() -> T:
        with reading(settings.conninfo) as connection:
            return question(connection)

    return await in_thread(answer)


async def ask_project(
    settings: Settings,
    project: str,
    question: Callable[Concatenate[Conn, str, P], T],
    *given: P.args,
    **named: P.kwargs,
) -> T:
    """Answer a question about the project of this name or id. Raises NotFound and Conflict, too."""
    return await ask(
        settings,
        lambda tables: question(tables, find_project(tables, project), *given, **named),
    )


async def transact(settings: Settings, change: Callable[[Conn], T]) -> T:
    """Run ``change`` on a connection of its own. Raises DatabaseUnavailable, and what it raises.

    For what the database decides: jobs and pipelines. All else is published.
    """

    def write() -> T:
        with postgres.connect(settings.conninfo, autocommit=True) as connection:
            return change(connection)

    changed = await in_thread(write)
    note_recording()
    return changed


class Changes:
    """Changes one after another on one connection, for who looks every few seconds.

    A failure ends the connection, and the next change opens another. To be closed at the end.
    """

    def __init__(self, settings: Settings) -> None:
        self._conninfo = settings.conninfo
        self._opened = contextlib.ExitStack()
        self._connection: Conn | None = None

    async def make(self, change: Callable[[Conn], T]) -> T:
        """Run ``change``. Raises DatabaseUnavailable, and what it raises."""
        return await in_thread(partial(self._make, change))

    def close(self) -> None:
        self._opened.close()

    def _make(self, change: Callable[[Conn], T]) -> T:
        connection, self._connection = self._connection, None
        with self._opened.pop_all() as opened:
            if connection is None:
                opening = postgres.connect(self._conninfo, autocommit=True)
                connection = opened.enter_context(opening)
            changed = change(connection)
            self._connection, self._opened = connection, opened.pop_all()
        return changed


async def wait_for(
    settings: Settings, question: Callable[[Conn], T | None], *, timeout_s: float
) -> T | None:
    """Repeat ``question`` until the tables have an answer; None when they have none in time."""
    abandoned = threading.Event()

    def look(connection: Conn) -> T | None:
        deadline_s = time.monotonic() + timeout_s
        while (found := question(connection)) is None and time.monotonic() < deadline_s:
            if abandoned.wait(LOOK_EVERY_S):
                break
        return found

    try:
        return await ask(settings, look)
    finally:
        abandoned.set()


async def wait_until_shown(
    settings: Settings,
    question: Callable[[Conn], T | None],
    what: str = "The change",
    *,
    within_s: float = VISIBLE_WITHIN_S,
    **detail: str,
) -> T:
    """The answer, as soon as the tables show what was published.

    Raises Unavailable, whose ``detail`` names what was published.
    """
    shown = await wait_for(settings, question, timeout_s=within_s)
    if shown is None:
        raise Unavailable(
            f"{what} is recorded, but the tables do not hold it after {within_s:.0f} s.",
            code="tables_behind",
            detail=detail,
        )
    return shown
