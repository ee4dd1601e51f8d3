"""What operators do over HTTP with the log and the tables, and what a removed source leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from infra.runtime.local.process import wait_until
from infra.service.upkeep.audit import hash_tables
from tests.http.conftest import Called
from tests.http.test_writes import atoms_of, gate, keyed
from tests.models.provider import write_models

__all__ = ["gate"]
pytestmark = pytest.mark.broker
PATIENCE_S = 120
Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def operator(called: Called) -> Any:
    with called.client(called.make_token("operator")) as client:
        yield client


def finish(client: httpx.Client, answer: httpx.Response) -> dict[str, Any]:
    """The job that ``answer`` is, when it has ended."""
    assert answer.status_code == 202, answer.text
    path = f"/v1/jobs/{answer.json()['job_id']}"

    def has_ended() -> bool:
        return client.get(path).json()["status"] in ("succeeded", "dead")

    assert wait_until(has_ended, timeout_s=PATIENCE_S)
    found: dict[str, Any] = client.get(path).json()
    return found


def test_the_log_is_sound_and_a_rebuild_finds_the_tables_right(operator: httpx.Client):
    sound = finish(operator, operator.post("/v1/admin/verify-log", headers=keyed()))
    assert sound["result"]["is_sound"], sound
    assert sound["result"]["records"]["ledger.v1"] > 0
    key = keyed()
    rebuilt = operator.post("/v1/admin/rebuild", json={"table": "ledger_atoms"}, headers=key)
    job = finish(operator, rebuilt)
    assert job["status"] == "succeeded", job
    assert (job["result"]["corrected"], job["result"]["findings"]) == ([], 0)
    again = operator.post("/v1/admin/rebuild", json={"table": "ledger_atoms"}, headers=key)
    assert again.json()["job_id"] == job["job_id"]
    unknown = operator.post("/v1/admin/rebuild", json={"table": "nothing"}, headers=keyed())
    assert finish(operator, unknown)["status"] == "dead"
    listed = operator.get("/v1/jobs", params={"job_type": "rebuild"}).json()["items"]
    assert job["job_id"] in {each["job_id"] for each in listed}
    (first, *_) = operator.get(f"/v1/jobs/{job['job_id']}/history").json()
    assert first["event_type"] == "job.enqueued"


def test_a_replay_tells_how_many_rows_differ_from_now(called: Called, operator: httpx.Client):
    asked = {"project": called.project}
    replayed = finish(operator, operator.post("/v1/admin/replay", json=asked, headers=keyed()))
    assert not replayed["result"]["is_wrong"], replayed
    both = asked | {"as_of_seq": 1, "as_of": "2026-01-01T00:00:00Z"}
    refused = operator.post("/v1/admin/replay", json=both, headers=keyed())
    assert refused.json()["code"] == "moment_ambiguous"
    with called.client(called.make_token("operator", called.other)) as other:
        hidden = other.post("/v1/admin/replay", json=asked, headers=keyed())
        assert (hidden.status_code, hidden.json()["code"]) == (404, "unknown_project")
        assert other.post("/v1/admin/rebuild", headers=keyed()).status_code == 403


def test_tables_hold_the_whole_log_and_have_checksums(called: Called, operator: httpx.Client):
    sums = operator.get(f"/v1/projects/{called.project}/checksums").json()
    settings = called.cairn.settings_now()
    assert sums == asyncio.run(hash_tables(settings, called.project))
    assert len(sums["ledger_atoms"]) == 64
    folded = operator.get("/v1/admin/projections").json()
    assert {"ledger.v1", "chunk.v1"} <= {each["topic"] for each in folded}
    assert all(each["lag"] is not None for each in folded)


def test_without_a_model_nothing_costs_and_all_providers_are_named(
    called: Called, ask: Ask, owner: httpx.Client
):
    for group in ("agent", "stage", "role", "model", "run", "day", "call"):
        costs = ask("/costs", group_by=group)
        assert (costs["lines"], costs["total"]["calls"], costs["total"]["cost_usd"]) == ([], 0, 0)
    of_call = f"/v1/projects/{called.project}/costs/calls/llm_1"
    missing = owner.get(of_call)
    assert (missing.status_code, missing.json()["code"]) == (404, "unknown_call")
    with called.client(called.make_token("pm")) as pm:
        assert pm.get(of_call).status_code == 403  # texts of calls are for owners and operators
    states = {each["name"]: each["state"] for each in owner.get("/v1/models").json()}
    assert len(states) == len(PROVIDERS) and set(states.values()) == {"unconfigured"}


PROVIDERS = {
    "anthropic": ["claude-opus-4-7", "claude-sonnet-4-6"],
    "openai": ["gpt-5.5"],
    "google": ["gemini-3.1-pro-preview", "gemini-3-flash-preview"],
    "xai": ["grok-4-1-fast"],
    "groq": ["openai/gpt-oss-120b", "llama-3.3-70b-versatile"],
    "cerebras": ["zai-glm-4.7", "gpt-oss-120b"],
    "ollama": [],
    "claude-cli": ["claude-opus-4-6"],
}


def test_all_providers_are_listed_with_their_models_and_how_they_stand(
    called: Called, owner: httpx.Client
):
    def listed() -> dict[str, tuple[list[str], str]]:
        told = owner.get("/v1/models").json()
        return {each["name"]: (each["models"], each["state"]) for each in told}

    assert listed() == {name: (models, "unconfigured") for name, models in PROVIDERS.items()}
    models = called.cairn.settings.models_file
    nobody = {"base_url": "http://127.0.0.1:9"}
    write_models(models, groq={"api_key": "k"}, xai={"api_key_env": "NO_SUCH_KEY"}, ollama=nobody)
    try:
        found = listed()
    finally:
        models.unlink()

    states = {"groq": "ready", "xai": "no_key", "ollama": "unreachable"}
    assert found == {
        name: (models, states.get(name, "unconfigured")) for name, models in PROVIDERS.items()
    }


def test_a_budget_is_set_shown_and_lifted(called: Called, owner: httpx.Client, ask: Ask):
    path = f"/v1/projects/{called.project}/budgets"
    month = {"scope": "project_month", "limit_usd": 20.0}
    (shown,) = owner.put(path, json=month).json()
    assert (shown["limit_usd"], shown["spent_usd"], shown["hard"]) == (20.0, 0.0, True)
    (told,) = called.cairn.json("budgets", "list", "--project", "Parcel")
    assert told == shown == ask("/budgets")[0]
    wrong = owner.put(path, json=month | {"agent": "reader"})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "budget_invalid")
    assert owner.put(path, json={"scope": "project_month"}).json() == []


def test_chunks_batches_and_the_summary_are_those_of_the_runs(ask: Ask):
    (source, *_) = [each for each in ask("/sources")["items"] if each["state"] == "sanitized"]
    chunks = ask("/chunks", source_id=source["source_id"])["items"]
    assert chunks
    assert {each["path"] for each in chunks} == {source["path"]}
    whole = ask(f"/chunks/{chunks[0]['chunk_id']}")
    text = ask(f"/sources/{source['source_id']}")["text"]
    assert whole["text"] == text[whole["anchor_start"] : whole["anchor_end"]]
    pages = [ask("/chunks", limit=1), ask("/chunks", limit=2)]
    assert pages[1]["items"][0] == pages[0]["items"][0]
    read = [
        batch
        for run in ask("/ingestion-runs")["items"]
        for batch in ask(f"/ingestion-runs/{run['run_id']}/batches")["items"]
    ]
    assert sum(batch["chunks"] for batch in read if batch["committed_at"]) > 0
    assert ask("/working-summary")["counts_by_kind"]


def test_a_removed_source_takes_with_it_what_only_it_says(owner: httpx.Client, gate: str):
    base = f"/v1/projects/{gate}"
    (source, *_) = owner.get(f"{base}/sources", params={"path": "a/*"}).json()["items"]
    key = keyed()
    removed = owner.delete(f"{base}/sources/{source['source_id']}", headers=key)
    assert (removed.status_code, removed.json()["path"]) == (202, "a/gate.md")
    again = owner.delete(f"{base}/sources/{source['source_id']}", headers=key)
    assert again.json() == removed.json()
    follow = f"{base}/ingestions/{removed.json()['trigger_key']}"
    assert wait_until(lambda: owner.get(follow).json()["settled"], timeout_s=PATIENCE_S)
    assert owner.get(f"{base}/sources", params={"path": "a/*"}).json()["items"] == []
    assert "a/gate.md" not in str(atoms_of(owner, gate))
    unknown = owner.delete(f"{base}/sources/src_unknown", headers=keyed())
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown_source_id")
