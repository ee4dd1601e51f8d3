"""What of an installation shows on its machine, without asking broker or database."""

from __future__ import annotations

import platform
import socket
from dataclasses import asdict
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from infra.platform.addresses import without_credentials
from infra.platform.disk import Disk, fullest
from infra.platform.settings import Settings
from infra.runtime.local.http_address import read_address
from infra.runtime.local.runtime import Source, origins, read_runtime
from infra.runtime.supervisor import read_state

CONNECTED_WITHIN_S = 0.5
DATABASE_PORT = 5432

CHECKPOINTS = {
    "postgres": "kept in the database",
    "memory": "kept in memory alone: a restart loses them, and each run begins at its first step"
    " again, which its log answers",
}


def describe_standing(settings: Settings) -> dict[str, Any]:
    """The fields of a status of the installation; ``answers``: something listens there."""
    state, runtime = read_state(settings), read_runtime(settings.home)
    if runtime:
        broker, database = runtime.broker, runtime.database
        settings = runtime.locate(settings)
    else:
        (broker_origin, why_broker), (database_origin, why_database) = origins(settings)
        broker = Source(broker_origin, why_broker, settings.kafka_bootstrap or "")
        database = Source(database_origin, why_database, settings.database_url or "")
    listening = _listens(broker.address.partition(",")[0])
    database_listens = _listens(urlsplit(database.address).netloc.rpartition("@")[2])
    return {
        "running": state is not None or (listening and database_listens),
        "state": state.state if state else "not supervised here",
        "home": str(settings.home),
        "disk": _disk(fullest((settings.home, settings.log_folder, *settings.home.glob("*/data")))),
        "topic_prefix": settings.topic_prefix,
        "partitions": settings.partitions,
        "broker": asdict(broker) | {"answers": listening, "problem": None},
        "database": asdict(database)
        | {"address": without_credentials(database.address), "answers": database_listens},
        "versions": {
            "cairn": version("cairn"),
            "python": platform.python_version(),
            "faust": version("faust-streaming"),
            "postgres": None,
            "kafka": _kafka_version(broker),
        },
        "processes": state.processes if state else [],
        "lag": [],
        "webhooks": None,
        "http": read_address(settings) if state else None,
        "damage": [],
        "vault": [],
        "by_rules": {},
        "undecided": [],
        "disabled_webhooks": [],
        "loss": [],
        "reader": None,
        "checkpoints": CHECKPOINTS[settings.checkpoints],
    }


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":") if ":" in address else (address, "", "")
    if not host:
        return False
    try:
        place = (host.strip("[]"), int(port or DATABASE_PORT))
        with socket.create_connection(place, CONNECTED_WITHIN_S):
            return True
    except (OSError, ValueError):
        return False


def _disk(disk: Disk) -> dict[str, Any]:
    problem = f"{disk}: make room there; Cairn goes on by itself." if disk.full() else None
    return asdict(disk) | {"problem": problem}


def _kafka_version(broker: Source) -> str | None:
    """Known for the broker we bring; others do not tell."""
    from infra.runtime.local.kafka import VERSION

    return VERSION if broker.origin == "embedded" else None
