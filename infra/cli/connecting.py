"""What the commands about connectors share: definitions, an outlet, one sync at a time."""

from __future__ import annotations

import asyncio
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
from typing import TYPE_CHECKING, Any, TypeVar

import infra.postgres
from infra.clock import SystemClock
from infra.errors import Refusal
from infra.settings import Settings

if TYPE_CHECKING:
    from connectors.definitions import Definition
    from connectors.feeder import FeedOrder
    from connectors.intake.changes import Delta
    from connectors.publishing import Held, Outlet
    from connectors.services import Budgets, Opened, Restricted
    from connectors.sync import Engine
    from projections.read.session import Conn
    from schemas.events.connector import CursorMoved
    from schemas.events.source import SourceInfo

T = TypeVar("T")


@dataclass
class Tables:
    """Questions to the tables, asked in a thread so that the loop goes on."""

    settings: Settings

    async def held(self, project_id: str, source_ids: Collection[str]) -> Mapping[str, Held]:
        from connectors.publishing import Held
        from projections.read import sources

        found = await self._asked(lambda tables: sources.held(tables, project_id, source_ids))
        return {
            row["source_id"]: Held(
                row["raw_sha256"] or "", row["revision_ref"] or "", row["title"] or ""
            )
            for row in found
        }

    async def inventory(self, project_id: str, root: str, under: str) -> Sequence[SourceInfo]:
        from projections.read import sources
        from schemas.events.source import SourceInfo

        found = await self._asked(lambda tables: sources.inventory(tables, project_id, root, under))
        return [SourceInfo(**row) for row in found]

    async def titles(self, project_id: str, root: str, paths: Collection[str]) -> Mapping[str, str]:
        from projections.read import sources

        return await self._asked(lambda tables: sources.titles(tables, project_id, root, paths))

    async def _asked(self, ask: Callable[[Conn], T]) -> T:
        from projections.read import session

        def answered() -> T:
            with session.reading(self.settings.conninfo) as connection:
                return ask(connection)

        return await asyncio.to_thread(answered)


@dataclass
class Desk:
    """What is connected in an installation, and where credentials are looked for."""

    settings: Settings
    environ: Mapping[str, str]
    definitions: dict[str, Definition]
    places: dict[str, dict[str, CursorMoved]]
    budgets: Budgets
    say: Callable[[str], None] = field(default=lambda line: None)

    @asynccontextmanager
    async def opened(self, definition: Definition) -> AsyncIterator[Opened]:
        """The service behind a definition. Raises SourceRefused when a secret is not there."""
        from connectors.definitions import secret_at
        from connectors.services import TOLD_ONLY, WEBHOOK, Opening, service_of

        if set(definition.credentials) == {WEBHOOK}:
            yield TOLD_ONLY
            return
        tables, project_id = Tables(self.settings), definition.project_id

        async def titles(root: str, paths: Collection[str]) -> Mapping[str, str]:
            return await tables.titles(project_id, root, paths)

        secrets = {
            role: secret_at(place, self.environ) for role, place in definition.credentials.items()
        }
        budget = self.budgets.of(definition.added)
        service = service_of(definition.added.service)
        async with AsyncExitStack() as stack:
            restricted = None
            if definition.added.service == "slack":
                restricted = await stack.enter_async_context(testimony(self.settings))
            opening = Opening(definition, secrets, budget, titles, restricted)
            yield await stack.enter_async_context(service.opened(opening))

    @asynccontextmanager
    async def engine(self, definition: Definition) -> AsyncIterator[Engine]:
        """An engine that nobody else runs for this connector. Raises Refusal when one does."""
        from connectors.connector import SourceRefused, UnknownSource
        from connectors.intake.files import RepositoryFiles
        from connectors.sync import Engine, Reading

        added = definition.added
        reading = Reading(definition.project_id, added.connector_id, added.service, added.every_s)
        with only_one(self.settings, added.connector_id):
            async with outlet(self.settings, definition.project_id, self.say) as out:
                places = self.places.setdefault(added.connector_id, {})

                async def same(project_id: str) -> Outlet:
                    return out

                clones = self.settings.home / "clones"
                files = RepositoryFiles(clones, same, self.environ, self.say)

                async def bring(delta: Delta, order: FeedOrder) -> bool:
                    try:
                        return await files.bring(delta, definition, order)
                    except UnknownSource as error:  # renamed, say: the definition has to follow
                        raise SourceRefused(str(error)) from error

                yield Engine(reading, out, places, SystemClock(), self.budgets.of(added), bring)


@asynccontextmanager
async def followed(
    settings: Settings,
    environ: Mapping[str, str],
    say: Callable[[str], None] = lambda line: None,
) -> AsyncIterator[tuple[Desk, Callable[[], Awaitable[None]]]]:
    """A desk, and what brings it up to date with the log. Raises BrokerUnavailable, as it does."""
    from connectors.definitions import cursors, definitions
    from connectors.runner import facts_of
    from connectors.services import Budgets
    from schemas.events.connector import ConnectorAdded, CursorMoved

    at = Desk(settings, environ, {}, {}, Budgets(), say)
    async with facts_of(settings, ConnectorAdded.topic, CursorMoved.topic) as news:

        async def refresh() -> None:
            facts = await news()
            definitions(facts, at.definitions)
            cursors(facts, at.places)

        yield at, refresh


async def desk(
    settings: Settings,
    environ: Mapping[str, str],
    say: Callable[[str], None] = lambda line: None,
) -> Desk:
    """The desk as the log says now. Raises BrokerUnavailable."""
    async with followed(settings, environ, say) as (at, refresh):
        await refresh()
        return at


@asynccontextmanager
async def testimony(settings: Settings) -> AsyncIterator[Restricted]:
    """The way of a chat message to the team ledger alone. Raises BrokerUnavailable."""
    from connectors.runner import publishing
    from connectors.services import Restricted
    from infra.vault import vault_of

    vault = vault_of(settings)
    async with publishing(settings, SystemClock()) as publish:
        yield Restricted(vault.mark, vault.encrypt, publish)


@asynccontextmanager
async def outlet(
    settings: Settings, project_id: str, say: Callable[[str], None]
) -> AsyncIterator[Outlet]:
    """Where items of one project are published, at stage 0's pace."""
    from connectors.publishing import Outlet
    from connectors.runner import following, publishing
    from infra.vault import vault_of
    from streams.hygiene.redact import redact_name

    vault, tables = vault_of(settings), Tables(settings)
    vault.encrypt(project_id, b"")  # without a key nothing may begin

    def encrypt(content: bytes, owner: str) -> tuple[str, bytes]:
        return vault.encrypt(project_id, content, owner)

    def stalled() -> None:
        say("Stage 0 has not answered for a while: see `cairn status`; still waiting.")

    async with (
        publishing(settings, SystemClock()) as publish,
        following(settings, project_id, None, from_start=False, stalled=stalled) as lead,
    ):
        yield Outlet(publish, encrypt, tables.held, tables.inventory, lead, redact_name)


@contextmanager
def only_one(settings: Settings, connector_id: str) -> Iterator[None]:
    """Nobody else syncs this connector; the lock ends with the process, also after a kill."""
    number = int(connector_id.rpartition("_")[2][:15], 16)
    with infra.postgres.connect(settings.conninfo, autocommit=True) as connection:
        row: Any = connection.execute("SELECT pg_try_advisory_lock(%s)", (number,)).fetchone()
        if not row[0]:
            raise Refusal("This connector is being synced right now: try again when it is done.")
        yield
