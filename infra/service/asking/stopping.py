"""Stops what goes on in a conversation: nothing more is done in it until somebody asks again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial

from infra.platform.errors import Conflict
from infra.platform.settings import Settings
from infra.service.asking.agents import check_known
from infra.service.asking.turn_ends import end_turn
from infra.service.foundation.database import ask, transact
from infra.service.foundation.publishing import redactor_of
from infra.store import turn_jobs
from infra.store.jobs import queue
from infra.store.jobs.outbox import Conn
from infra.store.turn_jobs import TurnJob
from projections.read.agents import UnansweredTurn
from projections.read.projects import find_project
from projections.read.session import ReadModel
from schemas.envelope import Actor


class StoppedConversation(ReadModel):
    """The turns that were under way or waited, oldest first. Each one ends in a moment."""

    conversation_id: str
    turns: list[str]


async def stop_conversation(
    settings: Settings, conversation_id: str, *, actor: str, only_own: bool = False
) -> StoppedConversation:
    """End the turns of a conversation that have no answer; calls that wait in them are declined.

    ``only_own``: those that the actor has asked. No model or tool is called in them any more; what
    has been called and has not answered is named in the words of the end. Raises
    DatabaseUnavailable.
    """
    by = Actor(type="human", id=redactor_of(settings).text(actor))

    def stop(tables: Conn) -> list[str]:
        with tables.transaction():
            turns = _group(turn_jobs.list_unanswered(tables, conversation_id))
            if only_own:
                asked_by = f"{by.type}:{by.id}"
                turns = {it: jobs for it, jobs in turns.items() if jobs[0].created_by == asked_by}
            for jobs in turns.values():
                _stop(tables, jobs, by)
        return list(turns)

    stopped = await transact(settings, stop)
    return StoppedConversation(conversation_id=conversation_id, turns=stopped)


async def stop_conversation_of(
    settings: Settings, project: str, conversation_id: str, *, actor: str, role: str
) -> StoppedConversation:
    """The same for a conversation of this project; a viewer stops what they have asked.

    Raises NotFound, too.
    """
    project_id = await ask(settings, partial(find_project, name_or_id=project))
    await ask(settings, partial(check_known, project_id, conversation_id))
    only_own = role == "viewer"
    return await stop_conversation(settings, conversation_id, actor=actor, only_own=only_own)


def _group(jobs: Sequence[TurnJob]) -> Mapping[str, list[TurnJob]]:
    """The jobs of each turn, the one that begins it first."""
    turns: dict[str, list[TurnJob]] = {}
    for job in jobs:
        turns.setdefault(job.payload["turn_id"], []).append(job)
    return {turn: of for turn, of in turns.items() if not any(it.is_end for it in of)}


def _stop(tables: Conn, jobs: Sequence[TurnJob], by: Actor) -> None:
    for job in jobs:
        with suppress(Conflict):  # it has ended
            queue.cancel(tables, job.job_id, by)
    first = jobs[0]
    over = UnansweredTurn(
        project_id=first.project_id,
        status="cancelled",
        created_by=first.created_by,
        payload=first.payload,
    )
    end_turn(tables, over, by, stopped_by=by.id)
