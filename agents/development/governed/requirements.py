"""`requirements`: from an issue to an approved low-level design."""

from __future__ import annotations

from agents.development.checks import LOW_LEVEL_DESIGN
from agents.development.governed.drafting import (
    Stage,
    ask_about_draft,
    draft_with,
    repair_with,
    send_back,
    validate,
    validate_plan_of_tests,
)
from agents.development.governed.finalising import finalise_with
from agents.development.governed.graphs import Workflow, WorkflowNode
from agents.development.governed.loading import analyse_codebase, load_approved_input
from agents.development.governed.node import END, AtNode, Step
from agents.development.governed.reviewing import Exits, review, settle_with
from agents.development.governed.state import RequirementsState

STAGE = Stage("low_level_design", "draft_requirements", LOW_LEVEL_DESIGN, "The approved issue")


async def validate_design(at: AtNode, state: RequirementsState) -> Step:
    """The design has the form of one, or goes back."""
    if problems := await validate(STAGE, at, state, state["draft"]):
        return await send_back(at, state, problems, state["draft"], "N1")
    return Step({}, "N1b")


async def validate_tests(at: AtNode, state: RequirementsState) -> Step:
    """Each requirement has a scenario and each scenario a requirement, or the design goes back."""
    if problems := await validate_plan_of_tests(at, state, state["draft"]):
        return await send_back(at, state, problems, state["draft"], "N1")
    return Step({}, "N2")


async def gate_draft(at: AtNode, state: RequirementsState) -> Step:
    return await ask_about_draft(at, state, "N1", "N3")


REQUIREMENTS = Workflow(
    name="requirements",
    state=RequirementsState,
    nodes={
        "N0": WorkflowNode("load input", load_approved_input, ("N0b", END)),
        "N0b": WorkflowNode("analyse codebase", analyse_codebase, ("N1", END)),
        "N1": WorkflowNode("generate draft", draft_with(STAGE), ("N1.6", END)),
        "N1.6": WorkflowNode("automatic repair", repair_with(STAGE), ("N1.5",)),
        "N1.5": WorkflowNode("mechanical validation", validate_design, ("N1b", "N1", END)),
        "N1b": WorkflowNode("validate test plan", validate_tests, ("N2", "N1", END)),
        "N2": WorkflowNode("human gate draft", gate_draft, ("N3", "N1")),
        "N3": WorkflowNode("adversarial review", review, ("N4", END)),
        "N4": WorkflowNode(
            "human gate verdict", settle_with(Exits("N5", "N1", "N3")), ("N5", "N1", "N3", END)
        ),
        "N5": WorkflowNode("finalise", finalise_with(STAGE.artifact_type), (END,)),
    },
    edges_per_loop=24,
    review="N3",
    final="N5",
)
