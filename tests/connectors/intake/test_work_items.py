"""Signed deliveries become work: for whom it is, how urgent, and once for each occasion."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from schemas.events.schedule import WorkItemFinished, WorkItemReceived
from tests.connectors.intake.worlds import World
from tests.connectors.webhooks.senders import (
    NOW,
    REPOSITORY,
    Sent,
    a_message,
    an_issue,
    from_bitbucket,
    from_github,
    from_jira,
    from_slack,
)

COMMIT = "a" * 40
BOT = {"authorizations": [{"team_id": "T1", "user_id": "UCAIRN", "is_bot": True}]}


def a_pull(action: str, delivery: str, **more: Any) -> Sent:
    pull = {
        "number": 12,
        "title": "Faster cart",
        "body": "We cache the cart.",
        "state": "open",
        "created_at": "2026-03-01T10:00:00Z",
        "updated_at": "2026-03-01T11:00:00Z",
        "user": {"login": "ana"},
        "base": {"ref": "main", "sha": "b" * 40},
        "html_url": "https://github.com/acme/shop/pull/12",
    }
    inner = more.pop("pull", {})
    return from_github(
        "pull_request", {"action": action, "pull_request": pull | inner} | more, delivery
    )


def a_run(conclusion: str = "failure", branch: str = "main", **more: Any) -> Sent:
    run = {
        "id": 99,
        "name": "tests",
        "conclusion": conclusion,
        "status": "completed",
        "head_branch": branch,
        "head_sha": COMMIT,
        "head_repository": {"full_name": "acme/shop"},
        "created_at": "2026-03-01T10:00:00Z",
        "updated_at": "2026-03-01T11:00:00Z",
        "html_url": "https://github.com/acme/shop/actions/runs/99",
    }
    return from_github("workflow_run", {"action": "completed", "workflow_run": run | more}, "r-1")


MERGED = a_pull("closed", "m-1", pull={"merged": True, "merge_commit_sha": COMMIT})
PUSHED = from_github("push", {"ref": "refs/heads/main", "before": "b" * 40, "after": COMMIT}, "p-1")
JIRA_ISSUE = {
    "id": "7",
    "key": "SHOP-7",
    "fields": {
        "summary": "Cart",
        "created": "2026-03-01T10:00:00.000+0000",
        "updated": "2026-03-01T10:00:00.000+0000",
    },
}
CREATED = from_jira({"webhookEvent": "jira:issue_created", "issue": JIRA_ISSUE})
CLOSED_SPRINT = from_jira({"webhookEvent": "sprint_closed", "sprint": {"id": 31, "name": "S 4"}})
MENTION = from_slack(
    {
        "event_id": "Ev9",
        "event": {
            "type": "message",
            "channel": "C1",
            "user": "UKIM",
            "ts": "1772366400.000100",
            "text": "<@UCAIRN> what did we decide on refunds?",
        },
    }
    | BOT
)
BITBUCKET_MERGE = from_bitbucket(
    "pullrequest:fulfilled",
    {
        "pullrequest": {
            "id": 3,
            "title": "Faster cart",
            "state": "MERGED",
            "created_on": "2026-03-01T10:00:00+00:00",
            "updated_on": "2026-03-01T10:00:00+00:00",
            "destination": {"branch": {"name": "main"}, "commit": {"hash": "b" * 12}},
            "merge_commit": {"hash": "a" * 12},
        }
    },
)


@pytest.fixture
def world(tmp_path) -> World:
    return World(tmp_path)


def work(world: World, *deliveries: Sent) -> list[WorkItemReceived]:
    """What the deliveries ask for; repeats of one fact count once."""
    asyncio.run(world.taken(*deliveries))
    assert world.dead == []
    found = {
        fact.event_id: fact.event
        for fact in world.broker.log
        if isinstance(fact.event, WorkItemReceived)
    }
    return list(found.values())


@pytest.mark.parametrize(
    ("sent", "rule", "agent", "job_type", "priority", "done_by"),
    [
        (MERGED, "merged", "", "delta_ingestion", "scheduled", "intake"),
        (PUSHED, "pushed", "", "delta_ingestion", "background", "intake"),
        (an_issue(), "issue_changed", "", "ingestion", "scheduled", "intake"),
        (CREATED, "issue_changed", "", "ingestion", "scheduled", "intake"),
        (a_run(), "ci_failed", "analyst", None, "urgent", ""),
        (MENTION, "mentioned", "assistant", None, "urgent", ""),
        (CLOSED_SPRINT, "sprint_closed", "reporter", "report", "scheduled", ""),
        (BITBUCKET_MERGE, "merged", "", "delta_ingestion", "scheduled", "intake"),
    ],
)
def test_a_delivery_asks_for_work_by_the_table(
    world, sent, rule, agent, job_type, priority, done_by
):
    (asked,) = work(world, sent)
    assert (asked.rule, asked.agent, asked.job_type) == (rule, agent, job_type)
    assert (asked.priority, asked.done_by) == (priority, done_by)
    assert (asked.origin, asked.connector) == ("webhook", sent.service)


def test_a_merge_and_its_push_are_one_piece_of_work(world):
    ids = {one.work_item_id for one in work(world, MERGED, PUSHED)}
    assert len(ids) == 1


@pytest.mark.parametrize(
    "sent",
    [
        a_run("success"),
        a_run(branch="feature"),
        a_run(head_repository={"full_name": "eve/shop"}),  # a fork that also has a branch main
        a_message("nobody is mentioned"),
        from_slack({"event_id": "Ev8", "event": {"type": "message", "channel": "C1", "bot_id": "B1",
                    "ts": "1772366400.000200", "text": "<@UCAIRN> from a bot"}} | BOT),
        from_github("push", {"ref": "refs/heads/feature", "after": COMMIT}, "p-2"),
        a_pull("edited", "e-1"),
    ],
)  # fmt: skip
def test_other_deliveries_ask_for_nothing(world, sent):
    assert work(world, sent) == []


def test_runs_that_fail_on_one_commit_are_one_piece_of_work(world, tmp_path):
    check = {
        "id": 1,
        "name": "lint",
        "status": "completed",
        "conclusion": "failure",
        "head_sha": COMMIT,
        "check_suite": {"head_branch": "main"},
        "started_at": "2026-03-01T10:00:00Z",
        "completed_at": "2026-03-01T11:00:00Z",
    }
    other = from_github("check_run", {"action": "completed", "check_run": check}, "c-1")
    (of_run,), (of_check,) = work(world, a_run()), work(World(tmp_path / "other"), other)
    assert of_run.work_item_id == of_check.work_item_id
    assert len(work(world, other)) == 1


def test_words_of_a_message_stay_under_its_authors_key(world):
    (asked,) = work(world, MENTION)
    shown = repr(asked.model_dump())
    for word in ("UKIM", "refunds", "decide", "C1"):
        assert word not in shown


def test_a_review_that_is_not_answered_is_nudged_after_two_days(world):
    asked = a_pull("review_requested", "q-1", requested_reviewer={"login": "Ben"})
    (nudge,) = work(world, asked)

    assert (nudge.agent, nudge.not_before) == ("assigner", NOW + timedelta(hours=48))
    assert nudge.title == "Nudge: the review of acme/shop#12 by Ben is not answered"


@pytest.mark.parametrize(
    "answer",
    [
        from_github(
            "pull_request_review",
            {
                "action": "submitted",
                "pull_request": {"number": 12, "title": "Faster cart"},
                "review": {
                    "id": 5,
                    "user": {"login": "ben"},
                    "state": "approved",
                    "body": "Fine.",
                    "submitted_at": "2026-03-01T11:30:00Z",
                },
            },
            "a-1",
        ),
        a_pull("review_request_removed", "a-2", requested_reviewer={"login": "Ben"}),
        a_pull("closed", "a-3", pull={"requested_reviewers": [{"login": "Ben"}]}),
    ],
)
def test_an_answer_ends_the_wait_for_a_review(world, answer):
    asked = a_pull("review_requested", "q-1", requested_reviewer={"login": "Ben"})
    (nudge,) = work(world, asked, answer)

    (over,) = world.events(WorkItemFinished)
    assert (over.work_item_id, over.outcome) == (nudge.work_item_id, "answered")


def test_a_review_asked_for_again_is_waited_for_again(world):
    requests = [
        a_pull("review_requested", key, requested_reviewer={"login": "Ben"})
        for key in ("q-1", "q-2", "q-2")
    ]
    asked = work(world, *requests)
    assert [one.occasion for one in asked] == ["q-1", "q-2"]
    assert len({one.work_item_id for one in asked}) == 1


def test_a_delivery_of_what_is_not_connected_asks_for_nothing(world):
    elsewhere = from_github(
        "push",
        {
            "ref": "refs/heads/main",
            "after": COMMIT,
            "repository": REPOSITORY | {"full_name": "a/b"},
        },
        "x-1",
    )
    assert work(world, elsewhere) == []
