"""What a service tells unasked of its changes, and our intake, beside the syncs of a history."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from connectors.definitions import Definition
from connectors.intake.intake import Intake, Ports
from connectors.intake.source_status import SourceStatuses
from connectors.webhooks.deliveries import delivery_of
from schemas.envelope import Actor, Envelope, outside_fact
from schemas.events.connector import ConnectorAdded, ConnectorService, Credential
from schemas.events.connector_item import ItemReceived
from tests.connectors.intake.worlds import KeyRing
from tests.connectors.memory_broker import PROJECT, MemoryBroker
from tests.connectors.redactors import REDACTOR

Payload = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """Something that stands at a service. ``about`` names the row that it goes with; ``told`` is
    the delivery of a word: created, edited, deleted.
    """

    content: Any
    told: Callable[[str], tuple[str, Payload]]
    about: str = ""


Rows = Mapping[str, Row]


@dataclass
class Hooks:
    """Deliveries that come late, in any order, and now and then twice.

    ``stands`` tells what stands now. Of what goes with something else nothing is told.
    """

    service: ConnectorService
    target: str
    broker: MemoryBroker
    chance: random.Random
    now: Callable[[], datetime]
    stands: Callable[[], Rows]
    options: dict[str, str] = field(default_factory=dict)
    told: SourceStatuses = field(default_factory=SourceStatuses)
    _before: dict[str, tuple[str, Row]] = field(default_factory=dict)
    _under_way: list[Envelope] = field(default_factory=list)
    _sent: int = 0

    def connect(self) -> None:
        """From now on changes are told; of what stands already there is no delivery."""
        self._before = self._seen()

    def _seen(self) -> dict[str, tuple[str, Row]]:
        return {name: (json.dumps(row.content), row) for name, row in self.stands().items()}

    def notice(self) -> None:
        """What has changed since the last time is under way."""
        after = self._seen()
        for name, (content, row) in after.items():
            before = self._before.get(name)
            if before is None or before[0] != content:
                self._send(row, "edited" if before else "created")
        for name, (_, row) in self._before.items():
            if name not in after and (not row.about or row.about in after):
                self._send(row, "deleted")
        self._before = after

    async def arrive(self, *, all_of_them: bool = False) -> None:
        """Deliveries are taken; a process that is killed at one begins with another."""
        self.chance.shuffle(self._under_way)
        intake = self._intake()
        for fact in list(self._under_way):
            if all_of_them or self.chance.random() < 0.6:
                await intake.take(fact)
                if all_of_them or self.chance.random() < 0.8:
                    self._under_way.remove(fact)

    def _send(self, row: Row, word: str) -> None:
        kind, payload = row.told(word)
        self._sent += 1
        stamp = int(self.now().timestamp() * 1000)
        payload = {"timestamp": stamp, "action": word, "webhookEvent": kind} | payload
        headers = {"X-GitHub-Event": kind, "X-GitHub-Delivery": f"d-{self._sent}"}
        delivery = delivery_of(self.service, headers, payload)
        key_id, sealed = KeyRing().seal(PROJECT, json.dumps(payload).encode())
        event = ItemReceived(
            connector=self.service,
            external_ref=delivery.external_ref,
            kind=delivery.kind,
            delivery_id=delivery.delivery_id,
            key_id=key_id,
            body=sealed,
        )
        actor = Actor(type="connector", id=self.service)
        fact = outside_fact(event, project_id=PROJECT, occurred_at=self.now(), actor=actor)
        self._under_way.append(fact)

    def _intake(self) -> Intake:
        added = ConnectorAdded(
            connector_id="con_1",
            request_key="k",
            service=self.service,
            target=self.target,
            base_url="https://service.example.org",
            credentials=[
                Credential(role=role, location="env:SECRET") for role in ("webhook", "token")
            ],
            options=self.options,
        )
        definition = Definition(PROJECT, added)
        keys = KeyRing()
        ports = Ports(
            find_definitions=lambda project_id, service: [definition],
            publisher=self.broker.publisher_of,
            open=keys.open,
            seal=keys.seal,
            mark=keys.mark,
            thread=nothing,
            files=nothing,
            statuses=self.told,
            redactor=REDACTOR,
        )
        return Intake(ports)


async def nothing(*asked: object) -> Any:
    """Neither threads nor files change in these histories."""
    raise AssertionError(asked)
