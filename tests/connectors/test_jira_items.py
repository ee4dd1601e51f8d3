"""Jira's payloads become the same items whichever way they come, in whichever markup."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import Any

import pytest

from connectors.jira import adf, wiki
from connectors.jira.items import (
    attachment_item,
    items_of,
    items_of_event,
    readable_attachments,
)
from connectors.payloads import UnreadablePayload
from connectors.rendering import render
from connectors.service_items import DeletedItem
from schemas.talk import remarks_in

SITE = "acme"
KIM = {"accountId": "70121:aa", "displayName": "Kim Larsen", "accountType": "atlassian"}
ISSUE: dict[str, Any] = {
    "id": "10007",
    "key": "SHOP-7",
    "self": "https://acme.example/rest/api/2/issue/10007",
    "fields": {
        "summary": "Exports time out",
        "description": "h2. What happens\nThe export of *large* projects times out.",
        "reporter": KIM,
        "created": "2026-10-01T09:14:05.120+0200",
        "updated": "2026-10-02T00:30:00.000-0700",
        "status": {"name": "In Progress"},
        "labels": ["export"],
        "issuetype": {"name": "Bug"},
        "components": [{"name": "api"}],
        "comment": {
            "comments": [
                {
                    "id": "900",
                    "author": {"name": "build", "accountType": "app", "displayName": "Build"},
                    "body": "We will go with a queue.",
                    "created": "2026-10-01T10:00:00.000+0200",
                    "updated": "2026-10-01T11:00:00.000+0200",
                }
            ]
        },
        "attachment": [
            {"id": "1", "filename": "notes.MD", "size": 40, "created": "2026-10-01T09:20:00Z"},
            {"id": "2", "filename": "screen.png", "size": 40, "created": "2026-10-01T09:20:00Z"},
            {"id": "3", "filename": "a.txt", "size": 9_000_000, "created": "2026-10-01T09:20:00Z"},
        ],
    },
}  # fmt: skip


def test_an_issue_and_its_comments_are_one_item_each():
    issue, comment = items_of(SITE, ISSUE)
    assert (issue.root, issue.path, issue.source_type) == ("jira/acme/SHOP", "SHOP-7", "issue")
    assert render(issue).decode() == (
        "# SHOP-7: Exports time out\n\nState: In Progress. Labels: Bug, api, export.\n"
        "\n## Kim Larsen (reporter), 2026-10-01T07:14:05Z\n\n"
        "## What happens\nThe export of **large** projects times out.\n"
    )
    assert comment.path == "SHOP-7/comments/900"
    assert render(comment).decode() == (
        "# Re: SHOP-7: Exports time out\n"
        "\n## build (bot), 2026-10-01T08:00:00Z, edited 2026-10-01T09:00:00Z\n\n"
        "We will go with a queue.\n"
    )


def test_an_issue_without_a_summary_is_called_by_its_key():
    issue, comment = items_of(SITE, {**ISSUE, "fields": {**ISSUE["fields"], "summary": None}})
    assert (issue.title, comment.about) == ("SHOP-7", "SHOP-7")


def test_times_are_utc_whatever_zone_the_server_has():
    assert items_of(SITE, ISSUE)[0].changed_at == datetime(2026, 10, 2, 7, 30, tzinfo=UTC)


def test_the_revision_tells_the_last_entry_of_the_change_log():
    log = {"histories": [{"id": "41"}, {"id": "112"}, {"id": "9"}]}
    assert items_of(SITE, {**ISSUE, "changelog": log})[0].revision_ref == (
        "2026-10-02T07:30:00.000Z#112"
    )


def test_an_event_gives_the_items_that_a_pull_gives():
    event = {"webhookEvent": "jira:issue_updated", "timestamp": 1, "issue": ISSUE}
    assert items_of_event(SITE, event) == items_of(SITE, ISSUE)


def test_a_comment_by_event_and_by_pull_has_the_same_text():
    comment = ISSUE["fields"]["comment"]["comments"][0]
    issue = {"key": "SHOP-7", "self": ISSUE["self"], "fields": {"summary": "Exports time out"}}
    event = {"webhookEvent": "comment_updated", "issue": issue, "comment": comment}
    assert items_of_event(SITE, event) == items_of(SITE, ISSUE)[1:]


def test_deletions_take_effect_when_they_were_sent():
    event = {"webhookEvent": "jira:issue_deleted", "timestamp": 1_790_000_000_000, "issue": ISSUE}
    at = datetime.fromtimestamp(1_790_000_000, UTC)
    root = "jira/acme/SHOP"
    assert items_of_event(SITE, event) == [
        DeletedItem("jira", root, "SHOP-7", at, cascade_roots=(root,))
    ]


def test_only_prose_of_a_fair_size_is_read_of_the_attachments():
    (notes,) = readable_attachments(ISSUE)
    item = attachment_item(SITE, ISSUE, notes, b"We chose a queue.\xff")
    assert (item.path, item.source_type) == ("SHOP-7/attachments/1/notes.MD", "doc")
    assert "We chose a queue.\ufffd" in render(item).decode()


@pytest.mark.parametrize("field", ["created", "updated"])
@pytest.mark.parametrize("bad", [None, "yesterday MARK", 5])
def test_an_issue_is_read_though_a_time_of_it_is_none(field: str, bad: object):
    broken = copy.deepcopy(ISSUE)
    broken["fields"][field] = bad
    issue, _ = items_of(SITE, broken)
    assert issue.flaws == (f"{field} is {'missing' if bad is None else 'no time'}",)
    assert b"The export of **large** projects times out." in render(issue)
    assert (b"time unknown" in render(issue)) == (field == "created")


def test_a_remark_of_unknown_time_is_one_of_its_own():
    broken = copy.deepcopy(ISSUE)
    broken["fields"] |= {"created": None, "description": "## kim, time unknown\n\nMine."}
    text = render(items_of(SITE, broken)[0]).decode()
    (remark,) = remarks_in(text)
    assert (remark.speaker, remark.role, remark.at) == ("Kim Larsen", "reporter", None)


@pytest.mark.parametrize("key", ["SHOP", "-7", "SHOP-x", "../etc-x"])
def test_a_key_that_is_none_is_refused(key: str):
    with pytest.raises(UnreadablePayload):
        items_of(SITE, {**ISSUE, "key": key})


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("h1. Plan\nplain", "# Plan\nplain"),
        ("* one\n** two\n# three", "- one\n  - two\n1. three"),
        ("a *bold* and -gone- and {{*code*}}", "a **bold** and ~~gone~~ and `*code*`"),
        ("2 * 3 * 4, well-known e-mail", "2 * 3 * 4, well-known e-mail"),
        ("see [the docs|https://a.example/x] or [https://b.example]",
         "see [the docs](https://a.example/x) or <https://b.example>"),
        ("ask [~accountid:5b1] !shot.png|thumbnail!", "ask @5b1 "),
        ("{color:red}must{color} stay", "must stay"),
        ("{code:java}\nint *x* = 1;\n{code}\nafter", "```java\nint *x* = 1;\n```\nafter"),
        ("{quote}\nold words\n{quote}\nmine", "> old words\n\nmine"),
        ("bq. old words", "> old words"),
        ("||a||b||\n|1|2|", "| a | b |\n|---|---|\n|1|2|"),
        ("open {noformat}end of text", "open \n```\nend of text\n```"),
        (r"not \[a link\]", "not [a link]"),
    ],
)  # fmt: skip
def test_wiki_markup_as_markdown(written: str, read: str):
    assert wiki.markdown(written) == read


def a_node(kind: str, *inner: Any, **attributes: Any) -> dict[str, Any]:
    return {"type": kind, "attrs": attributes, "content": list(inner)}


def words(text: str, *marks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "text", "text": text, "marks": list(marks)}


def test_the_document_format_as_markdown():
    document = a_node(
        "doc",
        a_node("heading", words("Plan"), level=2),
        a_node(
            "bulletList",
            a_node(
                "listItem",
                a_node(
                    "paragraph",
                    words("we "),
                    words("will ", {"type": "strong"}),
                    {"type": "mention", "attrs": {"id": "1", "text": "@Kim"}},
                ),
                a_node("bulletList", a_node("listItem", a_node("paragraph", words("inside")))),
            ),
        ),
        a_node("taskList", a_node("taskItem", words("write it"), state="TODO")),
        a_node("decisionList", a_node("decisionItem", words("a queue"), state="DECIDED")),
        a_node("blockquote", a_node("paragraph", words("old words"))),
        a_node("codeBlock", words("x = 1"), language="python"),
        a_node("newKind", a_node("paragraph", words("kept"))),
    )
    assert adf.markdown(document) == (
        "## Plan\n\n- we **will** @Kim\n  - inside\n\n- [ ] write it\n\n- Decision: a queue\n\n"
        "> old words\n\n```python\nx = 1\n```\n\nkept"
    )


def text_of(*nodes: Any) -> str:
    return adf.markdown(a_node("doc", *nodes))


def a_day(stamp: object) -> dict[str, Any]:
    return {"type": "date", "attrs": {"timestamp": stamp}}


def a_cell(text: str, kind: str = "tableCell", **attributes: Any) -> dict[str, Any]:
    return a_node(kind, a_node("paragraph", words(text)), **attributes)


@pytest.mark.parametrize(
    ("node", "read"),
    [
        (a_node("paragraph", words("by "), a_day("1736812800000"), words(".")), "by 2025-01-14."),
        (a_node("paragraph", a_day(1736899199999)), "2025-01-14"),
        (a_node("paragraph", a_day("soon")), "soon"),
        (a_node("paragraph", a_day(10**30)), ""),
        (a_node("expand", a_node("paragraph", words("Who owns it?")), title="Open questions"),
         "**Open questions**\n\nWho owns it?"),
        (a_node("nestedExpand", a_node("paragraph", words("a")), title=" b "), "**b**\n\na"),
        (a_node("expand", a_node("paragraph", words("a"))), "a"),
        (a_node("panel", a_node("paragraph", words("a")), a_node("paragraph", words("b")),
                panelType="warning"), "a\n\nb"),
        (a_node("paragraph", {"type": "status", "attrs": {"text": "DONE"}}), "DONE"),
        (a_node("paragraph", {"type": "emoji", "attrs": {"shortName": ":tada:"}}), ":tada:"),
        (a_node("paragraph", {"type": "inlineCard", "attrs": {"url": "https://a.example"}}),
         "<https://a.example>"),
        (a_node("paragraph", {"type": "inlineCard", "attrs": {
            "data": {"name": "The plan", "url": "https://a.example"}}}),
         "[The plan](https://a.example)"),
        ({"type": "blockCard", "attrs": {"url": "https://a.example"}}, "<https://a.example>"),
        (a_node("mediaSingle", {"type": "media", "attrs": {"alt": "The way of a label"}},
                a_node("caption", words("Figure 1"))), "The way of a label\n\nFigure 1"),
        (a_node("mediaGroup", {"type": "media", "attrs": {"id": "1"}}), ""),
        (a_node("taskList", a_node("taskItem", words("a"), state="DONE"),
                a_node("taskList", a_node("taskItem", words("b"), state="TODO"))),
         "- [x] a\n  - [ ] b"),
        (a_node("taskList", a_node("blockTaskItem", a_node("paragraph", words("a")), state="DONE")),
         "- [x] a"),
        (a_node("decisionList", a_node("decisionItem", words("a"), state="UNDECIDED")), "- a"),
        (a_node("orderedList", a_node("listItem", a_node("paragraph", words("a"))), order=3),
         "3. a"),
        (a_node("codeBlock", words("a\n```\nb")), "````\na\n```\nb\n````"),
        ({"type": "extension", "attrs": {"text": "A chart of prints"}}, "A chart of prints"),
        (a_node("bodiedExtension", a_node("paragraph", words("a")), parameters={
            "macroParams": {"title": {"value": "Goals"}}}), "**Goals**\n\na"),
        (a_node("layoutSection", a_node("layoutColumn", a_node("paragraph", words("a"))),
                a_node("layoutColumn", a_node("paragraph", words("b")))), "a\n\nb"),
        (a_node("unknownFrame", words("a "), {"type": "newWord", "attrs": {"text": "b"}}), "a b"),
        ({"type": "unknownLeaf", "attrs": {"title": "a"}}, "a"),
    ],
)  # fmt: skip
def test_every_node_of_a_document_keeps_its_words(node: dict[str, Any], read: str):
    assert text_of(node) == read


def test_pipes_and_merged_cells_of_a_table_leave_every_text_in_its_column():
    table = a_node(
        "table",
        a_node("tableRow", *(a_cell(it, "tableHeader") for it in ("Field", "Old", "New"))),
        a_node("tableRow", a_cell("mode", rowspan=2), a_cell("a|b"), a_cell("c")),
        a_node("tableRow", a_cell("d"), a_cell("e")),
        a_node("tableRow", a_cell("all", colspan=2), a_cell("f")),
        a_node("tableRow", a_cell("short")),
        a_node("tableRow", a_cell("wide", colspan=10**9)),
    )
    assert text_of(table).split("\n") == [
        "| Field | Old | New |",
        "|---|---|---|",
        "| mode | a\\|b | c |",
        "|  | d | e |",
        "| all |  | f |",
        "| short |  |  |",
        "| wide |  |  |",
    ]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("{expand:Open questions}\nWho owns it?\n{expand}", "**Open questions**\nWho owns it?"),
        ("{expand:title=Open questions}a{expand}", "**Open questions**a"),
        ("{panel:title=Goals|bgColor=#fff}\na\n{panel}", "**Goals**\na"),
        ("{status:colour=Green|title=DONE} since {date:2025-01-14}", "DONE since 2025-01-14"),
        ("{warning:title=Mind}a{warning}", "**Mind**a"),
        ("{unknown:title=a}b", "{unknown:title=a}b"),
        ("|a \\| b|c|", "|a \\| b|c|"),
        ("||a \\| b||c||", "| a \\| b | c |\n|---|---|"),
        ("||Name|value|", "| Name | value |"),
        ("||[a|https://a.example]||*b*||", "| [a](https://a.example) | **b** |\n|---|---|"),
        ("|[a|https://a.example]|b|", "|[a](https://a.example)|b|"),
    ],
)
def test_frames_of_wiki_markup_keep_their_titles(written: str, read: str):
    assert wiki.markdown(written).strip() == read


def test_a_document_nested_deeper_than_is_read_keeps_its_words():
    document: dict[str, Any] = a_node("paragraph", words("deep"), words("down"))
    for _ in range(500):
        document = a_node("panel", document)
    assert adf.markdown(a_node("doc", document)) == "deep down"
