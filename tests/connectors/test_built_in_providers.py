"""Each tool of each packaged provider over real HTTP: the request that the service documents."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.policy import default
from email.utils import getaddresses, parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from connectors.providers.files import BUILT_IN
from connectors.providers.mails import encode_mail
from tests.connectors.stand_ins.provider import (
    KEY,
    TOKEN,
    ProviderServer,
    ask,
    json_of,
    providers_of,
    run,
)


@dataclass
class Call:
    """A call of a tool, the request that it makes, and what is told of an answer."""

    tool: str
    arguments: dict[str, Any]
    method: str
    target: str
    body: Any = None
    answer: Any = field(default_factory=dict)
    told: str = ""


def a_mail() -> str:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Ana <ana@example.org>", "bo@example.org", "Offer"
    mail.set_content("The price is 7.")
    return base64.urlsafe_b64encode(mail.as_bytes()).decode().rstrip("=")


GMAIL = "/gmail/v1/users/me"
CALENDAR = "/calendar/v3/calendars/primary/events"
NINE, TEN = "2026-03-02T09:00:00+01:00", "2026-03-02T10:00:00+01:00"
ISSUE = "/repos/acme/shop/issues/7"
PARAGRAPH = {
    "object": "block",
    "type": "paragraph",
    "paragraph": {"rich_text": [{"type": "text", "text": {"content": "One."}}]},
}
TWEET = "tweet.fields=created_at%2Cauthor_id"
CALLS = [
    Call("gmail_search_messages", {"query": "from:ana subject:offer"}, "GET",
         f"{GMAIL}/messages?q=from%3Aana+subject%3Aoffer&maxResults=10",
         answer={"messages": [{"id": "m1", "threadId": "t1"}]}, told="- id: m1; threadId: t1"),
    Call("gmail_get_message", {"message_id": "m1"}, "GET", f"{GMAIL}/messages/m1?format=raw",
         answer={"id": "m1", "threadId": "t1", "raw": a_mail()}, told="The price is 7."),
    Call("gmail_get_thread", {"thread_id": "t1"}, "GET", f"{GMAIL}/threads/t1?format=metadata",
         answer={"messages": [{"id": "m1", "snippet": "Dear Bo"}]}, told="snippet: Dear Bo"),
    Call("gmail_list_labels", {}, "GET", f"{GMAIL}/labels",
         answer={"labels": [{"id": "INBOX", "name": "INBOX", "type": "system"}]}, told="INBOX"),
    Call("gmail_change_labels", {"message_id": "m1", "remove": ["UNREAD"]}, "POST",
         f"{GMAIL}/messages/m1/modify", {"removeLabelIds": ["UNREAD"]},
         {"id": "m1", "labelIds": ["INBOX"]}, "labelIds: INBOX"),
    Call("gmail_trash_message", {"message_id": "m1"}, "POST", f"{GMAIL}/messages/m1/trash",
         answer={"id": "m1", "labelIds": ["TRASH"]}, told="TRASH"),
    Call("calendar_list_calendars", {}, "GET", "/calendar/v3/users/me/calendarList",
         answer={"items": [{"id": "primary", "summary": "Ana"}]}, told="summary: Ana"),
    Call("calendar_list_events", {"after": "2026-03-02T00:00:00Z", "limit": 5}, "GET",
         f"{CALENDAR}?timeMin=2026-03-02T00%3A00%3A00Z&maxResults=5&singleEvents=true"
         "&orderBy=startTime",
         answer={"items": [{"id": "e1", "summary": "Review", "start": {"dateTime": NINE}}]},
         told=f"summary: Review; start.*: {NINE}"),
    Call("calendar_get_event", {"event_id": "e1"}, "GET", f"{CALENDAR}/e1",
         answer={"id": "e1", "summary": "Review"}, told="summary: Review"),
    Call("calendar_find_busy_times",
         {"calendar_ids": ["a@x.org", "b@x.org"], "after": NINE, "before": TEN}, "POST",
         "/calendar/v3/freeBusy",
         {"timeMin": NINE, "timeMax": TEN, "items": [{"id": "a@x.org"}, {"id": "b@x.org"}]},
         {"calendars": {"a@x.org": {"busy": []}}}, "a@x.org"),
    Call("calendar_create_event",
         {"title": "Review", "start": NINE, "end": TEN, "attendees": ["bo@x.org"]}, "POST",
         f"{CALENDAR}?sendUpdates=all",
         {"summary": "Review", "start": {"dateTime": NINE}, "end": {"dateTime": TEN},
          "attendees": [{"email": "bo@x.org"}]},
         {"id": "e2", "htmlLink": "https://x"}, "id: e2"),
    Call("calendar_update_event", {"event_id": "e1", "title": "Look", "notify": "none"}, "PATCH",
         f"{CALENDAR}/e1?sendUpdates=none", {"summary": "Look"}, {"id": "e1"}, "id: e1"),
    Call("calendar_delete_event", {"event_id": "e1"}, "DELETE", f"{CALENDAR}/e1?sendUpdates=all",
         told="Done."),
    Call("notion_search", {"query": "roadmap", "kind": "page"}, "POST", "/v1/search",
         {"query": "roadmap", "page_size": 20, "filter": {"property": "object", "value": "page"}},
         {"results": [{"object": "page", "id": "p1", "properties": {
             "Name": {"title": [{"plain_text": "Road"}, {"plain_text": "map"}]}}}]},
         "- object: page; id: p1; properties.*.title.plain_text: Road map"),
    Call("notion_get_page", {"page_id": "p1"}, "GET", "/v1/pages/p1",
         answer={"id": "p1", "archived": False}, told='"archived": false'),
    Call("notion_read_blocks", {"block_id": "p1"}, "GET", "/v1/blocks/p1/children?page_size=50",
         answer={"results": [{"id": "b1", "type": "paragraph", "paragraph": {
             "rich_text": [{"plain_text": "We ship in May."}]}}]}, told="We ship in May."),
    Call("notion_list_rows", {"database_id": "d1"}, "POST", "/v1/databases/d1/query",
         {"page_size": 25}, {"results": []}, "Nothing was found."),
    Call("notion_create_page", {"parent_page_id": "p1", "title": "Notes", "paragraphs": ["One."]},
         "POST", "/v1/pages",
         {"parent": {"page_id": "p1"},
          "properties": {"title": {"title": [{"text": {"content": "Notes"}}]}},
          "children": [PARAGRAPH]}, {"id": "p2"}, "id: p2"),
    Call("notion_append_paragraphs", {"block_id": "p1", "paragraphs": ["One."]}, "PATCH",
         "/v1/blocks/p1/children", {"children": [PARAGRAPH]},
         {"results": [{"id": "b2", "type": "paragraph"}]}, "id: b2"),
    Call("notion_add_comment", {"page_id": "p1", "text": "Yes."}, "POST", "/v1/comments",
         {"parent": {"page_id": "p1"}, "rich_text": [{"text": {"content": "Yes."}}]},
         {"id": "c1"}, "id: c1"),
    Call("notion_archive_page", {"page_id": "p1"}, "PATCH", "/v1/pages/p1", {"archived": True},
         {"id": "p1", "archived": True}, "archived: true"),
    Call("twitter_search_tweets", {"query": "cairn"}, "GET",
         f"/2/tweets/search/recent?query=cairn&max_results=10&{TWEET}%2Cpublic_metrics",
         answer={"data": [{"id": "1", "text": "Hello"}]}, told="text: Hello"),
    Call("twitter_get_tweet", {"post_id": "1"}, "GET",
         f"/2/tweets/1?{TWEET}%2Cconversation_id%2Cpublic_metrics",
         answer={"data": {"id": "1", "text": "Hello"}}, told="data.text: Hello"),
    Call("twitter_get_me", {}, "GET", "/2/users/me", answer={"data": {"id": "9"}}, told="9"),
    Call("twitter_find_user", {"username": "cairn"}, "GET",
         "/2/users/by/username/cairn?user.fields=description%2Cpublic_metrics",
         answer={"data": {"id": "9", "username": "cairn"}}, told="data.username: cairn"),
    Call("twitter_list_user_tweets", {"user_id": "9"}, "GET",
         "/2/users/9/tweets?max_results=10&tweet.fields=created_at%2Cpublic_metrics",
         answer={"data": [], "meta": {"result_count": 0}}, told="Nothing was found."),
    Call("twitter_post_tweet", {"text": "Hello", "reply_to": "1"}, "POST", "/2/tweets",
         {"text": "Hello", "reply": {"in_reply_to_tweet_id": "1"}},
         {"data": {"id": "2", "text": "Hello"}}, "data.id: 2"),
    Call("twitter_delete_tweet", {"post_id": "2"}, "DELETE", "/2/tweets/2",
         answer={"data": {"deleted": True}}, told="data.deleted: true"),
    Call("twitter_like_tweet", {"user_id": "9", "post_id": "1"}, "POST", "/2/users/9/likes",
         {"tweet_id": "1"}, {"data": {"liked": True}}, "data.liked: true"),
    Call("github_search_issues", {"query": "repo:acme/shop login"}, "GET",
         "/search/issues?q=repo%3Aacme%2Fshop+login&per_page=20",
         answer={"total_count": 1, "items": [{"number": 7, "title": "Login"}]}, told="number: 7"),
    Call("github_search_code", {"query": "parse"}, "GET", "/search/code?q=parse&per_page=20",
         answer={"items": [{"path": "a.py"}]}, told="path: a.py"),
    Call("github_get_repository", {"owner": "acme", "repo": "shop"}, "GET", "/repos/acme/shop",
         answer={"full_name": "acme/shop"}, told="full_name: acme/shop"),
    Call("github_list_issues", {"owner": "acme", "repo": "shop", "labels": ["bug", "ui"]}, "GET",
         "/repos/acme/shop/issues?state=open&labels=bug%2Cui&per_page=25",
         answer=[{"number": 7, "title": "Login"}], told="title: Login"),
    Call("github_get_issue", {"owner": "acme", "repo": "shop", "number": 7}, "GET", ISSUE,
         answer={"number": 7, "body": "It fails."}, told="body: It fails."),
    Call("github_list_comments", {"owner": "acme", "repo": "shop", "number": 7}, "GET",
         f"{ISSUE}/comments?per_page=30", answer=[{"id": 1, "body": "Me too."}], told="Me too."),
    Call("github_list_pull_requests", {"owner": "acme", "repo": "shop"}, "GET",
         "/repos/acme/shop/pulls?state=open&per_page=25", answer=[], told="Nothing was found."),
    Call("github_get_pull_request", {"owner": "acme", "repo": "shop", "number": 8}, "GET",
         "/repos/acme/shop/pulls/8", answer={"number": 8, "merged": False}, told="merged: false"),
    Call("github_create_issue", {"owner": "acme", "repo": "shop", "title": "Login"}, "POST",
         "/repos/acme/shop/issues", {"title": "Login"}, {"number": 9}, "number: 9"),
    Call("github_update_issue",
         {"owner": "acme", "repo": "shop", "number": 7, "state": "closed", "reason": "completed"},
         "PATCH", ISSUE, {"state": "closed", "state_reason": "completed"},
         {"number": 7, "state": "closed"}, "state: closed"),
    Call("github_add_comment", {"owner": "acme", "repo": "shop", "number": 7, "text": "Yes."},
         "POST", f"{ISSUE}/comments", {"body": "Yes."}, {"id": 2}, "id: 2"),
    Call("jira_search_issues", {"jql": 'project = SHOP AND text ~ "login"', "limit": 5}, "GET",
         "/rest/api/2/search/jql?jql=project+%3D+SHOP+AND+text+~+%22login%22&maxResults=5"
         "&fields=summary%2Cstatus%2Cassignee%2Cpriority%2Cissuetype%2Cupdated%2Cduedate",
         answer={"issues": [{"key": "SHOP-1", "fields": {"summary": "Login"}}], "isLast": True},
         told="key: SHOP-1; fields.summary: Login"),
    Call("jira_get_issue", {"key": "SHOP-1"}, "GET",
         "/rest/api/2/issue/SHOP-1?fields=summary%2Cstatus%2Cassignee%2Creporter%2Cpriority"
         "%2Cissuetype%2Ccreated%2Cupdated%2Cduedate%2Clabels%2Cdescription%2Ccomment",
         answer={"key": "SHOP-1", "fields": {"description": "It fails."}}, told="It fails."),
    Call("jira_list_projects", {"query": "shop"}, "GET",
         "/rest/api/2/project/search?query=shop&maxResults=50",
         answer={"values": [{"key": "SHOP", "name": "Shop"}]}, told="key: SHOP"),
    Call("jira_find_users", {"query": "ana"}, "GET",
         "/rest/api/2/user/search?query=ana&maxResults=10",
         answer=[{"accountId": "u1", "displayName": "Ana"}], told="accountId: u1"),
    Call("jira_list_transitions", {"key": "SHOP-1"}, "GET", "/rest/api/2/issue/SHOP-1/transitions",
         answer={"transitions": [{"id": "31", "name": "Done", "to": {"name": "Done"}}]},
         told="id: 31"),
    Call("jira_create_issue", {"project": "SHOP", "summary": "Login", "priority": "High"}, "POST",
         "/rest/api/2/issue",
         {"fields": {"project": {"key": "SHOP"}, "issuetype": {"name": "Task"}, "summary": "Login",
                     "priority": {"name": "High"}}}, {"id": "1", "key": "SHOP-2"}, "key: SHOP-2"),
    Call("jira_update_issue", {"key": "SHOP-1", "labels": ["ui"], "assignee": "u1"}, "PUT",
         "/rest/api/2/issue/SHOP-1",
         {"fields": {"labels": ["ui"], "assignee": {"accountId": "u1"}}}, told="Done."),
    Call("jira_transition_issue", {"key": "SHOP-1", "transition_id": "31"}, "POST",
         "/rest/api/2/issue/SHOP-1/transitions", {"transition": {"id": "31"}}, told="Done."),
    Call("jira_add_comment", {"key": "SHOP-1", "text": "Yes."}, "POST",
         "/rest/api/2/issue/SHOP-1/comment", {"body": "Yes."}, {"id": "5"}, "id: 5"),
    Call("slack_list_channels", {}, "GET",
         "/conversations.list?limit=50&types=public_channel&exclude_archived=true",
         answer={"ok": True, "channels": [{"id": "C1", "name": "general"}]}, told="name: general"),
    Call("slack_read_channel", {"channel": "C1"}, "GET",
         "/conversations.history?channel=C1&limit=20",
         answer={"ok": True, "messages": [{"ts": "1.2", "text": "Hello"}]}, told="text: Hello"),
    Call("slack_read_thread", {"channel": "C1", "thread_ts": "1.2"}, "GET",
         "/conversations.replies?channel=C1&ts=1.2&limit=30",
         answer={"ok": True, "messages": [{"ts": "1.2", "text": "Hello"}]}, told="ts: 1.2"),
    Call("slack_list_users", {}, "GET", "/users.list?limit=50",
         answer={"ok": True, "members": [{"id": "U1", "real_name": "Ana"}]}, told="Ana"),
    Call("slack_post_message", {"channel": "C1", "text": "Hello"}, "POST", "/chat.postMessage",
         {"channel": "C1", "text": "Hello"}, {"ok": True, "channel": "C1", "ts": "1.3"}, "ts: 1.3"),
    Call("slack_update_message", {"channel": "C1", "ts": "1.3", "text": "Hi"}, "POST",
         "/chat.update", {"channel": "C1", "ts": "1.3", "text": "Hi"},
         {"ok": True, "channel": "C1", "ts": "1.3"}, "ts: 1.3"),
    Call("slack_delete_message", {"channel": "C1", "ts": "1.3"}, "POST", "/chat.delete",
         {"channel": "C1", "ts": "1.3"}, {"ok": True, "ts": "1.3"}, "ts: 1.3"),
    Call("slack_add_reaction", {"channel": "C1", "ts": "1.3", "emoji": "thumbsup"}, "POST",
         "/reactions.add", {"channel": "C1", "timestamp": "1.3", "name": "thumbsup"},
         {"ok": True}, '"ok": true'),
]  # fmt: skip
MAILS = {
    "gmail_send_message": f"{GMAIL}/messages/send",
    "gmail_create_draft": f"{GMAIL}/drafts",
}
FIXED = {
    "notion": {"Notion-Version": "2022-06-28"},
    "github": {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"},
}


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.tool)
def test_a_tool_makes_the_request_that_its_service_documents(call: Call, tmp_path: Path):
    name = call.tool.partition("_")[0]

    async def once() -> None:
        async with ProviderServer().running() as server:
            server.replace_built_in(tmp_path, name)
            server.answers[(call.method, call.target.partition("?")[0])] = call.answer
            result = await ask(tmp_path, call.tool, call.arguments)
            (asked,) = server.asked
        assert (asked.method, asked.target) == (call.method, call.target)
        assert json_of(asked) == call.body
        pair = base64.b64encode(f"ana@example.org:{TOKEN}".encode()).decode()
        expected = f"Basic {pair}" if name == "jira" else f"Bearer {TOKEN}"
        assert asked.headers["Authorization"] == expected
        assert FIXED.get(name, {}).items() <= dict(asked.headers).items()
        assert not result.is_error, result.text
        assert call.told in result.text
        json.dumps(result.data, allow_nan=False)

    run(once())


@pytest.mark.parametrize("tool", MAILS)
def test_a_mail_is_sent_or_kept_as_the_standard_for_mails_has_it(tool: str, tmp_path: Path):
    wanted = {
        "to": ["Bo <bo@example.org>", "cleo@example.org"],
        "subject": "Grüße, 100 %",
        "text": "Dear Bo,\n\nthe price is 7 €.\n.\n",
        "thread_id": "t1",
        "in_reply_to": "<abc@example.org>",
    }

    async def once() -> None:
        async with ProviderServer().running() as server:
            server.replace_built_in(tmp_path, "gmail")
            result = await ask(tmp_path, tool, wanted)
            (asked,) = server.asked
        assert not result.is_error, result.text
        assert (asked.method, asked.target) == ("POST", MAILS[tool])
        body = json_of(asked)
        body = body["message"] if tool == "gmail_create_draft" else body
        assert body.keys() == {"raw", "threadId"}
        mail = message_from_bytes(base64.urlsafe_b64decode(body["raw"]), policy=default)
        assert mail["To"] == "Bo <bo@example.org>, cleo@example.org"
        assert mail["Subject"] == "Grüße, 100 %"
        assert mail["In-Reply-To"] == mail["References"] == "<abc@example.org>"
        assert mail.get_content().replace("\r\n", "\n") == wanted["text"]

    run(once())


def test_every_tool_of_every_packaged_provider_is_tried_here(tmp_path: Path):
    providers = run(providers_of(tmp_path))
    assert tuple(providers) == BUILT_IN
    named = {tool.name for provider in providers.values() for tool in provider.tools}
    assert named == {call.tool for call in CALLS} | MAILS.keys()


def test_a_tool_that_changes_something_asks_before_and_only_such_a_call_has_a_key(tmp_path: Path):
    async def each() -> None:
        async with ProviderServer().running() as server:
            for name in BUILT_IN:
                server.replace_built_in(tmp_path, name)
            server.answers |= {(c.method, c.target.partition("?")[0]): c.answer for c in CALLS}
            providers = await providers_of(tmp_path)
            tools = {tool.name: tool for each in providers.values() for tool in each.tools}
            for call in CALLS:
                tool = tools[call.tool]
                await ask(tmp_path, call.tool, call.arguments)
                reads = call.method == "GET" or call.tool in (
                    "notion_search", "notion_list_rows", "calendar_find_busy_times"
                )  # fmt: skip
                assert (tool.mutating, tool.confirm, tool.once) == (not reads,) * 3, call.tool
                assert tool.role == "member"
                assert tool.space == call.tool.partition("_")[0]
                key = server.asked[-1].headers.get("Idempotency-Key")
                assert key == (None if reads else KEY), call.tool

    run(each())


@pytest.mark.parametrize(
    "hostile",
    [
        "../../admin", "..", ".", "a/b", "a?x=1", "a#b", "a%2Fb", "%2e%2e", "a\\b", "ä ö/…",
        "http://evil.example/x", "//evil.example", ";a=b", "a\r\nX-Evil: 1", "\u2028", " ", "@:",
    ],
)  # fmt: skip
def test_a_value_in_a_path_never_leaves_its_segment(hostile: str, tmp_path: Path):
    async def once() -> None:
        async with ProviderServer().running() as server:
            server.replace_built_in(tmp_path, "github")
            result = await ask(
                tmp_path, "github_get_repository", {"owner": "acme", "repo": hostile}
            )
            if result.is_error:
                assert server.asked == []
                assert result.data["error"] == "arguments_invalid"
                assert hostile in ("..", ".", " ", "\u2028", "a\r\nX-Evil: 1")
                return
            (asked,) = server.asked
        assert asked.target == f"/repos/acme/{quote(hostile, safe='')}"
        assert "X-Evil" not in asked.headers

    run(once())


@pytest.mark.parametrize(
    "part",
    [
        {"subject": "Hello\r\nBcc: eve@x.org"},
        {"to": ["bo@example.org\nBcc: eve@x.org"]},
        {"subject": "=?utf-8?q?Hello=0D=0ABcc:_eve=40x.org?="},
        {"subject": "Hello =?UTF-8?B?DQpCY2M6IGV2ZUB4Lm9yZw==?="},
        {"to": ["=?utf-8?q?bo=40example.org=2C_eve=40x.org?= <bo@example.org>"]},
        {"cc": ["=?utf-8?q?eve=40x", "org?="]},
        {"to": ["bo@example.org eve@x.org"]},
        {"to": ["bo@example.org; eve@x.org"]},
        {"to": ["bo@example.org (eve@x.org)"]},
        {"to": ["bo(eve@x.org)@example.org"]},
        {"to": ["<@x.org:bo@example.org>"]},
        {"to": ["Team: bo@example.org, eve@x.org;"]},
        {"to": ['"eve@x.org, Bo" <bo@example.org>']},
        {"to": ["eve@x.org <bo@example.org>"]},
        {"to": ["b\u00f6@example.org"]},
        {"to": ["Bo, eve <bo@example.org>"]},
        {"to": ["bo"]},
        {"to": ["Bo <bo@example.org> <eve@x.org>"]},
        {"to": ["bo@example.org\u202e"]},
        {"to": ["bo@example.org," + " " * 49_000 + "x"]},
        {"in_reply_to": "<a@b> =?utf-8?q?=0D=0ABcc:_eve=40x.org?="},
        {"in_reply_to": "<a@b>\r\nBcc: eve@x.org"},
        {"in_reply_to": "<a@b> (eve@x.org)"},
    ],
)
def test_a_mail_whose_head_would_say_something_else_is_refused(
    part: dict[str, Any], tmp_path: Path
):
    wanted = {"to": ["bo@example.org"], "subject": "Hello", "text": "Hi"} | part

    async def once() -> None:
        async with ProviderServer().running() as server:
            server.replace_built_in(tmp_path, "gmail")
            result = await ask(tmp_path, "gmail_send_message", wanted)
            assert result.data == {"error": "arguments_invalid"}
            assert next(iter(part)) in result.text
            assert server.asked == []

    run(once())


@pytest.mark.parametrize(
    ("to", "subject"),
    [
        (["bo@example.org"], "Hello"),
        (['"Berg, Ana" <ana@example.org>', "Bo <bo@example.org>"], "Why? =? What?"),
        (['"{}, Bo" <bo@example.org>'.format("a" * 90)], "S" * 490),
        ([f"Änne Müller von und zu {n} <a{n}@example.org>" for n in range(30)], "Grüße " * 80),
        (['"Müller, Änne" <a@example.org>'], " Hello "),
        ([f"{'Ö' * 190} <a@example.org>"], "\U0001f600" * 120),
    ],
)
def test_a_mail_goes_to_those_who_are_named_and_says_what_is_written(to: list[str], subject: str):
    raw = base64.urlsafe_b64decode(encode_mail({"to": to, "subject": subject, "text": "Hi"}))
    head = raw.partition(b"\r\n\r\n")[0]
    assert head.isascii()
    assert max(map(len, head.split(b"\r\n"))) <= 998
    mail = message_from_bytes(raw, policy=default)
    assert [name for name, _ in mail.items()] == [
        "To", "Subject", "Content-Type", "Content-Transfer-Encoding", "MIME-Version",
    ]  # fmt: skip
    sent = getaddresses([str(message_from_bytes(raw)["To"])])
    decoded = [(str(make_header(decode_header(name))), address) for name, address in sent]
    assert decoded == [parseaddr(one) for one in to]
    assert mail["Subject"] == subject.strip()
