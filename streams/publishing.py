"""The artifact publisher: spreads the writer's log over the topics that others read.

Stateless, so that a crash between two of its records is healed by doing it again with the same ids.
A position at which nothing differed leaves no trace on the public topics.
"""

from __future__ import annotations

from schemas.envelope import Envelope, Event
from schemas.events.artifact import (
    ArtifactChanged,
    LatestSet,
    StateChanged,
    VersionPublished,
    VersionRejected,
)
from schemas.events.hygiene import ChunkCreated
from streams.stage import Step


def spread(cause: Envelope, chunk: ChunkCreated | None) -> list[Event]:
    """The public facts of one answer of the writer, the present state last."""
    match cause.event:
        case ArtifactChanged(outcome="published") as change:
            published = VersionPublished(
                snapshot=change.snapshot,
                recomputed_sections=change.recomputed_sections,
                reason=change.reason,
            )
            return [published, *_move(change), LatestSet(snapshot=change.snapshot)]
        case ArtifactChanged(outcome="state_changed") as change:
            return [*_move(change), LatestSet(snapshot=change.snapshot)]
        case ArtifactChanged(outcome="rejected") as change:
            return [
                VersionRejected(
                    artifact_id=change.snapshot.artifact_id,
                    version=change.snapshot.version + 1,
                    findings=change.findings,
                )
            ]
        case _:
            return []


def _move(change: ArtifactChanged) -> list[Event]:
    """The move of state, if the state is another than before."""
    after = change.snapshot
    if change.state_before == after.artifact_state:
        return []
    return [
        StateChanged(
            artifact_id=after.artifact_id,
            version=after.version,
            state_before=change.state_before,
            state_after=after.artifact_state,
            reason_codes=change.reason_codes,
            blocking_contradiction_ids=after.blocked_by,
        )
    ]


PUBLISH = Step(name="publish", inputs=("reduce.v1",), handle=spread)
