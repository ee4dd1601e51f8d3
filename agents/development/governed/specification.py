"""`implementation_spec`: from an approved low-level design to instructions, line by line.

It has no gate of its own behind the review: where a person has to decide about a verdict, the
review's node waits for them, so that the way on still leads through it.
"""

from __future__ import annotations

from agents.development.checks import IMPLEMENTATION_SPEC
from agents.development.governed.drafting import (
    Stage,
    ask_about_draft,
    draft_with,
    mend,
    send_back,
    validate,
)
from agents.development.governed.finalising import finalise_with
from agents.development.governed.graphs import Workflow, WorkflowNode
from agents.development.governed.loading import load_approved_input, read_codebase
from agents.development.governed.node import END, AtNode, Step
from agents.development.governed.reviewing import Exits, review, settle_verdict
from agents.development.governed.state import SpecificationState

STAGE = Stage(
    "implementation_spec",
    "draft_specification",
    IMPLEMENTATION_SPEC,
    "The approved low-level design",
    is_specification=True,
)


async def check_specification(at: AtNode, state: SpecificationState) -> Step:
    """Somebody could follow the specification without asking back, or it goes back."""
    draft = await mend(STAGE, at, state)
    if problems := await validate(STAGE, at, state, draft):
        return await send_back(at, state, problems, draft, "N2")
    return Step({"draft": draft}, "N4")


async def gate_draft(at: AtNode, state: SpecificationState) -> Step:
    return await ask_about_draft(at, state, "N2", "N5")


async def review_specification(at: AtNode, state: SpecificationState) -> Step:
    """The verdict, and where it leads."""
    reviewed = await review(at, state)
    merged: SpecificationState = {**state, **reviewed.change}  # type: ignore[typeddict-item]
    settled = await settle_verdict(at, merged, Exits("N6", "N2", "N5"))
    detail = f"{reviewed.detail} {settled.detail}".strip()
    return Step({**reviewed.change, **settled.change}, settled.goes_to, detail)


SPECIFICATION = Workflow(
    name="implementation_spec",
    state=SpecificationState,
    nodes={
        "N0": WorkflowNode("load design", load_approved_input, ("N1", END)),
        "N1": WorkflowNode("analyse codebase", read_codebase, ("N2", END)),
        "N2": WorkflowNode("draft specification", draft_with(STAGE), ("N3", END)),
        "N3": WorkflowNode("completeness check", check_specification, ("N4", "N2", END)),
        "N4": WorkflowNode("human gate", gate_draft, ("N5", "N2")),
        "N5": WorkflowNode("review", review_specification, ("N6", "N2", "N5", END)),
        "N6": WorkflowNode("finalise", finalise_with(STAGE.artifact_type), (END,)),
    },
    edges_per_loop=14,
    review="N5",
    final="N6",
)
