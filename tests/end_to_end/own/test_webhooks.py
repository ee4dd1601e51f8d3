"""Webhooks into a running Cairn: a dead broker loses nothing, a dead intake doubles nothing."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from infra.runtime.local.http_address import read_address
from infra.runtime.local.process import wait_until
from infra.service.foundation.database import ask_project
from projections.read.atoms import list_atoms
from projections.read.deltas import list_deltas
from projections.read.runs import Run, list_runs
from tests.connectors.stand_ins.slack import TOKEN, SlackServer
from tests.connectors.webhooks.senders import (
    SECRET,
    Sent,
    an_issue,
    from_bitbucket,
    from_github,
    from_jira,
    from_slack,
)
from tests.connectors.worlds import a_folder, a_repository, commit, git
from tests.end_to_end.looking import everything
from tests.service import Service, service

pytestmark = [pytest.mark.broker, pytest.mark.slow]
PATIENCE_S = 180
FILES = {
    f"docs/{name}.md": f"# {name}\n\nThe {name} service must answer within 200 ms.\n".encode()
    for name in ("cart", "order", "stock", "price", "mail", "login")
} | {"docs/risks.md": b"# Risks\n\n- Risk: an outage of the depot stops every delivery.\n"}


@pytest.fixture(scope="module")
def cairn() -> Iterator[Service]:
    environ = {
        "HOOK_SECRET": SECRET.decode(),
        "SLACK_TOKEN": TOKEN.removeprefix("Bearer "),
    }
    with service(**environ) as running:
        running.run("project", "create", "shop")
        yield running


@pytest.fixture(scope="module")
def repository(cairn: Service) -> Path:
    """A repository that is connected by the secret of its webhook alone."""
    folder = a_repository(cairn.home / "remote", FILES)
    named = ("--option", f"clone_url={folder.as_uri()}", "--option", "root=acme/shop")
    connect(cairn, "github", "acme/shop", from_github("ping", {}), *named)
    return folder


def connect(cairn: Service, service: str, target: str, greeting: Sent, *more: str) -> None:
    """The service is connected, and the receiver has heard of it on the log."""
    cairn.run(
        *("connector", "add", service, target, "--project", "shop", "--no-check"),
        *("--credential", "webhook=env:HOOK_SECRET", *more),
    )
    assert wait_until(lambda: send(cairn, greeting) in (200, 202), timeout_s=PATIENCE_S)


def answered(cairn: Service, sent: Sent) -> tuple[int, Any]:
    """Status and JSON of the answer; 0 when nobody listens."""
    url = f"{read_address(cairn.settings)}/v1/webhooks/{sent.service}/shop"
    request = urllib.request.Request(url, sent.body, sent.headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status), json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
    except OSError:
        return 0, None


def send(cairn: Service, sent: Sent) -> int:
    return answered(cairn, sent)[0]


def deliver(cairn: Service, sent: Sent) -> None:
    """It is taken; sent again while nobody listens or the log is late, as services do."""

    def is_taken() -> bool:
        status = send(cairn, sent)
        assert status in (202, 503, 0)
        return status == 202

    assert wait_until(is_taken, timeout_s=PATIENCE_S)


def atoms_say(cairn: Service, words: str) -> bool:
    """Whether a live atom does, as the command shows it, without a process for each look."""
    atoms = asyncio.run(ask_project(cairn.settings_now(), "shop", list_atoms)).items
    return any(words in atom.model_dump_json() for atom in atoms)


def comes_true(cairn: Service, words: str) -> bool:
    return wait_until(lambda: atoms_say(cairn, words), timeout_s=PATIENCE_S)


def goes_away(cairn: Service, words: str) -> bool:
    return wait_until(lambda: not atoms_say(cairn, words), timeout_s=PATIENCE_S)


def refused(cairn: Service) -> dict[str, int]:
    """The refusals counted so far; they are written within a second."""
    (status,) = cairn.json("status")
    counts: dict[str, int] = status["webhooks"]["refused"]
    return counts


def runs_of(cairn: Service, trigger: str, root: str) -> list[Any]:
    runs = cairn.json("runs", "--project", "shop")
    return [run for run in runs if (run["trigger"], run["root"]) == (trigger, root)]


def test_an_issue_is_told_refused_when_forged_and_survives_broker_and_intake(cairn, repository):
    forged = an_issue(99)
    forged.headers["X-Hub-Signature-256"] = "sha256=" + "0" * 64
    assert send(cairn, forged) == 401

    told = an_issue(12, "We decided to use PostgreSQL for the orders of the shop.")
    cairn.kill("kafka")
    assert send(cairn, told) == 503
    deliver(cairn, told)
    cairn.kill("intake")
    cairn.kill("web")
    deliver(cairn, told)
    assert wait_until(lambda: atoms_say(cairn, "PostgreSQL"), timeout_s=PATIENCE_S)

    (status,) = cairn.json("status")
    assert status["webhooks"]["refused"]["github forged"] == 1
    assert status["webhooks"]["refused"]["github broker_away"] >= 1
    named = [row for row in status["processes"] if row["name"] in ("web", "intake")]
    assert [row["restarts"] >= 1 for row in named] == [True, True]
    runs = cairn.json("runs", "--project", "shop")
    assert len([run for run in runs if run["trigger"] == "webhook"]) == 1


def test_a_merged_pull_request_reads_the_three_changed_files_only(cairn, repository):
    cairn.ingest(repository, "shop", "first", "acme/shop")
    before = git(repository, "rev-parse", "HEAD")
    changed = {path: body.replace(b"200", b"100") for path, body in list(FILES.items())[:2]}
    a_folder(repository, changed | {"docs/new.md": b"# new\n\nThe new service must log.\n"})
    pull = {
        "number": 4,
        "title": "Faster",
        "state": "closed",
        "merged": True,
        "merge_commit_sha": commit(repository),
        "base": {"ref": "main", "sha": before},
        "created_at": "2026-03-01T10:00:00Z",
        "updated_at": "2026-03-01T11:00:00Z",
    }
    told = from_github("pull_request", {"action": "closed", "pull_request": pull}, "merge-1")
    deliver(cairn, told)

    def deltas() -> list[Run]:
        runs = asyncio.run(ask_project(cairn.settings_now(), "shop", list_runs)).items
        return [run for run in runs if run.trigger == "delta" and run.status == "stopped"]

    assert wait_until(lambda: len(deltas()) == 1, timeout_s=PATIENCE_S)
    (run,) = deltas()
    assert run.sources_processed == 3
    assert comes_true(cairn, "100 ms")

    def is_settled() -> bool:
        page = asyncio.run(ask_project(cairn.settings_now(), "shop", list_deltas))
        return page.items[0].settled_at is not None

    # The artifacts are written after the run has ended.
    assert wait_until(is_settled, timeout_s=PATIENCE_S)
    report = cairn.json("runs", "deltas", "--project", "shop")[0]
    assert report["files_modified"] == ["docs/cart.md", "docs/order.md"]
    assert report["files_added"] == ["docs/new.md"]
    assert (report["cause"], report["before"]) == ("#4", before)
    assert report["chunks_reextracted"] == 3
    assert report["atoms_touched"] > 0
    assert report["sections_recomputed"]
    assert report["sections_kept"]


def test_slack_is_greeted_retries_add_nothing_and_a_thread_is_held_as_it_stands(cairn):
    with SlackServer().beside() as slack:
        greeting = {"type": "url_verification", "challenge": "a word of Slack"}
        connect(
            *(cairn, "slack", "T1", slack_says(greeting)),
            *("--credential", "token=env:SLACK_TOKEN", "--base-url", slack.url),
            *("--option", "project_channels=C1", "--every", "86400"),
        )
        assert answered(cairn, slack_says(greeting)) == (200, {"challenge": "a word of Slack"})
        assert send(cairn, Sent("slack", slack_says(greeting).body)) == 401
        first_poll = ("connector", "list", "--project", "shop")
        assert wait_until(
            lambda: any(row.get("caught_up_at") for row in cairn.json(*first_poll)),
            timeout_s=PATIENCE_S,
        )

        ts = slack.say("We decided to use Redis for the sessions of the shop.")
        told = slack_event(slack, ts)
        deliver(cairn, told)
        deliver(cairn, slack_says(ELSEWHERE))
        cairn.kill("web")  # what it has seen lately is forgotten; the log is not
        told.headers["X-Slack-Retry-Num"] = "1"
        deliver(cairn, told)
        assert comes_true(cairn, "Redis")
        assert len(runs_of(cairn, "webhook", "slack/T1/C1")) == 1

        stale = slack_event(slack, ts, at=datetime(2026, 3, 1, tzinfo=UTC))
        assert send(cairn, stale) == 401
        slack.say("The login of the shop must answer within 700 ms.", "U2", ts)
        deliver(cairn, slack_event(slack, slack.replies(ts)[0]["ts"]))
        assert comes_true(cairn, "700 ms")
        slack.edit(ts, "We decided to use Memcached for the sessions of the shop.")
        changed = {"subtype": "message_changed", "message": slack.messages[ts]}
        deliver(cairn, slack_event(slack, ts, **changed))
        assert comes_true(cairn, "Memcached")
        assert goes_away(cairn, "Redis")
        thread = slack.thread(ts)
        for row in reversed(thread):
            slack.delete(row["ts"])
            gone = {"subtype": "message_deleted", "previous_message": row}
            deliver(cairn, slack_event(slack, row["ts"], **gone))
        assert goes_away(cairn, "Memcached")
        assert goes_away(cairn, "700 ms")
    assert wait_until(lambda: refused(cairn).get("slack unsigned") == 1, timeout_s=PATIENCE_S)
    assert refused(cairn)["slack stale"] == 1


ELSEWHERE = {
    "event_id": "Ev9",
    "event": {
        "type": "message",
        "channel": "C9",
        "user": "UKIMLARSEN",
        "ts": "1772366400.000900",
        "text": "Lee is lazy and turns down every pull request out of BARESPITE.",
    },
}


def slack_says(payload: dict[str, Any], at: datetime | None = None) -> Sent:
    return from_slack(payload, at or datetime.now(UTC))


def slack_event(slack: SlackServer, ts: str, at: datetime | None = None, **more: Any) -> Sent:
    """A message as it stands, or ``more`` of what became of it."""
    event = {"type": "message", "channel": "C1"} | (more or slack.messages[ts])
    return slack_says({"event_id": f"Ev{ts}{more.get('subtype', '')}", "event": event}, at)


def test_a_jira_issue_with_its_comment_is_held_renamed_and_gone(cairn):
    greeting = {"webhookEvent": "jira:version_released"}
    site = ("--base-url", "https://jira.example.org")
    connect(cairn, "jira", "SHOP", from_jira(greeting, datetime.now(UTC)), *site)

    def tell(event: str, **payload: Any) -> None:
        deliver(cairn, from_jira({"webhookEvent": event} | payload, datetime.now(UTC)))

    issue = a_jira_issue("The billing service must keep invoices for 11 years.")
    said = {
        "id": "31",
        "author": {"displayName": "Bo"},
        "body": "We will use Kafka for the invoices.",
        "created": "2026-03-01T11:00:00.000+0000",
        "updated": "2026-03-01T11:00:00.000+0000",
    }
    tell("jira:issue_created", issue=issue)
    tell("comment_created", issue=issue, comment=said)
    assert comes_true(cairn, "11 years")
    assert comes_true(cairn, "Kafka")
    late = from_jira({"webhookEvent": "jira:issue_created", "issue": issue})
    assert send(cairn, late) == 401  # the time in the signed body is of long ago
    changed = a_jira_issue("The billing service must keep invoices for 12 years.", "12:00")
    tell("jira:issue_updated", issue=changed)
    assert comes_true(cairn, "12 years")
    assert goes_away(cairn, "11 years")
    tell("comment_deleted", issue=changed, comment=said)
    assert goes_away(cairn, "Kafka")
    tell("jira:issue_deleted", issue=changed)
    assert goes_away(cairn, "12 years")
    assert wait_until(lambda: refused(cairn).get("jira stale") == 1, timeout_s=PATIENCE_S)


def a_jira_issue(description: str, updated: str = "10:00") -> dict[str, Any]:
    return {
        "id": "7",
        "key": "SHOP-7",
        "fields": {
            "summary": "Invoices",
            "description": description,
            "created": "2026-03-01T10:00:00.000+0000",
            "updated": f"2026-03-01T{updated}:00.000+0000",
            "reporter": {"displayName": "Ana"},
        },
    }


def test_a_bitbucket_pull_request_is_held_and_its_merge_reads_what_changed(cairn):
    folder = a_repository(cairn.home / "bitbucket", {"README.md": b"# Stock\n"})
    named = ("--option", f"clone_url={folder.as_uri()}", "--option", "root=acme/stock")
    connect(cairn, "bitbucket", "acme/stock", bitbucket_says("diagnostics:ping", "p-1"), *named)
    before = git(folder, "rev-parse", "HEAD")
    said = {
        "id": 9,
        "content": {"raw": "We will use Cassandra for the counts of the stock."},
        "user": {"nickname": "bo"},
        "created_on": "2026-03-01T11:00:00+00:00",
        "updated_on": "2026-03-01T11:00:00+00:00",
    }
    pull = a_bitbucket_pull()
    deliver(cairn, bitbucket_says("pullrequest:created", "b-1", pullrequest=pull))
    told = {"pullrequest": pull, "comment": said}
    deliver(cairn, bitbucket_says("pullrequest:comment_created", "b-2", **told))
    assert comes_true(cairn, "900 items")
    assert comes_true(cairn, "Cassandra")
    told["comment"] = said | {"deleted": True}
    deliver(cairn, bitbucket_says("pullrequest:comment_deleted", "b-3", **told))
    assert goes_away(cairn, "Cassandra")

    a_folder(folder, {"docs/stock.md": b"# Stock\n\nThe stock service must answer in 40 ms.\n"})
    head = commit(folder)
    merged = a_bitbucket_pull() | {
        "state": "MERGED",
        "updated_on": "2026-03-01T12:00:00+00:00",
        "destination": {"branch": {"name": "main"}, "commit": {"hash": before[:12]}},
        "merge_commit": {"hash": head[:12]},
    }
    fulfilled = bitbucket_says("pullrequest:fulfilled", "b-4", pullrequest=merged)
    deliver(cairn, fulfilled)
    deliver(cairn, fulfilled)
    assert comes_true(cairn, "40 ms")
    (run,) = runs_of(cairn, "delta", "acme/stock")
    assert run["sources_processed"] == 1
    forged = bitbucket_says("repo:push", "b-5")
    forged.headers["X-Hub-Signature"] = "sha256=" + "0" * 64
    assert send(cairn, forged) == 401
    assert wait_until(lambda: refused(cairn).get("bitbucket forged") == 1, timeout_s=PATIENCE_S)


def bitbucket_says(event: str, delivery: str, **payload: Any) -> Sent:
    repository = {"full_name": "acme/stock", "mainbranch": {"name": "main"}}
    return from_bitbucket(event, {"repository": repository} | payload, delivery)


def a_bitbucket_pull() -> dict[str, Any]:
    return {
        "id": 3,
        "title": "Faster stock",
        "description": "The stock service must hold 900 items in memory.",
        "state": "OPEN",
        "created_on": "2026-03-01T10:00:00+00:00",
        "updated_on": "2026-03-01T10:00:00+00:00",
        "author": {"nickname": "ana"},
    }


def test_no_credential_and_no_private_word_is_written_down_in_clear(cairn):
    places = everything(cairn)
    assert places["topic tdl.intake.v1"]
    for word in (SECRET, TOKEN.removeprefix("Bearer ").encode(), b"UKIMLARSEN", b"BARESPITE"):
        assert [place for place, held in places.items() if word in held] == []
