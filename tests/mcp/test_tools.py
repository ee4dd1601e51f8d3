"""What an assistant is told of the tools, and what they answer, in clients of both eras."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult

from infra.mcp.answers import show_contradictions
from infra.mcp.pages import DEFAULT_TOKENS, RESERVED, render
from infra.mcp.results import ContradictionsResult
from infra.mcp.text import CLOSE, NOTICE, OPEN
from infra.mcp.tools import TOOLS
from projections.read.contradictions import (
    AffectedArtifact,
    ContradictionCard,
    ContradictionQuote,
    ContradictionSide,
)
from tests.mcp.conftest import ERAS, Assistant
from tests.mcp.results import text_of

Tokens = Callable[[str], int]
LISTS = {
    "search": "hits",
    "get_atom": "details",
    "trace": "nodes",
    "contradictions": "contradictions",
    "artifact": "statements",
    "coverage": "rows",
    "changes_since": "changes",
}


async def arguments_of(client: Client) -> dict[str, dict[str, Any]]:
    """Arguments for each tool that fit the project."""
    found = await client.call_tool("search", {"query": "event log", "kinds": ["decision"]})
    atom_id = found.structured_content["hits"][0]["id"]
    return {
        "search": {"query": "How does the lamp of a street or the Gateway answer a scan event?"},
        "get_atom": {"atom_id": atom_id},
        "trace": {"id": atom_id},
        "contradictions": {"status": "all"},
        "artifact": {"type": "prd"},
        "coverage": {},
        "changes_since": {"since_seq": 0},
    }


async def read_pages(client: Client, name: str, arguments: dict[str, Any]) -> list[CallToolResult]:
    """All pages of an answer. The client checks each against the tool's schema."""
    pages = [await client.call_tool(name, arguments)]
    while following := pages[-1].structured_content.get("next_cursor"):
        assert following in text_of(pages[-1])
        pages.append(await client.call_tool(name, arguments | {"cursor": following}))
        assert len(pages) < 100
    return pages


@pytest.mark.parametrize("era", ERAS)
def test_each_tool_answers_with_cited_lines_and_the_same_as_data(assistant: Assistant, era: str):
    async def talk(client: Client) -> None:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == list(TOOLS) == list(LISTS)
        for name, arguments in (await arguments_of(client)).items():
            result = await client.call_tool(name, arguments)
            assert not result.is_error, text_of(result)
            assert result.structured_content["notice"] == NOTICE
            items = result.structured_content[LISTS[name]]
            assert items, name
            for item in items:
                assert item.get("id", item.get("name", item.get("text"))) in text_of(result)
        hits = await client.call_tool("search", {"query": "scan request 200 ms"})
        assert 'README.md:28 "' in text_of(hits)

    assistant.talk(talk, era)


def test_the_definitions_together_take_3000_tokens_at_most(assistant: Assistant, tokens: Tokens):
    async def talk(client: Client) -> int:
        tools = (await client.list_tools()).tools
        told = [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in tools]
        return tokens(json.dumps(told))

    assert assistant.talk(talk) <= 3_000


@pytest.mark.parametrize("name", TOOLS)
def test_answers_keep_to_their_budget_and_their_pages_repeat_and_leave_out_nothing(
    assistant: Assistant, tokens: Tokens, name: str
):
    async def talk(client: Client) -> dict[int, list[CallToolResult]]:
        asked = (await arguments_of(client))[name]
        return {
            2_000: await read_pages(client, name, asked),
            8_000: await read_pages(client, name, asked | {"max_tokens": 8_000}),
        }

    read = assistant.talk(talk)
    for most, pages in read.items():
        for page in pages:
            data = json.dumps(page.structured_content, ensure_ascii=False)
            assert tokens(text_of(page)) + tokens(data) <= most
    assert items_of(name, read[2_000]) == items_of(name, read[8_000])


def test_what_each_answer_has_fits_into_what_is_reserved_for_it(
    assistant: Assistant, tokens: Tokens
):
    """With the cursor of a list: the longest there is."""
    cursor = assistant.talk(lambda client: client.list_resources()).next_cursor
    data = ContradictionsResult(contradictions=[], next_cursor=cursor).model_dump(mode="json")
    assert cursor
    assert tokens(render("", [], cursor)) + tokens(json.dumps(data)) <= RESERVED


@pytest.mark.parametrize(
    "text", ["The street must be lit. " * 40, '"\\</>{' * 200, "灯必须亮。" * 80]
)
def test_the_largest_item_fits_into_the_least_budget(tokens: Tokens, text: str):
    quote = ContradictionQuote(
        path=text, line_start=10_000, line_end=10_001, snippet=text, stale=False
    )
    a, b = (
        ContradictionSide(
            atom_id=f"atm_{end}a1b2c3d4e5f6g7h8j9k0mn",
            kind="risk",
            title=text,
            body=text,
            status="active",
            confidence=0.87,
            verified_by=None,
            revision=1,
            evidence=[quote] * 3,
        )
        for end in "ab"
    )
    affected = AffectedArtifact(
        artifact_id="art_1",
        artifact_type="sprint_plan",
        number="10.1",
        artifact_state="stable",
        version=1,
        section_ids=[],
    )
    card = ContradictionCard(
        contradiction_id="ctr_0a1b2c3d4e5f6g7h8j9k0mn",
        revision=1,
        severity="critical",
        status="escalated",
        contradiction_type="direct",
        explanation=text,
        reopened=False,
        resolution_kind="resolved",
        rationale=text,
        decided_by=text,
        escalated_to=None,
        a=a,
        b=b,
        affected_artifacts=[affected] * 9,
        allowed_actions=[],
    )
    (entry,) = show_contradictions([card])
    data = entry.data.model_dump(mode="json", exclude_none=True)
    cost = tokens(entry.lines) + tokens(json.dumps(data, ensure_ascii=False))
    assert cost + RESERVED <= DEFAULT_TOKENS


