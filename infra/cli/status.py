"""`cairn status`: what runs, where it came from and why, and how far behind it is."""

import asyncio
import json
import platform
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import psycopg
import typer
from rich.console import Console
from rich.table import Table

import infra.kafka
import infra.postgres
from infra import supervisor
from infra.addresses import without_credentials
from infra.cli.context import JSON_OPTION, load
from infra.errors import Refusal, Unavailable
from infra.findings import remembered
from infra.kafka import GroupLag
from infra.local.disk import fullest
from infra.local.runtime import Source, origins, read_runtime
from infra.settings import Settings
from infra.watchdog import Movement, movements


def register(app: typer.Typer) -> None:
    @app.command()
    def status(as_json: bool = JSON_OPTION) -> None:
        """Show processes, addresses, versions and the lag of every stage."""
        report = report_of(load())
        if as_json:
            print(json.dumps(report))
        else:
            show(report)
        if not report["running"]:
            raise typer.Exit(1)


def report_of(settings: Settings) -> dict[str, Any]:
    """Everything `cairn status` tells, as one JSON object."""
    state, runtime = supervisor.read_state(settings), read_runtime(settings.home)
    if runtime:
        broker, database = runtime.broker, runtime.database
        settings = runtime.reached(settings)
    else:
        (broker_origin, why_broker), (database_origin, why_database) = origins(settings)
        broker = Source(broker_origin, why_broker, settings.kafka_bootstrap or "")
        database = Source(database_origin, why_database, settings.database_url or "")
    disk = fullest((settings.home, settings.log_folder, *settings.home.glob("*/data")))
    lag, broker_answers = _lag(settings)
    server_version = _server_version(settings)
    return {
        "running": state is not None or (broker_answers and server_version is not None),
        "state": state.state if state else "not supervised here",
        "home": str(settings.home),
        "disk": asdict(disk)
        | {
            "problem": f"{disk}: make room there; Cairn goes on by itself." if disk.full() else None
        },
        "topic_prefix": settings.topic_prefix,
        "partitions": settings.partitions,
        "broker": asdict(broker) | {"answers": broker_answers},
        "database": asdict(database)
        | {"address": without_credentials(database.address), "answers": server_version is not None},
        "versions": {
            "cairn": version("cairn"),
            "python": platform.python_version(),
            "faust": version("faust-streaming"),
            "postgres": server_version,
            "kafka": _kafka_version(broker),
        },
        "processes": state.processes if state else [],
        "lag": lag,
        "webhooks": _webhooks(settings, lag),
        "damage": _damage(settings) if broker_answers else [],
        "vault": _vault(settings) if server_version is not None else [],
    }


def _vault(settings: Settings) -> list[str]:
    """What of the log cannot be opened; nothing where no service has prepared the database."""
    from infra.cli.up import vault_troubles

    try:
        return vault_troubles(settings)
    except (Unavailable, Refusal, psycopg.errors.UndefinedTable):
        return []


def _webhooks(settings: Settings, lag: list[dict[str, Any]]) -> dict[str, Any] | None:
    """What was delivered, refused by reason, and what became of it; None without a receiver."""
    from connectors.intake.runner import STAGE
    from connectors.webhooks.counters import FILE, INTAKE_FILE, told

    received = told(settings.home / FILE)
    if received is None:
        return None
    queued = sum(row["lag"] for row in lag if row["group"] == settings.group(STAGE))
    done = told(settings.home / INTAKE_FILE) or {}
    return received | {"queued": queued, "done": done.get("other", {})}


def show(report: dict[str, Any]) -> None:
    out = Console(highlight=False)
    out.print(f"Cairn {report['versions']['cairn']} in {report['home']}: {report['state']}")
    if problem := report["disk"]["problem"]:
        out.print(problem, soft_wrap=True)
    for name in ("broker", "database"):
        part = report[name]
        answers = "answers" if part["answers"] else "does not answer"
        place = f" {part['address']}" if part["address"] else ""
        out.print(f"{name}: {part['origin']} ({part['reason']}){place}, {answers}", soft_wrap=True)
    if not report["running"]:
        out.print("Nothing runs here: `cairn up --detach` starts it.")
    for line in report["vault"]:
        out.print(line, soft_wrap=True)
    if report["processes"]:
        out.print(_table("process", report["processes"], ("name", "pid", "state", "restarts")))
    for each in report["damage"]:
        place = f"{each['topic']}/{each['partition']}@{each['offset']} {each['file']}".rstrip()
        out.print(f"LOG DAMAGED at {place}: {each['detail']}; {each['remedy']}.", soft_wrap=True)
    if webhooks := report["webhooks"]:
        out.print(f"webhooks: {webhooks['address']}, {webhooks['queued']} queued")
        rows = [
            {"deliveries": group, "what": what, "count": count}
            for group in ("received", "refused", "other", "done")
            for what, count in webhooks[group].items()
        ]
        out.print(_table("webhooks", rows, ("deliveries", "what", "count")))
    if report["lag"]:
        out.print(_table("lag", report["lag"], ("group", "topic", "lag", "movement")))
    for row in report["processes"]:
        if row["stalls"]:
            out.print(f"{row['name']} stood still and ended itself {row['stalls']} times.")


def _table(title: str, rows: list[dict[str, Any]], columns: tuple[str, ...]) -> Table:
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*(str(row[column]) for column in columns))
    return table


def _lag(settings: Settings) -> tuple[list[dict[str, Any]], bool]:
    """Lag per group and topic, and whether the broker answered."""
    if not settings.kafka_bootstrap:
        return [], False

    async def ask() -> tuple[list[dict[str, Any]], bool]:
        if not await infra.kafka.answers(settings):
            return [], False
        known = movements(settings)
        lags = await infra.kafka.lags(settings, {group: each.read for group, each in known.items()})
        return [asdict(each) | _movement(each, known.get(each.group)) for each in lags], True

    try:
        return asyncio.run(ask())
    except Unavailable:
        return [], False


def _damage(settings: Settings) -> list[dict[str, Any]]:
    """Records that are gone, as far as it shows without reading the log, and what stages met."""
    from projections.core import CORE
    from projections.damage import damage

    try:
        shown = asyncio.run(damage([CORE], settings))
    except Unavailable:
        shown = []
    places = {each.place for each in shown}
    met = [each for each in remembered(settings) if each.place not in places]
    return [each.told() for each in (*shown, *met)]


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
    try:
        with infra.postgres.connect(settings.conninfo) as connection:
            row = connection.execute("SHOW server_version").fetchone()
            return str(row[0]) if row else None
    except Unavailable:
        return None


def _kafka_version(broker: Source) -> str | None:
    """Known for the broker we bring; others do not tell."""
    from infra.local.kafka import VERSION

    return VERSION if broker.origin == "embedded" else None
