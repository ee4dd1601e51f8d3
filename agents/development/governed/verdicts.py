"""Reads what a reviewer answers: a verdict about one artifact, or no verdict at all.

A verdict is an object of JSON with one of three words, for the artifact that was shown. Everything
else is `UNREADABLE`: nothing, HTML, prose that holds one of the words, two verdicts that
contradict each other, a verdict about another artifact. What a person would have to guess is not
guessed here.

A finding quotes a line of the draft; one that quotes none is kept for people and counts for
nothing. So a `BLOCK` or `REVISE` without any finding that counts is `UNREADABLE`, too: nobody could
tell the drafter what to mend. An `APPROVE` with a critical finding is a `BLOCK`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from agents.development.governed.state import FindingState, VerdictState
from agents.models.receiving import drop_thoughts, list_claims, receive
from agents.runs.review_loop import Round

APPROVE, BLOCK, REVISE = "APPROVE", "BLOCK", "REVISE"
UNAVAILABLE, UNREADABLE, SKIPPED = "UNAVAILABLE", "UNREADABLE", "SKIPPED_OPTIONAL"
VERDICTS = (APPROVE, BLOCK, REVISE)
CRITICAL = "critical"
SHOWN_HASH = 16  # characters of the hash that the reviewer repeats
LEAST_HASH = 12
MOST_FINDINGS = 50
LONGEST = 2_000  # characters of a text of a finding
LEAST_QUOTE = 3  # characters of a quote that are letters or digits

_SEVERITIES = {
    **dict.fromkeys(("critical", "blocking", "blocker", "block", "fatal"), CRITICAL),
    **dict.fromkeys(("minor", "low", "nit", "trivial", "info", "note", "suggestion"), "minor"),
}
_TEXT = {"type": "string"}
_FINDING = {
    "type": "object",
    "properties": {
        "severity": _TEXT,
        "section": _TEXT,
        "quote": _TEXT,
        "text": _TEXT,
        "suggestion": _TEXT,
    },
    "required": ["text"],
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "artifact": _TEXT,
        "verdict": _TEXT,
        "summary": _TEXT,
        "findings": {"type": "array", "items": _FINDING},
        "resolved": {"type": "array", "items": _TEXT},
    },
    "required": ["artifact", "verdict", "findings"],
}
_HTML = re.compile(r"\s*<(?:!doctype|html|head|body)\b", re.IGNORECASE)
_MARKS = "\"'`“”‘’«»*_ \t"


def read_verdict(
    answer: str, draft: str, artifact_hash: str, carried: Sequence[FindingState] = ()
) -> VerdictState:
    """The verdict about ``draft``, whose hash is ``artifact_hash``. Never raises.

    ``carried`` are the open findings of earlier rounds, which the reviewer was shown as F1, F2 and
    so on; they stay open until it says that they are resolved, or the line that they quote is gone.
    """
    reason = find_contradiction(answer)
    if reason:
        return no_verdict(UNREADABLE, artifact_hash, reason)
    received = receive(answer, SCHEMA)
    if received.fault:
        return no_verdict(UNREADABLE, artifact_hash, _tell_fault(answer, received.problems))
    data = received.data
    verdict = str(data["verdict"]).strip().upper()
    if verdict not in VERDICTS:
        reason = f"The answer says «{verdict[:40]}», which is none of {', '.join(VERDICTS)}."
        return no_verdict(UNREADABLE, artifact_hash, reason)
    about = str(data["artifact"]).strip().lower()
    if len(about) < LEAST_HASH or not artifact_hash.startswith(about):
        reason = f"The verdict is about «{about[:80]}», and not about this draft."
        return no_verdict(UNREADABLE, artifact_hash, reason)
    lines = {_plain(line) for line in draft.split("\n")}
    findings = [_read_finding(each, lines) for each in data["findings"]]
    if len(findings) > MOST_FINDINGS:  # what is left out is never the worst
        findings = sorted(findings, key=_rank)[:MOST_FINDINGS]
    still_open = _keep_open(carried, data.get("resolved", ()), lines)
    return _judge(verdict, artifact_hash, str(data.get("summary", "")), findings, still_open)


def no_verdict(outcome: str, artifact_hash: str, reason: str) -> VerdictState:
    """The outcome of a review that has no verdict."""
    return {
        "verdict": outcome,
        "artifact_hash": artifact_hash,
        "summary": reason[:LONGEST],
        "findings": [],
        "problems": [],
    }


def find_contradiction(answer: str) -> str:
    """Why the answer holds more than one verdict; empty where it does not."""
    claims = list_claims(drop_thoughts(answer), "verdict", "approve|block|revise")
    words = {word.upper() for word in claims}
    if len(words) < 2:
        return ""
    return f"The answer contradicts itself: it says {' and '.join(sorted(words))}."


def list_open(verdict: VerdictState) -> list[FindingState]:
    """The findings that the next round is shown: an approval leaves none."""
    if verdict["verdict"] == APPROVE:
        return []
    return [finding for finding in verdict["findings"] if finding["is_valid"]]


def round_of(verdict: VerdictState) -> Round:
    """What the verdict means to the review loop."""
    outcome = verdict["verdict"]
    if outcome in (APPROVE, SKIPPED):
        return Round(is_accepted=True)
    if outcome not in VERDICTS:
        return Round(is_accepted=None)
    return Round(is_accepted=False, problems=frozenset(verdict["problems"]))


def describe_findings(findings: Iterable[FindingState]) -> list[str]:
    """A line for each finding, for whoever mends the draft."""
    texts = []
    for number, finding in enumerate(findings, start=1):
        where = f" in «{finding['section']}»" if finding["section"] else ""
        line = f"F{number} ({finding['severity']}{where}): {finding['text']}"
        if finding["quote"]:
            line += f" It is about the line «{finding['quote']}»."
        if finding["suggestion"]:
            line += f" Suggestion: {finding['suggestion']}"
        texts.append(line)
    return texts


def _judge(
    given: str,
    artifact_hash: str,
    summary: str,
    findings: list[FindingState],
    still_open: list[FindingState],
) -> VerdictState:
    verdict = given
    is_critical = any(finding["severity"] == CRITICAL for finding in findings)
    if given == APPROVE and is_critical:
        verdict, summary = BLOCK, f"Approved with a critical finding, so not approved. {summary}"
    if verdict != APPROVE:
        quotes = {_plain(finding["quote"]) for finding in findings}
        findings += [one for one in still_open if _plain(one["quote"]) not in quotes]
    valid = [finding for finding in findings if finding["is_valid"]]
    if verdict != APPROVE and not valid:
        reason = f"The reviewer says {given}, and no finding quotes a line of the draft. {summary}"
        return no_verdict(UNREADABLE, artifact_hash, reason) | {"findings": findings}
    return {
        "verdict": verdict,
        "artifact_hash": artifact_hash,
        "summary": summary.strip()[:LONGEST],
        "findings": findings,
        "problems": sorted({_plain(finding["quote"]) for finding in valid}),
    }


def _read_finding(data: dict[str, Any], lines: set[str]) -> FindingState:
    severity = str(data.get("severity", "")).strip().lower()
    quote = str(data.get("quote", "")).strip(_MARKS + "\n")[:LONGEST]
    return {
        "severity": _SEVERITIES.get(severity, "major"),
        "section": str(data.get("section", "")).strip()[:200],
        "quote": quote,
        "text": str(data["text"]).strip()[:LONGEST],
        "suggestion": str(data.get("suggestion", "")).strip()[:LONGEST],
        "is_valid": _is_quoted(quote, lines),
    }


def _rank(finding: FindingState) -> int:
    return ("critical", "major", "minor").index(finding["severity"])


def _keep_open(
    carried: Sequence[FindingState], resolved: Iterable[Any], lines: set[str]
) -> list[FindingState]:
    numbers = {str(each).strip().upper() for each in resolved}
    return [
        finding
        for number, finding in enumerate(carried, start=1)
        if f"F{number}" not in numbers and _is_quoted(finding["quote"], lines)
    ]


def _is_quoted(quote: str, lines: set[str]) -> bool:
    """Whether each line of the quote stands in a line of the draft."""
    parts = [plain for part in quote.split("\n") if (plain := _plain(part))]
    letters = sum(mark.isalnum() for part in parts for mark in part)
    return letters >= LEAST_QUOTE and all(any(part in line for line in lines) for part in parts)


def _plain(text: str) -> str:
    """A line as it is compared: without the marks around it, and with single blanks."""
    return " ".join(text.strip(_MARKS + "\n").split())


def _tell_fault(answer: str, problems: Sequence[str]) -> str:
    if not answer.strip():
        return "The reviewer's answer is empty."
    if _HTML.match(answer):
        return "The reviewer's answer is a page of HTML."
    return f"The reviewer's answer cannot be read: {'; '.join(problems)}."
