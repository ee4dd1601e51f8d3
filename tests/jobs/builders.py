"""Jobs for tests: a test says only what it is about."""

from __future__ import annotations

import itertools
from typing import Any

from infra.store.jobs.lease import Lease, claim
from infra.store.jobs.outbox import Conn
from infra.store.jobs.queue import NewJob, enqueue
from schemas.envelope import Actor

PROJECT, OTHER_PROJECT = "prj_1", "prj_2"
ANA = Actor(type="human", id="ana")
TYPES = ("report", "replay", "heartbeat_execution")
_numbers = itertools.count(1)


def a_job(**given: Any) -> NewJob:
    values: dict[str, Any] = {
        "project_id": PROJECT,
        "job_type": "report",
        "key": f"key-{next(_numbers)}",
        "payload": {},
        "created_by": "human:ana",
    }
    return NewJob(**(values | given))


def put(connection: Conn, **given: Any) -> str:
    job_id, is_new = enqueue(connection, a_job(**given), ANA)
    assert is_new
    return job_id


def take(connection: Conn, owner: str = "worker-1", lease_s: float = 60) -> Lease:
    """The next job, which there has to be."""
    lease = claim(connection, owner, TYPES, lease_s)
    assert lease
    return lease
