"""What a person says of the role of a document."""

from __future__ import annotations

from schemas.events.hitl import DocumentRoleDecided
from schemas.events.ledger import DocumentRoleRecord
from streams.ledger.people.ruling import Ruling, require_fit
from streams.ledger.sources.document_roles import settle_role
from streams.ledger.turns.changes import Changes
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.refusals import target_of_document


def apply_to_document(
    ledger: CurrentLedger, ruling: Ruling, decided: DocumentRoleDecided
) -> Changes[None]:
    """The document and its atoms have the role; those of other documents stay. Raises Refused.

    The ledger knows no document of which nothing was read, so it takes a word about any.
    """
    known = ledger.document_role(decided.source_id)
    target = target_of_document(known)
    require_fit(decided, target)
    yield DocumentRoleRecord(
        source_id=decided.source_id,
        role=decided.role,
        decided_by=ruling.actor_id,
        decided_at=ruling.at,
        hitl_event_id=ruling.hitl_event_id,
        rationale=ruling.rationale,
        revision=target.revision + 1,
    )
    yield from settle_role(ledger, decided.source_id)
