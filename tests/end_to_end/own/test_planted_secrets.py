"""Secrets in any place of a repository, a Jira and a Slack export reach nothing that is kept."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psycopg
import pytest

from infra.platform import kafka
from infra.runtime.local.http_address import read_address
from infra.runtime.local.process import wait_until
from tests.connectors.webhooks.senders import SECRET, Sent, an_issue, from_github
from tests.end_to_end.looking import everything
from tests.end_to_end.own.planting import (
    CHANNEL,
    Planted,
    a_jira_export,
    a_repository,
    a_slack_export,
    forms_of,
    github,
    gitlab,
    password,
)
from tests.service import COMMAND_PATIENCE_S, Service, service

pytestmark = [pytest.mark.broker, pytest.mark.slow]
PATIENCE_S = 120


@dataclass
class World:
    """A service that has read the planted sources; ``said`` is all that its commands printed."""

    cairn: Service
    folder: Path
    planted: Planted
    said: list[str] = field(default_factory=list)

    def run(self, *arguments: str, exit_code: int = 0) -> str:
        process = self.cairn.start(*arguments)
        out, err = process.communicate(timeout=COMMAND_PATIENCE_S)
        assert process.returncode == exit_code, f"cairn {' '.join(arguments)}\n{out}\n{err}"
        self.said += [out, err]
        return out

    def ingest(self, key: str = "first") -> None:
        (root,) = self.folder.glob("shop-*")
        self.run("ingest", str(root), "-p", "Planted", "--wait", "--idempotency-key", key)

    def rows(self, query: str) -> list[tuple[object, ...]]:
        with psycopg.connect(self.cairn.settings_now().conninfo) as connection:
            return connection.execute(query.encode()).fetchall()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    environ = {
        "HOOK_SECRET": SECRET.decode(),
        "CAIRN_LOG_LEVEL": "debug",
        "CAIRN_SESSION_TIMEOUT_S": "15",  # nothing is killed here
    }
    with service(**environ) as cairn:
        it = World(cairn, tmp_path_factory.mktemp("planted"), Planted())
        plant(it)
        read_all(it)
        yield it


def plant(world: World) -> None:
    a_repository(world.folder, world.planted)
    a_jira_export(world.folder, world.planted)
    a_slack_export(world.folder, world.planted)


def read_all(world: World) -> None:
    """The sources, a delivery of a webhook, bytes that are no fact, and words of a person."""
    draw, (jira,) = world.planted.draw, world.folder.glob("jira-*")
    bad_name = f"Shop {draw('name of a project', github)}"
    assert "secret" in refusal(world, "project", "create", bad_name)
    world.run("project", "create", "Planted")
    key = draw("key of a request", github)
    assert "secret" in refusal(world, "ingest", ".", "-p", "Planted", "--idempotency-key", key)
    deliver(world)
    world.ingest()
    world.run("connector", "import", "jira", str(jira), "-p", "Planted", "--site", "x.example")
    slack = str(world.folder / "slack.zip")
    world.run("connector", "import", "slack", slack, "-p", "Planted", "--channel", CHANNEL)
    bad = world.folder / f"bad-{draw('name of a broken export', gitlab)}.json"
    bad.write_text("{")
    refusal(world, "connector", "import", "jira", str(bad), "-p", "Planted", "--site", "x.example")
    assert wait_until(lambda: is_read(world), timeout_s=PATIENCE_S)
    atom = json.loads(world.run("atoms", "-p", "Planted", "--json").splitlines()[0])["atom_id"]
    reason = f"It quotes password={draw('reason of a person', password)}."
    world.run("dismiss", atom, "--rationale", reason, "--as", f"ana {draw('actor', github)}")


def refusal(world: World, *arguments: str) -> str:
    """What a command says that ends with 1 or 2; it is not to repeat what it refuses."""
    process = world.cairn.start(*arguments)
    out, err = process.communicate(timeout=COMMAND_PATIENCE_S)
    assert process.returncode in (1, 2)
    world.said += [out, err]
    return " ".join(err.split())


def deliver(world: World) -> None:
    world.run(
        *("connector", "add", "github", "acme/shop", "-p", "Planted", "--no-check"),
        *("--credential", "webhook=env:HOOK_SECRET"),
    )
    draw = world.planted.draw
    branch = f"refs/heads/{draw('branch of a delivery', github)}"
    commit = {"message": f"password={draw('commit of a delivery', password)}"}
    pushed = from_github("push", {"ref": branch, "commits": [commit]}, "d-9")
    issue = an_issue(12, f"The token {draw('issue of a delivery', github)} must not be used.")
    for sent in (pushed, issue):
        assert wait_until(partial(is_taken, world, sent), timeout_s=PATIENCE_S)


def is_taken(world: World, sent: Sent) -> bool:
    url = f"{read_address(world.cairn.settings)}/v1/webhooks/github/Planted"
    request = urllib.request.Request(url, sent.body, sent.headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return bool(answer.status == 202)
    except OSError:  # nobody listens yet, or knows the connector
        return False


def is_read(world: World) -> bool:
    """Whether all sources are processed, those of the services too, and no run goes on."""
    roots = {str(root) for (root,) in world.rows("SELECT DISTINCT root FROM cairn.sources")}
    running = world.rows("SELECT 1 FROM cairn.ingestion_runs WHERE status = 'running'")
    services = {root.partition("/")[0] for root in roots if "/" in root}
    return services >= {"github", "jira", "slack"} and not running


def ask_all(world: World) -> None:
    """What commands print of it."""
    for arguments in (
        ("status", "--json"),
        ("runs", "-p", "Planted", "--json"),
        ("atoms", "-p", "Planted", "--json"),
        ("show", "prd", "-p", "Planted"),
        ("rejections", "-p", "Planted", "--json"),
        ("waiting", "-p", "Planted"),
        ("dlq", "list", "--json"),
    ):
        world.run(*arguments)


def found_in(places: dict[str, bytes], planted: Planted) -> list[str]:
    return [
        f"{secret_at} in {place}"
        for secret_at, secret in planted.by_place.items()
        for place, held in places.items()
        if any(form in held for form in forms_of(secret))
    ]


def test_no_secret_stands_in_topics_tables_state_logs_or_answers(world: World):
    ask_all(world)
    places = everything(world.cairn) | {"answers": "\n".join(world.said).encode()}
    kept = (path for path in world.cairn.home.rglob("*") if path.is_file())
    places |= {f"file {path}": path.read_bytes() for path in kept if "data" not in path.parts}
    assert len(world.planted.by_place) >= 40
    for place in ("topic hygiene.v1", "topic chunk.v1", "table source_texts"):
        assert b"Sentinelword" in places[place]  # so that a secret there would be found
    assert b"[REDACTED:" in places["topic source.v1"]
    assert found_in(places, world.planted) == []


def test_bytes_that_are_no_fact_are_not_copied_from_where_they_stand(world: World):
    strange = Planted()
    value = f'{{"password": "{strange.draw("value", password)}"}}'.encode()
    key = f"key {strange.draw('key', github)}".encode()
    asyncio.run(put(world.cairn, "source.v1", key, value))
    query = "SELECT 1 FROM cairn.dead_letters WHERE stage = 'hygiene'"
    assert wait_until(lambda: bool(world.rows(query)), timeout_s=PATIENCE_S)
    world.said = []
    world.run("dlq", "list", "--json")
    places = everything(world.cairn) | {"answers": "\n".join(world.said).encode()}
    found = found_in(places, strange)
    assert sorted(found) == ["key in topic source.v1", "value in topic source.v1"]


async def put(cairn: Service, topic: str, key: bytes, value: bytes) -> None:
    settings = cairn.settings_now()
    async with kafka.running_producer(settings) as producer:
        await producer.send_and_wait(settings.topic(topic), value=value, key=key)


def test_sources_whose_names_hold_a_secret_are_known_again(world: World):
    query = "SELECT source_id, path, revision_seq FROM cairn.sources ORDER BY source_id"
    before = world.rows(query)
    alike = {path for _, path, _ in before if str(path).startswith("docs/[REDACTED:GITLAB")}
    assert len(alike) == 2
    world.ingest("second")
    assert world.rows(query) == before


def test_evidence_stands_at_its_place_in_the_redacted_text(world: World):
    spans = world.rows(
        "SELECT e.snippet, substr(t.text, e.char_start + 1, e.char_end - e.char_start)"
        " FROM cairn.ledger_evidence e JOIN cairn.source_texts t USING (source_id, sanitized_hash)"
    )
    assert any("[REDACTED:" in str(snippet) for snippet, _ in spans)
    assert [snippet for snippet, at_place in spans if snippet != at_place] == []
