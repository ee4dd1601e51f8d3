"""Connections that the questions of a server share, since opening one costs more than most answers.

Each question runs in a thread that is kept, too, so that the loop goes on; a bounded number runs at
once, and the others wait their turn without a thread.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Concatenate, ParamSpec, TypeVar

import psycopg

from infra.platform.errors import DatabaseUnavailable, Refusal, Unavailable
from infra.platform.loop import Threads
from infra.platform.settings import Settings
from infra.service.foundation.small_reader import open_reader
from projections.read.search import Answer, Filters
from projections.read.search_answer import answer_question
from projections.read.session import Conn, reading

AT_ONCE = 16
LONGEST_S = 30

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True)
class _Held:
    """An open connection, and what closes it."""

    connection: Conn
    stack: ExitStack


class Tables:
    """Answers questions over shared connections. Each question is a transaction of its own."""

    def __init__(self, settings: Settings, at_once: int = AT_ONCE) -> None:
        self._conninfo = settings.conninfo
        self._judge = open_reader(settings)
        self._turns = asyncio.Semaphore(at_once)
        self._threads = Threads(at_once)
        self._idle: deque[_Held] = deque()

    async def ask(
        self, question: Callable[Concatenate[Conn, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """``question`` answered. Raises DatabaseUnavailable, and what it raises."""
        async with self._turns:
            return await self._threads.run(
                lambda: self._answer(lambda conn: question(conn, *args, **kwargs))
            )

    async def answer(
        self, project_id: str, query: str, filters: Filters | None = None, limit: int = 10
    ) -> Answer:
        """What speaks to ``query``, in the order of the small reader where there is one, and the
        sentences that say it best.
        """
        return await self.ask(answer_question, project_id, query, filters, limit, self._judge)

    def of_project(self, project_id: str) -> ProjectTables:
        """The same for one project, which has to exist."""
        return ProjectTables(self, project_id)

    def close(self) -> None:
        """Close what is idle; nothing may be asked any more."""
        self._threads.close()
        while self._idle:
            self._idle.pop().stack.close()

    def _answer(self, question: Callable[[Conn], T]) -> T:
        """A connection that broke while it was idle is replaced, once."""
        try:
            held = self._idle.pop()
        except IndexError:
            return self._ask_on(self._open(), question)
        try:
            return self._ask_on(held, question)
        except DatabaseUnavailable:
            return self._ask_on(self._open(), question)

    def _open(self) -> _Held:
        stack = ExitStack()
        connection = stack.enter_context(reading(self._conninfo))
        connection.execute(f"SET statement_timeout = '{LONGEST_S}s'".encode())
        return _Held(connection, stack)

    def _ask_on(self, held: _Held, question: Callable[[Conn], T]) -> T:
        """A refusal is an answer; after any other error the connection is closed."""
        with held.stack.pop_all() as stack:
            try:
                answer = question(held.connection)
            except psycopg.errors.QueryCanceled as error:
                raise Unavailable(
                    f"The database has not answered within {LONGEST_S} s: ask for less at once.",
                    code="question_too_slow",
                ) from error
            except Refusal:
                self._keep(held, stack)
                raise
            self._keep(held, stack)
            return answer

    def _keep(self, held: _Held, stack: ExitStack) -> None:
        held.stack = stack.pop_all()
        self._idle.append(held)


@dataclass(frozen=True, slots=True)
class ProjectTables:
    """Answers questions about one project. None of them names it, so an id of another project is
    unknown here.
    """

    tables: Tables
    project_id: str

    async def ask(
        self, question: Callable[Concatenate[Conn, str, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        return await self.tables.ask(question, self.project_id, *args, **kwargs)

    async def answer(self, query: str, filters: Filters | None = None, limit: int = 10) -> Answer:
        return await self.tables.answer(self.project_id, query, filters, limit)
