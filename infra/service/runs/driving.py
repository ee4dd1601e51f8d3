"""One job of a run: its program goes up to its end, or up to a call that waits for a person."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from agents.runs.confirmations import Confirmation, WaitsForConfirmation
from agents.runs.effects import RecordMissing
from infra.platform.errors import Conflict
from infra.service.runs.answers import as_text
from infra.service.runs.run_log import RunLog

T = TypeVar("T")


async def drive(run_log: RunLog, program: Callable[[], Awaitable[T]]) -> T | Confirmation:
    """What the program comes to, or the call that waits; the question is in the log.

    The program begins at its first step each time. A run that copies another one takes that one's
    decisions as they come, and goes on. Raises what the program raises.
    """
    while True:
        run_log.rewind()
        try:
            return await program()
        except WaitsForConfirmation as waits:
            asked = waits.confirmation
        await run_log.request_confirmation(
            confirmation_id=asked.confirmation_id,
            tool=asked.tool,
            arguments=as_text(asked.arguments),
            summary=asked.summary,
        )
        if not await run_log.copy_decision(asked.confirmation_id):
            return asked


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
