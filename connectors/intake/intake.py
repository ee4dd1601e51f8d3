"""Turns each delivery into its effect: items, testimony, changed files.

Each step is safe to repeat: ids derive from the delivery, stored sources decide what is new, and
deleted items stay deleted. So a process may die between any two steps; the delivery is read again
from its offset. A delivery only has an effect if the project has connected its target.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import connectors.bitbucket.items
import connectors.github.deliveries
import connectors.jira.items
import connectors.jira.service
from connectors.connector import SourceRefused, SourceUnavailable
from connectors.definitions import Definition
from connectors.feeder import FeedOrder
from connectors.intake.changes import Delta, delta_of
from connectors.intake.source_status import SourceStatuses
from connectors.intake.work_items import Arrived, work_of
from connectors.jira.api import site_of
from connectors.payloads import Payload, UnreadablePayload, part, text
from connectors.publishing import ItemPublisher, publish_items, redact_item, source_id_of
from connectors.registry import stream_names
from connectors.service_items import DeletedItem, ServiceItem
from connectors.slack.items import ThreadRef, thread_of_event
from connectors.slack.service import project_channels
from connectors.testimony.messages import Seal, testimony_of_event
from connectors.testimony.people import Mark
from infra.platform.errors import Undecryptable
from schemas.envelope import Actor, Envelope, outside_fact
from schemas.events.connector import ConnectorService
from schemas.events.connector_item import ItemReceived
from schemas.strings import Redactor

EFFECTS = frozenset(("changed", "delta", "left_to_the_next_poll"))

Open = Callable[[str, bytes], bytes]
FindDefinitions = Callable[[str, ConnectorService], Sequence[Definition]]
# The present thread, None if it was deleted; raises as `connectors.sync.Stream.look`.
LookAtThread = Callable[[Definition, ThreadRef], Awaitable[ServiceItem | DeletedItem | None]]
FindPublisher = Callable[[str], Awaitable[ItemPublisher]]  # by project id
BringFiles = Callable[[Delta, Definition, FeedOrder], Awaitable[bool]]


@dataclass(frozen=True)
class Ports:
    """What the intake is given, per project where there is one per project."""

    find_definitions: FindDefinitions
    publisher: FindPublisher
    open: Open
    seal: Seal
    mark: Mark
    thread: LookAtThread
    files: BringFiles
    statuses: SourceStatuses
    redactor: Redactor


class Intake:
    """``take`` is called for every delivery in the order of its partition."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    async def take(self, fact: Envelope) -> tuple[str, ...]:
        """Applies the delivery; returns its outcomes for the counters.

        Raises UnreadablePayload if it differs from its service's documentation, SourceUnavailable
        if the service must be asked and does not answer, and the errors of broker and database.
        """
        event = fact.event
        assert isinstance(event, ItemReceived)
        try:
            payload = self._decrypt(event)
        except Undecryptable:
            return ("erased",)
        definition = self._definition(fact, event, payload)
        if definition is None:
            return ("not_connected",)
        if event.connector == "slack":
            outcomes = await self._take_message(fact, payload, definition)
        else:
            outcomes = await self._take_items(fact, event, payload, definition)
        is_work = await self._ask_for_work(fact, event, payload, outcomes)
        return ("work",) if is_work and outcomes == ("unknown_kind",) else outcomes

    async def _ask_for_work(
        self, fact: Envelope, event: ItemReceived, payload: Payload, outcomes: tuple[str, ...]
    ) -> bool:
        """Publishes the work that the delivery asks for; what is done here only where this one has
        changed something.
        """
        arrived = Arrived(
            fact.project_id, event.connector, event.kind, event.delivery_id, fact.occurred_at
        )
        asked = [
            outside_fact(
                work,
                project_id=fact.project_id,
                occurred_at=fact.occurred_at,
                actor=Actor(type="connector", id=event.connector),
                correlation_id=fact.correlation_id,
            )
            for work in work_of(arrived, payload)
            if EFFECTS & set(outcomes) or not getattr(work, "done_by", "")
        ]
        if asked:
            publisher = await self._ports.publisher(fact.project_id)
            await publisher.publish(asked)
        return bool(asked)

    def recall(self, fact: Envelope) -> None:
        """Records again what ``take`` has published for this delivery, without publishing it.

        Not for chat, whose threads were requested, and not for titles, which a poll reads.
        """
        event = fact.event
        assert isinstance(event, ItemReceived)
        with suppress(Undecryptable, UnreadablePayload):
            payload = self._decrypt(event)
            definition = self._definition(fact, event, payload)
            if definition is None or event.connector == "slack":
                return
            items = self._items_of(event, payload, fact, definition) or []
            polled = _is_titled(event, definition)
            needed = [it for it in items if isinstance(it, DeletedItem) or not polled]
            self._ports.statuses.record(fact.project_id, self._without_late(fact, needed))

    def _decrypt(self, event: ItemReceived) -> Any:
        """The payload. Raises Undecryptable if its key was erased."""
        return json.loads(self._ports.open(event.key_id, event.body))

    def _definition(
        self, fact: Envelope, event: ItemReceived, payload: Payload
    ) -> Definition | None:
        definitions = self._ports.find_definitions(fact.project_id, event.connector)
        return next((each for each in definitions if _is_about(each, payload)), None)

    def _items_of(
        self, event: ItemReceived, payload: Payload, fact: Envelope, definition: Definition
    ) -> list[ServiceItem | DeletedItem] | None:
        items = _items_of(event, payload, fact, definition)
        redactor = self._ports.redactor
        if items is None:
            return None
        return [redact_item(item, fact.project_id, redactor) for item in items]

    async def _take_items(
        self, fact: Envelope, event: ItemReceived, payload: Payload, definition: Definition
    ) -> tuple[str, ...]:
        items = self._items_of(event, payload, fact, definition)
        delta = delta_of(event.connector, event.kind, payload)
        outcomes: list[str] = []
        if items and await self._has_new_title(fact, event, items, definition):
            outcomes.append("left_to_the_next_poll")
        elif items:
            outcomes.append(await self._publish(fact, items))
        if delta:
            brought = await self._ports.files(delta, definition, _order(fact, "delta"))
            outcomes.append("delta" if brought else "delta_without_change")
        if items is None and delta is None:
            outcomes.append("unknown_kind")
        return tuple(outcomes) or ("empty",)

    async def _has_new_title(
        self,
        fact: Envelope,
        event: ItemReceived,
        items: Iterable[ServiceItem | DeletedItem],
        definition: Definition,
    ) -> bool:
        """Whether a title has changed that stored comments also show.

        The delivery does not contain the comments. The next poll reads them again where it finds
        the old title stored, so the change is left to it.
        """
        if not _is_titled(event, definition):
            return False
        project = fact.project_id
        publisher = self._ports.statuses.overlay(await self._ports.publisher(project))
        titles = {
            source_id_of(project, item): item.title
            for item in items
            if isinstance(item, ServiceItem)
        }
        stored = await publisher.find_stored(project, list(titles))
        return any(
            source_state.title != titles[source]
            for source, source_state in stored.items()
            if not source_state.gone
        )

    async def _take_message(
        self, fact: Envelope, payload: Payload, definition: Definition
    ) -> tuple[str, ...]:
        """Publishes the message as testimony first, then its thread if the channel is the
        project's.
        """
        ports, project = self._ports, fact.project_id
        facts = testimony_of_event(payload, project_id=project, mark=ports.mark, seal=ports.seal)
        if facts:
            publisher = await ports.publisher(project)
            await publisher.publish(facts)
        outcomes = ["testimony" if facts else "no_testimony"]
        ref = thread_of_event(payload)
        if ref is not None and ref.channel_id in project_channels(definition):
            outcomes.append(await self._take_thread(fact, definition, ref))
        return tuple(outcomes)

    async def _take_thread(self, fact: Envelope, definition: Definition, ref: ThreadRef) -> str:
        try:
            thread = await self._ports.thread(definition, ref)
        except (SourceUnavailable, SourceRefused):
            return "left_to_the_next_poll"
        return await self._publish(fact, [thread] if thread else [])

    async def _publish(self, fact: Envelope, items: Iterable[ServiceItem | DeletedItem]) -> str:
        project, statuses = fact.project_id, self._ports.statuses
        publisher = statuses.overlay(await self._ports.publisher(project))
        named = [redact_item(item, project, self._ports.redactor) for item in items]
        news = await self._add_descendants(project, publisher, self._without_late(fact, named))
        counts = await publish_items(news, _order(fact, "webhook"), publisher)
        statuses.record(project, news)
        return "changed" if counts.published or counts.removed else "unchanged"

    async def _add_descendants(
        self, project_id: str, publisher: ItemPublisher, items: list[ServiceItem | DeletedItem]
    ) -> list[ServiceItem | DeletedItem]:
        """The items, and everything below those that are deleted."""
        results = list(items)
        for gone in items:
            if isinstance(gone, DeletedItem) and gone.cascade_roots:
                below = self._ports.statuses.paths_below(project_id, gone)
                for root in gone.cascade_roots:
                    stored = await publisher.list_stored(project_id, root, f"{gone.path}/")
                    below |= {(root, each.path) for each in stored}
                at, service = gone.changed_at, gone.service
                results += [DeletedItem(service, root, path, at) for root, path in sorted(below)]
        return results

    def _without_late(
        self, fact: Envelope, items: Iterable[ServiceItem | DeletedItem]
    ) -> list[ServiceItem | DeletedItem]:
        """Drops items that are older than their own deletion or that of their parent."""
        statuses, project = self._ports.statuses, fact.project_id
        return [
            it for it in items if isinstance(it, DeletedItem) or not statuses.is_late(project, it)
        ]


