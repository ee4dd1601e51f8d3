"""What people decide about the ledger. Key ``project_id``; natural key: the idempotency key.

A decision is a request to the ledger's writer, which answers with a change set: ``hitl_applied`` or
``hitl_refused``. Who decides is the envelope's actor. ``expected_revision`` is the revision of the
target that the person saw; any other is refused.

What a ``member`` decides is a proposal: the ledger keeps it without effect until an owner or a
product manager accepts or declines it, or until that member withdraws it
(``hitl.proposal_decided``).
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from schemas.document_roles.public import DocumentRole
from schemas.envelope import Event

Role = Literal["owner", "pm", "member"]
DECIDING: frozenset[str] = frozenset({"owner", "pm"})
SHORTEST_RATIONALE = 10  # characters, of who resolves a contradiction


class PersonDecided(Event):
    """What all decisions carry; ``rationale`` is the person's reason in their own words.

    ``undoes`` names the decision that this one takes back; it is refused unless that is the last
    one that touched the target.
    """

    topic: ClassVar[str] = "hitl.v1"

    expected_revision: int
    actor_role: Role
    rationale: str = ""
    undoes: str | None = None

    @property
    def aggregate_id(self) -> str:
        """The id of what is decided about."""
        return self.target_id

    @property
    def target_id(self) -> str:
        raise NotImplementedError


class MergeDecided(PersonDecided):
    """Two similar atoms are the same statement, or are not and never will be.

    ``reopen`` takes a rejection back: the pair is in review again.
    """

    type_name: ClassVar[str] = "hitl.merge_decided"

    merge_candidate_id: str
    decision: Literal["approve", "reject", "reopen"]

    @property
    def target_id(self) -> str:
        return self.merge_candidate_id


class ContradictionDecided(PersonDecided):
    """A contradiction was resolved, dismissed as none, or handed on.

    ``resolution_kind`` belongs to ``resolve``, ``escalated_to`` to ``escalate``. ``reopen`` takes
    the decision back that ``undoes`` names.
    """

    type_name: ClassVar[str] = "hitl.contradiction_decided"

    contradiction_id: str
    decision: Literal["resolve", "dismiss", "escalate", "reopen"]
    resolution_kind: Literal["a_wins", "b_wins", "both_valid", "reworded"] | None = None
    escalated_to: str | None = None

    @property
    def target_id(self) -> str:
        return self.contradiction_id


class AtomDecided(PersonDecided):
    """What decisions about one atom share."""

    atom_id: str

    @property
    def target_id(self) -> str:
        return self.atom_id


class AtomVerified(AtomDecided):
    """An atom is pinned: its confidence stays at ``floor`` (0..1) or above.

    Without ``floor`` it is the higher one of the atom's confidence and 0.90.
    """

    type_name: ClassVar[str] = "hitl.atom_verified"

    floor: float | None = Field(default=None, ge=0, le=1)


class AtomUnverified(AtomDecided):
    """A verification was withdrawn."""

    type_name: ClassVar[str] = "hitl.atom_unverified"


class AtomDismissed(AtomDecided):
    """An atom is wrong or irrelevant."""

    type_name: ClassVar[str] = "hitl.atom_dismissed"


class AtomReincluded(AtomDecided):
    """A dismissed atom counts again."""

    type_name: ClassVar[str] = "hitl.atom_reincluded"


class MergeUndone(AtomDecided):
    """A merge was wrong. ``atom_id`` is the atom that was merged away."""

    type_name: ClassVar[str] = "hitl.merge_undone"


class DocumentRoleDecided(PersonDecided):
    """A document has this role, whatever its names tell; null: the one that they tell."""

    type_name: ClassVar[str] = "hitl.document_role_decided"

    source_id: str
    role: DocumentRole | None

    @property
    def target_id(self) -> str:
        return self.source_id


class ProposalDecided(PersonDecided):
    """What a member proposed is decided as proposed, or is not.

    ``proposal_id`` is the ``hitl_event_id`` of the proposal. ``expected_revision`` is that of what
    the proposal is about. Without ``rationale`` an accepted one has the reason of the proposal.
    ``withdraw`` is of the person who proposed it, in whatever role, and of nobody else.
    """

    type_name: ClassVar[str] = "hitl.proposal_decided"

    proposal_id: str
    decision: Literal["accept", "decline", "withdraw"]

    @property
    def target_id(self) -> str:
        return self.proposal_id
