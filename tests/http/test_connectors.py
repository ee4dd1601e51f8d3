"""Connectors over HTTP: secrets are named and never sent, no client reads those of others."""

from __future__ import annotations

import secrets
from typing import Any

import httpx
import pytest

from infra.runtime.local.process import wait_until
from tests.connectors.webhooks.senders import SECRET, an_issue
from tests.http.conftest import Called
from tests.http.test_writes import atoms_of, keyed

pytestmark = pytest.mark.broker
WANTED: dict[str, Any] = {
    "service": "github",
    "target": "acme/shop",
    "credentials": {"webhook": "env:CONNECTOR_HOOK"},
    "check": False,
}
PATIENCE_S = 60


def add(client: httpx.Client, project: str, **changes: Any) -> httpx.Response:
    path = f"/v1/projects/{project}/connectors"
    return client.post(path, json=WANTED | changes, headers=keyed())


def test_a_connector_is_added_listed_and_removed(called: Called, owner: httpx.Client):
    path = f"/v1/projects/{called.other}/connectors"
    added = add(owner, called.other, credentials={"webhook": "file:hook"})
    assert added.status_code == 201, added.text
    connector = added.json()["connector"]
    assert connector["credentials"] == {"webhook": "file:hook"}
    assert connector["webhook"] == f"/v1/webhooks/github/{called.other}"
    assert str(called.cairn.home) not in added.text
    assert owner.get(path).json() == [connector]
    one = f"{path}/{connector['connector_id']}"
    assert owner.get(one).json() == connector
    assert owner.post(f"{one}/check", headers=keyed()).json()["problem"] == ""
    removed = owner.delete(one, headers=keyed())
    assert removed.status_code == 204
    assert owner.get(path).json() == []
    assert owner.get(one).json()["code"] == "unknown_connector"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"service": "gitlab"}, "'github', 'jira', 'slack' or 'bitbucket'"),
        ({"target": "shop"}, "is not a repository"),
        ({"target": "../etc"}, "is not a repository"),
        ({"streams": ["wikis"]}, "has no stream 'wikis'"),
        ({"credentials": {"key": "env:CONNECTOR_K"}}, "token or app-id and app-key"),
    ],
)
def test_what_cannot_be_connected_is_named(
    owner: httpx.Client, called: Called, changes: dict[str, Any], sentence: str
):
    refused = add(owner, called.other, **changes)
    assert refused.status_code == 422 and sentence in refused.json()["message"]


@pytest.mark.parametrize(
    "name",
    ["ghp_0123456789", "env:PATH", "env:CAIRN_VAULT_KEY", "file:/etc/passwd", "file:../token"],
)
def test_a_client_names_no_other_variable_or_file_and_sends_no_secret(called: Called, name: str):
    with called.client(called.make_token("owner")) as elsewhere:
        refused = add(elsewhere, called.other, credentials={"webhook": name})
    assert (refused.status_code, refused.json()["code"]) == (422, "credential_name_invalid")
    assert name not in refused.text


def test_a_clone_is_no_path_of_the_machine(called: Called):
    for address in ("file:///etc", "/etc", "ssh://host/x"):
        with called.client(called.make_token("owner")) as elsewhere:
            refused = add(elsewhere, called.other, options={"clone_url": address})
        assert (refused.status_code, refused.json()["code"]) == (422, "address_invalid"), address


def test_an_owner_of_one_project_sends_secrets_to_the_service_only(called: Called):
    token, elsewhere = "env:CONNECTOR_BOUND", "https://collector.example.org"
    bound = f'["{token}"]\nprojects = ["{called.other}"]'
    with called.client(called.make_token("owner", called.other)) as theirs:
        unbound = add(theirs, called.other, credentials={"token": token})
        assert (unbound.status_code, unbound.json()["code"]) == (403, "secret_not_allowed")
        (called.cairn.home / "secrets.toml").write_text(bound)
        for changes in ({"base_url": elsewhere}, {"options": {"clone_url": f"{elsewhere}/x.git"}}):
            refused = add(theirs, called.other, credentials={"token": token}, **changes)
            assert (refused.status_code, refused.json()["code"]) == (403, "secret_not_allowed")
            assert refused.json()["detail"] == {"secret": token, "host": "collector.example.org"}
        assert add(theirs, called.other, credentials={"token": token}).status_code == 201
        assert add(theirs, called.project).status_code == 404
    with called.client(called.make_token("pm", called.other)) as pm:
        assert add(pm, called.other).json()["code"] == "role_not_allowed"


def test_a_sync_is_a_job_of_the_project(called: Called, owner: httpx.Client):
    target = f"acme/{secrets.token_hex(4)}"
    connector = add(owner, called.other, target=target).json()["connector"]
    path = f"/v1/projects/{called.other}/connectors/{connector['connector_id']}"
    key = keyed()
    job = owner.post(f"{path}/sync", headers=key)
    assert (job.status_code, job.json()["job_type"]) == (202, "connector_sync")
    assert owner.post(f"{path}/sync", headers=key).json()["job_id"] == job.json()["job_id"]
    read = f"/v1/jobs/{job.json()['job_id']}"
    assert wait_until(lambda: owner.get(read).json()["status"] == "succeeded", timeout_s=PATIENCE_S)
    unknown = owner.post(f"{path}/sync", json={"streams": ["x"]}, headers=keyed()).json()
    read = f"/v1/jobs/{unknown['job_id']}"
    assert wait_until(lambda: owner.get(read).json()["status"] == "dead", timeout_s=PATIENCE_S)
    with called.client(called.make_token("operator", called.project)) as other:
        hidden = other.get(read)
        assert (hidden.status_code, hidden.json()["code"]) == (404, "unknown_job")


def test_a_delivery_signed_with_the_secret_of_a_connector_becomes_an_atom(
    called: Called, owner: httpx.Client
):
    folder = called.cairn.home / "secrets"
    folder.mkdir(exist_ok=True)
    (folder / "shop").write_bytes(SECRET)
    name = {"name": f"Shop {secrets.token_hex(4)}"}
    project = owner.post("/v1/projects", json=name, headers=keyed()).json()["project_id"]
    connector = add(owner, project, credentials={"webhook": "file:shop"}).json()["connector"]
    told = an_issue(12, "We decided to use PostgreSQL for the orders of the shop.")
    forged = told.headers | {"X-Hub-Signature-256": "sha256=" + "0" * 64}

    def send(headers: dict[str, str]) -> int:
        return owner.post(connector["webhook"], content=told.body, headers=headers).status_code

    assert send(forged) in (401, 503)  # 503 while the receiver has not reached the log yet
    assert wait_until(lambda: send(told.headers) == 202, timeout_s=PATIENCE_S)
    assert send(told.headers) == 202
    assert send(forged) == 401
    assert wait_until(
        lambda: "PostgreSQL" in str(atoms_of(owner, project)), timeout_s=2 * PATIENCE_S
    )
