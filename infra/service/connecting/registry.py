"""What use cases of connectors share: definitions, cursors, open services, one sync at a time."""

from __future__ import annotations

from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from infra.platform import postgres
from infra.platform.clock import SystemClock
from infra.platform.errors import Conflict
from infra.platform.settings import Settings
from infra.service.foundation.database import ask
from infra.service.foundation.progress import Note, Tell
from infra.service.models.engines import choose_engine

if TYPE_CHECKING:
    from connectors.bound_secrets import Secrets
    from connectors.definitions import Definition
    from connectors.feeder import FeedOrder
    from connectors.intake.changes import Delta
    from connectors.publishing import ItemPublisher, StoredSource
    from connectors.registry import Budgets
    from connectors.service import OpenService, Restricted
    from connectors.sync import Engine
    from schemas.events.connector import CursorMoved
    from schemas.events.source import SourceInfo

T = TypeVar("T")


@dataclass
class Tables:
    """Questions to the tables, asked in a thread so that the loop goes on."""

    settings: Settings

    async def stored_sources(
        self, project_id: str, source_ids: Collection[str]
    ) -> Mapping[str, StoredSource]:
        from connectors.publishing import StoredSource
        from projections.read import sources

        found = await ask(
            self.settings,
            lambda tables: sources.list_stored_sources(tables, project_id, source_ids),
        )
        return {
            row["source_id"]: StoredSource(
                row["raw_sha256"] or "", row["revision_ref"] or "", row["title"] or ""
            )
            for row in found
        }

    async def inventory(self, project_id: str, root: str, under: str) -> Sequence[SourceInfo]:
        from projections.read import sources
        from schemas.events.source import SourceInfo

        found = await ask(
            self.settings, lambda tables: sources.read_inventory(tables, project_id, root, under)
        )
        return [SourceInfo(**row) for row in found]

    async def titles(self, project_id: str, root: str, paths: Collection[str]) -> Mapping[str, str]:
        from projections.read import sources

        return await ask(
            self.settings, lambda tables: sources.read_titles(tables, project_id, root, paths)
        )


@dataclass
class ConnectorRegistry:
    """What is connected in an installation, and where credentials are looked for.

    ``tell`` is called with what takes long.
    """

    settings: Settings
    environ: Mapping[str, str]
    definitions: dict[str, Definition]
    places: dict[str, dict[str, CursorMoved]]
    budgets: Budgets
    tell: Tell[Note] = field(default=lambda note: None)

    @property
    def secrets(self) -> Secrets:
        from connectors.bound_secrets import Secrets

        return Secrets(self.environ, self.settings.home)

    @asynccontextmanager
    async def open_service(self, definition: Definition) -> AsyncIterator[OpenService]:
        """Open the service behind a definition. Raises SourceRefused when a secret is not there, or
        may not be used for it.
        """
        from connectors.registry import service_of
        from connectors.service import WEBHOOK, WEBHOOK_ONLY, ServiceContext

        if set(definition.credentials) == {WEBHOOK}:
            yield WEBHOOK_ONLY
            return
        tables, project_id = Tables(self.settings), definition.project_id

        async def titles(root: str, paths: Collection[str]) -> Mapping[str, str]:
            return await tables.titles(project_id, root, paths)

        known, sent_to = self.secrets, definition.added.base_url
        secrets = {
            role: known.find_for(definition, role, sent_to)
            for role in definition.credentials
            if role != WEBHOOK  # it is sent nowhere
        }
        budget = self.budgets.of(definition.added)
        service = service_of(definition.added.service)
        async with AsyncExitStack() as stack:
            restricted = None
            if definition.added.service == "slack":
                restricted = await stack.enter_async_context(open_testimony(self.settings))
            context = ServiceContext(definition, secrets, budget, titles, restricted)
            yield await stack.enter_async_context(service.open(context))

    @asynccontextmanager
    async def engine(self, definition: Definition) -> AsyncIterator[Engine]:
        """An engine that nobody else runs for this connector. Raises Conflict when one does."""
        from connectors.connector import SourceRefused, UnknownSource
        from connectors.intake.files import RepositoryFiles
        from connectors.sync import Engine, SyncTarget

        added = definition.added
        target = SyncTarget(
            definition.project_id, added.connector_id, added.service, added.interval_s
        )
        with lock_connector(self.settings, added.connector_id):
            async with open_publisher(self.settings, definition.project_id, self.tell) as out:
                places = self.places.setdefault(added.connector_id, {})

                async def same(project_id: str) -> ItemPublisher:
                    return out

                clones = self.settings.home / "clones"
                files = RepositoryFiles(clones, same, self.secrets, tell_fetching(self.tell))

                async def bring(delta: Delta, order: FeedOrder) -> bool:
                    try:
                        return await files.bring(delta, definition, order)
                    except UnknownSource as error:  # renamed, say: the definition has to follow
                        raise SourceRefused(str(error)) from error

                yield Engine(target, out, places, SystemClock(), self.budgets.of(added), bring)


