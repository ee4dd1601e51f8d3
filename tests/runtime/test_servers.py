"""The embedded broker and database survive kill -9 on the same data and at the same address."""

import asyncio
import contextlib
import json
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.platform import kafka, postgres
from infra.platform.errors import Refusal
from infra.platform.settings import Settings
from infra.runtime.local.kafka import LOCK, EmbeddedKafka, jars, read_lock, verify
from infra.runtime.local.postgres import EmbeddedPostgres
from infra.runtime.local.process import ProcessId, identify, recall, remember, wait_until
from infra.runtime.local.runtime import Server, await_server, running, stop
from infra.runtime.watchdog import SoleReader, watch_readers
from infra.service.upkeep.status import read_status
from tests.runtime.topics import ONE_TOPIC, read_all, write

pytestmark = pytest.mark.broker


@contextlib.contextmanager
def started(server: Server) -> Iterator[subprocess.Popen[bytes]]:
    server.prepare()
    with serving(server) as child:
        yield child


@contextlib.contextmanager
def serving(server: Server) -> Iterator[subprocess.Popen[bytes]]:
    child = server.spawn()
    try:
        await_server(server, child)
        yield child
    finally:
        stop(child, server.stop_signal)


def test_a_killed_broker_comes_back_with_its_records_at_its_address(home: Path, cache: Path):
    settings, said = Settings(home=home, cache=cache), list[str]()
    broker = EmbeddedKafka(settings, said.append)
    with started(broker) as child:
        located, address = broker.locate(settings), broker.address
        asyncio.run(kafka.create_topics(located, ONE_TOPIC))
        asyncio.run(write(located, [b"before"]))
        child.kill()
        child.wait()
    again = EmbeddedKafka(settings, said.append)
    with started(again):
        assert again.address == address
        asyncio.run(write(located, [b"after"]))
        assert asyncio.run(read_all(located)) == [b"before", b"after"]


def test_a_broker_whose_port_was_taken_serves_its_records_at_another(home: Path, cache: Path):
    settings = Settings(home=home, cache=cache)
    broker = EmbeddedKafka(settings, print)
    with started(broker):
        asyncio.run(kafka.create_topics(broker.locate(settings), ONE_TOPIC))
        asyncio.run(write(broker.locate(settings), [b"before"]))
        address = broker.address
    ports = json.loads((home / "kafka" / "ports.json").read_text())
    with contextlib.ExitStack() as taken:
        for port in ports:
            taker = taken.enter_context(socket.socket())
            taker.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taker.bind(("127.0.0.1", port))
            taker.listen()
        again = EmbeddedKafka(settings, print)
        with started(again):
            assert again.address != address
            assert asyncio.run(read_all(again.locate(settings))) == [b"before"]


def test_a_broker_keeps_its_log_in_its_home_whatever_the_letters(home: Path, cache: Path):
    """Also in a home that is moved between such paths, with a comma, or in the locale C."""
    first, second = home / "größe ❄, eins" / "home", home / "naïve 文件" / "cairn's % home"
    settings = Settings(home=first, cache=cache)
    broker = EmbeddedKafka(settings, print)
    with started(broker):
        asyncio.run(kafka.create_topics(broker.locate(settings), ONE_TOPIC))
        asyncio.run(write(broker.locate(settings), [b"before"]))
    assert (first / "kafka" / "data" / "__cluster_metadata-0").is_dir()
    assert [each.name for each in home.iterdir()] == [first.parent.name]

    second.parent.mkdir()
    first.rename(second)
    settings = Settings(home=second, cache=cache)
    broker = EmbeddedKafka(settings, print)
    with started(broker):
        assert asyncio.run(read_all(broker.locate(settings))) == [b"before"]


def test_a_home_whose_log_an_earlier_version_put_elsewhere_is_told_of_and_starts_when_moved(
    home: Path, cache: Path
):
    of_old = home / "ältere" / "home"
    settings = Settings(home=of_old, cache=cache)
    broker = EmbeddedKafka(settings, print)
    with started(broker):
        asyncio.run(kafka.create_topics(broker.locate(settings), ONE_TOPIC))
        asyncio.run(write(broker.locate(settings), [b"before"]))
    data = of_old / "kafka" / "data"
    elsewhere = Path(os.fsencode(data).decode("latin-1"))
    elsewhere.parent.mkdir(parents=True)
    data.rename(elsewhere)
    (of_old / "kafka.password").write_text("drawn at a start that failed")

    with pytest.raises(Refusal) as refused:
        EmbeddedKafka(settings, print).prepare()
    assert str(elsewhere) in str(refused.value) and not data.exists()
    command = str(refused.value).split("`")[1]
    subprocess.run(["sh", "-c", command], check=True)
    again = EmbeddedKafka(settings, print)
    with started(again):
        assert asyncio.run(read_all(again.locate(settings))) == [b"before"]


