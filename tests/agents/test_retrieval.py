"""Tools by category, and the search that finds the right one among many."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, create_model

from agents.tools.retrieval import ToolRegistry
from agents.tools.tool import Tool, ToolArguments, ToolContext, ToolResult

VERBS = {
    "create": "Create",
    "list": "List",
    "update": "Change",
    "delete": "Delete",
    "archive": "Put away",
    "export": "Write to a file",
    "share": "Share with other people",
    "rename": "Give another name to",
    "count": "Count",
    "approve": "Approve",
}
NOUN_LIST = (
    "invoice customer contract shipment warehouse ticket message calendar meeting room document"
    " folder page comment branch release pipeline deployment alert dashboard report budget payment"
    " refund subscription coupon product category review rating profile team member role policy"
    " secret certificate domain server volume snapshot cluster queue topic schedule reminder"
    " contact campaign survey course"
)
NOUNS = NOUN_LIST.split(" ")


async def do_nothing(context: ToolContext, wanted: ToolArguments) -> ToolResult:
    return ToolResult("", {})


def a_tool(name: str, description: str = "", **arguments: str) -> Tool:
    fields = {each: (str, Field(description=text)) for each, text in arguments.items()}
    model = create_model("Arguments", __base__=ToolArguments, **fields)  # type: ignore[call-overload]
    return Tool(name, description, model, do_nothing)


@cache
def many_tools() -> ToolRegistry:
    spaces = {
        noun: [
            a_tool(f"{verb}_{noun}", f"{text} one or more {noun}s of the company.", id="Its id.")
            for verb, text in VERBS.items()
        ]
        for noun in NOUNS
    }
    return ToolRegistry(spaces)


def names(tools: tuple[Tool, ...]) -> list[str]:
    return [tool.name for tool in tools]


MAIL = a_tool("gmail_search_messages", "Search mails (e-mail) by words.", query="Such as from:ana")
SEND = a_tool("gmail_send_message", "Send a mail to people.", to="The address of the recipient.")
ISSUE = a_tool("github_create_issue", "Open an issue in a repository.")
SMALL = ToolRegistry({"gmail": [MAIL, SEND], "github": [ISSUE]})


def test_five_hundred_tools_are_all_named_and_found_by_name():
    registry = many_tools()
    assert len(registry.names()) == 500
    assert all(registry.find(name) is not None for name in registry.names())
    assert registry.find("create_unicorn") is None


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("delete an invoice", "delete_invoice"),
        ("I want to have the refunds counted", "count_refund"),
        ("rename the folder please", "rename_folder"),
        ("exporting dashboards", "export_dashboard"),
        ("approve payment", "approve_payment"),
        ("who can share a calendar with me", "share_calendar"),
        ("Put the policies away", "archive_policy"),
        ("listCertificates", "list_certificate"),
        ("CREATE CATEGORIES", "create_category"),
        ("update_queue", "update_queue"),
    ],
)
def test_among_five_hundred_tools_the_right_one_comes_first(query: str, name: str):
    assert names(many_tools().search(query))[0] == name


def test_each_of_five_hundred_tools_comes_first_for_its_own_words():
    registry = many_tools()
    for name in registry.names():
        verb, _, noun = name.partition("_")
        assert names(registry.search(f"{verb} the {noun}s", limit=1)) == [name]


def test_a_search_returns_ten_tools_or_as_many_as_asked_for():
    registry = many_tools()
    assert len(registry.search("invoice customer contract")) == 10
    assert len(registry.search("invoice customer contract", limit=3)) == 3
    assert registry.search("invoice", limit=0) == ()


def test_equal_tools_come_by_name():
    registry = ToolRegistry({"z": [a_tool("b_thing"), a_tool("a_thing"), a_tool("c_thing")]})
    assert names(registry.search("thing")) == ["a_thing", "b_thing", "c_thing"]


def test_what_fits_no_word_is_not_found():
    assert SMALL.search("weather in Lisbon") == ()
    assert SMALL.search("") == ()
    assert SMALL.search("the of and") == ()


def test_a_tool_is_found_by_its_arguments_and_its_category():
    assert names(SMALL.search("recipient"))[0] == "gmail_send_message"
    assert names(SMALL.search("github"))[0] == "github_create_issue"


@pytest.mark.parametrize("query", ["email", "e-mail", "E-Mails"])
def test_a_compound_is_found_in_either_spelling(query: str):
    assert names(SMALL.search(query))[0] == "gmail_search_messages"


def test_a_tool_that_is_named_comes_before_those_that_fit_its_words():
    assert names(SMALL.search("use github_create_issue to send a mail"))[0] == "github_create_issue"


def test_a_registry_within_categories_knows_nothing_else():
    mail = SMALL.within({"gmail", "unknown"})
    assert mail.names() == ("gmail_search_messages", "gmail_send_message")
    assert mail.find("github_create_issue") is None
    assert mail.search("github_create_issue open an issue in a repository") == ()
    assert SMALL.within(()).search("mail") == ()
    assert dict(mail.spaces) == {"gmail": (MAIL, SEND)}


def test_a_tool_may_be_in_several_categories_but_a_name_means_one_tool():
    assert ToolRegistry({"a": [MAIL], "b": [MAIL]}).names() == ("gmail_search_messages",)
    with pytest.raises(ValueError, match="b has another tool named gmail_search_messages"):
        ToolRegistry({"a": [MAIL], "b": [a_tool("gmail_search_messages")]})


@given(st.text(), st.integers(-3, 30))
def test_any_text_may_be_searched_for_and_gives_the_same_again(query: str, limit: int):
    first = SMALL.search(query, limit)
    assert first == SMALL.search(query, limit)
    assert len(first) <= max(0, limit)


@pytest.mark.parametrize(
    "query", ["\0", "\ud800", "ß" * 1_000_000, "-" * 1_000_000, "a-" * 500_000]
)
def test_odd_and_endless_texts_find_nothing_in_particular(query: str):
    assert len(SMALL.search(query)) <= 3
