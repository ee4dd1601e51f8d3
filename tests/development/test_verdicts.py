"""What counts as a verdict, and what does not, whatever a reviewer writes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.development.governed.verdicts import (
    LONGEST,
    describe_findings,
    list_open,
    read_verdict,
    round_of,
)
from agents.runs.review_loop import Round, decide_next
from schemas.ids import sha256_hex

DRAFT = "# Export\n\n- Exports are **signed** with the   key.\n- Nothing else.\n"
HASH = sha256_hex(DRAFT)
LINE = "- Exports are **signed** with the key."


def answer(verdict: str = "APPROVE", *findings: dict[str, Any], **more: Any) -> str:
    data = {"artifact": HASH[:16], "verdict": verdict, "summary": "So.", "findings": findings}
    return json.dumps(data | more)


def finding(quote: str = LINE, severity: str = "major", text: str = "Wrong.") -> dict[str, Any]:
    return {"severity": severity, "section": "", "quote": quote, "text": text, "suggestion": ""}


def read(text: str, **more: Any) -> str:
    return read_verdict(text, DRAFT, HASH, **more)["verdict"]


@pytest.mark.parametrize(
    "text",
    [
        answer(),
        f"```json\n{answer()}\n```",
        f"<think>Is the verdict: BLOCK? No.</think>\n{answer()}",
        f"I have read all of it.\n\n{answer()}\n\nBest regards",
        answer("approve"),
        answer(artifact=HASH),
        answer("APPROVE", finding(severity="minor")),
        answer("APPROVE", finding("", severity="major")),
    ],
)
def test_an_approval(text: str):
    assert read(text) == "APPROVE"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "\ufeff",
        "null",
        "{}",
        "[]",
        "APPROVE",
        '"APPROVE"',
        "I APPROVE this draft.",
        "Verdict: APPROVE",
        "<html><body>APPROVE</body></html>",
        answer()[:-20],
        answer("APPROVE") + answer("BLOCK", finding()),
        json.dumps([json.loads(answer("REVISE", finding())), json.loads(answer("APPROVE"))]),
        answer()[:-1] + ', "verdict": "BLOCK"}',
        f"Verdict: BLOCK\n{answer()}",
        answer("APPROVE", artifact=sha256_hex("another")[:16]),
        answer("APPROVE", artifact=HASH[:8]),
        answer("APPROVE", artifact=""),
        answer("LGTM"),
        answer("APPROVE or BLOCK"),
        answer("BLOCK"),
        answer("REVISE", finding("This line is not in the draft.")),
        answer("REVISE", finding("")),
        answer("REVISE", finding("- -")),
        answer("APPROVE", finding("nowhere", severity="critical")),
        '{"artifact": "' + HASH[:16] + '", "verdict": "APPROVE"}',
        "{" * 5_000,
    ],
)
def test_no_verdict(text: str):
    outcome = read_verdict(text, DRAFT, HASH)
    if text.endswith('"APPROVE"}'):  # a list that is left out is an empty one
        assert outcome["verdict"] == "APPROVE"
        return
    assert outcome["verdict"] == "UNREADABLE"
    assert outcome["summary"]
    assert round_of(outcome) == Round(is_accepted=None)


@pytest.mark.parametrize("severity", ["critical", "BLOCKER", "blocking"])
def test_an_approval_with_a_critical_finding_blocks(severity: str):
    assert read(answer("APPROVE", finding(severity=severity))) == "BLOCK"


@pytest.mark.parametrize(
    "quote",
    [
        LINE,
        "Exports are **signed** with the key.",
        "`Exports are **signed** with the key`",
        "signed** with the key",
        "# Export\n\n- Nothing else.",
    ],
)
def test_a_finding_quotes_a_line_whatever_its_blanks_and_marks(quote: str):
    verdict = read_verdict(answer("BLOCK", finding(quote)), DRAFT, HASH)
    assert (verdict["verdict"], verdict["findings"][0]["is_valid"]) == ("BLOCK", True)


def test_a_finding_that_quotes_no_line_is_kept_and_counts_for_nothing():
    text = answer("BLOCK", finding(), finding("Not there at all."))
    verdict = read_verdict(text, DRAFT, HASH)
    assert [one["is_valid"] for one in verdict["findings"]] == [True, False]
    assert verdict["problems"] == ["- Exports are **signed** with the key."]
    assert len(list_open(verdict)) == 1


def test_open_findings_stay_open_until_they_are_resolved_or_their_line_is_gone():
    first = read_verdict(answer("BLOCK", finding(), finding("- Nothing else.")), DRAFT, HASH)
    carried = list_open(first)
    unsaid = read_verdict(answer("BLOCK"), DRAFT, HASH, carried)
    assert unsaid["problems"] == first["problems"]
    resolved = read_verdict(answer("BLOCK", resolved=["f1"]), DRAFT, HASH, carried)
    assert resolved["problems"] == ["- Nothing else."]
    assert read(answer("BLOCK", resolved=["F1", "F2"]), carried=carried) == "UNREADABLE"
    draft = DRAFT.replace("Nothing else", "All the rest")
    changed = answer("BLOCK", artifact=sha256_hex(draft))
    gone = read_verdict(changed, draft, sha256_hex(draft), carried)
    assert gone["problems"] == first["problems"][1:] or len(gone["problems"]) == 1
    assert list_open(read_verdict(answer("APPROVE"), DRAFT, HASH, carried)) == []


def test_texts_of_any_length_are_cut():
    verdict = read_verdict(answer("BLOCK", finding(text="x" * 9_999)), DRAFT, HASH)
    assert len(verdict["findings"][0]["text"]) == LONGEST
    assert "It is about the line" in describe_findings(verdict["findings"])[0]


@pytest.mark.parametrize(
    ("last", "previous", "iterations", "step"),
    [
        (Round(True), None, 1, "on"),
        (Round(True), None, 9, "on"),
        (Round(None), Round(False), 1, "halted"),
        (Round(None), None, 5, "halted"),
        (Round(False, frozenset("a")), None, 1, "revise"),
        (Round(False, frozenset("a")), Round(False, frozenset("b")), 2, "revise"),
        (Round(False, frozenset("a")), Round(False, frozenset("ab")), 2, "revise"),
        (Round(False, frozenset("a")), Round(False, frozenset("a")), 2, "stagnated"),
        (Round(False, frozenset("a")), Round(False, frozenset("a")), 5, "stagnated"),
        (Round(False), Round(False), 2, "revise"),
        (Round(False, frozenset("a")), Round(False, frozenset("b")), 5, "blocked_max_iterations"),
        (Round(False), None, 5, "blocked_max_iterations"),
    ],
)
def test_what_follows_a_round(last: Round, previous: Round | None, iterations: int, step: str):
    assert decide_next(last, previous, iterations, 5) == step
