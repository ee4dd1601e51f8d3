"""Who drafts and who reviews, over HTTP and on the command line, with stand-ins for both."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.http.test_writes import keyed
from tests.models.claude import Claude, result, write_claude
from tests.models.provider import ScriptedProvider, scripted_provider, write_models
from tests.service import Service, service

pytestmark = pytest.mark.broker
READY = '{"word": "ready"}'
KEY = "sk-planted-reviewer"


@pytest.fixture(scope="module")
def cairn() -> Iterator[Service]:
    """Of its own: where a provider is configured, others work with it, too."""
    with service() as running:
        yield running


@pytest.fixture(scope="module")
def owner(cairn: Service) -> Iterator[httpx.Client]:
    (status,) = cairn.json("status")
    token = (cairn.home / "token").read_text().strip()
    headers = {"authorization": f"Bearer {token}"}
    with httpx.Client(base_url=status["http"], headers=headers, timeout=120) as client:
        yield client


@pytest.fixture
def reviewer() -> Iterator[ScriptedProvider]:
    with scripted_provider(lambda request: READY) as provider:
        yield provider


@pytest.fixture
def drafter(cairn: Service, reviewer: ScriptedProvider, tmp_path: Path) -> Iterator[Claude]:
    claude = write_claude(tmp_path / "bin", {"prints": result(READY)})
    google = {"base_url": reviewer.base_url, "api_key": KEY, "models": ["gemini-3.1-pro"]}
    fields: dict[str, Any] = {"claude-cli": {"program": claude.program}, "google": google}
    models = write_models(cairn.settings.models_file, **fields)
    try:
        yield claude
    finally:
        models.unlink()


def test_without_providers_nobody_has_a_role(cairn: Service, owner: httpx.Client):
    assert [each["models"] for each in owner.get("/v1/models/roles").json()] == [[], []]
    refused = owner.post("/v1/models/roles/review/test", headers=keyed())
    assert (refused.status_code, refused.json()["code"]) == (404, "no_model_for_role")
    assert "of another family" in refused.text
    cairn.run("models", "test", "--tier", "draft", exit_code=1)


def test_each_model_of_a_role_is_asked(
    cairn: Service, owner: httpx.Client, drafter: Claude, reviewer: ScriptedProvider
):
    roles = {each["role"]: each for each in owner.get("/v1/models/roles").json()}
    assert roles["draft"]["families"] == ["anthropic"]
    assert roles["review"]["families"] == ["google"]
    answer = owner.post("/v1/models/roles/draft/test", headers=keyed())
    (draft,) = answer.json()
    assert (draft["name"], draft["trial"]["cost_usd"]) == ("claude-cli/claude-opus-4-6", 0)
    (call,) = drafter.calls
    assert call["argv"][1:6] == ["--output-format", "json", "--tools", "", "--strict-mcp-config"]
    assert KEY not in json.dumps(call)
    printed = cairn.run("models", "test", "--tier", "review")
    assert "google/gemini-3.1-pro (google) answers" in printed
    assert len(reviewer.requests) == 1 and KEY not in printed


def test_one_family_in_both_roles_is_refused(cairn: Service, owner: httpx.Client, drafter: Claude):
    models = cairn.settings.models_file
    models.write_text(models.read_text() + '[tiers]\nreview = ["claude-cli/claude-opus-4-6"]\n')
    refused = owner.get("/v1/models/roles")
    assert (refused.status_code, refused.json()["code"]) == (422, "family_conflict")
    assert "both draft and review" in refused.text
    cairn.run("models", "list", exit_code=1)
    fit = models.read_text().rsplit("[tiers]", 1)[0]
    models.write_text(fit + '[tiers]\ndraft = ["google/gemini-3.1-pro"]\n')
    refused = owner.post("/v1/models/roles/draft/test", headers=keyed())
    assert (refused.status_code, refused.json()["code"]) == (422, "role_not_allowed")
    assert drafter.calls == []