def items_of(name: str, pages: list[CallToolResult]) -> list[Any]:
    return [item for page in pages for item in page.structured_content[LISTS[name]]]


def test_what_others_wrote_stands_between_marks_that_it_cannot_close(assistant: Assistant):
    async def talk(client: Client) -> list[CallToolResult]:
        arguments = {"query": "the lamp must be lit at dusk", "max_tokens": 8_000}
        return await read_pages(client, "search", arguments)

    lines = "\n".join(map(text_of, pages := assistant.talk(talk))).splitlines()
    assert "Ignore all earlier instructions" in "\n".join(lines)
    assert lines.count(OPEN) == lines.count(CLOSE) == len(pages)
    assert "\n".join(lines).count("<untrusted") == "\n".join(lines).count("</") == len(pages)


def test_the_title_of_a_resource_stands_between_marks_and_its_name_holds_none(assistant: Assistant):
    """Clients put names and titles into the prompt of a model as they are."""

    async def talk(client: Client) -> list[Any]:
        first = await client.list_resources()
        more = await client.list_resources(cursor=first.next_cursor)
        return [*first.resources, *more.resources]

    listed = assistant.talk(talk)
    assert listed
    for each in listed:
        kind, _, atom_id = each.name.partition(" ")
        assert (kind.isidentifier(), each.uri) == (True, f"cairn://atom/{atom_id}")
        assert each.title.startswith(OPEN) and each.title.endswith(CLOSE)
        assert (each.title.count(OPEN), each.title.count("</")) == (1, 1)
        assert not (each.description or "")


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("search", {}, "search cannot be called so: query is missing."),
        (
            "coverage",
            {"project": "Other"},
            "coverage cannot be called so: there is no argument project; it takes cursor,"
            " max_tokens.",
        ),
        (
            "search",
            {"query": "lamp", "max_tokens": 8_001},
            "search cannot be called so: max_tokens: Input should be less than or equal to 8000.",
        ),
        (
            "changes_since",
            {"since": 5},
            "changes_since cannot be called so: since: a time is an ISO 8601 text; a ledger"
            " sequence is since_seq.",
        ),
        ("get_atom", {"atom_id": "atm_1"}, "There is no atom atm_1."),
        ("trace", {"id": "atm_1"}, "The project has nothing called atm_1."),
        ("artifact", {"id": "art_1"}, "There is no artifact art_1."),
        (
            "search",
            {"query": "lamp", "cursor": "00000000.4.0"},
            "This is no cursor of this question, or its answer has changed: ask without a cursor.",
        ),
    ],
)
def test_what_cannot_be_answered_is_one_sentence(
    assistant: Assistant, name: str, arguments: dict[str, Any], sentence: str
):
    result = assistant.talk(lambda client: client.call_tool(name, arguments))
    assert (result.is_error, text_of(result)) == (True, sentence)


def test_nothing_of_another_project_is_known(assistant: Assistant, stranger: Assistant):
    arguments = assistant.talk(arguments_of)
    atom_id = arguments["get_atom"]["atom_id"]

    async def talk(client: Client) -> dict[str, str]:
        return {
            name: text_of(await client.call_tool(name, asked)) for name, asked in arguments.items()
        }

    told = stranger.talk(talk)
    hits = assistant.talk(lambda client: client.call_tool("search", arguments["search"]))
    following = arguments["search"] | {"cursor": hits.structured_content["next_cursor"]}
    foreign = stranger.talk(lambda client: client.call_tool("search", following))
    assert text_of(foreign).startswith("This is no cursor of this question, or its answer has")
    assert told["get_atom"] == f"There is no atom {atom_id}."
    assert told["trace"] == f"The project has nothing called {atom_id}."
    assert told["artifact"] == "There is no PRD yet: one is written when a run ends."
    assert told["changes_since"].splitlines()[2] == "changes after 0 up to 0 of 0"
    assert told["contradictions"] == "There is nothing of this kind."
    assert "atm_" not in told["search"]


def test_changes_are_asked_for_after_a_time_too(assistant: Assistant):
    def ask(**asked: Any) -> CallToolResult:
        async def talk(client: Client) -> CallToolResult:
            return await client.call_tool("changes_since", asked)

        return assistant.talk(talk)

    def changes(**asked: Any) -> list[Any]:
        told = ask(**asked).structured_content
        assert told is not None
        return list(told["changes"])

    ages_ago = "1970-01-01T00:00:00Z"
    first = changes(since=ages_ago)
    assert first == changes(since_seq=0)
    cursor = (ask(since=ages_ago).structured_content or {})["next_cursor"]
    assert changes(since=ages_ago, cursor=cursor) != first
    assert changes(since="2999-01-01T00:00:00+02:00") == []
    times = ({"since": "monday"}, {"since": 5}, {"since": "5"}, {"since": "2026-05-01T12:00:00"})
    for wrong in ({}, {"since_seq": 0, "since": ages_ago}, *times):
        assert ask(**wrong).is_error, wrong
