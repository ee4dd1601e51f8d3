"""Where broker and database come from, and the record of it that every command reads.

Order: an address in the environment; a container when CAIRN_RUNTIME=containers; else the
embedded one. `runtime.json` (mode 0600, it holds the passwords of both) is written by whoever
started the two and counts only while that very process runs.
"""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, Protocol

from infra.platform.addresses import without_credentials
from infra.platform.errors import BrokerUnavailable, DatabaseUnavailable, Forbidden, Unavailable
from infra.platform.files import keep_private, write_whole
from infra.platform.settings import Settings
from infra.runtime.local.patience import STILL_S, Patience, signs_of
from infra.runtime.local.process import Process, ProcessId, Say, identify, wait_until

ANSWER_PATIENCE_S = 10.0  # for one request to a broker on a busy machine
ANSWERS_WITHIN_S = 30.0  # a broker or database of others, that runs
Origin = Literal["environment", "containers", "embedded"]


class Server(Protocol):
    """A broker or database that runs as a child of ours."""

    name: str
    stop_signal: signal.Signals

    @property
    def address(self) -> str: ...
    def prepare(self) -> None: ...
    def spawn(self) -> subprocess.Popen[bytes]: ...
    def ready(self) -> bool: ...
    def locate(self, settings: Settings) -> Settings: ...
    def trouble(self) -> str: ...


@dataclass(frozen=True)
class Source:
    """Where one of the two comes from, and why."""

    origin: Origin
    reason: str
    address: str


@dataclass(frozen=True)
class Runtime:
    """A running installation, as every command of it sees it."""

    broker: Source
    database: Source
    topic_prefix: str
    partitions: int
    vault_key_file: str | None
    kafka_password: str | None  # of an embedded broker
    owner: ProcessId  # the process whose end ends the record

    def locate(self, settings: Settings) -> Settings:
        """``settings`` with what this installation was started with."""
        key_file = Path(self.vault_key_file) if self.vault_key_file else None
        if self.broker.origin == "containers":
            settings = settings.model_copy(update={"kafka_security_protocol": "PLAINTEXT"})
        if self.kafka_password:
            from infra.runtime.local.kafka import with_account

            settings = with_account(settings, self.kafka_password)
        return settings.model_copy(
            update={
                "kafka_bootstrap": self.broker.address,
                "database_url": self.database.address,
                "topic_prefix": self.topic_prefix,
                "partitions": self.partitions,
                "vault_key_file": settings.vault_key_file or key_file,
            }
        )


def origins(settings: Settings) -> tuple[tuple[Origin, str], tuple[Origin, str]]:
    """Origin and reason of broker and database, before anything is started."""

    def one(address: str | None, variable: str) -> tuple[Origin, str]:
        if address:
            return "environment", f"{variable} is set"
        if settings.runtime == "containers":
            return "containers", f"CAIRN_RUNTIME=containers and {variable} is not set"
        return "embedded", f"{variable} is not set and CAIRN_RUNTIME is embedded"

    return (
        one(settings.kafka_bootstrap, "CAIRN_KAFKA_BOOTSTRAP"),
        one(settings.database_url, "CAIRN_DATABASE_URL"),
    )


@dataclass(frozen=True)
class Plan:
    """What has to be started here, in order, and the settings that will reach the two."""

    broker: Source
    database: Source
    servers: tuple[Server, ...]
    located: Settings


@contextlib.contextmanager
def planned(settings: Settings, say: Say, start: Callable[[Server], None]) -> Iterator[Plan]:
    """A plan whose servers are prepared and whose containers run until the end of the block.

    Each server is handed to ``start`` before the next is prepared: both take their time. Raises
    Refusal or Unavailable with what to do.
    """
    from infra.runtime.local import containers
    from infra.runtime.local.kafka import EmbeddedKafka
    from infra.runtime.local.postgres import EmbeddedPostgres

    broker, database = origins(settings)
    keep_private(settings.home)
    servers: list[Server] = []
    located = settings
    with contextlib.ExitStack() as stack:
        if broker[0] == "containers":
            address = stack.enter_context(containers.kafka(say))
            located = located.model_copy(update={"kafka_bootstrap": address})
        if database[0] == "containers":
            address = stack.enter_context(containers.postgres(say))
            located = located.model_copy(update={"database_url": address})
        if broker[0] == "embedded":
            servers.append(EmbeddedKafka(settings, say))
        if database[0] == "embedded":
            servers.append(EmbeddedPostgres(settings, say))
        for server in servers:
            server.prepare()
            start(server)
            located = server.locate(located)
        yield Plan(
            Source(*broker, located.bootstrap),
            Source(*database, located.conninfo),
            tuple(servers),
            located,
        )


