"""One job of a run: its program goes up to its end, or up to calls that wait for a person."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from agents.runs.confirmations import Confirmation, WaitsForConfirmation
from agents.runs.effects import RecordMissing
from infra.platform.errors import Conflict
from infra.service.runs.answers import as_text
from infra.service.runs.run_log import RunLog

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Paused:
    """The calls that wait for a person."""

    confirmations: tuple[Confirmation, ...]


async def drive(run_log: RunLog, program: Callable[[], Awaitable[T]]) -> T | Paused:
    """What the program comes to, or the calls that wait; the questions are in the log.

    The program begins at its first step each time. A run that copies another one takes that one's
    decisions as they come, and goes on. Raises what the program raises.
    """
    while True:
        run_log.rewind()
        decided = run_log.list_decisions()
        try:
            return await program()
        except WaitsForConfirmation as waits:
            waiting = waits.confirmations
        new = [one for one in waiting if not run_log.is_asked(one.confirmation_id)]
        more = len(waiting)
        for one in new:
            more -= 1
            await run_log.request_confirmation(
                confirmation_id=one.confirmation_id,
                tool=one.tool,
                arguments=as_text(one.arguments),
                summary=one.summary,
                more=more,
            )
        await run_log.copy_decisions()
        if run_log.list_decisions() != decided:
            continue
        for one in waiting:
            if one not in new:
                more -= 1
                await run_log.ask_again(one.confirmation_id, more)
        return Paused(waiting)


async def replay(run_log: RunLog, program: Callable[[], Awaitable[T]]) -> T:
    """What the program comes to from the records alone. Raises Conflict where one is missing, or
    where the program would tell something else or ask about another call now.
    """
    try:
        return await program()
    except RecordMissing as missing:
        raise Conflict(str(missing), code="record_missing") from missing
    except WaitsForConfirmation as waits:
        tool = waits.confirmation.tool
        what = f"is no decision about this call of {tool}, but the run would ask for one now"
        raise run_log.diverge(run_log.position, what) from waits
