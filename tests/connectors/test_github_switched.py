"""What GitHub has switched off, hides, or shows in part is told; the rest is read."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from connectors.github.api import GitHub
from connectors.github.service import capabilities
from connectors.sync import Outcome
from tests.connectors.github_side import Side, a_server
from tests.connectors.stand_ins.github_world import Repository

ALL = ("issues", "comments", "reviews", "review-comments")
Row = dict[str, Any]


def a_mixed_one(at: Repository) -> tuple[int, int]:
    """An issue and a pull request, with something said about each."""
    issue = at.open_issue("Sessions", "We will keep sessions in Redis.")
    pull = at.open_issue("Add sessions", "This adds the sessions.", pull=True)
    at.comment(issue, "The timeout must be 30 minutes.")
    at.wait(5)
    at.comment(pull, "Please use the existing client.")
    at.review(pull, "APPROVED", "LGTM, after the retry is in.")
    at.review_comment(pull, "This must be retried three times.")
    at.wait(100)
    return issue, pull


def unread(outcomes: list[Outcome]) -> list[str | None]:
    return [each.error or None for each in outcomes if each.reason]


def held(side: Side) -> set[str]:
    return set(side.broker.by_path)


def test_with_issues_switched_off_pull_requests_are_read_with_all_said_about_them() -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, server.add("acme/shop"), per_page=1)
            server.issues_enabled = False
            _, pull = a_mixed_one(side.repository)
            outcomes = await side.sync(*ALL)
            assert unread(outcomes) == []
            assert "switched off" in str(outcomes[0].notices)
            assert sum(each.counts.refused for each in outcomes) == 0
            assert {path.partition("/")[0] for path in held(side)} == {str(pull)}
            assert len(held(side)) == 4
            found = await capabilities(side.streams()[1].listed.github, ALL)  # type: ignore[attr-defined]
            assert all(each.granted for each in found)

    asyncio.run(run())


def test_with_issues_switched_off_later_changes_are_found_and_a_quiet_poll_asks_little() -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, server.add("acme/shop"), per_page=2)
            server.issues_enabled = False
            pulls = [
                side.repository.open_issue(f"Add {n}", "It adds.", pull=True) for n in range(7)
            ]
            side.repository.wait(600)
            await side.sync(*ALL)
            server.asked.clear()
            outcomes = await side.sync(*ALL)
            assert sum(each.counts.published for each in outcomes) == 0
            assert {each.status for each in server.asked if each.path.endswith("/pulls")} == {304}
            side.repository.wait(600)
            side.repository.comment(pulls[2], "This must be retried three times.")
            side.repository.review(pulls[4], "CHANGES_REQUESTED", "The limit must be 9 MB.")
            outcomes = await side.sync(*ALL)
            assert sum(each.counts.published for each in outcomes) == 2
            assert len(held(side)) == 9

    asyncio.run(run())


def test_issues_that_are_switched_off_are_hidden_and_not_deleted() -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, server.add("acme/shop"))
            _, pull = a_mixed_one(side.repository)
            gone = side.repository.open_issue("Add more", "It adds.", pull=True)
            await side.sync(*ALL)
            before = held(side)
            server.issues_enabled = False
            del side.repository.issues[gone]
            outcomes = [*await side.sync(*ALL), *await side.reconcile(*ALL)]
            assert unread(outcomes) == []
            assert before - held(side) == {str(gone)}
            server.issues_enabled = True
            side.repository.wait(600)
            new = side.repository.open_issue("Limits", "The limit must be 9 MB.")
            assert unread([*await side.sync(*ALL), *await side.reconcile(*ALL)]) == []
            assert held(side) == before - {str(gone)} | {str(new)}

    asyncio.run(run())


def test_a_repository_without_pull_requests_is_no_lost_access_and_a_denied_list_is() -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, server.add("acme/shop"))
            issue = side.repository.open_issue("Sessions", "We will keep sessions in Redis.")
            server.pulls_enabled = False
            assert unread(await side.sync(*ALL)) == []
            assert held(side) == {str(issue)}
            server.pulls_enabled = True
            server.denied = {"pulls/comments": 404}
            assert [each.reason for each in await side.sync("review-comments")] == ["not_found"]
            server.denied = {"/issues": 410}
            assert [each.reason for each in await side.sync("issues")] == ["not_found"]

    asyncio.run(run())


def test_a_comment_that_cannot_be_read_is_named_and_its_neighbours_are_read() -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, server.add("acme/shop"))
            number = side.repository.open_issue("Sessions", "We will keep sessions in Redis.")
            bad = [side.repository.comment(number, f"It must be {each}.") for each in range(5)]
            rows = side.repository.comments
            rows[bad[0]]["body"] = {"text": "MARK"}
            rows[bad[1]]["issue_url"] = None
            rows[bad[2]]["user"] = None
            rows[bad[3]]["user"] = "MARK"
            outcomes = await side.sync("issues", "comments")
            assert unread(outcomes) == []
            named = {each.key for each in outcomes[1].notices if each.is_lost}
            of_it = {f"{number}/comments/{bad[0]}", f"{number}/comments/{bad[3]}"}
            assert named == {*of_it, f"?/comments/{bad[1]}"}
            assert "MARK" not in str(outcomes)
            text = side.broker.by_path[f"{number}/comments/{bad[2]}"]
            assert b"## ghost" in text and f"{number}/comments/{bad[4]}" in held(side)
            assert unread(await side.reconcile("comments")) == []

    asyncio.run(run())


def without_some(answer: Row) -> Row:
    """Some nodes are null, with the errors that say so."""
    listed = answer["data"]["repository"].get("discussions")
    if listed and len(listed["nodes"]) == 3:
        listed["nodes"][1] = None
        listed["nodes"][0]["author"] = None
        listed["nodes"][0]["comments"]["nodes"] = [None, *listed["nodes"][0]["comments"]["nodes"]]
        path = ["repository", "discussions", "nodes", 1]
        answer["errors"] = [{"type": "FORBIDDEN", "path": path, "message": "MARK"}]
    return answer


def test_nodes_that_graphql_does_not_show_are_named_and_the_others_are_read() -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, server.add("acme/shop"))
            for name in ("Which store?", "Which queue?", "Which cloud?"):
                number = side.repository.discuss(name, "Redis or Postgres?")
                side.repository.wait(5)
            said = side.repository._said(900, "We will use Redis.", "ben")
            side.repository.discussions[number]["comments"].append(said)
            server.spoil = without_some
            [outcome] = await side.sync("discussions")
            assert (outcome.reason, outcome.counts.published) == (None, 3)
            assert outcome.counts.refused == 2
            told = str(outcome.notices)
            assert "GitHub does not show it" in told and "FORBIDDEN" in told and "MARK" not in told
            assert b"## ghost" in side.broker.by_path[str(number)]

    asyncio.run(run())


@pytest.mark.parametrize("path", [["repository"], ["repository", "discussions"], None])
def test_an_error_about_the_list_itself_is_a_failure(path: list[str] | None) -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, server.add("acme/shop"))
            side.repository.discuss("Which store?", "Redis or Postgres?")
            error = {"type": "FORBIDDEN"} | ({"path": path} if path else {})
            server.spoil = lambda answer: answer | {"errors": [error]}
            assert [each.reason for each in await side.sync("discussions")] == ["access_lost"]

    asyncio.run(run())


@pytest.mark.parametrize("branch_hidden", [False, True])
def test_an_empty_repository_has_no_files_and_lacks_no_permission(branch_hidden: bool) -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, server.add("acme/empty"))
            server.branch_hidden = branch_hidden
            github = GitHub("acme/empty", transport)
            assert all(each.granted for each in await capabilities(github, ["files"]))
            assert unread(await side.sync("files")) == []

    asyncio.run(run())
