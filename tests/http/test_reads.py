"""What the service knows is read over HTTP: the same as on the command line, page by page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.http.conftest import PATIENCE_S, Called

pytestmark = pytest.mark.broker
Ask = Callable[..., Any]


def test_the_service_says_that_it_lives_is_ready_and_what_it_can_do(
    called: Called, owner: httpx.Client
):
    with httpx.Client(base_url=called.url, timeout=PATIENCE_S) as stranger:
        assert stranger.get("/health").json() == {"status": "ok"}
        ready = stranger.get("/ready")
        assert (ready.status_code, ready.json()["ready"]) == (200, True)
    able = owner.get("/v1/capabilities").json()
    assert (able["api"], able["engines"], able["model"]) == ("v1", ["heuristic"], None)
    assert "API: http://127.0.0.1:" in called.cairn.run("status")


def test_no_answer_is_kept_or_guessed_at_by_a_browser(called: Called, owner: httpx.Client):
    for path in ("/v1/me", "/v1/projects", "/metrics", "/v1/none", "/health", "/v1/openapi.json"):
        headers = owner.get(path).headers
        assert (headers["x-content-type-options"], headers["cache-control"]) == (
            "nosniff",
            "no-store",
        )


def test_the_token_of_the_first_start_is_private_and_stays(called: Called, owner: httpx.Client):
    path = called.cairn.home / "token"
    assert path.stat().st_mode & 0o777 == 0o600
    me = owner.get("/v1/me").json()
    assert (me["role"], me["projects"]) == ("owner", None)


def test_metrics_are_prometheus_text_with_counts_and_lag(owner: httpx.Client):
    answer = owner.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    lines = answer.text.splitlines()
    assert any(line.startswith('cairn_atoms{kind="decision",status="') for line in lines)
    assert any(line.startswith("cairn_lag_records{group=") for line in lines)
    assert any(line.startswith("cairn_http_requests_total{operation=") for line in lines)


def test_atoms_are_those_of_the_command_line_page_by_page(called: Called, ask: Ask):
    told = called.cairn.json("atoms", "--project", "Parcel")
    page = ask("/atoms", limit=7)
    found = list(page["items"])
    while page["next_cursor"]:
        page = ask("/atoms", limit=7, cursor=page["next_cursor"])
        found += page["items"]
    assert [atom["atom_id"] for atom in found] == [atom["atom_id"] for atom in told]
    assert all(atom["evidence"][0]["snippet"] for atom in found)


def test_atoms_can_be_asked_for_by_their_confidence(owner: httpx.Client, called: Called, ask: Ask):
    sure = ask("/atoms", min_confidence=0.8, limit=1000)["items"]
    every = ask("/atoms", limit=1000)["items"]
    assert sure == [atom for atom in every if atom["confidence"] >= 0.8] != every
    refused = owner.get(f"/v1/projects/{called.project}/atoms", params={"min_confidence": 80})
    assert refused.status_code == 422


def test_one_atom_comes_with_evidence_links_and_history(ask: Ask):
    (first, *_) = ask("/atoms", limit=1)["items"]
    atom = ask(f"/atoms/{first['atom_id']}")
    assert atom["evidence"] == first["evidence"]
    assert atom["history"][0]["operations"]
    assert atom["history"][-1]["confidence"] == atom["confidence"]
    linked = ask("/links", limit=1)["items"]
    for each in linked:
        links = ask(f"/atoms/{each['from_atom_id']}")["links"]
        assert each["link_id"] in {link["link_id"] for link in links}


def test_the_ledger_is_read_as_it_was(ask: Ask):
    (atom, *_) = ask("/atoms", limit=1)["items"]
    before = ask("/ledger", as_of_seq=atom["first_seq"] - 1, status="all", limit=1000)["items"]
    after = ask("/ledger", as_of_seq=atom["first_seq"], status="all", limit=1000)["items"]
    assert atom["atom_id"] not in {each["atom_id"] for each in before}
    assert atom["atom_id"] in {each["atom_id"] for each in after}


def test_a_question_is_answered_with_places(ask: Ask):
    found = ask("/ledger/search", q="How does auth work?")
    assert found["hits"]
    assert all(hit["evidence"][0]["path"] for hit in found["hits"])


def test_sources_are_listed_read_and_explained(ask: Ask):
    listed = ask("/sources", path="docs/*")["items"]
    assert listed
    one = next(each for each in listed if each["state"] == "sanitized")
    whole = ask(f"/sources/{one['source_id']}")
    assert whole["path"] == one["path"]
    assert len(whole["text"]) > 10
    sentences = ask("/explain", path=one["path"])["sentences"]
    assert {"atom", "left out"} & {each["result"] for each in sentences}
    assert ask("/coverage")["tiers"][0]["extracted"] > 0


def test_runs_are_read_with_their_reports_and_choices(ask: Ask):
    runs = ask("/ingestion-runs")["items"]
    assert {run["lane"] for run in runs} == {"preview", "deep"}
    run_id = runs[0]["run_id"]
    assert ask(f"/ingestion-runs/{run_id}")["status"] == "stopped"
    assert ask(f"/ingestion-runs/{run_id}/report")["files_added"]
    assert {batch["run_id"] for batch in ask("/next-batch-hint")} <= {r["run_id"] for r in runs}


def test_artifacts_are_read_with_versions_and_as_markdown(
    called: Called, owner: httpx.Client, ask: Ask
):
    (prd,) = ask("/artifacts", type="prd")["items"]
    whole = ask(f"/artifacts/{prd['artifact_id']}")
    cited = [
        citation
        for section in whole["sections"]
        for statement in section["statements"]
        for citation in statement["citations"]
    ]
    assert cited
    assert all(citation["places"] for citation in cited)
    path = f"/v1/projects/{called.project}/artifacts/{prd['artifact_id']}"
    markdown = owner.get(f"{path}/markdown")
    assert markdown.headers["content-type"] == "text/markdown; charset=utf-8"
    assert markdown.text == whole["rendered_markdown"]
    versions = ask(f"/artifacts/{prd['artifact_id']}/versions")["items"]
    last = ask(f"/artifacts/{prd['artifact_id']}/versions/{versions[-1]['version']}")
    assert last["content_hash"] == whole["content_hash"]
    assert ask("/artifacts", type="feature")["items"]


def test_what_a_person_looks_at_is_there(ask: Ask):
    (card,) = ask("/contradictions", status="all")["items"]
    assert card["a"]["evidence"] and card["b"]["evidence"]
    waits = card["contradiction_id"] in {one["target_id"] for one in ask("/waiting")["items"]}
    assert waits == (card["status"] in ("open", "escalated"))
    assert ask("/merge-candidates")["items"] is not None
    assert ask("/rejections")["items"] is not None
    traced = ask(f"/trace/{card['a']['atom_id']}")
    assert traced["what"] == "atom"
    assert {"evidence"} <= {child["what"] for child in traced["children"]}


def test_dead_letters_and_the_audit_log_are_for_those_who_operate(
    called: Called, owner: httpx.Client
):
    letters = owner.get("/v1/admin/dlq").json()["items"]
    assert called.project not in {one["project_id"] for one in letters}
    assert owner.get("/v1/admin/audit").status_code == 200


def test_what_is_not_there_is_a_problem_with_a_code(called: Called, owner: httpx.Client):
    answer = owner.get(
        f"/v1/projects/{called.project}/atoms/atm_0", headers={"x-correlation-id": "mine-1"}
    )
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-correlation-id"] == "mine-1"
    problem = answer.json()
    assert problem["code"] == "unknown_atom"
    assert problem["correlation_id"] == "mine-1"
    assert set(problem) == {
        "type", "title", "status", "detail", "code", "message", "correlation_id",
    }  # fmt: skip
    bad = owner.get(f"/v1/projects/{called.project}/atoms", params={"cursor": "x", "limit": 5})
    assert (bad.status_code, bad.json()["code"]) == (422, "cursor_invalid")
    assert owner.get("/v1/nothing").json()["code"] == "unknown_path"
    assert owner.delete("/health").status_code == 405
