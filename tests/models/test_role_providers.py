"""Providers by a short name, over the real loop and the real worker."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.models.errors import RequestRefused
from agents.models.roles import (
    AnthropicProvider,
    ClaudeCLIProvider,
    FallbackProvider,
    GeminiProvider,
    LLMCallResult,
    RoleNotAllowed,
    get_provider,
)
from agents.models.tracked import TrackedChatModel
from infra.service.models.file import read_models
from tests.models.asking import request
from tests.models.book import COST_USD
from tests.models.claude import error, result
from tests.models.test_roles import Drafting, drafting
from tests.models.worker import ModelWorker


def model_of(it: Drafting) -> TrackedChatModel:
    known = read_models(it.worker.settings, with_keys=False)
    return TrackedChatModel(lambda: known, it.worker.client, it.book)


def call(it: Drafting, spec: str) -> LLMCallResult:
    return asyncio.run(get_provider(spec, model_of(it)).call(request(tier="draft")))


@pytest.mark.parametrize(
    ("spec", "kind", "models"),
    [
        ("claude:opus", ClaudeCLIProvider, ("claude-cli/claude-opus-4-6",)),
        ("claude:claude-opus-9", ClaudeCLIProvider, ("claude-cli/claude-opus-9",)),
        ("claude", ClaudeCLIProvider, ("claude-cli/claude-opus-4-6",)),
        ("anthropic:sonnet", AnthropicProvider, ("anthropic/claude-sonnet-4-6",)),
        (
            *("fallback:opus", FallbackProvider),
            ("claude-cli/claude-opus-4-6", "anthropic/claude-opus-4-7"),
        ),
        ("gemini:flash", GeminiProvider, ("google/gemini-3-flash-preview",)),
    ],
)
def test_a_name_gives_its_provider(
    model_worker: ModelWorker, tmp_path: Path, spec: str, kind: type, models: tuple[str, ...]
):
    with drafting(model_worker, tmp_path, {}) as it:
        provider = get_provider(spec, model_of(it))
    assert type(provider) is kind and provider.models == models


@given(st.text())
def test_any_other_text_is_refused(text: str):
    if text.strip().partition(":")[0] in ("claude", "anthropic", "fallback", "gemini"):
        return
    with pytest.raises(RequestRefused):
        get_provider(text, None)  # type: ignore[arg-type]


def test_the_program_alone_has_no_fall_back(model_worker: ModelWorker, tmp_path: Path):
    with drafting(model_worker, tmp_path, error("Please run /login")) as it:
        outcome = call(it, "claude:opus")
        assert it.api.requests == []
    assert not outcome.success and not outcome.fallback_used
    assert "program_failed" in outcome.error


def test_a_fall_back_says_so(model_worker: ModelWorker, tmp_path: Path):
    with drafting(model_worker, tmp_path, error("Please run /login")) as it:
        outcome = call(it, "fallback:opus")
    assert outcome.success and outcome.fallback_used
    assert (outcome.provider, outcome.text) == ("anthropic", "Blue, by the API.")
    assert (outcome.input_tokens, outcome.output_tokens, outcome.cost_usd) == (100, 20, COST_USD)


def test_the_first_choice_says_so_too(model_worker: ModelWorker, tmp_path: Path):
    with drafting(model_worker, tmp_path, {"prints": result()}) as it:
        outcome = call(it, "fallback:opus")
    assert outcome.success and not outcome.fallback_used and outcome.provider == "claude-cli"


def test_the_reviewer_does_not_draft(model_worker: ModelWorker, tmp_path: Path):
    with drafting(model_worker, tmp_path, {}) as it:
        with pytest.raises(RoleNotAllowed) as refused:
            call(it, "gemini:pro")
        assert it.book.attempts == []
    assert refused.value.code == "role_not_allowed"
