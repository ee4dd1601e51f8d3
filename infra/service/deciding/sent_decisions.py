"""Decisions before and after the ledger answers: refused at once where that is known already, each
with an address from the moment it is published.

What is judged here is the target as the tables show it. The ledger judges it as it is, and has the
last word: a decision that passes here may still be refused there.
"""

from __future__ import annotations

from typing import Literal, cast

from infra.platform.settings import Settings
from infra.service.foundation.database import ask, transact, wait_for
from infra.store import sent_decisions as store
from infra.store.sent_decisions import KnownTarget
from projections.read import people
from projections.read.decided import DecisionAnswer
from projections.read.session import Conn, ReadModel
from schemas.events.hitl import PersonDecided, ProposalDecided
from streams.ledger.turns.refusals import DecisionTarget, find_refusal

PENDING_FOR_S = 30  # how long an unanswered decision keeps others about its target away

State = Literal["waiting", "applied", "refused", "proposed", "declined", "withdrawn"]


class SubmittedDecision(ReadModel):
    """A decision at its address. ``state`` is ``waiting`` until the ledger has answered it.

    ``code`` says why it was refused; ``answer`` holds the records before and after it.
    """

    hitl_event_id: str
    project_id: str
    target_id: str
    url: str
    state: State
    code: str | None = None
    answer: DecisionAnswer | None = None


async def wait_for_others(
    settings: Settings, target_id: str, decision_id: str, patience_s: float
) -> bool:
    """Whether no other decision about the target waits for its answer; waits that long for it."""

    def is_free(connection: Conn) -> bool | None:
        return not store.has_pending(connection, target_id, decision_id, PENDING_FOR_S) or None

    return bool(await wait_for(settings, is_free, timeout_s=patience_s))


async def judge(
    settings: Settings, decided: PersonDecided
) -> tuple[str | None, KnownTarget | None]:
    """The reason that the ledger would give now, with the target; None where it is not known."""
    if isinstance(decided, ProposalDecided):
        return None, None
    target = await ask(settings, lambda tables: store.find_target(tables, decided.target_id))
    if target is None:
        return "unknown_target", None
    return find_refusal(decided, DecisionTarget(**target.model_dump())), target


async def is_sent(settings: Settings, decision_id: str) -> bool:
    """Whether the decision was published before."""
    return await ask(settings, lambda connection: store.is_sent(connection, decision_id))


async def note_sent(
    settings: Settings, decision_id: str, project_id: str, target_id: str, *, may_decide: bool
) -> None:
    """The decision has an address from now on, and others about its target wait for its answer."""
    await transact(
        settings,
        lambda connection: store.note_sent(
            connection, decision_id, project_id, target_id, may_decide=may_decide
        ),
    )


def read_sent(connection: Conn, project_id: str, decision_id: str) -> SubmittedDecision | None:
    """A decision of the project at its address; None for one that nobody has sent."""
    url = url_of(project_id, decision_id)
    if (answer := people.find_decision(connection, decision_id)) is not None:
        if answer.project_id != project_id:
            return None
        return SubmittedDecision(
            hitl_event_id=decision_id,
            project_id=project_id,
            target_id=answer.target_id,
            url=url,
            state=cast(State, answer.outcome),
            code=answer.refusal or None,
            answer=answer,
        )
    target_id = store.find_sent_target(connection, project_id, decision_id)
    if target_id is None:
        return None
    return SubmittedDecision(
        hitl_event_id=decision_id,
        project_id=project_id,
        target_id=target_id,
        url=url,
        state="waiting",
    )


def url_of(project_id: str, decision_id: str) -> str:
    """Where a decision is read."""
    return f"/v1/projects/{project_id}/hitl-events/{decision_id}"
