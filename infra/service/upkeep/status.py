"""What runs, where it came from and why, and how far behind it is.

Clients of broker and database are imported where one of them is asked: without a service the
answer is there at once.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from infra.platform.errors import Refusal, Unavailable
from infra.platform.settings import Settings
from infra.runtime.local.reader_files import find_problem
from infra.runtime.local.runtime import read_runtime
from infra.runtime.local.standing import describe_standing
from infra.runtime.supervisor import read_state
from infra.runtime.watchdog import Movement, movements

if TYPE_CHECKING:
    from infra.platform.log_positions import GroupLag

Row = dict[str, Any]
BROKER_PATIENCE_S = 10.0  # a broker on a busy machine is slow; one that is away refuses at once


@dataclass(frozen=True, slots=True)
class InstallationStatus:
    """An installation as it is now.

    ``broker["problem"]`` says why the lag of a broker that answers is unknown. ``webhooks`` is None
    without a receiver; ``vault`` says what of the log cannot be opened. ``by_rules`` counts by
    project and cause the chunks that rules have read in place of a model. ``undecided`` says what a
    stage could not decide, ``disabled_webhooks`` where news is not sent any more. ``loss`` says,
    for two weeks, what was lost with an earlier database and what to do. ``reader`` says why search
    has to do without the small reader that the setting wants, ``checkpoints`` where states of runs
    of agents are kept.
    """

    running: bool
    state: str
    home: str
    disk: Row
    topic_prefix: str
    partitions: int
    broker: Row
    database: Row
    versions: dict[str, str | None]
    processes: list[Row]
    lag: list[Row]
    webhooks: Row | None
    http: str | None
    damage: list[Row]
    vault: list[str]
    by_rules: dict[str, dict[str, int]]
    checkpoints: str
    undecided: list[str] = field(default_factory=list)
    disabled_webhooks: list[str] = field(default_factory=list)
    loss: list[str] = field(default_factory=list)
    reader: str | None = None


def read_status(settings: Settings) -> InstallationStatus:
    """Look at the installation of ``settings``, whether it runs or not."""
    standing = describe_standing(settings)
    if runtime := read_runtime(settings.home):
        settings = runtime.locate(settings)
    broker_answers = _broker_answers(settings)
    lag, lag_problem = _lag(settings) if broker_answers else ([], None)
    server_version = _server_version(settings)
    database_answers = server_version is not None
    known = standing | {
        "running": read_state(settings) is not None or (broker_answers and database_answers),
        "broker": standing["broker"] | {"answers": broker_answers, "problem": lag_problem},
        "database": standing["database"] | {"answers": database_answers},
        "versions": standing["versions"] | {"postgres": server_version},
        "lag": lag,
        "webhooks": _webhooks(settings, lag),
        "damage": _damage(settings) if broker_answers else [],
        "reader": find_problem(settings.cache) if settings.reader else None,
    }
    if database_answers:
        known |= {
            "vault": _vault(settings),
            "by_rules": _by_rules(settings),
            "undecided": _undecided(settings),
            "disabled_webhooks": _disabled_webhooks(settings),
            "loss": _loss(settings),
        }
    return InstallationStatus(**known)


def _vault(settings: Settings) -> list[str]:
    """What of the log cannot be opened; nothing where no service has prepared the database."""
    import psycopg

    from infra.service.upkeep.setup import find_vault_problems

    try:
        return find_vault_problems(settings)
    except (Unavailable, Refusal, psycopg.errors.UndefinedTable):
        return []


def _loss(settings: Settings) -> list[str]:
    from infra.service.upkeep.lost_database import describe_loss

    return describe_loss(settings)


def _undecided(settings: Settings) -> list[str]:
    """One sentence for each stage and error; none where no projector has prepared the database."""
    import psycopg

    from infra.platform import postgres
    from projections.core import CORE
    from projections.read.dead_letters import list_undecided

    try:
        with postgres.connect(settings.conninfo, schema=CORE.schema) as connection:
            return [str(each) for each in list_undecided(connection)]
    except (Unavailable, psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn):
        return []


def _disabled_webhooks(settings: Settings) -> list[str]:
    """One sentence for each; none where no service has prepared the database."""
    import psycopg

    from projections.read.session import reading
    from projections.read.webhooks import list_disabled_webhooks

    try:
        with reading(settings.conninfo) as connection:
            return [
                f"The webhook {each.webhook_id} of {each.project_id} is disabled"
                f" ({each.disabled_reason}), {each.waiting} messages wait: start it again once"
                " its receiver works."
                for each in list_disabled_webhooks(connection)
            ]
    except (Unavailable, psycopg.errors.UndefinedTable):
        return []


def _by_rules(settings: Settings) -> dict[str, dict[str, int]]:
    """What is owed to the model; nothing where no service has prepared the database."""
    import psycopg

    from projections.read.owed import count_owed_by_project
    from projections.read.session import reading

    try:
        with reading(settings.conninfo) as connection:
            return count_owed_by_project(connection)
    except (Unavailable, Refusal, psycopg.Error):
        return {}


def _webhooks(settings: Settings, lag: list[dict[str, Any]]) -> dict[str, Any] | None:
    """What was delivered, refused by reason, and what became of it; None without a receiver."""
    from connectors.webhooks.counters import FILE, INTAKE_FILE, read_counters

    received = read_counters(settings.home / FILE)
    if received is None:
        return None
    from connectors.intake.runner import STAGE

    queued = sum(row["lag"] for row in lag if row["group"] == settings.group(STAGE))
    done = read_counters(settings.home / INTAKE_FILE) or {}
    return received | {"queued": queued, "done": done.get("other", {})}


def _broker_answers(settings: Settings) -> bool:
    if not settings.kafka_bootstrap:
        return False
    from infra.platform import kafka

    return asyncio.run(kafka.answers(settings, timeout_s=BROKER_PATIENCE_S))


def _lag(settings: Settings) -> tuple[list[Row], str | None]:
    """Lag per group and topic, or why the broker cannot tell it."""
    from infra.service.upkeep.lag import read_lag

    known = movements(settings)
    try:
        lags = asyncio.run(read_lag(settings))
    except Unavailable as error:
        return [], f"The lag is not known yet: {error}"
    return [asdict(each) | _movement(each, known.get(each.group)) for each in lags], None


def _damage(settings: Settings) -> list[dict[str, Any]]:
    """Records that are gone, as far as it shows without reading the log, and what stages met."""
    from infra.platform.findings import read_remembered
    from projections.core import CORE
    from projections.damage import damage

    try:
        shown = asyncio.run(damage([CORE], settings))
    except Unavailable:
        shown = []
    places = {each.place for each in shown}
    met = [each for each in read_remembered(settings) if each.place not in places]
    return [each.as_object() for each in (*shown, *met)]


def _movement(lag: GroupLag, known: Movement | None) -> dict[str, Any]:
    """Whether what is unread moves, as the process that reads it tells; none may read it."""
    if not lag.lag:
        told = ""
    elif known is None or not known.runs:
        told = "no process here reads it"
    elif known.stands:
        told = f"no movement for {known.still_s:.0f} s"
    else:
        told = "moves"
    still_s = known.still_s if known and known.runs and lag.lag else None
    return {"still_s": still_s, "movement": told}


def _server_version(settings: Settings) -> str | None:
    if not settings.database_url:
        return None
    from infra.platform import postgres

    try:
        with postgres.connect(settings.conninfo) as connection:
            row = connection.execute("SHOW server_version").fetchone()
            return str(row[0]) if row else None
    except Unavailable:
        return None
