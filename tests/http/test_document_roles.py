"""What a document is to the product: shown where sources are, corrected in one request or form."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from infra.runtime.local.process import wait_until
from tests.http.conftest import Called, audited
from tests.http.console import CONSOLE, Browser
from tests.http.test_writes import followed, keyed

pytestmark = pytest.mark.broker
PATIENCE_S = 120
RULE = "The gate must weigh every parcel before it is stored"
DOCUMENTS = {
    "how-we-work/gate.md": f"# Gate\n\n## Rules\n\n- {RULE}.\n- {RULE.replace('weigh', 'scan')}.\n",
    "adr/0001-one-lane.md": "# One lane\n\nStatus: proposed\n\n## Decision\n\nWe use one lane.\n",
    "rejected/two-lanes.md": "# Two lanes\n\nThe depot has two lanes for its parcels.\n",
    "README.md": "# Depot\n\nDepot is a service that stores the parcels of one town.\n",
}


@dataclass
class Depot:
    """A project of its own, asked as owner."""

    client: httpx.Client
    project: str

    @property
    def path(self) -> str:
        return f"/v1/projects/{self.project}"

    def source(self, path: str) -> dict[str, Any]:
        listed = self.client.get(f"{self.path}/sources", params={"path": path})
        assert listed.status_code == 200, listed.text
        (found,) = listed.json()["items"]
        return dict(found)

    def origins(self) -> set[str]:
        """What the statements of the rules count as, by those who list atoms."""
        listed = self.client.get(f"{self.path}/atoms", params={"limit": 200}).json()["items"]
        return {it["attributes"]["origin"] for it in listed if "before it is stored" in it["title"]}

    def say(self, path: str, role: str | None, **fields: Any) -> httpx.Response:
        source = self.source(path)
        return self.client.post(
            f"{self.path}/sources/{source['source_id']}/role",
            json={"role": role, "expected_revision": source["role_revision"]} | fields,
            headers=keyed(),
            params={"wait": True},
        )

    def is_in_prd(self) -> bool:
        """Whether the PRD states the rules."""
        answer = self.client.get(f"{self.path}/views/prd")
        return answer.status_code == 200 and "before it is stored" in answer.text


@pytest.fixture(scope="module")
def depot(called: Called) -> Iterator[Depot]:
    with called.client() as client:
        made = client.post("/v1/projects", json={"name": f"Depot {secrets.token_hex(4)}"})
        depot = Depot(client, str(made.json()["project_id"]))
        documents = [{"path": path, "text": text} for path, text in DOCUMENTS.items()]
        body = {"kind": "documents", "root": "depot", "documents": documents}
        sent = client.post(f"{depot.path}/sources", json=body, headers=keyed())
        assert sent.status_code in (200, 202), sent.text
        assert followed(client, sent)["state"] == "done"
        yield depot


def test_every_document_has_a_role_and_a_status_with_what_told_them(depot: Depot):
    told = {path: depot.source(path) for path in DOCUMENTS}
    shown = {
        path: (it["role"], it["document_status"], it["status_reason"]) for path, it in told.items()
    }
    assert shown == {
        "how-we-work/gate.md": ("how_we_work", None, ""),
        "adr/0001-one-lane.md": ("decision_record", "proposed", "the document says so"),
        "rejected/two-lanes.md": (None, "rejected", "its folder says so"),
        "README.md": ("overview", None, ""),
    }
    assert told["adr/0001-one-lane.md"]["role_reason"] == "its folder “adr”"
    source = told["how-we-work/gate.md"]["source_id"]
    detail = depot.client.get(f"{depot.path}/sources/{source}").json()
    assert (detail["role"], detail["role_reason"]) == ("how_we_work", "its folder “how-we-work”")
    listed = depot.client.get(f"{depot.path}/sources", params={"role": "decision_record"}).json()
    assert [it["path"] for it in listed["items"]] == ["adr/0001-one-lane.md"]


def test_a_document_is_corrected_and_the_word_is_taken_back(depot: Depot, owner: httpx.Client):
    path = "how-we-work/gate.md"
    assert depot.origins() == {"development"}
    assert not depot.is_in_prd()
    answer = depot.say(path, "requirements", rationale="The team keeps its rules here.")
    assert answer.status_code == 200, answer.text
    decision = answer.json()
    assert (decision["action"], decision["decision"]) == ("document_role", "requirements")
    assert depot.origins() == {"product"}
    assert wait_until(depot.is_in_prd, timeout_s=PATIENCE_S)
    corrected = depot.source(path)
    assert (corrected["role"], corrected["told_role"]) == ("requirements", "how_we_work")
    assert corrected["role_reason"].endswith("The team keeps its rules here.")
    assert "decide_document_role" in {it["operation"] for it in audited(owner)}
    assert depot.say(path, "guide", expected_revision=0).status_code == 409
    undone = depot.client.post(
        f"{depot.path}/hitl-events/{decision['hitl_event_id']}/undo",
        json={},
        headers=keyed(),
        params={"wait": True},
    )
    assert undone.status_code == 200, undone.text
    assert depot.origins() == {"development"}
    assert wait_until(lambda: not depot.is_in_prd(), timeout_s=PATIENCE_S)
    assert depot.source(path)["role"] == "how_we_work"


def test_the_page_of_sources_shows_roles_and_its_form_changes_one(depot: Depot, called: Called):
    home = f"{CONSOLE}/projects/{depot.project}"
    source = depot.source("how-we-work/gate.md")["source_id"]
    form = f"{home}/sources/{source}/role"
    with Browser(called) as browser:
        page = browser.open(f"{home}/sources")
        assert "its folder “how-we-work”" in page.text and "document proposed" in page.text
        sent = browser.client.post(form, data=page.fields(form) | {"role": "requirements"})
        assert sent.status_code == 200, sent.text
        assert "is requirements" in sent.text and str(sent.url.path) == f"{home}/sources"
        assert depot.origins() == {"product"}
        page = browser.open(f"{home}/sources/{source}")
        assert "set by" in page.text
        browser.client.post(form, data=page.fields(form) | {"role": ""})
    assert wait_until(lambda: depot.origins() == {"development"}, timeout_s=PATIENCE_S)


def test_who_may_only_read_sees_roles_and_no_form(depot: Depot, called: Called):
    with Browser(called, called.make_token("viewer", depot.project)) as browser:
        page = browser.open(f"{CONSOLE}/projects/{depot.project}/sources")
        assert "how we work" in page.text
        assert not [it for it in page.all("form") if it.get("action", "").endswith("/role")]


def test_the_command_lists_roles_and_sets_one(depot: Depot, called: Called):
    cairn, path = called.cairn, "how-we-work/gate.md"
    text = cairn.run("sources", "--project", depot.project, "--role", "decision_record")
    assert "decision record" in text and "proposed" in text
    source = depot.source(path)["source_id"]
    assert "counts as requirements" in cairn.run("role", source, "requirements")
    assert depot.origins() == {"product"}
    assert "the role that its names tell" in cairn.run("role", source, "as-told")
    assert depot.origins() == {"development"}
    at = ("how-we-work/*", "guide", "--project", depot.project)
    assert "recorded" in cairn.run("roles", *at)
    assert wait_until(lambda: depot.origins() == {"guide"}, timeout_s=PATIENCE_S)
    assert "already" in cairn.run("roles", *at)
    cairn.run("roles", "how-we-work/*", "as-told", "--project", depot.project)
    assert wait_until(lambda: depot.origins() == {"development"}, timeout_s=PATIENCE_S)


def test_all_documents_of_a_folder_are_corrected_at_once(depot: Depot, called: Called):
    home = f"{CONSOLE}/projects/{depot.project}"
    body = {"path": "how-we-work/*", "role": "requirements"}
    sent = depot.client.post(f"{depot.path}/source-roles", json=body, headers=keyed())
    assert sent.status_code == 202, sent.text
    assert [(it["path"], it["code"]) for it in sent.json()] == [("how-we-work/gate.md", "")]
    assert wait_until(lambda: depot.origins() == {"product"}, timeout_s=PATIENCE_S)
    again = depot.client.post(f"{depot.path}/source-roles", json=body, headers=keyed())
    assert again.json() == []
    none = depot.client.post(
        f"{depot.path}/source-roles", json=body | {"path": "nowhere/*"}, headers=keyed()
    )
    assert (none.status_code, none.json()["code"]) == (404, "no_documents")
    with Browser(called) as browser:
        page = browser.open(f"{home}/sources?path=how-we-work/*")
        form = f"{home}/source-roles"
        sent = browser.client.post(form, data=page.fields(form) | {"role": ""})
        assert sent.status_code == 200 and "1 document changed" in sent.text
    assert wait_until(lambda: depot.origins() == {"development"}, timeout_s=PATIENCE_S)
