"""Stream tokens: one stream, five minutes, not without the caller's own, written down nowhere."""

from __future__ import annotations

import stat
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from infra.platform import postgres
from infra.platform.errors import Refusal
from infra.platform.settings import Settings
from infra.service.access.stream_tokens import (
    KEY_FILE,
    VALID_S,
    StreamTokens,
    read_stream_key,
    verify,
)
from infra.store.tokens import Caller
from projections.read.streams import Stream
from tests.http.conftest import Called, audited
from tests.http.listening import Heard, listen_at, parse

broker = pytest.mark.broker
PATIENCE_S = 60
CALLER = Caller("tok_1", "ada", "viewer", frozenset({"prj_1"}))
RUN = Stream(stream_id="run_1", project_id="prj_1", epoch="ab")


def make(tmp_path: Path, at_s: float = 1_000.0) -> StreamTokens:
    return StreamTokens(Settings(home=tmp_path), lambda: at_s)


def test_a_token_says_for_which_stream_and_caller_it_is(tmp_path: Path):
    made = make(tmp_path).create(RUN, CALLER)
    grant = make(tmp_path).read(made.token, "run_1")
    assert grant and (grant.project_id, grant.token_id) == ("prj_1", "tok_1")
    assert made.stream_url == f"/v1/streams/run_1?token={made.token}"
    assert made.expires_at.timestamp() == 1_000 + VALID_S


def test_a_token_grants_nothing_for_another_stream_or_later(tmp_path: Path):
    token = make(tmp_path).create(RUN, CALLER).token
    assert make(tmp_path).read(token, "run_2") is None
    assert make(tmp_path, 1_000 + VALID_S - 1).read(token, "run_1")
    assert make(tmp_path, 1_000 + VALID_S).read(token, "run_1") is None


def test_a_modified_token_is_refused(tmp_path: Path):
    tokens = make(tmp_path)
    token = tokens.create(RUN, CALLER).token
    for place in range(len(token)):
        other = "A" if token[place] != "A" else "B"
        assert tokens.read(token[:place] + other + token[place + 1 :], "run_1") is None
    for text in ("", ".", token[:-1], token + "A", token + "=", "é" + token, "\ud800", "a" * 9_000):
        assert tokens.read(text, "run_1") is None


def test_the_key_is_kept_for_its_owner_only_and_another_key_reads_nothing(tmp_path: Path):
    token = make(tmp_path / "one").create(RUN, CALLER).token
    path = tmp_path / "one" / KEY_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert make(tmp_path / "two").read(token, "run_1") is None
    key = SecretStr(path.read_text())
    given = Settings(home=tmp_path / "three", stream_key=key)
    assert verify(read_stream_key(given), token)
    assert verify(read_stream_key(Settings(home=tmp_path, stream_key_file=path)), token)
    assert not (tmp_path / "three").exists()


def test_a_key_that_is_none_is_refused_without_being_shown(tmp_path: Path):
    (tmp_path / "bad").write_text("too short")
    for settings in (
        Settings(home=tmp_path, stream_key=SecretStr("too short")),
        Settings(home=tmp_path, stream_key_file=tmp_path / "bad"),
        Settings(home=tmp_path, stream_key_file=tmp_path / "none"),
    ):
        with pytest.raises(Refusal) as refused:
            read_stream_key(settings)
        assert "too short" not in str(refused.value)


@pytest.fixture(scope="module")
def run(called: Called, owner: httpx.Client) -> str:
    runs = owner.get(f"/v1/projects/{called.project}/ingestion-runs").json()["items"]
    return str(runs[0]["run_id"])


def create(called: Called, token: str | None = None, **body: Any) -> dict[str, Any]:
    with called.client(token) as client:
        answer = client.post(f"/v1/projects/{called.project}/stream-token", json=body)
    assert answer.status_code == 201, answer.text
    assert answer.headers["cache-control"] == "no-store"
    made: dict[str, Any] = answer.json()
    return made


def read(called: Called, url: str, last_id: str = "") -> list[Heard]:
    with called.client("") as nobody:
        return list(listen_at(nobody, url, last_id))


@broker
def test_a_stream_token_opens_its_stream_again_and_again(called: Called, run: str):
    viewer = called.make_token("viewer", called.project)
    url = create(called, viewer, stream_id=run)["stream_url"]
    frames = read(called, url)
    assert frames[-1].name == "done"
    assert read(called, url, frames[0].id) == frames[1:]
    assert read(called, f"{url}&last_event_id={frames[1].id}") == frames[2:]
    with called.client("") as nobody:
        again = {"last-event-id": frames[-1].id}
        assert nobody.get(url, headers=again).status_code == 204


