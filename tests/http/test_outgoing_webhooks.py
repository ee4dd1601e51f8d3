"""A project's news reaches its webhooks, signed, however often something is killed in between."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from standardwebhooks.webhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from tests.http.conftest import Called
from tests.http.receiver import Received, Receiver, receiver

pytestmark = [pytest.mark.broker]


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


def add(client: httpx.Client, project: str, url: str, *events: str, **more: Any) -> dict[str, Any]:
    body = {"url": url, "events": list(events), "allow_private": True} | more
    made = client.post(f"/v1/projects/{project}/webhooks", json=body)
    assert made.status_code == 201, made.text
    assert made.headers["cache-control"] == "no-store"
    answer: dict[str, Any] = made.json()
    return answer


def of_type(name: str) -> Any:
    def find(received: list[Received]) -> list[Received]:
        return [each for each in received if json.loads(each.body)["type"] == name]

    return find


def test_news_of_an_ingest_is_verified_by_an_independent_library(
    called: Called, owner: httpx.Client, hook: Receiver, tmp_path: Any
):
    project = called.cairn.run("project", "create", "Told", "--idempotency-key", "told").strip()
    made = add(owner, project, hook.url)
    for name, says in (("one.md", "session cookies"), ("two.md", "JWT tokens")):
        (tmp_path / name).write_text(f"# Sign-in\n\nAuth uses {says}.\n")

    called.cairn.ingest(tmp_path, "Told", "told")

    (ended, *_) = hook.wait_for(of_type("run.ended"))
    (changed, *_) = hook.wait_for(of_type("prd.changed"))
    verifier = Verifier(made["secret"])
    for each in hook.received:
        told = verifier.verify(each.body, each.headers)
        assert told["data"]["project_id"] == project
        assert b"cookies" not in each.body
        assert owner.get(told["data"]["path"]).status_code == 200
    with pytest.raises(WebhookVerificationError):
        verifier.verify(ended.body.replace(b"run.ended", b"run.begun"), ended.headers)
    assert changed.message_id != ended.message_id
