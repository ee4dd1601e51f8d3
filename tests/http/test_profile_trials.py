"""`cairn profiles try` through the running service, its model worker and its proxy."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from infra.runtime import supervisor
from infra.runtime.local.process import wait_until
from tests.development.stand_ins.chat_server import ChatServer, chat_server
from tests.http.conftest import Called
from tests.models.provider import KEY, write_models

pytestmark = pytest.mark.broker
PROFILES = "/v1/dev/profiles"
WITHIN_S = 120.0


@pytest.fixture(scope="module")
def server(called: Called) -> Iterator[ChatServer]:
    models = called.cairn.settings.models_file
    ready = supervisor.ready_file(called.cairn.settings, "model-worker")
    with chat_server("developer") as server:
        write_models(models, openai={"base_url": server.url, "api_key": KEY, "models": ["m-1"]})
        try:
            assert wait_until(ready.exists, timeout_s=WITHIN_S)
            yield server
        finally:
            models.unlink()


def test_a_trial_is_shown_by_route_and_command(
    called: Called, owner: httpx.Client, server: ChatServer
):
    called.cairn.run("profiles", "add", "tried", "--model", "openai/m-1", "--sandbox", "process")
    answer = owner.post(f"{PROFILES}/tried/try", json={"prompt": "Write a file"})
    assert answer.status_code == 200, answer.text
    trial = answer.json()
    assert (trial["failure"], trial["files"], trial["sandbox"]) == (None, ["a.txt"], "process")
    assert trial["events"][-1]["type"] == "AGENT_OUTPUT"
    assert KEY not in answer.text

    shown = called.cairn.run("profiles", "try", "tried", "Write a file")
    assert "calls   write_file" in shown and "Files: a.txt" in shown
    assert "says    Done after" in shown


def test_only_an_owner_at_home_tries_a_profile_that_fits(called: Called, owner: httpx.Client):
    called.cairn.run("profiles", "add", "unserved", "--model", "absent/m-1")
    answer = owner.post(f"{PROFILES}/unserved/try", json={"prompt": "Write a file"})
    assert (answer.status_code, answer.json()["code"]) == (409, "profile_unfit")
    assert owner.post(f"{PROFILES}/default/try", json={"prompt": ""}).status_code == 422
    assert owner.post(f"{PROFILES}/none/try", json={"prompt": "x"}).status_code == 404
    for role in ("pm", "viewer"):
        with called.client(called.make_token(role)) as other:
            answer = other.post(f"{PROFILES}/default/try", json={"prompt": "x"})
            assert answer.status_code == 403