@broker
def test_a_stream_token_opens_nothing_else(called: Called, run: str):
    made = create(called, stream_id=run)
    token, url = made["token"], made["stream_url"]
    alone = "127.0.0.9"
    with called.client("", alone) as nobody, called.client(token, alone) as bearer:
        elsewhere = (
            f"/v1/streams/{called.project}?token={token}",
            f"/v1/projects/{called.project}/atoms?token={token}",
            f"/v1/me?token={token}",
            f"{url[:-1]}{'A' if url[-1] != 'A' else 'B'}",
            f"/v1/streams/{run}?token=",
            f"/v1/streams/{run}",
        )
        answers = [nobody.get(path) for path in elsewhere]
        answers += [nobody.post(url), bearer.get("/v1/me"), bearer.get(f"/v1/streams/{run}")]
    assert {each.status_code for each in answers} <= {401, 405}, answers
    assert answers[-1].json()["code"] == "unauthenticated"


@broker
def test_what_is_wrong_in_the_address_is_not_made_good_by_a_header(called: Called, run: str):
    with called.client() as client:
        assert client.get(f"/v1/streams/{run}?token=nonsense").status_code == 401


@broker
def test_an_expired_stream_token_is_refused(called: Called, run: str):
    caller = Caller("tok_1", "ada", "owner", None)
    settings = called.cairn.settings_now()
    stream = Stream(stream_id=run, project_id=called.project, epoch="ab")
    late = StreamTokens(settings, lambda: 1_000.0).create(stream, caller)
    unowned = StreamTokens(settings).create(stream, caller)
    with called.client("") as nobody:
        assert nobody.get(late.stream_url).status_code == 401
        assert nobody.get(unowned.stream_url).status_code == 401


@broker
def test_nobody_gets_a_token_for_a_stream_of_another_project(called: Called, run: str):
    with (
        called.client(called.make_token("owner", called.other)) as stranger,
        called.client() as all,
    ):
        for path in ("stream-token", "onboarding/stream-token"):
            name = "pipeline_id" if "onboarding" in path else "stream_id"
            theirs = f"/v1/projects/{called.project}/{path}"
            mine = f"/v1/projects/{called.other}/{path}"
            assert stranger.post(theirs, json={name: run}).status_code == 404
            assert stranger.post(mine, json={name: run}).status_code == 404
            assert all.post(mine, json={name: run}).status_code == 404
        assert all.post(mine, json={"pipeline_id": "onb_none"}).status_code == 404


@broker
def test_revoking_the_callers_token_ends_what_its_stream_token_opened(called: Called):
    wanted = {"name": "short", "role": "pm", "projects": [called.project]}
    with called.client() as owner:
        own = owner.post("/v1/tokens", json=wanted).json()
        url = create(called, own["token"])["stream_url"]
        opened, ended = threading.Event(), threading.Event()

        def follow() -> None:
            with called.client("") as client, client.stream("GET", url) as answer:
                assert answer.status_code == 200
                opened.set()
                list(parse(answer.iter_lines()))
            ended.set()

        threading.Thread(target=follow, daemon=True).start()
        assert opened.wait(PATIENCE_S)
        owner.delete(f"/v1/tokens/{own['token_id']}")
        assert ended.wait(PATIENCE_S)
        assert owner.get(url).status_code == 401


@broker
def test_a_stream_token_is_written_down_nowhere(called: Called, run: str):
    made = create(called, stream_id=run)
    assert read(called, made["stream_url"])
    with called.client("") as nobody:
        nobody.get(f"/v1/me?token={made['token']}")
    signature = made["token"].partition(".")[2]
    with postgres.connect(called.cairn.settings_now().conninfo) as connection:
        for table in ("api_requests", "audit_log", "outbox"):
            stored = connection.execute(f"SELECT t::text FROM {table} t".encode()).fetchall()
            assert signature not in str(stored)
    with called.client() as owner:
        done = {(row["operation"], row["status"]) for row in audited(owner)}
    assert ("create_stream_token", 201) in done
    logs = list((called.cairn.home / "logs").rglob("*"))
    assert logs
    for path in logs:
        assert path.is_dir() or signature not in path.read_text(errors="replace"), path
