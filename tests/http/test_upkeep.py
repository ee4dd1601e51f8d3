"""What is written down of every write, how long it is kept, and what those who watch can see."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from fastapi import APIRouter
from structlog.testing import capture_logs

from infra.http.access import OWNERS, Guarded, allow
from infra.http.api import ApiDep
from infra.platform import postgres
from infra.platform.errors import Invalid
from infra.platform.settings import Settings
from infra.service.access.tokens import read_owner_token
from infra.service.upkeep.cleanup import forget_all
from infra.store.jobs import lease, queue
from schemas.envelope import Actor
from tests.http.apart import Apart, apart

pytestmark = pytest.mark.broker
AUDIT = "SELECT operation, status, nullif(code, 'begun') FROM audit_log WHERE key = %s"
router = APIRouter(route_class=Guarded)


@router.post("/test/fail")
@allow(*OWNERS, writes=True)
async def fail() -> None:
    raise RuntimeError("a fault of the code")


@router.post("/test/refuse")
@allow(*OWNERS, writes=True)
async def refuse() -> None:
    raise Invalid("no", code="no")


@router.post("/test/look")
@allow(*OWNERS, writes=True)
async def look(api: ApiDep) -> list[tuple[str, int | None]]:
    """What the audit log says while the write is under way."""
    return await api.tables.ask(
        lambda tables: tables.execute(
            "SELECT operation, status FROM audit_log ORDER BY audit_id DESC LIMIT 1"
        ).fetchall()
    )


@router.post("/test/hang")
@allow(*OWNERS, writes=True)
async def hang() -> None:
    HANGS.set()
    await asyncio.Event().wait()


HANGS = asyncio.Event()


@pytest.fixture(scope="module")
def api(installation: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apart]:
    home: Path = tmp_path_factory.mktemp("upkeep")
    with apart(installation, home) as made:
        made.app.include_router(router)
        yield made


def test_a_write_is_in_the_audit_log_before_it_is_done(api: Apart):
    told = api.client.post("/test/look", headers={"idempotency-key": "look"})
    assert told.json() == [["look", None]]
    assert api.rows(AUDIT, "look") == [("look", 200, "done")]
    again = api.client.post("/test/look", headers={"idempotency-key": "look"})
    assert (again.json(), again.headers["idempotency-replayed"]) == (told.json(), "true")
    assert len(api.rows(AUDIT, "look")) == 1


@pytest.mark.parametrize(
    ("name", "status", "code"), [("fail", 500, "internal_error"), ("refuse", 422, "no")]
)
def test_a_write_that_raises_has_its_outcome(api: Apart, name: str, status: int, code: str):
    with capture_logs():  # a traceback in colours takes seconds
        answer = api.client.post(f"/test/{name}", headers={"idempotency-key": name})
    assert answer.status_code == status
    assert api.rows(AUDIT, name) == [(name, status, code)]


def test_a_write_that_was_cut_off_stays_as_begun(api: Apart):
    async def cut_off() -> None:
        task = asyncio.ensure_future(_post(api, "/test/hang", "hang"))
        await HANGS.wait()
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(cut_off())
    assert api.rows(AUDIT, "hang") == [("hang", None, None)]
    listed = api.client.get("/v1/admin/audit", params={"limit": 1000}).json()["items"]
    (row,) = [each for each in listed if each["key"] == "hang"]
    assert (row["status"], row["code"]) == (None, "begun")


def test_what_is_old_is_forgotten_and_nothing_else(api: Apart):
    for key, days in (("new", 0), ("week", 8), ("year", 401)):
        api.rows(
            "INSERT INTO api_requests (scope, key, fingerprint, created_at)"
            " VALUES ('-', %s, '', now() - interval '1 day' * %s)",
            *(key, days),
        )
        api.rows(
            "WITH w AS (INSERT INTO api_audit (audit_id, token_id, actor, role, operation, path,"
            " key, correlation_id, at) VALUES (nextval('audit_ids'), 't', 'a', 'owner', 'o', '/',"
            " %s, '', now() - interval '1 day' * %s) RETURNING audit_id)"
            " INSERT INTO api_audit_outcomes (audit_id, at, status, code)"
            " SELECT audit_id, now(), 200, 'done' FROM w",
            *(key, days),
        )
    assert asyncio.run(forget_all(api.settings, api.app.state.api.tables)) == 3
    kept = "SELECT key FROM {} WHERE key IN ('new', 'week', 'year') ORDER BY key"
    assert api.rows(kept.format("api_requests")) == [("new",)]
    assert api.rows(kept.format("api_audit")) == [("new",), ("week",)]
    assert not api.rows(AUDIT, "year")


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM api_audit",
        "DELETE FROM api_audit_outcomes",
        "UPDATE api_audit SET actor = ''",
        "UPDATE api_audit_outcomes SET code = ''",
        "TRUNCATE api_audit CASCADE",
    ],
)
def test_nobody_changes_the_audit_log(api: Apart, statement: str):
    api.rows(
        "WITH w AS (INSERT INTO api_audit (audit_id, token_id, actor, role, operation, path, key,"
        " correlation_id, at) VALUES (nextval('audit_ids'), 't', 'a', 'owner', 'o', '/', '', '',"
        " now()) RETURNING audit_id) INSERT INTO api_audit_outcomes (audit_id, at, status, code)"
        " SELECT audit_id, now(), 200, 'done' FROM w"
    )
    with pytest.raises(psycopg.errors.RestrictViolation):
        api.rows(statement)


def test_metrics_tell_of_the_queue_leases_requests_and_writes(api: Apart):
    by = Actor(type="human", id="ana")
    with postgres.connect(api.settings.conninfo, autocommit=True) as connection:
        for key in ("a", "b"):
            new = queue.NewJob(
                project_id="prj_1", job_type="heartbeat_execution", key=key, payload={},
                created_by="human:ana",
            )  # fmt: skip
            queue.enqueue(connection, new, by)
        assert lease.claim(connection, "w", ["heartbeat_execution"])
        connection.execute(
            "UPDATE orchestration_jobs SET run_after = now() - interval '90 seconds'"
        )
    api.client.get("/v1/me")
    api.client.get("/nowhere")
    shown = dict(_lines(api.client.get("/metrics").text))
    kind = 'job_type="heartbeat_execution"'
    assert shown[f'cairn_jobs{{{kind},status="queued"}}'] == 1
    assert shown[f'cairn_jobs{{{kind},status="leased"}}'] == 1
    assert shown["cairn_job_oldest_wait_seconds{}"] >= 90
    assert shown["cairn_job_lease_expiries_total{}"] == 0
    assert shown['cairn_http_requests_total{operation="read_me",status="200"}'] >= 1
    assert shown['cairn_http_requests_total{operation="",status="404"}'] == 1
    assert shown["cairn_audit_writes_total{}"] >= 1
    assert shown["cairn_stream_clients{}"] == 0


def _lines(text: str) -> Iterator[tuple[str, float]]:
    for line in text.splitlines():
        if not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            yield name, float(value)


async def _post(api: Apart, path: str, key: str) -> None:
    """A request of an application without a server, so that it can be cut off."""
    token = read_owner_token(api.settings)
    fields = {"host": "localhost", "authorization": f"Bearer {token}", "idempotency-key": key}
    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in fields.items()],
    }

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(_: Any) -> None:
        raise AssertionError("it was answered")

    await api.app(scope, receive, send)
