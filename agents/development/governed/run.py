"""Runs a governed workflow to its end, or up to a gate at which it waits for a person.

The service begins a run with `WorkflowStarted`, calls `run_workflow` through its log until there is
an end, and records that as `WorkflowFinished`. A workflow that halts waits at a gate like any
other: a decision takes it up again.
"""

from __future__ import annotations

from collections.abc import Mapping

from agents.development.errors import ConfigurationError
from agents.development.governed.coding import find_coder_family
from agents.development.governed.context import GovernedRun
from agents.development.governed.gates import GATES
from agents.development.governed.graphs import Workflow, draw_workflow, go_through
from agents.development.governed.implementation import IMPLEMENTATION
from agents.development.governed.issue import ISSUE
from agents.development.governed.requirements import REQUIREMENTS
from agents.development.governed.scout import SCOUT
from agents.development.governed.specification import SPECIFICATION
from agents.development.workflow_ports import WorkflowEnd
from agents.runs.graphs import DrawnGraph
from schemas.events.workflow import WorkflowSettings

__all__ = (
    "NEEDED",
    "STATE_TYPES",
    "WORKFLOWS",
    "GovernedRun",
    "check_run",
    "check_settings",
    "draw",
    "run_workflow",
)

WORKFLOWS: Mapping[str, Workflow] = {
    workflow.name: workflow
    for workflow in (ISSUE, REQUIREMENTS, SPECIFICATION, IMPLEMENTATION, SCOUT)
}
NEEDED: Mapping[str, tuple[str, ...]] = {
    "issue": ("issues",),
    "requirements": ("codebase", "artifacts"),
    "implementation_spec": ("codebase", "artifacts"),
    "tdd_implementation": ("trees", "implementer", "tests", "pull_requests"),
    "scout": ("research", "artifacts"),
}
STATE_TYPES: tuple[type, ...] = ()  # states hold plain values alone
OPTIONAL_REVIEW = frozenset(("issue", "scout"))


async def run_workflow(run: GovernedRun) -> WorkflowEnd:
    """How the run ends. Raises WaitsForConfirmation, and ConfigurationError before anything."""
    check_run(run)
    last = await go_through(WORKFLOWS[run.workflow_type], run)
    return WorkflowEnd(**last["end"])


def check_run(run: GovernedRun) -> None:
    """The run can begin. Raises ConfigurationError."""
    if run.workflow_type not in WORKFLOWS:
        names = ", ".join(WORKFLOWS)
        raise ConfigurationError(
            f"There is no governed workflow {run.workflow_type}. There are: {names}."
        )
    check_settings(run.workflow_type, run.settings)
    families = (run.drafter_family, find_coder_family(run))
    if WORKFLOWS[run.workflow_type].review is not None and run.reviewer_family in families:
        raise ConfigurationError(
            f"family_conflict: drafter and reviewer are both of the family {run.reviewer_family}."
            " Configure the tier «review» with a model of another family."
        )
    missing = [name for name in NEEDED[run.workflow_type] if getattr(run.ports, name) is None]
    if missing:
        raise ConfigurationError(
            f"The workflow {run.workflow_type} needs {', '.join(missing)}, which this run does not"
            " have. Configure it, or start another workflow."
        )


def check_settings(workflow_type: str, settings: WorkflowSettings) -> None:
    """The settings are allowed for this workflow. Raises ConfigurationError."""
    if not settings.is_reviewed and workflow_type not in OPTIONAL_REVIEW:
        raise ConfigurationError(
            f"The review of {workflow_type} is mandatory and cannot be turned off: only that of"
            " issue is optional. A person can waive a verdict at its gate."
        )
    unknown = [gate for gate in settings.gates if gate not in GATES]
    if unknown:
        raise ConfigurationError(
            f"There is no gate {', '.join(unknown)}. There are: {', '.join(GATES)}."
        )
    for name in ("max_iterations", "max_fix_iterations", "max_search_rounds"):
        if getattr(settings, name) < 1:
            raise ConfigurationError(f"{name} must be at least 1.")


def draw(workflow_type: str) -> DrawnGraph:
    """The graph of a workflow as it is compiled."""
    return draw_workflow(WORKFLOWS[workflow_type])
