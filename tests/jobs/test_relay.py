"""Transitions reach job.v1 without gap, and readers see none of them twice."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from connectors.runner import open_publish
from infra.platform.clock import SystemClock
from infra.platform.errors import Conflict
from infra.platform.settings import Settings
from infra.runtime.local.process import wait_until
from infra.service.foundation.publishing import redactor_of
from infra.service.upkeep.audit import rebuild_tables
from infra.store.jobs import lease as leases
from infra.store.jobs.outbox import Conn, hold_relay_lock
from infra.store.jobs.queue import cancel, enqueue, retry
from infra.store.jobs.relay import run_relay
from projections.read import jobs, session
from schemas.envelope import Envelope
from tests.conftest import variables_of
from tests.jobs.builders import ANA, a_job, put, take
from tests.jobs.conftest import Database, connected
from tests.projections.test_projector import until_folded
from tests.shell.harness import facts_of

pytestmark = pytest.mark.broker

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60
COMPARED = [
    *("job_id", "transition", "project_id", "job_type", "idempotency_key", "priority", "status"),
    *("lease_owner", "lease_epoch", "attempt_count", "max_attempts", "payload", "result"),
    *("last_error", "error_class", "correlation_id", "created_by"),
]
TIMES = ["run_after", "created_at", "started_at", "finished_at"]


def unpublished(database: Database) -> int:
    return len(database.rows("SELECT 1 FROM outbox WHERE published_at IS NULL"))


def relay_all(database: Database) -> None:
    """A relay runs until the outbox is empty."""
    settings, over = database.settings, threading.Event()
    opened = partial(open_publish, settings, SystemClock(), redactor_of(settings))

    async def work() -> None:
        await run_relay(settings.conninfo, opened, over)

    thread = threading.Thread(target=asyncio.run, args=(work(),))
    thread.start()
    try:
        assert wait_until(lambda: not unpublished(database), timeout_s=PATIENCE_S)
    finally:
        over.set()
        thread.join()


def a_life_of_jobs(database: Database) -> list[str]:
    """Jobs that end in every way, and some that have not ended."""
    held = database.connection
    done, dead, tired, ended, waits = (put(held, payload={"n": n}) for n in range(5))
    leases.succeed(held, take(held), {"rows": [1, 2.5, "ü"]})
    leases.fail(held, take(held), "Invalid", "no", is_retriable=False)
    leases.fail(held, take(held), "E", "no", is_retriable=True)
    cancel(held, ended, ANA)
    retry(held, ended, ANA)
    cancel(held, ended, ANA)
    lease = take(held)
    database.let_lease_run_out(lease.job_id)
    leases.expire(held)
    take(held, "worker-2")
    return [done, dead, tired, ended, waits]


def published(settings: Settings) -> list[Envelope]:
    return asyncio.run(facts_of(settings, "job.v1"))


def history(database: Database) -> list[dict[str, object]]:
    return database.rows("SELECT * FROM job_history ORDER BY job_id, transition")


def latest(table: str) -> str:
    columns = ", ".join([*COMPARED, *(f"date_trunc('milliseconds', {at}) AS {at}" for at in TIMES)])
    return f"SELECT DISTINCT ON (job_id) {columns} FROM {table} ORDER BY job_id, transition DESC"


def test_the_history_ends_where_the_jobs_are_and_a_rebuild_changes_nothing(whole: Database):
    made = a_life_of_jobs(whole)
    relay_all(whole)
    asyncio.run(until_folded(whole.settings))
    live = whole.rows(latest("orchestration_jobs"))
    assert sorted(row["job_id"] for row in live) == sorted(made)
    assert whole.rows(latest("job_history")) == live
    folded = history(whole)
    assert [row["event_type"] for row in folded if row["job_id"] == made[3]] == [
        *("job.enqueued", "job.cancelled", "job.enqueued", "job.cancelled")
    ]
    whole.rows("DELETE FROM job_history WHERE status = 'queued' RETURNING 1")
    rebuilt = asyncio.run(rebuild_tables(whole.settings))
    assert [each.table for each in rebuilt.tables if not each.equal] == ["job_history"]
    assert history(whole) == folded
    with session.reading(whole.settings.conninfo) as connection:
        steps = jobs.list_transitions(connection, made[0])
    assert [step.status for step in steps] == ["queued", "leased", "succeeded"]
    assert [step.actor for step in steps] == ["human:ana", "system:cairn", "system:cairn"]


def test_a_relay_killed_between_send_and_mark_leaves_no_gap_and_nothing_twice(whole: Database):
    a_life_of_jobs(whole)
    count = unpublished(whole)
    killed = subprocess.run(
        [sys.executable, "-m", "tests.jobs.process", "relay"],
        cwd=ROOT,
        env=os.environ | variables_of(whole.settings),
        timeout=PATIENCE_S,
        check=False,
    )
    assert killed.returncode == -9
    assert unpublished(whole) == count
    relay_all(whole)
    sent = Counter(fact.event_id for fact in published(whole.settings))
    assert len(sent) == count and set(sent.values()) == {2}
    asyncio.run(until_folded(whole.settings))
    assert whole.rows(latest("job_history")) == whole.rows(latest("orchestration_jobs"))
    assert len(history(whole)) == count


def test_a_fact_that_commits_behind_later_ones_is_published(whole: Database):
    with connected(whole.settings) as slow, slow.transaction():
        late, _ = enqueue(slow, a_job(), ANA)
        early = put(whole.connection)
        relay_all(whole)
        assert {fact.event.aggregate_id for fact in published(whole.settings)} == {early}
    assert unpublished(whole) == 1
    relay_all(whole)
    found = [fact.event.aggregate_id for fact in published(whole.settings)]
    assert sorted(found) == sorted([early, late])


def test_the_facts_of_a_job_are_in_the_order_of_its_transitions(whole: Database):
    a_life_of_jobs(whole)
    relay_all(whole)
    seen: dict[str, list[int]] = {}
    for fact in published(whole.settings):
        record = fact.event.model_dump()["job"]
        seen.setdefault(record["job_id"], []).append(record["transition"])
    assert all(found == list(range(1, len(found) + 1)) for found in seen.values())


def test_after_the_loss_of_the_database_facts_of_the_same_key_are_new_ones(whole: Database):
    job = put(whole.connection, key="again")
    leases.succeed(whole.connection, take(whole.connection), {})
    relay_all(whole)
    asyncio.run(until_folded(whole.settings))
    whole.connection.execute("TRUNCATE orchestration_jobs, outbox RESTART IDENTITY")
    assert put(whole.connection, key="again") == job
    take(whole.connection)
    relay_all(whole)
    asyncio.run(until_folded(whole.settings))
    steps = [(row["transition"], row["lease_epoch"], row["status"]) for row in history(whole)]
    assert steps == [
        *((1, 0, "queued"), (2, 1, "leased"), (3, 1, "succeeded")),
        *((4, 2, "queued"), (5, 3, "leased")),
    ]


def test_one_relay_at_a_time(database: Database):
    with connected(database.settings) as other:
        with hold_relay_lock(database.connection), pytest.raises(Conflict), hold_relay_lock(other):
            pass
        database.connection.close()
        assert wait_until(lambda: is_free(other), timeout_s=PATIENCE_S)


def is_free(connection: Conn) -> bool:
    try:
        with hold_relay_lock(connection):
            return True
    except Conflict:
        return False
