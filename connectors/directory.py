"""The connectors of all projects, followed on ``project.v1`` as they change.

They are read from the log and not from the database, so that webhooks are answered while the
database is down.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from aiokafka.structs import TopicPartition

from connectors.bound_secrets import Secrets
from connectors.connector import SourceRefused
from connectors.definitions import Definition, definitions
from connectors.service import WEBHOOK
from connectors.webhooks.receiver import Endpoint
from infra.platform.background import in_background
from infra.platform.kafka import broker_errors, running_consumer
from infra.platform.pacing import pace_fetches
from infra.platform.placement import check_place
from infra.platform.settings import Settings
from schemas.codec import InvalidRecord, decode
from schemas.envelope import Envelope
from schemas.events.connector import ConnectorAdded, ConnectorRemoved, ConnectorService
from schemas.events.project import ProjectCreated, ProjectDeleted, ProjectRenamed

POLL_MS = 500
FOLLOWS_MS = 5_000


class ConnectorDirectory:
    """The connectors of all projects, as far as the log was read."""

    def __init__(self) -> None:
        self._projects: dict[str, str] = {}  # name or id -> id
        self._found: dict[str, Definition] = {}

    def apply(self, fact: Envelope) -> None:
        match fact.event:
            case ProjectCreated() as event:
                self._projects[fact.project_id] = fact.project_id
                self._projects.setdefault(event.name, fact.project_id)
            case ProjectRenamed() as event:  # the earlier name stays good, as services know it
                self._projects.setdefault(event.name, fact.project_id)
            case ProjectDeleted():
                definitions([fact], self._found)
                named = self._projects.items()
                self._projects = {name: each for name, each in named if each != fact.project_id}
            case ConnectorAdded() | ConnectorRemoved():
                definitions([fact], self._found)
            case _:
                pass

    def of(self, project_id: str, service: ConnectorService) -> list[Definition]:
        """The project's connectors of one service, in the order they were added."""
        return [
            each
            for each in self._found.values()
            if each.project_id == project_id and each.added.service == service
        ]

    def endpoint(
        self, service: ConnectorService, project: str, secrets: Secrets
    ) -> Endpoint | None:
        """The webhook endpoint of a project, by its name or id, with the secrets it may use."""
        project_id = self._projects.get(project)
        if project_id is None:
            return None
        opened = []
        for each in reversed(self.of(project_id, service)):
            if WEBHOOK in each.credentials:
                with suppress(SourceRefused):  # other connectors of the project still work
                    opened.append(secrets.find(each, WEBHOOK).reveal().encode())
        return Endpoint(project_id, tuple(opened))


@asynccontextmanager
async def follow_connectors(settings: Settings) -> AsyncIterator[ConnectorDirectory]:
    """All connectors as of the start of the block, kept up to date during it.

    Raises BrokerUnavailable, also during the block, which then ends: nobody may continue with
    outdated connectors.
    """
    connected = ConnectorDirectory()
    async with running_consumer(settings) as consumer:
        with broker_errors("reading what is connected"):
            topic = settings.topic(ConnectorAdded.topic)
            await consumer._client.force_metadata_update()
            numbers = consumer.partitions_for_topic(topic) or ()
            places = [TopicPartition(topic, number) for number in numbers]
            consumer.assign(places)
            ends = await consumer.end_offsets(places)
            await consumer.seek_to_beginning(*places)
            while any([await consumer.position(place) < end for place, end in ends.items()]):
                _apply(connected, await consumer.getmany(timeout_ms=POLL_MS), len(places))
        pace_fetches(consumer)
        async with in_background(_follow(consumer, connected, len(places))):
            yield connected


async def _follow(consumer: Any, connected: ConnectorDirectory, partitions: int) -> None:
    with broker_errors("following what is connected"):
        while True:
            _apply(connected, await consumer.getmany(timeout_ms=FOLLOWS_MS), partitions)


def _apply(connected: ConnectorDirectory, batch: Mapping[Any, Any], partitions: int) -> None:
    for records in batch.values():
        for record in records:
            with suppress(InvalidRecord):  # the projector reports it
                fact = decode(record.value or b"")
                check_place(ConnectorAdded.topic, record.partition, record.key, fact, partitions)
                connected.apply(fact)