def _is_titled(event: ItemReceived, definition: Definition) -> bool:
    """Whether the delivery may contain a new title that a poll must apply to comments."""
    titled = event.connector == "github" and event.kind.startswith(("issues.", "pull_request."))
    return titled and "issues" in stream_names(definition)


def _order(fact: Envelope, trigger: Any) -> FeedOrder:
    service = fact.natural_key.partition("|")[0]
    return FeedOrder(
        fact.project_id,
        f"webhook|{fact.natural_key}",
        Actor(type="connector", id=service),
        fact.occurred_at,
        lanes=("deep",),
        trigger=trigger,
    )


def _items_of(
    event: ItemReceived, payload: Payload, fact: Envelope, definition: Definition
) -> list[ServiceItem | DeletedItem] | None:
    match event.connector:
        case "github":
            read = connectors.github.deliveries.items_of_delivery
            return read(event.kind, payload, fact.occurred_at)
        case "bitbucket":
            return connectors.bitbucket.items.items_of_delivery(
                event.kind, payload, fact.occurred_at
            )
        case _:
            added = definition.added
            site = added.options.get("site", "") or site_of(added.base_url)
            items = connectors.jira.items.items_of_event(site, payload)
            if not connectors.jira.service.reads(added, "restricted"):
                items = [connectors.jira.items.without_restricted(it) for it in items]
            return items or None


def _is_about(definition: Definition, payload: Mapping[str, Any]) -> bool:
    """Whether the delivery is about the definition's target."""
    target = definition.added.target
    match definition.added.service:
        case "github" | "bitbucket":
            return text(part(payload, "repository"), "full_name").lower() == target.lower()
        case "jira":
            if part(payload, "sprint"):  # it belongs to a board, and names no project
                return True
            return text(part(payload, "issue"), "key").rpartition("-")[0] == target
        case _:
            return text(payload, "team_id") == target
