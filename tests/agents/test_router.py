"""Where requests go by rule: each row of the table with its examples and counterexamples."""

from __future__ import annotations

import pytest

from agents.project.router import Row, read_rows, route_by_rule

ROWS = read_rows()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.request)
def test_examples_of_a_row_go_there_and_counterexamples_do_not(row: Row):
    assert row.example
    assert row.counterexample
    for request in row.example:
        assert route_by_rule(request).request == row.request, request
    for request in row.counterexample:
        assert route_by_rule(request).request != row.request, request


@pytest.mark.parametrize(
    ("request_text", "agent"),
    [
        ("create a task to update the changelog", "assistant"),
        ("Delete the task T-14, please", "assistant"),
        ("how is the project doing", "assistant"),
        ("find everything about the retry limit", "assistant"),
        ("Please derive new features from what we know", "planner"),
        ("let's do sprint planning", "planner"),
        ("Can you analyze our tickets?", "analyst"),
        ("We need deep research on passkeys", "analyst"),
        ("give me the retro", "assistant"),
        ("what are the biggest risks", "assistant"),
        ("forecast the delivery of the release", "assistant"),
        ("who could take the export feature", "assistant"),
        ("redistribute the load of the team", "assigner"),
        ("what can you do?", "end"),
        ("Could you write a report for management?", "reporter"),
        ("every friday send me the sprint report", "scheduler"),
        ("REMIND ME TO REVIEW THE RISKS", "scheduler"),
        ("remind me what we decided about X", "assistant"),
        ("what tasks have we decided to create", "assistant"),
        ("generate features from what we decided", "planner"),
        ("", "assistant"),
        ("???", "assistant"),
        ("Was ist der Stand?", "assistant"),
    ],
)
def test_other_wordings_go_where_the_table_says(request_text: str, agent: str):
    assert route_by_rule(request_text).route == agent