@contextlib.contextmanager
def running(settings: Settings, say: Say) -> Iterator[Settings]:
    """Broker and database for the block, without a supervisor: for tests and benches.

    Yields the settings that reach them; both are stopped at the end, data stays.
    """
    children: list[tuple[Server, Process]] = []
    try:
        with planned(
            settings, say, lambda server: children.append((server, server.spawn()))
        ) as plan:
            for server, child in children:
                await_server(server, child)
            await_answers(plan.located)
            yield plan.located
    finally:
        for server, child in reversed(children):
            stop(child, server.stop_signal)


def await_server(
    server: Server,
    child: Process,
    say: Say = lambda _: None,
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """``child`` serves, unless nobody wants it any more (``is_over``).

    Raises Unavailable when it ends instead, or does not move any more.
    """
    patience = Patience(
        signs=lambda: (server.trouble(), *signs_of([child.pid], ())),
        waits_for=lambda: f"the embedded {server.name} to answer",
        say=say,
    )
    done = patience.wait_until(lambda: is_over() or child.poll() is not None or server.ready())
    if child.poll() is not None:
        raise Unavailable(
            f"The embedded {server.name} ended with code {child.returncode} while starting:"
            f" {server.trouble()}"
        )
    if not done:
        raise Unavailable(
            f"The embedded {server.name} does not answer and has not moved for"
            f" {STILL_S:.0f} s; its log ends with: {server.trouble()}"
        )


def await_answers(located: Settings, timeout_s: float = ANSWERS_WITHIN_S) -> None:
    """Broker and database serve, wherever they are. Raises …Unavailable."""
    from infra.platform import kafka, postgres

    if not wait_until(
        lambda: asyncio.run(kafka.answers(located, ANSWER_PATIENCE_S)),
        timeout_s=timeout_s,
    ):
        raise BrokerUnavailable(
            f"No broker answers at {located.bootstrap} after {timeout_s:.0f} s: check"
            " CAIRN_KAFKA_BOOTSTRAP and its security settings."
        )
    if not wait_until(lambda: postgres.answers(located.conninfo), timeout_s=timeout_s):
        raise DatabaseUnavailable(
            f"No database answers at {without_credentials(located.conninfo)} after"
            f" {timeout_s:.0f} s: check CAIRN_DATABASE_URL."
        )


def stop(child: Process, sign: signal.Signals, patience_s: float = 20) -> None:
    """The child has ended: asked by ``sign``, its whole group killed after ``patience_s``."""
    if child.poll() is None:
        child.send_signal(sign)
        if not wait_until(lambda: child.poll() is not None, timeout_s=patience_s):
            kill_group(child)
    child.wait()


def kill_group(child: Process) -> None:
    """The child and what it started are killed; only for a child that was not waited for yet."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def write_runtime(settings: Settings, plan: Plan) -> None:
    """`runtime.json` says how to reach what this process has started."""
    embedded, password = plan.broker.origin == "embedded", plan.located.kafka_sasl_password
    runtime = Runtime(
        broker=plan.broker,
        database=plan.database,
        topic_prefix=settings.topic_prefix,
        partitions=settings.partitions,
        vault_key_file=str(plan.located.vault_key_file) if plan.located.vault_key_file else None,
        kafka_password=password.get_secret_value() if embedded and password else None,
        owner=identify(os.getpid()),
    )
    write_whole(settings.home / "runtime.json", json.dumps(asdict(runtime), indent=1) + "\n")


def read_runtime(home: Path) -> Runtime | None:
    """The running installation of ``home``; None when there is none, whatever the file says."""
    path = home / "runtime.json"
    try:
        known = json.loads(path.read_text())
        runtime = Runtime(
            broker=Source(**known["broker"]),
            database=Source(**known["database"]),
            topic_prefix=known["topic_prefix"],
            partitions=known["partitions"],
            vault_key_file=known["vault_key_file"],
            kafka_password=known["kafka_password"],
            owner=ProcessId(**known["owner"]),
        )
    except FileNotFoundError:
        return None
    except PermissionError as error:
        raise Forbidden(f"{path} belongs to another user.", code="home_of_another_user") from error
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return runtime if runtime.owner.alive() else None


def find_running(settings: Settings) -> Settings:
    """``settings`` with the addresses of broker and database of a service that runs.

    The running installation of CAIRN_HOME comes before addresses that were set. Raises Unavailable
    (``not_running``) when there is neither.
    """
    if runtime := read_runtime(settings.home):
        return runtime.locate(settings)
    if settings.kafka_bootstrap and settings.database_url:
        return settings
    raise not_running(settings)


def not_running(settings: Settings) -> Unavailable:
    reasons = "; ".join(reason for _, reason in origins(settings))
    return Unavailable(
        f"Cairn is not running in {settings.home} ({reasons}).",
        code="not_running",
        detail={"home": str(settings.home)},
    )
