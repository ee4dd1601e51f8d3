"""Jobs of a running service: each type that has a handler runs from the queue."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from infra.runtime.local.process import wait_until
from tests.end_to_end.conftest import Backbone
from tests.service import Service

pytestmark = pytest.mark.broker

PROJECT = "Jobs"
PATIENCE_S = 200
PAGE = "# Depot\n\n## Requirements\n\n- The depot must answer every scan within 200 ms.\n"


@pytest.fixture(scope="module")
def cairn(backbone: Backbone) -> Service:
    backbone.cairn.run("project", "create", PROJECT, "--idempotency-key", "jobs")
    return backbone.cairn


def enqueue(cairn: Service, kind: str, payload: dict[str, Any], key: str) -> str:
    told = ("--payload", json.dumps(payload), "--idempotency-key", key)
    return cairn.run("jobs", "enqueue", kind, "--project", PROJECT, *told).strip()


def ended(cairn: Service, job_id: str) -> dict[str, Any]:
    """The job once it has ended and its history tells so."""
    found: list[dict[str, Any]] = []

    def has_ended() -> bool:
        found[:] = cairn.json("jobs", "show", job_id)
        return bool(found[0]["history"]) and found[0]["history"][-1]["status"] in (
            *("succeeded", "dead", "cancelled"),
        )

    assert wait_until(has_ended, timeout_s=PATIENCE_S), found
    return found[0]


def test_an_ingestion_runs_from_the_queue_also_over_the_death_of_its_process(
    cairn: Service, tmp_path: Path
):
    (tmp_path / "depot").mkdir()
    (tmp_path / "depot" / "README.md").write_text(PAGE)
    payload = {"sources": [str(tmp_path / "depot")]}
    job_id = enqueue(cairn, "ingestion", payload, "depot")
    assert enqueue(cairn, "ingestion", payload, "depot") == job_id
    killed = cairn.kill_jobs()
    assert wait_until(lambda: cairn.runs_again("jobs", killed), timeout_s=PATIENCE_S)
    job = ended(cairn, job_id)
    assert job["status"] == "succeeded", job
    (source,) = job["result"]["sources"]
    assert {run["lane"] for run in source["runs"]} == {"preview", "deep"}
    titles = [atom["title"] for atom in cairn.json("atoms", "--project", PROJECT)]
    assert any("200 ms" in title for title in titles)


def test_a_replay_runs_from_the_queue(cairn: Service):
    job = ended(cairn, enqueue(cairn, "replay", {}, "replay"))
    assert job["status"] == "succeeded", job
    assert not job["result"]["is_wrong"]


def test_a_sync_without_a_connector_is_dead_with_the_reason(cairn: Service):
    job = ended(cairn, enqueue(cairn, "connector_sync", {}, "sync"))
    assert (job["status"], job["attempt_count"], job["error_class"]) == ("dead", 1, "NotFound")


def test_the_process_of_jobs_stops_and_goes_on(cairn: Service):
    os.kill(cairn.pids()["jobs"], signal.SIGTERM)
    job = ended(cairn, enqueue(cairn, "replay", {"as_of_seq": 0}, "after-the-stop"))
    assert job["result"]["as_of_seq"] == 0
