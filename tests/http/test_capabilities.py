"""What the service says of itself is true: each capability is tried."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from infra.runtime.local.process import wait_until
from tests.http.conftest import Called
from tests.http.test_writes import keyed

pytestmark = pytest.mark.broker
Ask = Callable[..., Any]
PATIENCE_S = 120
SAID = "The depot must keep its records for seven years."
AS_HTML = f"<html><body><h1>Depot</h1><p>{SAID}</p></body></html>"
AS_CUES = f"WEBVTT\n\n1\n00:00:01.000 --> 00:00:04.000\n<v Ana>{SAID}\n"
TEXTS = {
    ".csv": f"id,text\n1,{SAID}\n2,{SAID} Always.\n",
    ".tsv": f"id\ttext\n1\t{SAID}\n2\t{SAID} Always.\n",
    ".vtt": AS_CUES,
    ".srt": f"1\n00:00:01,000 --> 00:00:04,000\nAna: {SAID}\n",
    ".eml": f"From: a@b.example\nSubject: Depot\n\n{SAID}\n",
    ".ipynb": '{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["'
    + SAID
    + '"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
    ".html": AS_HTML,
    ".htm": AS_HTML,
    ".xhtml": AS_HTML,
    ".mediawiki": f"== Depot ==\n{SAID}\n",
    ".wiki": f"== Depot ==\n{SAID}\n",
}
BINARY = {".docx", ".pdf"}  # tests/connectors/test_documents.py reads some


@pytest.fixture(scope="module")
def scratch(owner: httpx.Client) -> str:
    """A project of its own: what is tried stays in it."""
    made = owner.post("/v1/projects", json={"name": "Scratch"}, headers=keyed())
    assert made.status_code == 201, made.text
    return str(made.json()["project_id"])


@pytest.fixture(scope="module")
def told(owner: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = owner.get("/v1/capabilities").json()
    return found


def test_engines_are_those_that_have_read_and_written_and_no_model_has(
    ask: Ask, told: dict[str, Any]
):
    runs, artifacts = ask("/ingestion-runs")["items"], ask("/artifacts")["items"]
    assert {each["engine"] for each in (*runs, *artifacts)} == set(told["engines"])
    versions = ask(f"/artifacts/{artifacts[0]['artifact_id']}/versions")["items"]
    assert {each["model"] for each in versions} == {told["model"]} == {None}
    assert ask("/costs")["total"]["cost_usd"] == 0


def test_each_role_can_be_given_and_no_other(
    called: Called, owner: httpx.Client, told: dict[str, Any]
):
    for role in told["roles"]:
        with called.client(called.make_token(role, called.other)) as client:
            assert client.get("/v1/me").json()["role"] == role
            assert client.get("/v1/capabilities").json() == told
    assert owner.post("/v1/tokens", json={"name": "x", "role": "king"}).status_code == 422


def test_each_service_can_be_connected_and_no_other(
    scratch: str, owner: httpx.Client, told: dict[str, Any]
):
    path = f"/v1/projects/{scratch}/connectors"
    wanted = {"target": "", "credentials": {"webhook": "env:CONNECTOR_NONE"}, "check": False}
    targets = {"github": "a/b", "bitbucket": "a/b", "jira": "SHOP", "slack": "T1"}
    addresses = {"jira": "https://jira.example.org"}  # the others have one of their own
    for kind in told["connectors"]:
        asked = wanted | {"service": kind, "target": targets[kind]}
        asked |= {"base_url": addresses.get(kind)}
        added = owner.post(path, json=asked, headers=keyed())
        assert added.status_code == 201, added.text
        hook = owner.post(added.json()["connector"]["webhook"], content=b"{}")
        assert (hook.status_code, hook.json()["code"]) == (401, "signature")
    other = owner.post(path, json=wanted | {"service": "trello", "target": "x"}, headers=keyed())
    assert other.status_code == 422
    hook = owner.post(f"/v1/webhooks/trello/{scratch}", content=b"{}")
    assert (hook.status_code, hook.json()["code"]) == (404, "unknown_service")


def test_each_format_is_read_as_prose(scratch: str, owner: httpx.Client, told: dict[str, Any]):
    texts = {suffix: TEXTS.get(suffix, f"# Depot\n\n{SAID}\n") for suffix in told["formats"]}
    tried = {suffix: text for suffix, text in texts.items() if suffix not in BINARY}
    documents = [{"path": f"say{suffix}", "text": text} for suffix, text in tried.items()]
    body = {"kind": "documents", "root": "formats", "documents": documents, "lane": "preview"}
    path = f"/v1/projects/{scratch}/sources"
    sent = owner.post(path, json=body, headers=keyed(), params={"wait": True})
    follow = f"/v1/projects/{scratch}/ingestions/{sent.json()['trigger_key']}"
    assert wait_until(lambda: owner.get(follow).json()["settled"], timeout_s=PATIENCE_S)
    found = owner.get(path, params={"path": "say*", "limit": 100}).json()["items"]
    assert {each["path"] for each in found} == {f"say{suffix}" for suffix in tried}
    for each in found:
        text = owner.get(f"{path}/{each['source_id']}").json()["text"]
        assert text and SAID in text, each


def test_limits_hold(ask: Ask, called: Called, owner: httpx.Client, told: dict[str, Any]):
    limits = told["limits"]
    base = f"/v1/projects/{called.project}/atoms"
    assert owner.get(base, params={"limit": limits["page"]}).status_code == 200
    assert owner.get(base, params={"limit": limits["page"] + 1}).status_code == 422
    kind = {"content-type": "application/json"}
    large = b" " * (limits["body_bytes"] + 1)
    assert owner.post("/v1/tokens", content=large, headers=kind).status_code == 413
    large = b" " * (limits["delivery_bytes"] + 1)
    hook = owner.post(f"/v1/webhooks/github/{called.project}", content=large)
    assert (hook.status_code, hook.json()["code"]) == (413, "oversized")


def test_each_area_and_type_of_job_is_in_the_document(owner: httpx.Client, told: dict[str, Any]):
    document = owner.get("/v1/openapi.json").json()
    operations = [each for path in document["paths"].values() for each in path.values()]
    assert {tag for each in operations for tag in each["tags"]} == set(told["areas"])
    done = {each["job_type"] for each in owner.get("/v1/jobs").json()["items"]}
    assert done <= set(told["job_types"])
