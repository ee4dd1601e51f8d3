"""The providers of the assistant over HTTP: what each lacks, also as a project has it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from connectors.providers.files import BUILT_IN
from tests.connectors.stand_ins.provider import NOTES
from tests.http.conftest import Called
from tests.http.test_connectors import add
from tests.http.test_writes import keyed

pytestmark = pytest.mark.broker
PATH = "/v1/assistant/providers"


def listed(client: httpx.Client, **asked: str) -> dict[str, Any]:
    answer = client.get(PATH, params=asked)
    assert answer.status_code == 200, answer.text
    providers: dict[str, Any] = {each["name"]: each for each in answer.json()["providers"]}
    return providers


def test_providers_are_listed_with_what_they_lack_and_what_their_tools_take(
    called: Called, owner: httpx.Client
):
    providers = listed(owner)
    assert set(BUILT_IN) <= providers.keys()
    gmail = providers["gmail"]
    assert not gmail["configured"]
    assert "ASSISTANT_GMAIL_TOKEN" in gmail["missing"]
    tools = {tool["name"]: tool for tool in gmail["tools"]}
    assert not tools["gmail_search_messages"]["confirm"]
    send = tools["gmail_send_message"]
    assert (send["mutating"], send["confirm"]) == (True, True)
    assert send["arguments"]["required"] == ["to", "subject", "text"]
    with called.client(called.make_token("viewer", called.project)) as viewer:
        assert listed(viewer) == providers


def test_a_file_adds_a_provider_while_cairn_runs_and_a_broken_one_is_named(
    called: Called, owner: httpx.Client
):
    folder = called.cairn.home / "providers"
    folder.mkdir(exist_ok=True)
    (folder / "notes.toml").write_text(NOTES.format(url="https://notes.example.org"))
    (folder / "broken.toml").write_text("name = 5")
    try:
        answer = owner.get(PATH).json()
        assert {*BUILT_IN, "notes"} == {each["name"] for each in answer["providers"]}
        (problem,) = answer["problems"]
        assert problem["file"] == "broken.toml"
        assert problem["message"].startswith("broken.toml, name: ")
        shown = called.cairn.run("assistant", "providers", "--json")
        assert '"name": "notes"' in shown
    finally:
        for name in ("notes", "broken"):
            (folder / f"{name}.toml").unlink()


def test_a_project_with_a_connector_has_its_service(called: Called, owner: httpx.Client):
    secret = called.cairn.home / "secrets" / "github-of-other"
    secret.parent.mkdir(exist_ok=True)
    secret.write_text("the-token-of-other")
    added = add(owner, called.other, credentials={"token": "file:github-of-other"})
    assert added.status_code == 201, added.text
    try:
        assert listed(owner, project=called.other)["github"]["configured"]
        assert not listed(owner, project=called.project)["github"]["configured"]
        assert not listed(owner)["github"]["configured"]
        assert "the-token-of-other" not in owner.get(PATH, params={"project": called.other}).text
    finally:
        connector_id = added.json()["connector"]["connector_id"]
        path = f"/v1/projects/{called.other}/connectors/{connector_id}"
        assert owner.delete(path, headers=keyed()).status_code == 204
        secret.unlink()
    assert not listed(owner, project=called.other)["github"]["configured"]


def test_nobody_asks_for_a_project_that_is_not_theirs(called: Called, owner: httpx.Client):
    assert owner.get(PATH, params={"project": "prj_none"}).status_code == 404
    with called.client(called.make_token("member", called.project)) as member:
        refused = member.get(PATH, params={"project": called.other})
    assert refused.status_code == 404
    assert refused.json()["code"] == "unknown_project"
