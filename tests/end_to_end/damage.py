"""Records in the log that nobody can read, and what a running Cairn makes of them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from infra.platform.clock import SystemClock
from infra.platform.kafka import partition_of, running_producer
from infra.platform.settings import Settings
from infra.runtime.local.process import wait_until
from infra.service.foundation.publishing import make_request
from schemas.events.project import BudgetSet
from streams.shell.outgoing import stamp
from tests.service import Service

PATIENCE_S = 180
LIMIT_TOKENS = 4_321
READERS = {"source.v1": "hygiene", "atom.validated.v1": "ledger", "ledger.v1": "reduce"}


def assert_damage_holds_nobody_back(cairn: Service, project: str, folder: Path) -> None:
    """Bytes that are no fact, and a fact in a wrong place, are told as dead letters; what comes
    behind them is read; another try puts the fact where it belongs.
    """
    (project_id,) = [
        one["project_id"] for one in cairn.json("project", "list") if one["name"] == project
    ]
    asyncio.run(_send_damage(cairn.settings_now(), project_id))
    folder.mkdir()
    (folder / "scale.md").write_text("# Scale\n\nThe scale must show its weight in grams.\n")
    cairn.ingest(folder, project, "behind the damage", name="scale")
    titles = [atom["title"] for atom in cairn.json("atoms", "--project", project)]
    assert any("weight in grams" in title for title in titles)

    expected = {(stage, topic) for topic, stage in READERS.items()}
    expected |= {("projector", topic) for topic in (*READERS, "project.v1")}
    assert wait_until(lambda: expected <= set(_letters(cairn)), timeout_s=PATIENCE_S)
    assert cairn.json("budgets", "list", "--project", project) == []
    cairn.run("dlq", "retry", _letters(cairn)["projector", "project.v1"])
    assert wait_until(
        lambda: bool(cairn.json("budgets", "list", "--project", project)), timeout_s=PATIENCE_S
    )
    (shown,) = cairn.json("budgets", "list", "--project", project)
    assert shown["limit_tokens"] == LIMIT_TOKENS


async def _send_damage(settings: Settings, project_id: str) -> None:
    budget = make_request(BudgetSet(scope="run", limit_tokens=LIMIT_TOKENS), project_id, "ana", "k")
    made = stamp(budget, SystemClock().now())
    right = partition_of(made.key.encode(), settings.partitions)
    async with running_producer(settings) as producer:
        for topic in READERS:
            await producer.send_and_wait(settings.topic(topic), b"no fact", project_id.encode())
        await producer.send_and_wait(
            settings.topic("project.v1"),
            made.value,
            made.key.encode(),
            (right + 1) % settings.partitions,
            headers=made.headers,
        )


def _letters(cairn: Service) -> dict[tuple[str, str], str]:
    """The newest dead letter of each stage and topic."""
    found = cairn.json("dlq", "list")
    return {(one["stage"], one["origin_topic"]): one["dead_letter_id"] for one in found}
