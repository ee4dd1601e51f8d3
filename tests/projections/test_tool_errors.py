"""What is wrong with the call of a tool is told as a sentence, whatever the tool."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.tools.box import Tools, call_tool
from agents.tools.tool import Tool, ToolContext, ToolResult
from infra.platform.settings import Settings
from infra.service.asking.agent_tools import open_tools
from projections.fold import PROJECTED_TOPICS
from schemas.events.project import ProjectCreated
from schemas.events.team import MemberAdded
from tests.projections.conftest import ReadModel
from tests.projections.log import Log
from tests.projections.parcel_log import records
from tests.worlds import PROJECT, fact

ELSEWHERE = "prj_elsewhere"
NAMING = ("reference", "task", "feature", "sprint", "atom_id", "section_id")
NO_ITEM = "art_00000000000000000000000000000000"
FAR = "9999-12-31"
WRONG: tuple[Any, ...] = ("", 17, None, [], "x" * 10_001, "a\0b", "\ud800")
IMPOSSIBLE: list[tuple[str, dict[str, Any], str, str]] = [
    ("list_tasks", {"status": "finished"}, "unknown_status", "todo, in_progress"),
    ("list_epics", {"status": "done"}, "unknown_status", "none"),
    ("list_jobs", {"status": "finished"}, "job_status_unknown", "succeeded"),
    ("search_ledger", {"query": "x", "kinds": ["feature"]}, "unknown_kind", "requirement"),
    ("search_ledger", {"query": "x", "statuses": ["open"]}, "unknown_status", "active"),
    ("generate_standup", {"as_of": "2026-02-31"}, "day_invalid", "2026-01-31"),
    ("create_sprint", {"goal": "Ship", "start_date": FAR}, "day_invalid", "two years"),
    ("create_sprint", {"goal": "Ship", "end_date": FAR}, "day_invalid", "1 to 60 days"),
    ("create_sprint", {"goal": " "}, "sprint_invalid", "1 to 200"),
    ("create_task", {"title": " "}, "task_invalid", "1 to 200"),
    ("create_task", {"title": "x", "assignee": "Ben"}, "unknown_member", "Ana [mem_1]"),
    ("create_task", {"title": "x", "sprint": "sprint-9"}, "unknown_item", "list_sprints"),
    ("create_task", {"title": "x", "atom_ids": ["atm_0"]}, "unknown_atom", "atm_0"),
    ("create_feature", {"title": "x", "priority": "high"}, "arguments_invalid", "must"),
    ("update_feature", {"feature": "feat-001"}, "no_change", "should change"),
    ("get_member_workload", {"member": "Ben"}, "unknown_member", "Ana [mem_1]"),
    ("get_prd_section", {"section_id": "prices"}, "unknown_section", "functional_requirements"),
]


@pytest.fixture
def tools(model: ReadModel) -> Tools:
    log = Log()
    log.write(fact(ProjectCreated(name="Parcel")))
    log.write(fact(MemberAdded(member_id="mem_1", name="Ana", skills={"integration": 3})))
    model.fold([*log.records, *records(frozenset(PROJECTED_TOPICS))])
    return open_tools(Settings(database_url=model.conninfo, reader=False))


def all_of(tools: Tools) -> list[Tool]:
    return [tool for name in tools.names() if (tool := tools.find(name))]


def call(tools: Tools, name: str, role: Any = "owner", /, **arguments: Any) -> ToolResult:
    tool = tools.find(name)
    assert tool
    return asyncio.run(
        call_tool(tool, ToolContext(PROJECT, "ana", role, f"key of {name}"), arguments)
    )


def check_told(result: ToolResult, what: str) -> None:
    """An error has a code, and a text that a person understands."""
    assert result.is_error, f"{what}: {result.text}"
    assert result.data["error"], what
    assert not result.text[:1].islower() and result.text.endswith("."), f"{what}: {result.text}"


def test_wrong_values_of_required_arguments_are_told_and_never_raised(tools: Tools):
    for tool in all_of(tools):
        required = tool.arguments.model_json_schema().get("required", [])
        for name in required:
            fine = {other: "x" for other in required if other != name}
            for value in WRONG:
                check_told(call(tools, tool.name, **{**fine, name: value}), f"{tool.name} {name}")
            check_told(call(tools, tool.name, **fine), f"{tool.name} without {name}")
            if name in NAMING:
                for value in (" ", "nothing of this name", NO_ITEM, "atm_0", "task-999"):
                    given = {**fine, name: value}
                    check_told(call(tools, tool.name, **given), f"{tool.name} {given}")
        check_told(call(tools, tool.name, surplus=1), f"{tool.name} surplus")


def test_an_impossible_tool_call_returns_the_valid_choices(tools: Tools):
    for name, arguments, code, told in IMPOSSIBLE:
        result = call(tools, name, **arguments)

        check_told(result, name)
        assert (result.data["error"], told in result.text) == (code, True), result.text


def test_what_belongs_to_another_project_is_not_there(tools: Tools):
    own = ToolContext(PROJECT, "ana", "owner", "key")
    other = ToolContext(ELSEWHERE, "ana", "owner", "key")
    listed = tools.find("list_features")
    assert listed
    feature = asyncio.run(call_tool(listed, own, {})).citations[0].cited_id
    for name, argument in (("get_feature", "reference"), ("delete_feature", "feature")):
        tool = tools.find(name)
        assert tool
        check_told(asyncio.run(call_tool(tool, other, {argument: feature})), name)


def test_a_person_without_the_role_is_told_which_it_takes(tools: Tools):
    for tool in all_of(tools):
        if tool.mutating:
            result = call(tools, tool.name, "viewer")
            check_told(result, tool.name)
            assert (result.data["error"], tool.role in result.text) == ("forbidden", True)


def test_a_long_list_says_how_many_there_are_and_how_to_get_the_rest(tools: Tools):
    whole = call(tools, "list_features")
    total = whole.data["total"]
    assert total > 2
    first = call(tools, "list_features", limit=2)
    rest = call(tools, "list_features", offset=2)

    assert first.text.startswith(f"Features: {total}\n")
    assert first.text.endswith(f"… {total - 2} more: ask again with offset 2.")
    told = [one["artifact_id"] for part in (first, rest) for one in part.data["features"]]
    assert told == [one["artifact_id"] for one in whole.data["features"]]
    assert "None is left" in call(tools, "list_features", offset=total).text


def test_a_model_is_told_what_each_argument_holds(tools: Tools):
    for tool in all_of(tools):
        schema = tool.arguments.model_json_schema()
        for name in schema["properties"]:
            assert f"``{name}``" in schema.get("description", ""), f"{tool.name} {name}"


def test_priorities_are_told_with_the_atoms_that_speak_for_them(tools: Tools):
    result = call(tools, "prioritize_features")

    for one in result.data["items"]:
        assert one["atom_ids"] and one["decided_by"] is None
        assert all(f"[{atom_id}]" in result.text for atom_id in one["atom_ids"])
    assert {one.cited_id[:4] for one in result.citations} == {"art_", "atm_"}
