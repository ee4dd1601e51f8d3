"""Segments cut, spoilt or removed under a resting broker: told by place, never waited for.

Three topics are damaged at once, each in its own way. A record has a segment of its own here.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest
from aiokafka.admin import NewTopic
from typer.testing import CliRunner, Result

from infra.cli import build
from infra.cli.hints import with_hint
from infra.cli.status import show
from infra.platform import kafka, postgres
from infra.platform.errors import Refusal
from infra.platform.findings import Finding, LogDamaged, remember_damage
from infra.platform.kafka import partition_of
from infra.platform.settings import Settings
from infra.runtime.local.runtime import running
from infra.service.upkeep.status import read_status
from schemas.topics import TOPICS
from tests.conftest import variables_of
from tests.databases import MIGRATIONS
from tests.projections.test_projector import until_folded
from tests.shell.harness import at_work, facts_until, publish, until_committed
from tests.shell.stages import a_fact, a_request

pytestmark = [pytest.mark.broker, pytest.mark.slow]

SPOILT, HOLED, CUT = "project.v1", "ingestion.request.v1", "ledger.v1"
RECORDS = 6
PART = partition_of(b"prj_one", 3)


async def publish_apart(settings: Settings) -> None:
    """Each record is old enough for the next one to begin a segment."""
    async with kafka.running_admin(settings) as admin:
        configs = {"segment.ms": "1", "retention.ms": "-1"}
        names = [settings.topic(name) for name in (SPOILT, HOLED, CUT)]
        await admin.create_topics([NewTopic(n, 3, 1, topic_configs=configs) for n in names])
    await kafka.create_topics(settings, TOPICS)
    for number in range(RECORDS):
        await publish(settings, a_fact(f"n{number}"), a_request(f"n{number}"))


async def answered(settings: Settings) -> None:
    """A stage has read and written, and the tables hold all."""
    async with at_work(settings, "counting"):
        await facts_until(settings, CUT, 2 * RECORDS)
        for topic in (SPOILT, HOLED):
            await until_committed(settings, "counting", topic)
    await until_folded(settings)


def segments(settings: Settings, topic: str) -> list[Path]:
    folder = settings.home / "kafka" / "data" / f"{settings.topic(topic)}-{PART}"
    return sorted(folder.glob("*.log"))


def damage(settings: Settings) -> None:
    spoilt = segments(settings, SPOILT)[2]
    data = bytearray(spoilt.read_bytes())
    data[-20] ^= 0xFF
    spoilt.write_bytes(data)
    halved = segments(settings, SPOILT)[4]
    halved.write_bytes(halved.read_bytes()[:-10])
    for file in (gone := segments(settings, HOLED)[2]).parent.glob(f"{gone.stem}.*"):
        file.unlink()
    last = segments(settings, CUT)[-1]
    last.write_bytes(last.read_bytes()[:-10])


@pytest.fixture(scope="module")
def damaged(cache: Path) -> Iterator[Settings]:
    """A running installation whose log was damaged while it did not run."""
    home = Path(tempfile.mkdtemp(prefix="cairn-test-"))
    settings = Settings(home=home, cache=cache, session_timeout_s=5.0, request_timeout_s=5.0)
    try:
        with running(settings, print) as located:
            postgres.migrate(located.conninfo, MIGRATIONS)
            asyncio.run(publish_apart(located))
            asyncio.run(answered(located))
        damage(settings)
        with running(settings, print) as located:
            yield located
    finally:
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def cairn(damaged: Settings) -> Callable[..., Result]:
    environment = variables_of(damaged) | {"CAIRN_REQUEST_TIMEOUT_S": "5"}
    return lambda *arguments: CliRunner().invoke(build(), arguments, env=environment)


def test_verify_log_names_each_damage_with_place_file_and_remedy_each_time(
    damaged: Settings, cairn: Callable[..., Result]
):
    runs = [cairn("verify-log", "--json") for _ in range(2)]
    assert [run.exit_code for run in runs] == [1, 1]
    assert runs[0].stdout == runs[1].stdout
    found = json.loads(runs[0].stdout)["findings"]
    assert [(f["code"], f["topic"], f["partition"], f["offset"]) for f in found] == [
        ("log_hole", HOLED, PART, 2),
        ("log_cut", CUT, PART, 0),
        ("corrupt", SPOILT, PART, 2),
        ("log_hole", SPOILT, PART, 4),  # the broker passes over what ends in the middle
    ]
    assert found[2]["file"] == str(segments(damaged, SPOILT)[2])
    assert all("restore" in f["remedy"] for f in found)
    assert json.loads(runs[0].stdout)["counts"] == {HOLED: RECORDS - 1, SPOILT: RECORDS - 2}


def test_a_rebuild_names_the_damage_and_leaves_the_tables(
    damaged: Settings, cairn: Callable[..., Result]
):
    refused = cairn("rebuild")
    assert isinstance(refused.exception, Refusal)
    for part in ("4 findings", f"{HOLED}/{PART}@2", "0 instead of 12 rows", "--accept-smaller"):
        assert part in with_hint(refused.exception)
    with psycopg.connect(damaged.conninfo) as connection:
        rows = connection.execute("SELECT count(*) FROM cairn.ledger_change_sets").fetchone()
    assert rows == (2 * RECORDS,)


def test_status_tells_of_a_cut_log_and_of_what_a_process_met(
    damaged: Settings, capsys: pytest.CaptureFixture[str]
):
    met = Finding("corrupt", SPOILT, PART, 2, "met by a stage")
    with pytest.raises(LogDamaged), remember_damage(damaged):
        raise LogDamaged(met)
    status = asdict(read_status(damaged))
    assert [(f["code"], f["topic"], f["offset"]) for f in status["damage"]] == [
        ("log_cut", CUT, 0),
        ("corrupt", SPOILT, 2),
    ]
    show(SimpleNamespace(**status))
    assert "LOG DAMAGED at ledger.v1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("stage", "topic", "offset"),
    [("echo", SPOILT, 2), ("echo_requests", HOLED, 2), ("counting", CUT, 0)],
)
def test_a_stage_stops_at_the_damage_and_names_it(
    damaged: Settings, stage: str, topic: str, offset: int
):
    async def scenario() -> None:
        with pytest.raises(LogDamaged, match=rf"{topic}/{PART}@{offset} .*\.log.*restore"):
            async with at_work(damaged, stage) as worker:
                raise await worker.failed()

    asyncio.run(scenario())


def test_the_projector_stops_at_a_cut_log_and_goes_on_once_it_is_accepted(
    damaged: Settings, cairn: Callable[..., Result]
):
    """The last test here: afterwards the tables hold what is left."""
    with pytest.raises(LogDamaged, match=rf"{CUT}/{PART}@0 .*records 0 to 11 are gone"):
        asyncio.run(until_folded(damaged))
    accepted = cairn("rebuild", "--accept-smaller")
    assert accepted.exit_code == 1, "tables were different"
    assert "ledger_change_sets" in accepted.stdout and f"{HOLED}/{PART}@2" in accepted.stdout
    asyncio.run(publish(damaged, a_fact("later")))
    asyncio.run(until_folded(damaged))
    with psycopg.connect(damaged.conninfo) as connection:
        rows = connection.execute("SELECT count(*) FROM cairn.ledger_change_sets").fetchone()
    assert rows == (0,)
    assert json.loads(cairn("status", "--json").stdout)["damage"] == []
