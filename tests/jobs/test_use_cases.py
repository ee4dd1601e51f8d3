"""Jobs as people ask for them: through the application layer and the command line."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from typer.testing import CliRunner

from infra.cli import build
from infra.platform.errors import Conflict, Invalid, NotFound
from infra.platform.settings import Settings
from infra.service.foundation.database import ask, ask_project
from infra.service.jobs.job_kinds import JOB_KINDS
from infra.service.jobs.jobs import (
    LARGEST_PAYLOAD_BYTES,
    JobRequest,
    cancel_job,
    check_payload,
    enqueue_job,
    read_job,
    retry_job,
)
from infra.store.jobs import lease as leases
from infra.store.jobs.worker import LARGEST_RESULT_BYTES, as_plain_json
from projections.read.jobs import list_jobs
from schemas.envelope import Actor
from streams.hygiene.redaction.strings import redact_text
from tests.jobs.builders import put, take
from tests.jobs.conftest import Database
from tests.web import serving

TOKEN = "gh" + "p_" + "Wq7Z" * 9


def with_project(database: Database) -> Settings:
    database.connection.execute(
        "INSERT INTO projects (project_id, name, description, vision, timezone, created_at)"
        " VALUES ('prj_1', 'Shop', '', '', '', now())"
    )
    return database.settings


def sync(**given: Any) -> JobRequest:
    return JobRequest("connector_sync", **given)


@pytest.mark.broker
def test_a_job_is_enqueued_once_for_its_key_and_read_back(database: Database):
    settings = with_project(database)
    later = datetime.now(UTC) + timedelta(days=1)
    request = sync(
        project="Shop",
        key="monday",
        payload={"streams": ["issues"]},
        priority="urgent",
        run_after=later,
        max_attempts=2,
    )
    first = asyncio.run(enqueue_job(settings, request, actor="ana"))
    second = asyncio.run(enqueue_job(settings, request, actor="ben"))
    assert first.is_new and not second.is_new
    job = asyncio.run(read_job(settings, first.job.job_id))
    assert job == first.job == second.job
    assert (job.project_id, job.priority, job.run_after) == ("prj_1", 0, later)
    assert (job.payload, job.created_by) == ({"streams": ["issues"]}, "human:ana")


@pytest.mark.broker
def test_jobs_are_listed_newest_first_page_by_page(database: Database):
    settings = with_project(database)
    keys = [str(number) for number in range(5)]
    for key in keys:
        asyncio.run(enqueue_job(settings, sync(project="Shop", key=key), actor="ana"))
    other = asyncio.run(enqueue_job(settings, sync(), actor=Actor(type="system", id="clock")))
    assert other.job.created_by == "system:clock"
    found, cursor = [], None
    while True:
        page = asyncio.run(ask_project(settings, "Shop", list_jobs, cursor=cursor, limit=2))
        found += [job.idempotency_key for job in page.items]
        if not (cursor := page.next_cursor):
            break
    assert found == keys[::-1]
    assert len(asyncio.run(ask(settings, list_jobs)).items) == 6
    assert asyncio.run(ask(settings, partial(list_jobs, status="dead"))).items == []
    assert asyncio.run(ask(settings, partial(list_jobs, job_type="replay"))).items == []


@pytest.mark.broker
@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (JobRequest("sweeping"), "job_type_unknown"),
        (JobRequest("replay"), "job_needs_project"),
        (sync(priority="soon"), "job_priority_unknown"),
        (sync(max_attempts=0), "job_attempts_invalid"),
        (sync(key=""), "key_invalid"),
        (sync(key="a\0b"), "key_invalid"),
        (sync(key="k" * 201), "key_invalid"),
        (sync(key=TOKEN), "key_holds_secret"),
        (sync(correlation_id="a\nb"), "key_invalid"),
        (sync(run_after=datetime(2026, 1, 1)), "job_time_invalid"),  # noqa: DTZ001
        (sync(payload={"speed": 1}), "job_payload_invalid"),
        (sync(payload={"connector": "a\0b"}), "job_payload_invalid"),
        (sync(payload={"connector": "\ud800"}), "job_payload_invalid"),
        (sync(payload={"connector": f"https://x:{TOKEN}@host/"}), "job_payload_holds_secret"),
        (JobRequest("report", payload={"report_type": "sprint"}), "job_payload_invalid"),
        (JobRequest("sprint_planning", payload={"start_day": "soon"}), "job_payload_invalid"),
        (sync(payload={"connector": "c" * LARGEST_PAYLOAD_BYTES}), "job_payload_large"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_what_no_worker_could_do_is_refused_at_once(
    database: Database, request_: JobRequest, code: str
):
    with pytest.raises(Invalid) as refused:
        asyncio.run(enqueue_job(database.settings, request_, actor="ana"))
    assert refused.value.code == code
    assert TOKEN not in str(refused.value)
    assert asyncio.run(ask(database.settings, list_jobs)).items == []


@pytest.mark.broker
def test_what_does_not_exist_is_not_found(database: Database):
    settings = database.settings
    for work in (
        read_job(settings, "job_none"),
        cancel_job(settings, "job_none", actor="ana"),
        retry_job(settings, "job_none", actor="ana"),
        enqueue_job(settings, sync(project="Nobody's"), actor="ana"),
    ):
        with pytest.raises(NotFound):
            asyncio.run(work)
    with pytest.raises(Invalid):
        asyncio.run(ask(settings, partial(list_jobs, status="asleep")))


@pytest.mark.broker
def test_a_cancelled_job_is_retried_and_a_done_one_is_not(database: Database):
    settings = database.settings
    job = put(database.connection)
    assert asyncio.run(cancel_job(settings, job, actor="ana")).status == "cancelled"
    assert asyncio.run(retry_job(settings, job, actor="ana")).status == "queued"
    leases.succeed(database.connection, take(database.connection), {})
    with pytest.raises(Conflict):
        asyncio.run(retry_job(settings, job, actor="ana"))


@pytest.mark.broker
def test_the_command_line_enqueues_lists_shows_cancels_and_retries(
    database: Database, monkeypatch: pytest.MonkeyPatch
):
    settings = with_project(database)
    monkeypatch.setenv("CAIRN_HOME", str(settings.home))
    with serving(settings):
        enqueue_list_show_cancel_and_retry()


def enqueue_list_show_cancel_and_retry() -> None:
    def cairn(*arguments: str, exit_code: int = 0) -> str:
        done = CliRunner().invoke(build(), ["jobs", *arguments])
        assert done.exit_code == exit_code, done.output
        return done.stdout

    asked = ("enqueue", "connector_sync", "-p", "Shop", "--idempotency-key", "k")
    (first, second) = (json.loads(cairn(*asked, "--json")) for _ in range(2))
    job = first["job_id"]
    assert (first["is_new"], second["is_new"], second["job_id"]) == (True, False, job)
    assert cairn("cancel", job) == ""
    (listed,) = map(json.loads, cairn("list", "--project", "Shop", "--json").splitlines())
    assert (listed["job_id"], listed["status"]) == (job, "cancelled")
    assert "cancelled" in cairn("list") and job in cairn("list")
    assert json.loads(cairn("retry", job, "--json"))["status"] == "queued"
    shown = json.loads(cairn("show", job, "--json"))
    assert shown["status"] == "queued" and shown["history"] == []  # no relay runs here
    assert "priority: scheduled" in cairn("show", job)
    cairn("enqueue", "sweeping", exit_code=2)
    cairn("enqueue", "connector_sync", "--payload", "[]", exit_code=2)


def test_payloads_are_stored_as_they_were_given():
    given = {"sources": ["docs"], "lane": "deep"}
    assert check_payload(JOB_KINDS["ingestion"], given) == given
    with pytest.raises(Invalid, match="sources"):
        check_payload(JOB_KINDS["ingestion"], {"sources": []})


@pytest.mark.parametrize(
    ("result", "stored"),
    [
        ({"a": [1, {"b": None}], "c": (2.5, True)}, {"a": [1, {"b": None}], "c": [2.5, True]}),
        ({"text": "a\0b"}, {"text": "a\ufffdb"}),
        ({"text": "\ud800"}, {"text": "?"}),
    ],
)
def test_results_are_json_that_the_database_takes(result: dict[str, Any], stored: dict[str, Any]):
    assert as_plain_json(result, redact_text) == stored


def test_a_result_tells_no_secret_and_has_a_size():
    assert TOKEN not in json.dumps(as_plain_json({"url": f"token={TOKEN}"}, redact_text))
    for wrong in ({"at": datetime.now(UTC)}, {"n": float("nan")}):
        with pytest.raises((TypeError, ValueError)):
            as_plain_json(wrong, redact_text)
    with pytest.raises(Invalid):
        as_plain_json({"text": "x" * LARGEST_RESULT_BYTES}, redact_text)
