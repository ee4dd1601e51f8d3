"""Turn deliveries of webhooks into sources, testimony and deltas."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from infra.platform.clock import SystemClock
from infra.platform.log import get
from infra.platform.settings import Settings
from infra.runtime.supervisor import tell_ready
from infra.runtime.watchdog import SoleReader, watch_readers
from infra.service.connecting.registry import (
    ConnectorRegistry,
    load_registry,
    open_publisher,
    tell_fetching,
)
from infra.service.foundation.progress import Note

if TYPE_CHECKING:
    from connectors.definitions import Definition
    from connectors.publishing import ItemPublisher
    from connectors.service import OpenService
    from connectors.service_items import DeletedItem, ServiceItem
    from connectors.slack.items import ThreadRef

log = get("intake")


def tell(note: Note) -> None:
    """Log what takes long, for the operator: nobody waits in front of this process."""
    log.info("intake.progress", code=note.code, line=note.message)


@dataclass
class OpenConnections:
    """What is opened once and kept: a publisher for each project, a service for each definition."""

    settings: Settings
    registry: ConnectorRegistry
    stack: AsyncExitStack
    _publishers: dict[str, ItemPublisher] = field(default_factory=dict)
    _opened: dict[str, OpenService] = field(default_factory=dict)

    async def publisher(self, project_id: str) -> ItemPublisher:
        if project_id not in self._publishers:
            opening = open_publisher(self.settings, project_id, tell)
            self._publishers[project_id] = await self.stack.enter_async_context(opening)
        return self._publishers[project_id]

    async def thread(
        self, definition: Definition, ref: ThreadRef
    ) -> ServiceItem | DeletedItem | None:
        """The thread as Slack shows it now; gone when it shows none. Raises SourceUnavailable,
        SourceRefused.
        """
        from connectors.connector import SourceRefused
        from connectors.service_items import DeletedItem

        key = definition.added.model_dump_json()
        if key not in self._opened:
            opening = self.registry.open_service(definition)
            self._opened[key] = await self.stack.enter_async_context(opening)
        root = f"slack/{ref.team}/{ref.channel_id}"
        for stream in self._opened[key].streams:
            if root in stream.roots:
                found = await stream.look(root, ref.thread_ts)
                return found or DeletedItem("slack", root, ref.thread_ts, SystemClock().now())
        raise SourceRefused(f"No stream of the connector reads {root}.")


async def run_intake(settings: Settings, environ: Mapping[str, str]) -> None:
    """Work until SIGTERM or SIGINT. Raises Refusal, …Unavailable: the supervisor starts anew."""
    from connectors.bound_secrets import Secrets
    from connectors.directory import follow_connectors
    from connectors.intake.files import RepositoryFiles
    from connectors.intake.intake import Intake, Ports
    from connectors.intake.runner import STAGE, Consumer, consume, recall
    from connectors.intake.source_status import SourceStatuses
    from connectors.runner import open_publish
    from connectors.webhooks.counters import INTAKE_FILE, Counters
    from infra.platform.vault import vault_of
    from schemas.events.connector_item import ItemReceived
    from streams.hygiene.redaction.strings import StringRedactor

    task = asyncio.current_task()
    assert task
    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, task.cancel)
    vault, clock = vault_of(settings), SystemClock()
    redactor = StringRedactor(vault.mark)
    statuses = SourceStatuses(settings.home / "state" / "intake" / "told.sqlite")
    if statuses.set_aside:
        log.error("intake.told_was_damaged", set_aside=str(statuses.set_aside))
    counters = Counters(settings.home / INTAKE_FILE)
    try:
        async with AsyncExitStack() as stack:
            connected = await stack.enter_async_context(follow_connectors(settings))
            publish = await stack.enter_async_context(open_publish(settings, clock, redactor))
            connections = OpenConnections(settings, await load_registry(settings, environ), stack)
            secrets = Secrets(environ, settings.home)
            files = RepositoryFiles(
                settings.home / "clones", connections.publisher, secrets, tell_fetching(tell)
            )
            ports = Ports(
                find_definitions=connected.of,
                publisher=connections.publisher,
                open=vault.decrypt,
                seal=vault.encrypt,
                mark=vault.mark,
                thread=connections.thread,
                files=files.bring,
                statuses=statuses,
                redactor=redactor,
            )
            intake = Intake(ports)
            if not statuses.is_whole:
                recalled = await recall(settings, intake)
                statuses.mark_whole()
                log.info("intake.recalled", deliveries=recalled)
            tell_ready(settings, environ)
            consumer = Consumer(intake, publish, counters, clock, settings.partitions)
            topics = [settings.topic(ItemReceived.topic)]
            reader = SoleReader(settings.group(STAGE), topics, consumer.progress)
            with watch_readers(settings, STAGE, [reader]):
                await consume(settings, consumer, counters)
    except asyncio.CancelledError:
        log.info("intake.stopped")
    finally:
        counters.write()
        statuses.close()
