"""Fixtures of tests that need the real broker and database, and who runs beside whom.

No doubles: `installation` is started once by each worker that needs it; `fresh` gives each test
topics, a database and a home of its own in it.
"""

import asyncio
import functools
import os
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import psutil
import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import NodeManager

from infra.platform import kafka, postgres
from infra.platform.loop import rarely_collected
from infra.platform.settings import Settings
from infra.runtime.local.postgres import EmbeddedPostgres
from infra.runtime.local.process import wait_until
from infra.runtime.local.runtime import running, stop
from tests.databases import database_beside, migrated_beside, new_name

if TYPE_CHECKING:
    from tests.models.worker import ModelWorker

# How long an example takes is the machine's affair: a test fails by what is wrong, never by time.
hypothesis.settings.register_profile(
    "by no clock", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("by no clock")
# One service for all files of a folder that ask for one of these fixtures; the first one is behind
# the others.
SHARING = {
    "tests/end_to_end": ("shared", "backbone"),
    "tests/http": ("called", "owner", "shown", "ask"),
}
# Of files without servers these compute longest: the whole topology in memory.
COMPUTING = "tests/whole/"
# The mark of a test by what it asks for; where a test starts servers by itself, its file says so.
SERVERS = {
    **dict.fromkeys(("installation", "called", "shared"), "broker"),
    "database_server": "database",
}
ROOT = Path(__file__).parents[1]
SHORT_S = 180  # ends a test that is not slow; others end after pyproject.toml's time
# After Ctrl-C a worker stops the servers it has started; it is killed when that takes longer.
NodeManager.EXIT_TIMEOUT = 60


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what shares a service first, since it is the longest, then what is slow.

    Of that, what needs no servers comes first: it computes while the others wait. What is quick and
    needs none comes last, so that the workers end at about the same time. What is not slow and
    starts no service hangs for a short time only.
    """
    marks: defaultdict[str, set[str]] = defaultdict(set)
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        for name in {SERVERS[each] for each in fixtures if each in SERVERS}:
            item.add_marker(name)
        scope, own = scope_of(item.nodeid), {mark.name for mark in item.iter_markers()}
        service, *_ = SHARING.get(item.path.parent.relative_to(ROOT).as_posix(), ("",))
        assert service not in fixtures or scope in SHARING, f"{item.nodeid} shares a service"
        marks[scope].update(own)
        if scope not in SHARING and own.isdisjoint({"slow", "timeout"}):
            item.add_marker(pytest.mark.timeout(SHORT_S))

    def rank(item: pytest.Item) -> tuple[bool, bool, bool, bool]:
        scope = scope_of(item.nodeid)
        broker, slow = (name in marks[scope] for name in ("broker", "slow"))
        last = broker if slow else not broker
        return (scope not in SHARING, not slow, last, not scope.startswith(COMPUTING))

    items.sort(key=rank)


def scope_of(nodeid: str) -> str:
    """What one worker runs as a whole: a file of tests, or all that share a running service.

    The process that hands the files out knows their names alone, so their text is looked at.
    """
    return _scope_of_file(nodeid.partition("::")[0])


@functools.cache
def _scope_of_file(file: str) -> str:
    folder = file.rpartition("/")[0]
    if folder not in SHARING:
        return file
    parameter = rf"[(,]\s*({'|'.join(SHARING[folder])})\b\s*[:,)]"
    text = (ROOT / file).read_text(encoding="utf-8")
    return folder if re.search(parameter, text) else file


class Scheduling(LoadFileScheduling):  # type: ignore[misc]  # it ships no types
    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling:
    return Scheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that was ended by time names what it had open: a loop cannot close before that."""
    report = yield
    if report.failed and call.duration >= SHORT_S:
        kept = psutil.Process().net_connections()
        ways = [f"{one.status} {one.laddr} {one.raddr}" for one in kept]
        report.sections.append(("Open connections", "\n".join(ways)))
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)  # around the reporter: after all it has to say
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, object, object]:
    """Name what failed once more, last and alone: a cut log keeps its end."""
    result = yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and not hasattr(session.config, "workerinput"):
        for report in [*reporter.stats.get("failed", ()), *reporter.stats.get("error", ())]:
            reporter.write_line(f"failed: {report.nodeid}")
    return result


