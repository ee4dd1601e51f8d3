"""Deliveries through receiver and intake onto a log in memory, with what would be held after it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from connectors.bound_secrets import Secrets
from connectors.directory import ConnectorDirectory
from connectors.feeder import FeedOrder
from connectors.intake.changes import Delta
from connectors.intake.intake import Intake, Ports
from connectors.intake.runner import Consumer
from connectors.intake.source_status import SourceStatuses
from connectors.service_items import DeletedItem, ServiceItem
from connectors.slack.items import ThreadRef
from connectors.webhooks.counters import Counters, read_counters
from connectors.webhooks.receiver import Receiver
from infra.platform.errors import Undecryptable
from schemas.codec import encode
from schemas.envelope import Actor, Envelope, Event, outside_fact
from schemas.events.connector import ConnectorAdded, ConnectorService, Credential
from schemas.events.connector_item import ItemReceived
from schemas.events.dlq import DeadLetter
from schemas.events.project import ProjectCreated
from schemas.ids import sha256_hex
from schemas.topics import key_of
from tests.connectors.memory_broker import E, MemoryBroker
from tests.connectors.redactors import REDACTOR
from tests.connectors.webhooks.senders import NOW, SECRET, Sent

PROJECT = "prj_shop"
SECRETS = Secrets({"HOOK_SECRET": SECRET.decode()}, Path("/no/home"))
ADMIN = Actor(type="human", id="ana")


class Killed(BaseException):
    """The process is gone: nothing of it catches this."""


@dataclass
class KeyRing:
    """Keys by subject, as the vault has them; ``erased`` ones open nothing."""

    erased: set[str] = field(default_factory=set)

    def seal(
        self, project_id: str, content: bytes, subject: str = "", place: str = ""
    ) -> tuple[str, bytes]:
        return f"key_{project_id}_{subject}", b"n" * 12 + content[::-1]

    def open(self, key_id: str, sealed: bytes) -> bytes:
        if key_id in self.erased:
            raise Undecryptable("gone")
        return sealed[12:][::-1]

    def mark(self, project_id: str, text: str) -> str:
        return sha256_hex(f"secret {project_id} {text}")


@dataclass
class Record:
    value: bytes
    key: bytes
    partition: int = 0
    offset: int = 0
    headers: tuple[tuple[str, bytes], ...] = ()


@dataclass
class World:
    """One project with one connector a service. ``threads`` is what Slack would answer."""

    folder: Path
    options: Mapping[str, str] = field(default_factory=dict)
    broker: MemoryBroker = field(default_factory=MemoryBroker)
    keys: KeyRing = field(default_factory=KeyRing)
    statuses: SourceStatuses = field(default_factory=SourceStatuses)
    threads: dict[str, ServiceItem | DeletedItem | None] = field(default_factory=dict)
    asked: list[ThreadRef] = field(default_factory=list)
    deltas: list[Delta] = field(default_factory=list)
    connected: ConnectorDirectory = field(default_factory=ConnectorDirectory)
    waits: list[float] = field(default_factory=list)
    outage: Callable[[], None] = lambda: None
    at: datetime = NOW

    def __post_init__(self) -> None:
        self._hear(ProjectCreated(name="Shop"), "p")
        self.connect("github", "acme/shop")
        self.connect("bitbucket", "acme/shop")
        self.connect("jira", "SHOP", site="jira.example.org")
        self.connect("slack", "T1", **self.options)

    def connect(
        self,
        service: ConnectorService,
        target: str,
        roles: tuple[str, ...] = ("webhook",),
        /,
        **options: str,
    ) -> None:
        added = ConnectorAdded(
            connector_id=f"con_{service}_{target}",
            request_key="|".join(["k", *options.values()]),
            service=service,
            target=target,
            base_url=f"https://{service}.example.org",
            by_owner_of_all=True,
            credentials=[Credential(role=role, place="env:HOOK_SECRET") for role in roles],
            options=options,
        )
        self._hear(added, added.local_key)

    def _hear(self, event: Event, key: str) -> None:
        self.connected.apply(
            outside_fact(event, project_id=PROJECT, occurred_at=NOW, actor=ADMIN, natural_key=key)
        )

    def now(self) -> datetime:
        return self.at

    def intake(self) -> Intake:
        ports = Ports(
            find_definitions=self.connected.of,
            publisher=self.broker.publisher_of,
            open=self.keys.open,
            seal=self.keys.seal,
            mark=self.keys.mark,
            thread=self._thread,
            files=self._files,
            statuses=self.statuses,
            redactor=REDACTOR,
        )
        return Intake(ports)

    def consumer(self) -> Consumer:
        """A process just started: it knows what is on disk and on the log, nothing else."""
        counters = Counters(self.folder / "intake.json")
        self.counters = counters
        return Consumer(self.intake(), self.broker.publish, counters, self, 1, self._sleep)

    async def _thread(self, definition: Any, ref: ThreadRef) -> ServiceItem | DeletedItem | None:
        self.asked.append(ref)
        self.outage()
        return self.threads.get(ref.thread_ts)

    async def _files(self, delta: Delta, definition: Any, order: FeedOrder) -> bool:
        self.outage()
        self.deltas.append(delta)
        return True

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def received(self, *deliveries: Sent) -> list[Record]:
        """The deliveries through the receiver, as they then stand on the topic."""
        log: list[Envelope] = []

        async def publish(facts: list[Envelope]) -> None:
            log.extend(facts)

        def endpoint(service: ConnectorService, project: str) -> Any:
            return self.connected.endpoint(service, project, SECRETS)

        def seal(project_id: str, content: bytes, subject: str) -> tuple[str, bytes]:
            return self.keys.seal(project_id, content, subject)

        for sent in deliveries:
            receiver = Receiver(endpoint, seal, publish, self)
            service: Any = sent.service
            answer = await receiver.receive(service, sent.project, sent.headers, sent.body)
            assert answer.status == 202, answer
        return [record_of(fact, offset) for offset, fact in enumerate(log)]

    async def taken(self, *deliveries: Sent) -> None:
        """The deliveries have had their effect, one after the other."""
        consumer = self.consumer()
        for record in await self.received(*deliveries):
            await consumer.process(record)

    @property
    def is_reconcilable(self) -> dict[str, int]:
        self.counters.write()
        found = read_counters(self.folder / "intake.json") or {}
        return {name: count for group in found.values() if isinstance(group, dict)
                for name, count in group.items()}  # fmt: skip

    @property
    def texts(self) -> list[str]:
        """What is held, as text."""
        return [content.decode() for content in self.broker.contents.values()]

    def events(self, kind: type[E]) -> list[E]:
        return self.broker.events(kind)

    @property
    def dead(self) -> Sequence[DeadLetter]:
        return self.events(DeadLetter)


def record_of(fact: Envelope, offset: int = 0) -> Record:
    return Record(encode(fact.recorded(NOW)), key_of(fact).encode(), 0, offset)


def a_received(service: ConnectorService, kind: str, payload: Any, delivery: str = "x") -> Record:
    """A delivery on the topic that came past no receiver of ours."""
    key_id, sealed = KeyRing().seal(PROJECT, json.dumps(payload).encode())
    event = ItemReceived(
        connector=service,
        external_ref="-",
        kind=kind,
        delivery_id=delivery,
        key_id=key_id,
        body=sealed,
    )
    fact = outside_fact(
        event,
        project_id=PROJECT,
        occurred_at=datetime(2026, 3, 1, tzinfo=UTC),
        actor=Actor(type="connector", id=service),
    )
    return record_of(fact)
