"""`cairn up`: everything in one go."""

import asyncio
import os
from pathlib import Path

import typer

import infra.kafka
import infra.postgres
from infra import service, supervisor
from infra.cli.context import load, say
from infra.errors import VaultUnconfigured
from infra.local.alone import since
from infra.settings import Settings
from infra.supervisor import Program, Supervisor


def register(app: typer.Typer) -> None:
    @app.command()
    def up(
        detach: bool = typer.Option(False, "--detach", help="Return once everything is ready."),
        workers: int = typer.Option(
            1, min=0, max=64, help="Pairs of workers: one reads, one decides."
        ),
    ) -> None:
        """Start broker, database, workers, projector, and keep them running."""
        settings = load()
        running = supervisor.read_state(settings)
        if running and running.state == "ready" and detach:
            say(f"Cairn is already running in {settings.home}{since(running.supervisor)}.")
        elif detach:
            say(f"Starting Cairn in {settings.home}…")
            arguments = ("up", "--workers", str(workers))
            pid = supervisor.start_detached(settings, arguments, os.environ)
            say(f"Cairn runs (pid {pid}): `cairn status` shows it, `cairn down` stops it.")
            for line in vault_troubles(service.connect(settings)):
                say(line)
        else:
            Supervisor(settings, programs(workers, settings), prepare, os.environ, say).run()


def programs(workers: int, settings: Settings) -> tuple[Program, ...]:
    """What runs beside broker and database; webhooks only where there is an address for them."""
    stages = (
        Program(f"{name}-{number}", ("worker", "--stages", part))
        for number in range(1, workers + 1)
        for name, part in (("reader", "reading"), ("writer", "deciding"))
    )
    poller = Program("poller", ("connector", "poll"))
    others = [Program("projector", ("projector",)), poller]
    if settings.webhooks:
        others += [Program("webhooks", ("webhooks",)), Program("intake", ("intake",))]
    return (*stages, *others)


def prepare(settings: Settings) -> None:
    """Topics exist as the settings say and the database is at the last migration."""
    from schemas.topics import TOPICS

    async def topics() -> None:
        await infra.kafka.create_topics(settings, TOPICS)
        await infra.kafka.check_topics(settings, TOPICS)

    asyncio.run(topics())
    infra.postgres.migrate(settings.conninfo, migrations_folder())
    for line in vault_troubles(settings, look=True):
        say(line)


def vault_troubles(settings: Settings, *, look: bool = False) -> list[str]:
    """What of the log cannot be opened, and what to do; ``look``: read the log for it if need be.

    Raises …Unavailable.
    """
    from infra.key_store import KeyStore
    from infra.vault import vault_of

    store, lines = KeyStore(settings), []
    unknown = store.look_for_unknown() if look else store.unknown()
    if unknown.keys:
        lines.append(
            f"vault_keys_unknown: {unknown.contents} contents of the log cannot be read, since"
            f" {len(unknown.keys)} keys that they name are in neither the database nor the topic"
            " vault.key.v1: restore that topic from a copy, or read the sources again into a new"
            " CAIRN_HOME."
        )
    try:
        locked = vault_of(settings).locked()
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