def pytest_collection_finish() -> None:
    """Nothing that is imported by now is looked at by the collector again: a tenth of the time."""
    rarely_collected()


@pytest.fixture(scope="session")
def cache() -> Path:
    """The user's jars, so that a test run downloads them at most once."""
    return Settings.from_env(os.environ).cache


@pytest.fixture
def home() -> Iterator[Path]:
    """A CAIRN_HOME of its own; not under pytest's folder, which other runs close for servers."""
    folder = Path(tempfile.mkdtemp(prefix="cairn-test-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def database_server() -> Iterator[str]:
    """The URL of a running PostgreSQL, for tests that need no broker."""
    folder = Path(tempfile.mkdtemp(prefix="cairn-test-"))
    embedded = EmbeddedPostgres(Settings(home=folder), print)
    embedded.prepare()
    child = embedded.spawn()
    try:
        assert wait_until(embedded.ready, timeout_s=60), embedded.trouble()
        yield embedded.address
    finally:
        stop(child, embedded.stop_signal)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def installation(cache: Path) -> Iterator[Settings]:
    """A running broker and database, shared by all tests of a worker."""
    folder = Path(tempfile.mkdtemp(prefix="cairn-test-"))
    settings = Settings(home=folder, cache=cache, session_timeout_s=1.0, reader=False)
    try:
        with running(settings, print) as located:
            yield located
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def bare(installation: Settings, home: Path) -> Settings:
    """Names nobody else uses in the shared servers: no topics yet, an empty database."""
    name = new_name()
    database_url = database_beside(installation.conninfo, name)
    postgres.ensure_database(database_url)
    return installation.model_copy(
        update={"home": home, "topic_prefix": name, "database_url": database_url}
    )


@pytest.fixture
def migrated(installation: Settings, home: Path) -> Settings:
    """The same with all migrations applied."""
    name = new_name()
    database_url = migrated_beside(installation.conninfo, name)
    return installation.model_copy(
        update={"home": home, "topic_prefix": name, "database_url": database_url}
    )


@pytest.fixture
def fresh(migrated: Settings) -> Iterator[Settings]:
    """The same with all topics made."""
    from schemas.topics import TOPICS

    asyncio.run(kafka.create_topics(migrated, TOPICS))
    yield migrated
    topics = [migrated.topic(topic.name) for topic in TOPICS]
    asyncio.run(kafka.delete_topics(migrated, topics))


def variables_of(settings: Settings) -> dict[str, str]:
    """The environment that leads a process to the servers of ``settings``."""
    password = settings.kafka_sasl_password
    assert password and settings.kafka_sasl_username
    return {
        "CAIRN_HOME": str(settings.home),
        "CAIRN_TOPIC_PREFIX": settings.topic_prefix,
        "CAIRN_KAFKA_BOOTSTRAP": settings.bootstrap,
        "CAIRN_KAFKA_SECURITY_PROTOCOL": settings.kafka_security_protocol,
        "CAIRN_KAFKA_SASL_MECHANISM": settings.kafka_sasl_mechanism,
        "CAIRN_KAFKA_SASL_USERNAME": settings.kafka_sasl_username,
        "CAIRN_KAFKA_SASL_PASSWORD": password.get_secret_value(),
        "CAIRN_DATABASE_URL": settings.conninfo,
    }


@pytest.fixture(scope="session")
def model_worker() -> Iterator["ModelWorker"]:
    """A model worker that the tests of a worker of pytest share; each configures it anew."""
    from tests.models.worker import model_worker

    with model_worker() as running:
        yield running


@pytest.fixture(scope="session")
def small_model() -> Iterator[dict[str, Any]]:
    """A real model on loopback, as a provider for `ModelWorker.configure`."""
    from tests.models.small import small_model

    with small_model() as provider:
        yield provider
