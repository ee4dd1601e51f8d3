"""`issue`: from an idea to an issue that is filed. Its review is optional."""

from __future__ import annotations

from agents.development.checks import ISSUE_BRIEF
from agents.development.governed.drafting import (
    Stage,
    ask_about_draft,
    draft_with,
    mend,
    send_back,
    validate,
)
from agents.development.governed.finalising import file_issue
from agents.development.governed.graphs import Workflow, WorkflowNode
from agents.development.governed.loading import load_input
from agents.development.governed.node import END, AtNode, Step
from agents.development.governed.reviewing import Exits, review, settle_with
from agents.development.governed.state import IssueState

STAGE = Stage("issue", "draft_issue", ISSUE_BRIEF, "Further material")


async def validate_brief(at: AtNode, state: IssueState) -> Step:
    """The brief has the form of one, or goes back."""
    draft = await mend(STAGE, at, state)
    if problems := await validate(STAGE, at, state, draft):
        return await send_back(at, state, problems, draft, "N1")
    return Step({"draft": draft}, "N3")


async def gate_draft(at: AtNode, state: IssueState) -> Step:
    return await ask_about_draft(at, state, "N1", "N4")


ISSUE = Workflow(
    name="issue",
    state=IssueState,
    nodes={
        "N0": WorkflowNode("load idea", load_input, ("N1", END)),
        "N1": WorkflowNode("draft brief", draft_with(STAGE), ("N2", END)),
        "N2": WorkflowNode("mechanical validation", validate_brief, ("N3", "N1", END)),
        "N3": WorkflowNode("human gate draft", gate_draft, ("N4", "N1")),
        "N4": WorkflowNode("review", review, ("N5", END)),
        "N5": WorkflowNode(
            "human gate verdict", settle_with(Exits("N6", "N1", "N4")), ("N6", "N1", "N4", END)
        ),
        "N6": WorkflowNode("file issue", file_issue, (END,)),
    },
    edges_per_loop=16,
    review="N4",
    final="N6",
)
