"""Prepare broker and database for a service, and see whether the log can be opened."""

from __future__ import annotations

import asyncio
from pathlib import Path

from infra.platform import kafka, postgres
from infra.platform.errors import VaultUnconfigured
from infra.platform.key_store import KeyStore
from infra.platform.settings import Settings
from infra.platform.vault import vault_of
from infra.service.upkeep.lost_database import note_origin
from schemas.inflection import count
from schemas.topics import TOPICS


def prepare_servers(settings: Settings) -> None:
    """Create the topics that the settings name and migrate the database to the last version.

    A new database notes what the log held when it was made.

    Raises TopicsUnfit, MigrationRefused, …Unavailable.
    """

    async def topics() -> None:
        await kafka.create_topics(settings, TOPICS)
        await kafka.check_topics(settings, TOPICS)

    asyncio.run(topics())
    postgres.migrate(settings.conninfo, migrations_folder())
    note_origin(settings)


def find_vault_problems(settings: Settings, *, look: bool = False) -> list[str]:
    """Say what of the log cannot be opened; ``look``: read the log for it if need be.

    Raises …Unavailable.
    """
    store, lines = KeyStore(settings), []
    unknown = store.look_for_unknown() if look else store.unknown()
    if unknown.keys:
        keys = count(len(unknown.keys), "key that they name is", "keys that they name are")
        lines.append(
            f"vault_keys_unknown: {unknown.contents} contents of the log cannot be read, since"
            f" {keys} in neither the database nor the topic"
            " vault.key.v1: restore that topic from a copy, or read the sources again into a new"
            " CAIRN_HOME."
        )
    try:
        locked = vault_of(settings).count_locked()
    except VaultUnconfigured as error:
        return [*lines, f"vault_unconfigured: {error}"]
    if locked:
        lines.append(
            f"vault_keys_locked: {locked} data keys do not open with the master key, so what was"
            " encrypted with them cannot be read: put back the master key of this installation"
            " (CAIRN_VAULT_KEY, CAIRN_VAULT_KEY_FILE, or vault.key in CAIRN_HOME)."
        )
    return lines


def migrations_folder() -> Path:
    import projections

    return Path(next(iter(projections.__path__))) / "migrations"
