"""What takes a decision back: another decision, about the same or about what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infra.platform.errors import Conflict
from projections.read.decided import DecisionAnswer
from schemas.events.hitl import (
    AtomDismissed,
    AtomReincluded,
    AtomUnverified,
    AtomVerified,
    ContradictionDecided,
    DocumentRoleDecided,
    MergeDecided,
    MergeUndone,
    PersonDecided,
)


def find_compensation(undone: DecisionAnswer) -> tuple[str, type[PersonDecided], dict[str, Any]]:
    """About what is decided to take a decision back, and how. Raises Conflict."""
    target_id = undone.target_id
    if undone.outcome == "applied":
        match undone.action, undone.decision:
            case "atom_verification" | "unverify", _:
                floor = _records(undone.before_state)[target_id]["confidence_floor"]
                if floor is None:  # it was not verified before
                    return target_id, AtomUnverified, {"atom_id": target_id}
                return target_id, AtomVerified, {"atom_id": target_id, "floor": floor}
            case "atom_dismissal", _:
                return target_id, AtomReincluded, {"atom_id": target_id}
            case "atom_reinclusion", _:
                return target_id, AtomDismissed, {"atom_id": target_id}
            case "merge_review", "approve":
                before = _records(undone.before_state)
                (merged_id,) = (
                    atom_id
                    for atom_id, atom in _records(undone.after_state or {}).items()
                    if atom["status"] == "merged" and before[atom_id]["status"] != "merged"
                )
                return merged_id, MergeUndone, {"atom_id": merged_id}
            case "merge_review", "reject":
                fields = {"merge_candidate_id": target_id, "decision": "reopen"}
                return target_id, MergeDecided, fields
            case "contradiction_resolution", decision if decision != "reopen":
                fields = {"contradiction_id": target_id, "decision": "reopen"}
                return target_id, ContradictionDecided, fields
            case "document_role", _:
                known = undone.before_state.get("document_roles") or [{"role": None}]
                fields = {"source_id": target_id, "role": known[0]["role"]}
                return target_id, DocumentRoleDecided, fields
    raise Conflict(
        f"{undone.hitl_event_id} cannot be taken back: {undone.undo_refusal or 'it stays'}."
        f" Look at {target_id} as it is now, and decide about it anew.",
        code="not_undoable",
    )


def _records(state: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The atoms of a state, by id."""
    return {atom["atom_id"]: atom for atom in state["atoms"]}
