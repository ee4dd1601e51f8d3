"""What a reviewer and an evaluator have answered. Reading never raises: what cannot be read is no
approval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agents.models.receiving import drop_thoughts, list_claims, receive

Severity = Literal["critical", "major", "minor"]
Choice = Literal["IMPLEMENT", "REJECT", "DEFER", "CLARIFY"]
CHOICES: tuple[Choice, ...] = ("IMPLEMENT", "REJECT", "DEFER", "CLARIFY")
MOST_ISSUES = 50  # of a review

REVIEW_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["approved", "issues", "summary"],
    "properties": {
        "approved": {"type": "boolean"},
        "issues": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["severity", "file", "line", "description"],
                "properties": {
                    "severity": {"type": "string", "enum": ["critical", "major", "minor"]},
                    "file": {"type": "string"},
                    "line": {"type": "integer"},
                    "description": {"type": "string"},
                },
            },
        },
        "summary": {"type": "string"},
    },
}
EVALUATION_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["items"],
    "properties": {
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["issue", "decision", "reason"],
                "properties": {
                    "issue": {"type": "integer"},
                    "decision": {"type": "string", "enum": list(CHOICES)},
                    "reason": {"type": "string"},
                },
            },
        },
    },
}


@dataclass(frozen=True, slots=True)
class ReviewIssue:
    """``line`` 0: it is about the whole file; ``file`` empty: about the change as a whole."""

    severity: Severity
    file: str
    line: int
    description: str


@dataclass(frozen=True, slots=True)
class Review:
    """``unreadable`` says why the answer is no review; then it approves nothing.

    ``by_rule``: our own checks have found the issues, and no model was asked.
    """

    approved: bool
    issues: tuple[ReviewIssue, ...] = ()
    summary: str = ""
    unreadable: str = ""
    by_rule: bool = False


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What is to become of an issue of a review."""

    issue: ReviewIssue
    decision: Choice
    reason: str


def read_review(text: str) -> Review:
    """The review in an answer.

    One that approves and yet names something critical or major approves nothing, and one that also
    says that it does not approve cannot be used: it may quote what somebody wrote into the change.
    Nor can one that does not approve and names no issue: it gives nobody anything to do.
    """
    received = receive(text, REVIEW_SCHEMA)
    if received.fault:
        return Review(False, unreadable="; ".join(received.problems) or received.fault)
    data = received.data
    if len(data["issues"]) > MOST_ISSUES:
        return Review(False, unreadable=f"it names more than {MOST_ISSUES} issues")
    issues = tuple(
        ReviewIssue(one["severity"], one["file"].strip(), max(0, one["line"]), description)
        for one in data["issues"]
        if (description := one["description"].strip())
    )
    is_grave = any(one.severity != "minor" for one in issues)
    approved = bool(data["approved"]) and not is_grave
    if approved and "false" in list_claims(drop_thoughts(text), "approved", "true|false"):
        return Review(False, unreadable="it says that it approves, and that it does not")
    if not approved and not issues:
        return Review(False, unreadable="it does not approve and names no issue")
    return Review(approved, issues, data["summary"].strip())


def read_evaluation(text: str, issues: Sequence[ReviewIssue]) -> tuple[Evaluated, ...]:
    """A decision for each issue, by its number from 1.

    An issue without a decision that can be read is to be implemented: the reviewer's word holds.
    """
    received = receive(text, EVALUATION_SCHEMA)
    decided: dict[int, Mapping[str, Any]] = {}
    if not received.fault:
        for one in received.data["items"]:
            decided.setdefault(one["issue"], one)
    return tuple(
        _evaluate(issue, decided.get(number)) for number, issue in enumerate(issues, start=1)
    )


def _evaluate(issue: ReviewIssue, decided: Mapping[str, Any] | None) -> Evaluated:
    if decided is None:
        return Evaluated(issue, "IMPLEMENT", "No decision was given.")
    if decided["decision"] != "IMPLEMENT" and not decided["reason"].strip():
        return Evaluated(issue, "IMPLEMENT", "It was to be left, but no reason was given.")
    return Evaluated(issue, decided["decision"], decided["reason"].strip())
