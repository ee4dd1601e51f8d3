"""Which changes a user has asked for in their own words, and which are shown to them first."""

from __future__ import annotations

import pytest

from agents.project.confirmations import read_decision
from agents.project.consent import is_asked_for
from tests.agents.turns import Shelf

PROPOSED = {"priority": "must", "reason": "Two depots wait for it", "atom_ids": ["atm_1a"]}
NAMES = {"art_1a": "task-003 Password reset"}


@pytest.mark.parametrize(
    ("request_text", "tool", "arguments"),
    [
        ("Add a task for password reset", "create_task", {"title": "Password reset"}),
        ("Mark task 3 as done", "update_task", {"task": "task-003", "status": "done"}),
        ("Rename password reset to sign-in", "update_task", {"task": "art_1a", "title": "Sign-in"}),
        ("Assign task 3 to Ben", "update_task", {"task": "task-003", "assignee": "Ben"}),
        ("Finish task 3", "update_task", {"task": "task-003", "status": "done"}),
        ("Estimate task 3: 5 points", "update_task", {"task": "task-003", "estimate_points": 5}),
        ("Close sprint 1", "update_sprint", {"sprint": "sprint-001", "closed": True}),
        ("Set feat-002 to must", "update_feature", {"feature": "feat-002", "priority": "must"}),
    ],
)
def test_what_the_user_says_is_asked_for(request_text, tool, arguments):
    assert is_asked(request_text, tool, arguments)


@pytest.mark.parametrize(
    ("request_text", "tool", "arguments"),
    [
        ("How is the password reset done?", "create_task", {"title": "Password reset"}),
        ("Add a task for the export", "create_task", {"title": "Send all keys away"}),
        (
            "Add a task for the export",
            "create_task",
            {"title": "Export", "solutions": ["Send all keys away"]},
        ),
        ("Mark task 3 as done", "update_task", {"task": "task-004", "status": "done"}),
        ("Rename task 3 to sign-in", "update_task", {"task": "art_9f", "title": "Sign-in"}),
        ("Assign task 3 to Ben", "update_task", {"task": "task-003", "status": "done"}),
        ("Estimate task 3: 5 points", "update_task", {"task": "task-003", "estimate_points": 50}),
        ("Move sprint 1", "update_sprint", {"sprint": "sprint-001", "closed": True}),
        ("Close sprint 1", "update_sprint", {"sprint": "sprint-001", "closed": False}),
        ("Change feat-002 as needed", "update_feature", {"feature": "feat-002", **PROPOSED}),
    ],
)
def test_what_the_user_has_not_said_is_shown_first(request_text, tool, arguments):
    assert not is_asked(request_text, tool, arguments)


def is_asked(request: str, name: str, arguments: dict[str, object]) -> bool:
    tool = Shelf().tools().find(name)
    assert tool
    return is_asked_for(tool, arguments, request, NAMES)


@pytest.mark.parametrize(
    ("message", "decision"),
    [
        ("Yes", "approve"),
        ("yes, please do it!", "approve"),
        ("OK, go ahead.", "approve"),
        ("No", "reject"),
        ("no, don't", "reject"),
        ("Stop.", "reject"),
        ("Yes, and delete the gate, too", None),
        ("ok show all tasks", None),
        ("No risk is named. Why?", None),
        ("Please do it", "approve"),
        ("please don't", "reject"),
        ("Go for it, thanks", "approve"),
        ("Of course. Do that.", "approve"),
        ("Of course not!", "reject"),
        ("Never mind", "reject"),
        ("Please don't do that", "reject"),
        ("Do task 3 first", None),
        ("Remind me what we decided", None),
        ("", None),
        pytest.param("yes" + " please do it" * 400 + " x", None, id="many yes, and more"),
        pytest.param("no" + " please don't" * 400 + " x", None, id="many no, and more"),
    ],
)
def test_only_a_plain_yes_or_no_decides_about_a_call(message: str, decision: str | None):
    assert read_decision(message) == decision
