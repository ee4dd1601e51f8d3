"""A call's arguments as a form: what a tool takes comes back as it was, and what is changed too."""

from __future__ import annotations

from typing import Any

import pytest

from agents.tools.changes import UpdateSprint, UpdateTask
from agents.tools.tool import ToolArguments
from infra.http.console.calls import fill_fields, list_fields, read_arguments

CALLS: list[tuple[type[ToolArguments], dict[str, Any]]] = [
    (UpdateTask, {"task": "task-003", "estimate_points": 5, "status": "done", "assignee": None}),
    (UpdateTask, {"task": "one\ntwo", "solutions": ["First <b>.", "Then."]}),
    (UpdateSprint, {"sprint": "sprint-001", "closed": False, "capacity_points": 0}),
]


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_a_form_that_nobody_changes_says_what_was_asked_for(
    tool: type[ToolArguments], arguments: dict[str, Any]
):
    schema = tool.model_json_schema()
    fields = list_fields(schema, arguments)
    form = {it.name: it.value for it in fields}

    assert read_arguments(schema, form) == {k: v for k, v in arguments.items() if v is not None}
    assert fill_fields(schema, form) == fields


def test_fields_are_of_the_kind_that_the_tool_takes():
    kinds = {it.argument: it.kind for it in list_fields(UpdateTask.model_json_schema(), {})}

    assert kinds == {
        "task": "line",
        "title": "line",
        "description": "text",
        "solutions": "list",
        "acceptance_criteria": "list",
        "assignee": "line",
        "sprint": "line",
        "estimate_points": "number",
        "status": "choice",
    }


def test_what_is_not_of_its_kind_stays_for_whoever_checks_it():
    form = {"arg.task": "", "arg.estimate_points": "many", "arg.title": "", "reason": "because"}

    read = read_arguments(UpdateTask.model_json_schema(), form)

    assert read == {"task": "", "estimate_points": "many"}


def test_json_of_endless_depth_stays_as_it_was_written():
    written = "[" * 100_000

    assert read_arguments({"properties": {"rows": {}}}, {"arg.rows": written}) == {"rows": written}
