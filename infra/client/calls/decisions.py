# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Decisions."""

from __future__ import annotations

from typing import Literal

from infra.client import models
from infra.client.connection import Connection, Pages


class Decisions(Connection):
    def decide_merge(
        self,
        project: str,
        review_id: str,
        body: models.decisions.MergeDecision,
        *,
        wait: bool | None = None,
        key: str | None = None,
    ) -> models.decisions.Decision | models.decisions.RecordedDecision:
        """Say whether the two atoms of a pair in review are one."""
        return self._write(
            {200: models.decisions.Decision, 202: models.decisions.RecordedDecision},
            "POST",
            "/v1/projects/{project}/merge-candidates/{review_id}/decision",
            at={"project": project, "review_id": review_id},
            query={"wait": wait},
            key=key,
            body=body,
        )

    def undo_merge(
        self,
        project: str,
        merged_id: str,
        body: models.decisions.DecisionRequest,
        *,
        wait: bool | None = None,
        key: str | None = None,
    ) -> models.decisions.Decision | models.decisions.RecordedDecision:
        """Take a merge apart: by its id, or that of the atom that was merged away."""
        return self._write(
            {200: models.decisions.Decision, 202: models.decisions.RecordedDecision},
            "POST",
            "/v1/projects/{project}/merges/{merged_id}/undo",
            at={"project": project, "merged_id": merged_id},
            query={"wait": wait},
            key=key,
            body=body,
        )

    def decide_contradiction(
        self,
        project: str,
        contradiction_id: str,
        body: models.decisions.ContradictionDecision,
        *,
        wait: bool | None = None,
        key: str | None = None,
    ) -> models.decisions.Decision | models.decisions.RecordedDecision:
        """Resolve a contradiction, hand it on, or close it as none."""
        return self._write(
            {200: models.decisions.Decision, 202: models.decisions.RecordedDecision},
            "POST",
            "/v1/projects/{project}/contradictions/{contradiction_id}/decision",
            at={"project": project, "contradiction_id": contradiction_id},
            query={"wait": wait},
            key=key,
            body=body,
        )

    def verify_atom(
        self,
        project: str,
        atom_id: str,
        body: models.decisions.Verification,
        *,
        wait: bool | None = None,
        key: str | None = None,
    ) -> models.decisions.Decision | models.decisions.RecordedDecision:
        """Pin an atom: no run removes it or lowers its confidence below the floor."""
        return self._write(
            {200: models.decisions.Decision, 202: models.decisions.RecordedDecision},
            "POST",
            "/v1/projects/{project}/atoms/{atom_id}/verify",
            at={"project": project, "atom_id": atom_id},
            query={"wait": wait},
            key=key,
            body=body,
        )

    def unverify_atom(
        self,
        project: str,
        atom_id: str,
        body: models.decisions.DecisionRequest,
        *,
        wait: bool | None = None,
        key: str | None = None,
    ) -> models.decisions.Decision | models.decisions.RecordedDecision:
        """Withdraw a verification."""
        return self._write(
            {200: models.decisions.Decision, 202: models.decisions.RecordedDecision},
            "POST",
            "/v1/projects/{project}/atoms/{atom_id}/unverify",
            at={"project": project, "atom_id": atom_id},
            query={"wait": wait},
            key=key,
            body=body,
        )

    def dismiss_atom(
        self,
        project: str,
        atom_id: str,
        body: models.decisions.DecisionRequest,
        *,
        wait: bool | None = None,
        key: str | None = None,
    ) -> models.decisions.Decision | models.decisions.RecordedDecision:
        """Let an atom count no more; no run brings it back. It needs a rationale."""
        return self._write(
            {200: models.decisions.Decision, 202: models.decisions.RecordedDecision},
            "POST",
            "/v1/projects/{project}/atoms/{atom_id}/dismiss",
            at={"project": project, "atom_id": atom_id},
            query={"wait": wait},
            key=key,
            body=body,
        )

    def reinclude_atom(
        self,
        project: str,
        atom_id: str,
        body: models.decisions.DecisionRequest,
        *,
        wait: bool | None = None,
        key: str | None = None,
    ) -> models.decisions.Decision | models.decisions.RecordedDecision:
        """Restore a dismissed atom."""
        return self._write(
            {200: models.decisions.Decision, 202: models.decisions.RecordedDecision},
            "POST",
            "/v1/projects/{project}/atoms/{atom_id}/reinclude",
            at={"project": project, "atom_id": atom_id},
            query={"wait": wait},
            key=key,
            body=body,
        )

    def list_decisions(
        self,
        project: str,
        *,
        target: str | None = None,
        updated_since: str | None = None,
        view: Literal["whole", "slim"] | None = None,
    ) -> Pages[models.decisions.DecisionAnswer]:
        """What people decided and what the ledger answered, in ledger order.

        A slim one has no ``before_state`` and no ``after_state``.
        """
        return self._list(
            models.decisions.DecisionAnswer,
            "/v1/projects/{project}/hitl-events",
            at={"project": project},
            query={"target": target, "updated_since": updated_since, "view": view},
        )

    def read_decision(self, project: str, hitl_event_id: str) -> models.decisions.SubmittedDecision:
        """Whether the ledger has taken or refused a decision, or has not answered it yet."""
        return self._read(
            models.decisions.SubmittedDecision,
            "/v1/projects/{project}/hitl-events/{hitl_event_id}",
            at={"project": project, "hitl_event_id": hitl_event_id},
        )

    def undo_decision(
        self,
        project: str,
        hitl_event_id: str,
        body: models.decisions.DecisionRequest,
        *,
        wait: bool | None = None,
        key: str | None = None,
    ) -> models.decisions.Decision | models.decisions.RecordedDecision:
        """Take back a decision, unless another one about its target followed it."""
        return self._write(
            {200: models.decisions.Decision, 202: models.decisions.RecordedDecision},
            "POST",
            "/v1/projects/{project}/hitl-events/{hitl_event_id}/undo",
            at={"project": project, "hitl_event_id": hitl_event_id},
            query={"wait": wait},
            key=key,
            body=body,
        )

    def list_proposals(
        self,
        project: str,
        *,
        state: Literal["waiting", "accepted", "declined", "withdrawn", "all"] | None = None,
        target: str | None = None,
    ) -> Pages[models.decisions.Proposal]:
        """What members propose and why, in ledger order; what waits unless ``state`` says
        otherwise.
        """
        return self._list(
            models.decisions.Proposal,
            "/v1/projects/{project}/proposals",
            at={"project": project},
            query={"state": state, "target": target},
        )

    def read_proposal(self, project: str, proposal_id: str) -> models.decisions.Proposal:
        """One proposal, with the answer to it once there is one."""
        return self._read(
            models.decisions.Proposal,
            "/v1/projects/{project}/proposals/{proposal_id}",
            at={"project": project, "proposal_id": proposal_id},
        )

    def decide_proposal(
        self,
        project: str,
        proposal_id: str,
        body: models.decisions.ProposalAnswer,
        *,
        wait: bool | None = None,
        key: str | None = None,
    ) -> models.decisions.Decision | models.decisions.RecordedDecision:
        """Decide as it was proposed, under both names, or decline it."""
        return self._write(
            {200: models.decisions.Decision, 202: models.decisions.RecordedDecision},
            "POST",
            "/v1/projects/{project}/proposals/{proposal_id}/decision",
            at={"project": project, "proposal_id": proposal_id},
            query={"wait": wait},
            key=key,
            body=body,
        )

    def withdraw_proposal(
        self,
        project: str,
        proposal_id: str,
        body: models.decisions.DecisionRequest,
        *,
        wait: bool | None = None,
        key: str | None = None,
    ) -> models.decisions.Decision | models.decisions.RecordedDecision:
        """Take back what one has proposed oneself, as long as it waits; 403 for what others
        have.
        """
        return self._write(
            {200: models.decisions.Decision, 202: models.decisions.RecordedDecision},
            "POST",
            "/v1/projects/{project}/proposals/{proposal_id}/withdrawal",
            at={"project": project, "proposal_id": proposal_id},
            query={"wait": wait},
            key=key,
            body=body,
        )