def test_a_killed_database_comes_back_with_its_rows_at_its_address(home: Path, cache: Path):
    settings = Settings(home=home, cache=cache)
    server = EmbeddedPostgres(settings, print)
    with started(server) as child:
        address = server.address
        with postgres.connect(address) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
        child.kill()
        child.wait()
    again = EmbeddedPostgres(settings, print)
    with started(again):
        assert again.address == address
        with postgres.connect(address) as connection:
            assert connection.execute("SELECT number FROM kept").fetchone() == (7,)


def test_an_orphan_of_a_crash_is_found_and_stopped_before_the_next_start(home: Path, cache: Path):
    settings, said = Settings(home=home, cache=cache), list[str]()
    first = EmbeddedPostgres(settings, said.append)
    with started(first) as orphan:
        left_over = identify(orphan.pid)
        second = EmbeddedPostgres(settings, said.append)
        with started(second):
            orphan.poll()
            assert not left_over.alive()
            assert postgres.answers(second.address)
    assert any(str(left_over.pid) in line for line in said)


def test_a_stranger_with_the_recorded_pid_is_left_alone(home: Path, cache: Path):
    settings = Settings(home=home, cache=cache)
    stranger = subprocess.Popen(["sleep", "60"])
    try:
        remember(settings.run_folder / "postgres.pid", ProcessId(stranger.pid, "long ago"))
        server = EmbeddedPostgres(settings, print)
        server.prepare()
        (home / "postgres" / "data" / "postmaster.pid").write_text(f"{stranger.pid}\n")
        with started(server):
            assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_two_installations_run_side_by_side(installation: Settings, home: Path):
    with running(Settings(home=home, cache=installation.cache), print) as other:
        assert other.kafka_bootstrap != installation.kafka_bootstrap
        assert other.database_url != installation.database_url
        asyncio.run(kafka.create_topics(other, ONE_TOPIC))
        counts = kafka.partition_counts(installation, [installation.topic(ONE_TOPIC[0].name)])
        assert set(asyncio.run(counts).values()) == {0}
    assert recall(home / "run" / "kafka.pid") is None


def test_a_jar_with_another_checksum_is_refused(tmp_path: Path, cache: Path):
    genuine = jars(cache, print)
    for jar in genuine.glob("*.jar"):
        (tmp_path / jar.name).symlink_to(jar)
    wanted = read_lock(LOCK)
    verify(tmp_path, wanted)
    changed = tmp_path / "kafka-clients-4.1.1.jar"
    content = changed.read_bytes()
    changed.unlink()
    changed.write_bytes(content + b"\0")
    with pytest.raises(Refusal, match=r"kafka-clients-4\.1\.1\.jar .* checksum"):
        verify(tmp_path, wanted)


def test_a_missing_and_an_added_jar_are_refused(tmp_path: Path):
    wanted = {"a.jar": "0" * 64}
    with pytest.raises(Refusal, match=r"a\.jar .* is missing"):
        verify(tmp_path, wanted)
    (tmp_path / "b.jar").touch()
    with pytest.raises(Refusal, match=r"b\.jar .* is not pinned"):
        verify(tmp_path, {})


def test_containers_without_an_engine_are_refused_with_what_to_do(
    home: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{home}/no-engine.sock")
    settings = Settings(home=home, cache=cache, runtime="containers")
    with pytest.raises(Refusal, match="no container engine answers"), running(settings, print):
        pass


def test_a_broker_that_cannot_tell_its_groups_still_answers(home: Path, cache: Path):
    """Offsets have a coordinator, which a fresh broker makes at the first question."""
    server = EmbeddedKafka(Settings(home=home, cache=cache), print)
    server.prepare()
    properties = home / "kafka" / "server.properties"
    replicas = "offsets.topic.replication.factor="
    properties.write_text(properties.read_text().replace(f"{replicas}1", f"{replicas}3"))
    with serving(server):
        settings = server.locate(Settings(home=home, cache=cache))
        asyncio.run(kafka.create_topics(settings, ONE_TOPIC))
        asyncio.run(watch_a_reader(settings))
        assert wait_until((settings.run_folder / "one.movement.json").exists, timeout_s=60)
        status = read_status(settings)
    assert (status.broker["answers"], status.lag) == (True, [])
    assert status.broker["problem"].startswith("The lag is not known yet: The broker does not")


async def watch_a_reader(settings: Settings) -> None:
    read = [settings.topic(spec.name) for spec in ONE_TOPIC]
    with watch_readers(settings, "one", [SoleReader(settings.group("echo"), read, worked=int)]):
        pass
