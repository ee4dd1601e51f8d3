"""The last node of a stage: exactly the approved bytes become its artifact."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from agents.development.governed.gates import persist
from agents.development.governed.node import END, AtNode, RunEnded, Step, hash_text
from agents.development.governed.state import EndState, ReviewedState
from agents.development.workflow_ports import FiledIssue, WrittenArtifact
from schemas.events.workflow_stages import StageArtifactProduced

NOT_APPROVED = "The {what} is not the one that was approved: {approved} was, and this is {given}."


def finalise_with(artifact_type: str) -> Callable[[AtNode, ReviewedState], Awaitable[Step]]:
    async def finalise(at: AtNode, state: ReviewedState) -> Step:
        """The approved draft is kept as an artifact."""
        check_approved(state)
        artifacts, text = at.run.ports.artifacts, state["draft"]
        assert artifacts is not None  # see NEEDED
        args = {"artifact_type": artifact_type, "sha256": hash_text(text)}
        written = await persist(
            at,
            lambda: at.call(
                "write_artifact",
                args,
                WrittenArtifact,
                lambda key: artifacts.write(artifact_type, text, key),
            ),
        )
        check_bytes("file", state, written.sha256)
        return await conclude(at, state, artifact_type, written.path)

    return finalise


async def file_issue(at: AtNode, state: ReviewedState) -> Step:
    """The approved brief is an issue of the tracker, or a file that stands in for one."""
    check_approved(state)
    issues, text = at.run.ports.issues, state["draft"]
    assert issues is not None  # see NEEDED
    args = {"title": at.run.issue.title, "sha256": hash_text(text)}
    filed = await persist(
        at,
        lambda: at.call(
            "file_issue",
            args,
            FiledIssue,
            lambda key: issues.file_issue(at.run.issue.title, text, key),
        ),
    )
    return await conclude(at, state, "issue", filed.address)


async def conclude(at: AtNode, state: ReviewedState, artifact_type: str, path: str) -> Step:
    """The artifact is recorded with who has approved it, and the run ends."""
    text, approved = state["draft"], state["approved"]
    await at.record(
        StageArtifactProduced,
        artifact_type=artifact_type,
        artifact_hash=hash_text(text),
        text=text,
        approval=approved["approval"],
        approved_by=approved["approved_by"],
        path=path,
        iteration=len(state.get("verdicts", [])),
        atom_ids=list(at.run.origin.atom_ids),
    )
    end: EndState = {
        "status": "completed",
        "artifact_type": artifact_type,
        "artifact_hash": hash_text(text),
        "text": text,
        "path": path,
    }
    return Step({"end": end}, END)


def check_approved(state: ReviewedState) -> None:
    """The draft is the one that was approved. Raises RunEnded."""
    check_bytes("draft", state, hash_text(state["draft"]))


def check_bytes(what: str, state: ReviewedState, given: str) -> None:
    """These are the approved bytes, by their hash. Raises RunEnded."""
    approval = state.get("approved")
    approved = approval["artifact_hash"] if approval else "none"
    if given != approved:
        message = NOT_APPROVED.format(what=what, approved=approved, given=given)
        raise RunEnded("failed", "artifact_changed", message)
