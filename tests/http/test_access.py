"""Who may do what: tokens, roles, projects, hosts, rates, and bodies that nobody should send."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from infra.http.hosts import host_of
from infra.http.rates import MOST_KNOWN, Rates
from infra.platform.settings import Settings
from infra.runtime.local.process import wait_until
from tests.http.apart import apart
from tests.http.conftest import PATIENCE_S, Called, audited

broker = pytest.mark.broker
FORBIDDEN, HIDDEN, REFUSED = 403, 404, 401


@broker
def test_without_a_valid_token_nothing_is_told(called: Called):
    for token in ("", "nonsense", "cairn_" + "A" * 43):
        with called.client(token) as stranger:
            answer = stranger.get("/v1/projects")
            assert (answer.status_code, answer.json()["code"]) == (REFUSED, "unauthenticated")
            assert answer.headers["www-authenticate"].startswith("Bearer")
            unknown = stranger.get("/v1/projects/prj_none/atoms")
            assert unknown.json()["message"] == answer.json()["message"]


@broker
def test_no_letters_of_a_header_are_a_fault(database_server: str, tmp_path: Path):
    servers = Settings(database_url=database_server, kafka_bootstrap="127.0.0.1:1", reader=False)
    with apart(servers, tmp_path) as one:
        strange = {b"authorization": "Bearer cairn_é".encode("latin-1")}
        assert one.client.get("/v1/me", headers=strange).status_code == REFUSED
        for name in ("%00", "ana%0Abo", "%20ana", "a" * 101):
            told = one.client.get("/v1/me", headers={"cairn-on-behalf-of": name})
            assert (told.status_code, told.json()["code"]) == (422, "person_name_invalid"), name
        told = one.client.get("/v1/me", headers={"cairn-on-behalf-of": "B%C3%B8 of Oslo"})
        assert told.json()["name"] == "Bø of Oslo"


@broker
@pytest.mark.parametrize("role", ["viewer", "member", "owner"])
def test_how_long_a_body_may_be_depends_on_role_and_route(called: Called, role: str):
    """Nothing of a body that is too long is parsed, and no write of it begins."""
    root, text = f"/v1/projects/{called.other}", "x" * 1024 * 1024
    documents = {"kind": "documents", "documents": [{"path": str(n), "text": text} for n in "ab"]}
    said = {"message": "x", "documents": [{"name": "a.md", "text": text + text}]}
    with called.client(called.make_token(role)) as caller:

        def ask(method: str, path: str, body: Any) -> tuple[int, str]:
            answer = caller.request(method, root + path, json=body)
            return answer.status_code, answer.json()["code"]

        assert ask("GET", "/sources", [text]) == (413, "body_too_large")
        if role == "viewer":
            assert ask("POST", "/chat", said) == (413, "body_too_large")
            assert ask("POST", "/sources", documents) == (403, "role_not_allowed")
        else:
            assert ask("POST", "/chat", said | {"unknown": 1}) == (422, "invalid_request")
            assert ask("POST", "/sources", documents | {"unknown": 1}) == (422, "invalid_request")
            assert ask("POST", "/tasks", {"title": text + text}) == (413, "body_too_large")
            many = documents | {"limits": [[]] * 30_000}
            assert ask("POST", "/sources", many) == (422, "too_many_values")


@broker
def test_a_token_of_another_project_gets_404_for_everything(called: Called):
    with called.client(called.make_token("owner", called.other)) as other:
        assert [each["name"] for each in other.get("/v1/projects").json()["items"]] == ["Other"]
        theirs = f"/v1/projects/{called.project}"
        unknown = "/v1/projects/prj_unknown"
        for path in ("", "/atoms", "/atoms/atm_1", "/sources", "/artifacts", "/trace/run_1"):
            answer, nothing = other.get(theirs + path), other.get(unknown + path)
            assert (answer.status_code, nothing.status_code) == (HIDDEN, HIDDEN)
            assert (
                answer.json()["message"].replace(called.project, "prj_unknown")
                == (nothing.json()["message"])
            )
        with called.client() as owner:
            (atom, *_) = owner.get(f"{theirs}/atoms", params={"limit": 1}).json()["items"]
            (run, *_) = owner.get(f"{theirs}/ingestion-runs").json()["items"]
        mine = f"/v1/projects/{called.other}"
        for path in (
            f"/atoms/{atom['atom_id']}",
            f"/trace/{atom['atom_id']}",
            f"/trace/{atom['evidence'][0]['evidence_id']}",
            f"/sources/{atom['evidence'][0]['source_id']}",
            f"/ingestion-runs/{run['run_id']}",
            f"/ingestion-runs/{run['run_id']}/report",
        ):
            assert other.get(mine + path).status_code == HIDDEN, path
        assert other.get(f"{mine}/next-batch-hint", params={"run_id": run["run_id"]}).json() == []


@broker
def test_roles_read_what_is_theirs_and_write_nothing_else(called: Called):
    project = f"/v1/projects/{called.project}"
    with called.client(called.make_token("viewer", called.project)) as viewer:
        assert viewer.get(f"{project}/atoms").status_code == 200
        refused = viewer.post("/v1/tokens", json={"name": "x", "role": "owner"})
        assert (refused.status_code, refused.json()["code"]) == (FORBIDDEN, "role_not_allowed")
        assert viewer.get("/v1/admin/dlq").status_code == FORBIDDEN
    with called.client(called.make_token("operator")) as operator:
        assert operator.get("/v1/admin/dlq").status_code == 200
        assert operator.get(f"{project}/atoms").status_code == FORBIDDEN
        assert operator.get(f"{project}/ingestion-runs").status_code == 200
    with called.client() as owner:
        done = {(row["operation"], row["status"]) for row in audited(owner)}
    assert ("create_token", 403) in done


@broker
def test_a_token_makes_no_token_that_can_do_more(called: Called):
    with called.client(called.make_token("owner", called.other)) as other:
        wanted: dict[str, Any] = {"name": "x", "role": "owner"}
        assert other.post("/v1/tokens", json=wanted).status_code == FORBIDDEN
        theirs = wanted | {"projects": [called.project]}
        assert other.post("/v1/tokens", json=theirs).status_code == HIDDEN
        made = other.post("/v1/tokens", json=wanted | {"projects": [called.other]})
        assert made.status_code == 201
        listed = other.get("/v1/tokens").json()["items"]
        assert all(each["projects"] == [called.other] for each in listed)
        assert "token" not in listed[0]
        assert other.get("/v1/admin/audit").status_code == FORBIDDEN


@broker
def test_a_revoked_or_expired_token_is_refused_within_five_seconds(called: Called):
    token = called.make_token("viewer", called.project)
    soon = (datetime.now(UTC) + timedelta(seconds=1)).isoformat()
    short = called.make_token("viewer", called.project, expires_at=soon)
    with called.client() as owner, called.client(token) as viewer, called.client(short) as brief:
        token_id = viewer.get("/v1/me").json()["token_id"]
        revoked = owner.delete(f"/v1/tokens/{token_id}")
        assert revoked.json()["revoked_at"]
        assert viewer.get("/v1/me").status_code == REFUSED
        assert wait_until(lambda: brief.get("/v1/me").status_code == REFUSED, timeout_s=5)
        past = (datetime.now(UTC) - timedelta(seconds=1)).isoformat()
        late = owner.post("/v1/tokens", json={"name": "x", "role": "pm", "expires_at": past})
        assert (late.status_code, late.json()["code"]) == (422, "token_expired")


@broker
def test_a_token_is_stored_as_its_hash_and_shown_once(called: Called):
    with called.client() as owner:
        wanted = {"name": "once", "role": "viewer"}
        keyed = {"idempotency-key": secrets.token_hex(8)}
        first = owner.post("/v1/tokens", json=wanted, headers=keyed)
        again = owner.post("/v1/tokens", json=wanted, headers=keyed)
    assert (first.status_code, again.status_code) == (201, 409)
    assert again.json()["code"] == "token_made_before"
    assert again.json()["detail"]["token_id"] == first.json()["token_id"]
    from infra.platform import postgres

    with postgres.connect(called.cairn.settings_now().conninfo) as connection:
        for table in ("api_tokens", "api_requests", "audit_log", "outbox"):
            stored = connection.execute(f"SELECT t::text FROM {table} t".encode()).fetchall()
            assert first.json()["token"] not in str(stored)


@broker
def test_another_host_is_refused(called: Called):
    with called.client() as owner:
        for host in ("evil.example", "127.0.0.1.evil.example:80", ""):
            answer = owner.get("/health", headers={"host": host})
            assert answer.status_code == 400, host
        assert owner.get("/health", headers={"host": "localhost:1"}).status_code == 200


@broker
@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ('{"name": "a\\u0000b", "role": "pm"}', 422, "nul_not_allowed"),
        ('{"name": "\\ud800", "role": "pm"}', 422, "lone_surrogate"),
        ('{"\\ud800": 1}', 422, "lone_surrogate"),
        ('{"name": 9223372036854775808}', 422, "number_too_large"),
        ('{"name": ' + "9" * 6000 + "}", 422, "number_too_large"),
        ('{"name": 1e999}', 422, "number_too_large"),
        ('{"name": NaN}', 400, "json_invalid"),
        ("[" * 100_000, 422, "nested_too_deep"),
        ("[" * 80 + "]" * 80, 422, "nested_too_deep"),
        ('{"name": ', 400, "json_invalid"),
        ("{}", 422, "invalid_request"),
        ('{"name": "x", "role": "king"}', 422, "invalid_request"),
    ],
    ids=range(12),
)
def test_what_cannot_be_stored_is_refused(called: Called, body: str, status: int, code: str):
    with called.client() as owner:
        answer = owner.post(
            "/v1/tokens", content=body.encode(), headers={"content-type": "application/json"}
        )
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@broker
def test_a_body_that_is_too_large_is_refused_while_it_is_read(called: Called):
    def endless():
        for _ in range(40):
            yield b" " * 1024 * 1024

    with called.client() as owner:
        kind = {"content-type": "application/json"}
        answer = owner.post("/v1/tokens", content=endless(), headers=kind)
        assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
        zipped = owner.post("/v1/tokens", content=b"x", headers=kind | {"content-encoding": "gzip"})
        assert zipped.status_code == 400
        assert owner.get("/v1/projects", params={"name": "a\0b"}).status_code == 400
        huge = owner.get(f"/v1/projects/{called.project}/ledger", params={"as_of_seq": 2**63})
        assert huge.status_code == 422


def test_a_host_is_known_with_and_without_its_port():
    assert host_of("Example.org:80") == host_of("example.org") == "example.org"
    assert host_of("[::1]:80") == "[::1]"
    assert host_of("[::1]") == "[::1]"


def test_a_bucket_fills_with_time_and_one_caller_does_not_use_up_another():
    now = [0.0]
    rates = Rates(lambda: now[0])
    assert [rates.take("a", 2) for _ in range(5)] == [True] * 4 + [False]
    assert rates.take("b", 2)
    now[0] += 0.5
    assert [rates.take("a", 2), rates.take("a", 2)] == [True, False]
    for n in range(MOST_KNOWN + 10):
        rates.take(f"address {n}", 2)
    assert len(rates._buckets) == MOST_KNOWN


@broker
def test_a_client_that_asks_too_fast_is_told_to_slow_down(called: Called):
    with httpx.Client(base_url=called.url, timeout=PATIENCE_S) as stranger:
        answers = [stranger.get("/health") for _ in range(120)]
    slowed = [answer for answer in answers if answer.status_code == 429]
    assert slowed
    assert slowed[0].json()["code"] == "too_many_requests"
    assert slowed[0].headers["retry-after"] == "1"