@asynccontextmanager
async def follow_registry(
    settings: Settings,
    environ: Mapping[str, str],
    tell: Tell[Note] = lambda note: None,
) -> AsyncIterator[tuple[ConnectorRegistry, Callable[[], Awaitable[None]]]]:
    """A registry, and what brings it up to date with the log. Both raise BrokerUnavailable."""
    from connectors.definitions import cursors, definitions
    from connectors.registry import Budgets
    from connectors.runner import facts_of
    from schemas.events.connector import ConnectorAdded, CursorMoved

    registry = ConnectorRegistry(settings, environ, {}, {}, Budgets(), tell)
    async with facts_of(settings, ConnectorAdded.topic, CursorMoved.topic) as news:

        async def refresh() -> None:
            facts = await news()
            definitions(facts, registry.definitions)
            cursors(facts, registry.places)

        yield registry, refresh


async def load_registry(
    settings: Settings,
    environ: Mapping[str, str],
    tell: Tell[Note] = lambda note: None,
) -> ConnectorRegistry:
    """The registry as the log says now. Raises BrokerUnavailable."""
    async with follow_registry(settings, environ, tell) as (registry, refresh):
        await refresh()
        return registry


@asynccontextmanager
async def open_testimony(settings: Settings) -> AsyncIterator[Restricted]:
    """Publish chat messages for the team ledger alone. Raises BrokerUnavailable."""
    from connectors.runner import open_publish
    from connectors.service import Restricted
    from infra.platform.vault import vault_of
    from streams.hygiene.redaction.strings import StringRedactor

    vault = vault_of(settings)
    redactor = StringRedactor(vault.mark)
    async with open_publish(settings, SystemClock(), redactor) as publish:
        yield Restricted(vault.mark, vault.encrypt, publish)


@asynccontextmanager
async def open_publisher(
    settings: Settings, project_id: str, tell: Tell[Note]
) -> AsyncIterator[ItemPublisher]:
    """Publish items of one project as fast as stage 0 takes them."""
    from connectors.publishing import ItemPublisher
    from connectors.runner import follow_answers, open_publish
    from infra.platform.vault import vault_of
    from streams.hygiene.redaction.strings import StringRedactor

    vault, tables = vault_of(settings), Tables(settings)
    redactor = StringRedactor(vault.mark)
    vault.encrypt(project_id, b"")  # without a key nothing may begin

    def encrypt(content: bytes, owner: str) -> tuple[str, bytes]:
        return vault.encrypt(project_id, content, owner)

    def tell_stalled() -> None:
        tell(Note("hygiene_stalled", "Stage 0 has not answered for a while; still waiting."))

    async with (
        open_publish(settings, SystemClock(), redactor) as publish,
        follow_answers(settings, project_id, None, from_start=False, stalled=tell_stalled) as lead,
    ):
        yield ItemPublisher(
            publish,
            encrypt,
            tables.stored_sources,
            tables.inventory,
            lead,
            redactor,
            partial(choose_engine, settings),
        )


def tell_fetching(tell: Tell[Note]) -> Callable[[str], None]:
    """Tell the lines of a fetch as notes."""
    return lambda line: tell(Note("fetching", line))


@contextmanager
def lock_connector(settings: Settings, connector_id: str) -> Iterator[None]:
    """Keep others from syncing this connector. The lock ends with the process, also after a kill.

    Raises Conflict when somebody else has it.
    """
    number = int(connector_id.rpartition("_")[2][:15], 16)
    with postgres.connect(settings.conninfo, autocommit=True) as connection:
        if not postgres.try_lock(connection, number):
            raise Conflict(
                "This connector is being synced right now: try again when it is done.",
                code="connector_busy",
                detail={"connector_id": connector_id},
            )
        yield
