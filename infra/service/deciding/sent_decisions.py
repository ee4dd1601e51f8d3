"""Decisions before and after the ledger answers: refused at once where that is known already, each
with an address from the moment it is published.

What is judged here is the target as the tables show it. The ledger judges it as it is, and has the
last word: a decision that passes here may still be refused there.
"""

from __future__ import annotations

from typing import Literal, cast

from infra.platform.settings import Settings
from infra.service.foundation.database import ask, transact, wait_for
from projections.read import people
from projections.read.decided import DecisionAnswer
from projections.read.session import Conn, ReadModel, rows
from schemas.events.hitl import AtomDecided, ContradictionDecided, MergeDecided, PersonDecided
from streams.ledger.refusals import DecisionTarget, find_refusal

PENDING_FOR_S = 30  # how long an unanswered decision keeps others about its target away
TARGETS = {
    "atm": "SELECT status, revision, resolution->>'hitl_event_id' AS last_decision,"
    " verified_by AS decided_by FROM ledger_atoms WHERE atom_id = %s",
    "ctr": "SELECT status, revision, hitl_event_id AS last_decision, decided_by"
    " FROM ledger_contradictions WHERE contradiction_id = %s",
    "mrg": "SELECT state AS status, revision, hitl_event_id AS last_decision, decided_by"
    " FROM ledger_merge_candidates WHERE merge_candidate_id = %s",
}
_PENDING = (
    "SELECT s.hitl_event_id FROM sent_decisions s WHERE s.target_id = %s AND s.may_decide"
    " AND s.hitl_event_id <> %s AND s.sent_at > now() - interval '1 second' * %s AND NOT EXISTS"
    " (SELECT 1 FROM ledger_hitl_events h WHERE h.hitl_event_id = s.hitl_event_id) LIMIT 1"
)


State = Literal["waiting", "applied", "refused", "proposed", "declined", "withdrawn"]


class SentDecision(ReadModel):
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


class KnownTarget(ReadModel):
    """What is decided about, as the tables show it."""

    status: str
    revision: int
    last_decision: str | None
    decided_by: str | None


async def wait_for_others(
    settings: Settings, target_id: str, decision_id: str, patience_s: float
) -> bool:
    """Whether no other decision about the target waits for its answer; waits that long for it."""

    def is_free(connection: Conn) -> bool | None:
        return not rows(connection, _PENDING, target_id, decision_id, PENDING_FOR_S) or None

    return bool(await wait_for(settings, is_free, timeout_s=patience_s))


async def judge(
    settings: Settings, decided: PersonDecided
) -> tuple[str | None, KnownTarget | None]:
    """The reason that the ledger would give now, with the target; None where it is not known."""
    if not isinstance(decided, AtomDecided | ContradictionDecided | MergeDecided):
        return None, None

    def look(connection: Conn) -> KnownTarget | None:
        query = TARGETS[decided.target_id.partition("_")[0]]
        found = rows(connection, query, decided.target_id)
        return KnownTarget(**found[0]) if found else None

    target = await ask(settings, look)
    if target is None:
        return "unknown_target", None
    return find_refusal(decided, DecisionTarget(**target.model_dump())), target


async def is_sent(settings: Settings, decision_id: str) -> bool:
    """Whether the decision was published before."""
    query = "SELECT 1 AS known FROM sent_decisions WHERE hitl_event_id = %s"
    return bool(await ask(settings, lambda connection: rows(connection, query, decision_id)))


async def note_sent(
    settings: Settings, decision_id: str, project_id: str, target_id: str, *, may_decide: bool
) -> None:
    """The decision has an address from now on, and others about its target wait for its answer."""

    def note(connection: Conn) -> None:
        connection.execute(
            "INSERT INTO sent_decisions (hitl_event_id, project_id, target_id, may_decide)"
            " VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
            (decision_id, project_id, target_id, may_decide),
        )

    await transact(settings, note)


def read_sent(connection: Conn, project_id: str, decision_id: str) -> SentDecision | None:
    """A decision of the project at its address; None for one that nobody has sent."""
    url = url_of(project_id, decision_id)
    if (answer := people.find_decision(connection, decision_id)) is not None:
        if answer.project_id != project_id:
            return None
        return SentDecision(
            hitl_event_id=decision_id,
            project_id=project_id,
            target_id=answer.target_id,
            url=url,
            state=cast(State, answer.outcome),
            code=answer.refusal or None,
            answer=answer,
        )
    query = "SELECT target_id FROM sent_decisions WHERE project_id = %s AND hitl_event_id = %s"
    sent = rows(connection, query, project_id, decision_id)
    if not sent:
        return None
    return SentDecision(
        hitl_event_id=decision_id,
        project_id=project_id,
        target_id=sent[0]["target_id"],
        url=url,
        state="waiting",
    )


def url_of(project_id: str, decision_id: str) -> str:
    """Where a decision is read."""
    return f"/v1/projects/{project_id}/hitl-events/{decision_id}"


def forget_sent(connection: Conn, days: int) -> int:
    """Remove notes of decisions that were sent so long ago; how many."""
    removed = connection.execute(
        "DELETE FROM sent_decisions WHERE sent_at < now() - interval '1 day' * %s", (days,)
    )
    return removed.rowcount
