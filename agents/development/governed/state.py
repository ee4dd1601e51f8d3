"""The state of each graph: values that the saver can keep, and nothing else."""

from __future__ import annotations

from typing import TypedDict


class FindingState(TypedDict):
    """A finding of a reviewer. ``quote`` is a line of the draft; ``is_valid`` False: it is none."""

    severity: str
    section: str
    quote: str
    text: str
    suggestion: str
    is_valid: bool


class VerdictState(TypedDict):
    """The verdict about the artifact with ``artifact_hash``; ``problems`` name what it is about."""

    verdict: str
    artifact_hash: str
    summary: str
    findings: list[FindingState]
    problems: list[str]


class CostState(TypedDict):
    """What the run has cost so far; ``cost_usd`` None: a price is not known."""

    input_tokens: int
    output_tokens: int
    cost_usd: float | None


class WorkflowState(TypedDict, total=False):
    """What all graphs share. ``visits`` counts the visits of each node, ``goes_to`` is the node
    that the last one chose.
    """

    visits: dict[str, int]
    cost: CostState
    goes_to: str
    end: EndState


class EndState(TypedDict, total=False):
    """The fields of `WorkflowEnd`, where a node has ended the run."""

    status: str
    artifact_type: str
    artifact_hash: str
    text: str
    path: str
    error: str
    message: str


class ApprovalState(TypedDict):
    """Who has approved the artifact with ``artifact_hash``: a verdict, a waiver, or nobody where
    the review is optional.
    """

    approval: str
    approved_by: str
    artifact_hash: str


class ReviewedState(WorkflowState, total=False):
    """What graphs share in which something is drafted and reviewed.

    ``feedback`` is what the next draft has to mend. ``verdicts`` are all that were given, without
    outcomes that are none; ``last_verdict`` is the last outcome. ``granted`` counts the verdicts
    that a person has allowed beyond the limit, ``redrafts`` the drafts since the last verdict that
    rules have sent back. ``open_findings`` are carried from round to round.
    """

    draft: str
    draft_model: str
    draft_family: str
    drafts: int
    redrafts: int
    feedback: list[str]
    verdicts: list[VerdictState]
    last_verdict: VerdictState
    open_findings: list[FindingState]
    granted: int
    approved: ApprovalState
    context: str
    context_files: list[str]
    pitfalls: list[str]


class IssueState(ReviewedState, total=False):
    """`issue`: the draft is the brief."""


class RequirementsState(ReviewedState, total=False):
    """`requirements`: the draft is the low-level design."""


class SpecificationState(ReviewedState, total=False):
    """`implementation_spec`: the draft is the specification."""


class ScenarioState(TypedDict):
    """A test that is to be written, and the requirements that it shows."""

    name: str
    requirements: list[str]
    path: str
    checks: str


class TestRunState(TypedDict):
    """A run of the tests of ``tree``."""

    tree: str
    runner: str
    exit_code: int | None
    output: str
    commands: list[str]


class ImplementationState(ReviewedState, total=False):
    """`tdd_implementation`: the draft is the change, as a diff with the tree that it leads to.

    ``tree`` is the tree that the work has come to, ``base`` where it began, ``frozen`` the tree
    whose tests nobody may change, ``reviewed_tree`` that of the draft. ``fixes`` counts the fixes
    since the tests were last green, ``rewrites`` how often tests were written again in a row.
    """

    requirements: list[str]
    scenarios: list[ScenarioState]
    base: str
    tree: str
    frozen: str
    reviewed_tree: str
    tests: TestRunState
    covered: list[str]
    uncovered: list[str]
    is_implemented: bool
    fixes: int
    granted_fixes: int
    rewrites: int
    session: str
    report: str


class SourceState(TypedDict):
    """A source outside of the project, with the query that led to it."""

    text: str
    address: str
    found_on: str
    query: str


class ClaimState(TypedDict):
    """A sentence of the report with the numbers of the sources that it cites."""

    text: str
    sources: list[int]


class ScoutState(WorkflowState, total=False):
    """`scout`: sources are collected in ``rounds`` until they answer the question."""

    queries: list[str]
    asked: list[str]
    sources: list[SourceState]
    rounds: int
    summary: str
    claims: list[ClaimState]
    open_questions: list[str]
    dropped: list[str]
