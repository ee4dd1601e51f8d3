"""The tools that read, over the tables of an ingested project; nothing here needs a broker."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from agents.project.assistant import run_assistant
from agents.project.state import AgentResult
from agents.tools.box import Tools, call_tool
from agents.tools.items import only_item
from agents.tools.tool import ToolContext, ToolResult
from infra.platform.errors import Conflict
from infra.platform.settings import Settings
from infra.service.asking.agent_tools import list_agent_tools, open_tools
from infra.service.planning.items import ItemRequest, change_item
from projections.fold import PROJECTED_TOPICS
from schemas.events.project import ProjectCreated
from schemas.events.team import MemberAdded
from tests.agents.turns import Recorded, a_turn
from tests.projections.conftest import ReadModel
from tests.projections.log import Log
from tests.projections.parcel_log import records
from tests.worlds import PROJECT, fact

COVERED = "How fast must the Gateway answer a scan request?"
CHANGES = ("create", "update", "delete")
UNCOVERED = "Which zebra won the chess olympiad?"
ARGUMENTS: dict[str, dict[str, Any]] = {
    "search_ledger": {"query": COVERED},
    "search_project": {"query": "gateway scan"},
    "get_prd_section": {"section_id": "functional_requirements"},
    "get_artifact": {"reference": "prd"},
}


@pytest.fixture
def tools(model: ReadModel) -> Tools:
    log = Log()
    log.write(fact(ProjectCreated(name="Parcel")))
    log.write(fact(MemberAdded(member_id="mem_1", name="Ana", skills={"integration": 3})))
    model.fold([*log.records, *records(frozenset(PROJECTED_TOPICS))])
    return open_tools(Settings(database_url=model.conninfo, reader=False))


def call(tools: Tools, name: str, **arguments: Any) -> ToolResult:
    tool = tools.find(name)
    assert tool
    context = ToolContext(PROJECT, "ana", "pm", f"key of {name}")
    return asyncio.run(call_tool(tool, context, arguments))


def answer(tools: Tools, request: str) -> AgentResult:
    return asyncio.run(run_assistant(a_turn(request, PROJECT), None, tools, Recorded()))


def arguments_of(tools: Tools, name: str) -> dict[str, Any]:
    """Arguments that fit the project: of a tool for one item, the first that the list shows."""
    kind = name.removeprefix("get_")
    if name == "get_atom":
        return {"atom_id": call(tools, "search_ledger", query=COVERED).citations[0].cited_id}
    if f"list_{kind}s" in tools.names():
        listed = call(tools, f"list_{kind}s").citations
        return {"reference": listed[0].cited_id if listed else "1"}
    return ARGUMENTS.get(name, {})


def test_each_tool_that_reads_answers_from_the_tables(tools: Tools):
    for name in tools.names():
        tool = tools.find(name)
        if tool and not tool.mutating:
            arguments = arguments_of(tools, name)
            result = call(tools, name, **arguments)
            assert result.text, name
            missing = arguments.get("reference") == "1"  # this project has none of the kind
            assert result.is_error == missing, f"{name}: {result.text}"


def test_the_list_of_tools_says_what_each_takes_and_may_do(tools: Tools):
    listed = {one.name: one for one in asyncio.run(list_agent_tools(Settings()))}

    assert tuple(listed) == tools.names()
    assert listed["search_ledger"].arguments["required"] == ["query"]
    assert not listed["search_ledger"].mutating
    assert listed["generate_standup"].mutating


def test_an_item_is_found_by_its_number_however_it_is_written_and_by_its_title(tools: Tools):
    (first, *_) = call(tools, "list_features").data["features"]
    for reference in (first["number"], "feature 1", "Feat-1", first["title"], first["artifact_id"]):
        found = call(tools, "get_feature", reference=reference)
        assert found.data["artifact_id"] == first["artifact_id"], reference


def test_a_list_names_what_its_items_belong_to(tools: Tools):
    features = {one["artifact_id"]: one for one in call(tools, "list_features").data["features"]}
    result = call(tools, "list_tasks")

    task = next(one for one in result.data["tasks"] if one["fields"]["feature_id"])
    feature = features[task["fields"]["feature_id"]]
    assert task["names"][feature["artifact_id"]] in result.text
    assert feature["title"] in task["names"][feature["artifact_id"]]
    assert f"feature: {feature['artifact_id']}" not in result.text


def test_items_that_hold_most_of_the_words_come_first_a_page_at_a_time(tools: Tools):
    words = "Gateway or depot scan"
    whole = call(tools, "search_project", query=words, limit=100).data
    ids = [one["artifact_id"] for one in whole["artifacts"]]

    def rate(item: dict[str, Any]) -> int:
        texts = [one["text"] for section in item["sections"] for one in section["statements"]]
        title, body = (
            set(re.findall(r"[a-z0-9]+", text.lower())) for text in (item["title"], " ".join(texts))
        )
        return sum(2 * (word in title) + (word in body) for word in ("gateway", "depot", "scan"))

    rates = [rate(one) for one in whole["artifacts"]]
    assert len(ids) == len(set(ids)) == whole["total"] > 3
    assert rates == sorted(rates, reverse=True)
    assert min(rates) > 0
    page = call(tools, "search_project", query=words, limit=2, offset=1)
    assert [one["artifact_id"] for one in page.data["artifacts"]] == ids[1:3]
    assert page.data["total"] == len(ids)
    assert call(tools, "search_project", query="of a").data == {"artifacts": [], "total": 0}


def test_a_search_cites_places_that_hold_the_snippets(tools: Tools):
    result = call(tools, "search_ledger", query=COVERED)

    assert result.data["coverage"] in ("entity", "metadata", "fulltext")
    assert result.citations
    for one in result.citations:
        assert one.path and one.line_start and one.snippet
        assert f"[{one.cited_id}]" in result.text


def test_each_passage_of_a_hit_has_an_id_of_its_own(tools: Tools):
    result = call(tools, "search_ledger", query="depot parcel label")

    shown = re.findall(r"\[(psg_\w+)\] \S+:(\d+)", result.text)
    known = {one.cited_id: one.line_start for one in result.citations}
    assert shown
    assert all(known[passage_id] == int(line) for passage_id, line in shown)


def test_what_is_wrong_with_a_call_is_told_as_text(tools: Tools):
    assert "query" in call(tools, "search_ledger").text
    assert "There is no atom atm_none" in call(tools, "get_atom", atom_id="atm_none").text
    assert "unknown" in call(tools, "get_atom", atom_id="x").data["error"]


ASKED = {
    "What is the status of the project?": "get_project_status",
    "Show all tasks": "list_tasks",
    "Show the PRD": "get_artifact",
    "Who is in the team?": "list_members",
    "Which contradictions are there?": "list_contradictions",
    "What are the open questions?": "list_unknowns",
    "What are the biggest risks?": "analyze_risks",
    "Prioritise the features": "prioritize_features",
    "Who should do what?": "suggest_assignments",
    "What did models cost?": "get_cost_report",
    COVERED: "search_ledger",
}


def test_without_a_model_rules_choose_the_tool_and_say_so(tools: Tools):
    for request, tool in ASKED.items():
        result = answer(tools, request)

        assert [one["tool"] for one in result.output["tool_calls"]] == [tool], request
        assert (result.engine, result.error) == ("rules", None), request
        assert "no language model took part" in result.response


def test_an_answer_by_rules_cites_the_ledger_or_says_that_it_is_silent(tools: Tools):
    covered, uncovered = answer(tools, COVERED), answer(tools, UNCOVERED)

    assert covered.output["coverage"] == "some"
    assert "200 ms" in covered.response
    assert all(one.path and one.line_start for one in covered.citations)
    assert (uncovered.output["coverage"], uncovered.citations) == ("none", ())
    assert "ledger holds nothing" in uncovered.response


def test_a_task_is_refused_at_once_before_a_run_has_ended(model: ReadModel):
    log = Log()
    log.write(fact(ProjectCreated(name="Empty")))
    model.emptied().fold(log.records)

    with pytest.raises(Conflict) as refused:
        asyncio.run(
            change_item(
                Settings(database_url=model.conninfo, reader=False),
                ItemRequest(PROJECT, "task", "create", {"title": "Oil the gate"}, key="k-1"),
                actor="ana",
            )
        )
    assert refused.value.code == "nothing_written"


def test_an_item_whose_title_is_a_word_and_a_number_is_found_by_it():
    items = [
        {"artifact_id": "art_1", "number": "feat-001", "title": "OAuth 2"},
        {"artifact_id": "art_2", "number": "feat-002", "title": "Release 3"},
    ]
    assert only_item(items, "feature", "oauth 2")["artifact_id"] == "art_1"
    assert only_item(items, "feature", "Release 3")["artifact_id"] == "art_2"
    assert only_item(items, "feature", "feature 2")["artifact_id"] == "art_2"


def test_tools_ask_for_the_role_that_their_routes_ask_for(tools: Tools):
    leaders = {"schedule_work", "run_quality_check", "break_down_feature"}
    leaders |= {f"{op}_{kind}" for op in CHANGES for kind in ("feature", "sprint")}
    for name in tools.names():
        tool = tools.find(name)
        assert tool
        assert tool.role == ("pm" if name in leaders else "member" if tool.mutating else "viewer")
