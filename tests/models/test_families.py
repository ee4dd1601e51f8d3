"""Whose model it is, by whatever name; who drafts does not review."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.models.call import ModelAnswer, Tier
from agents.models.configuration import ModelConfiguration
from agents.models.families import FAMILIES, family_of, find_conflicts, is_known_family
from agents.models.providers import list_candidates
from infra.service.models.file import ModelsFileInvalid, parse_models

PLACE = Path("models.toml")


@pytest.mark.parametrize(
    ("provider", "model", "family"),
    [
        ("claude-cli", "opus", "anthropic"),
        ("claude-cli", "claude-opus-4-6", "anthropic"),
        ("openrouter", "anthropic/claude-sonnet-4.6", "anthropic"),
        ("openrouter", "~anthropic/sonnet-latest", "anthropic"),
        ("bedrock", "eu.anthropic.claude-opus-4-6-v1:0", "anthropic"),
        ("vertex", "publishers/anthropic/models/claude-opus-4-6@20260101", "anthropic"),
        ("azure", "my-gpt4o", "openai"),
        ("groq", "openai/gpt-oss-120b", "openai"),
        ("cerebras", "gpt-oss-120b", "openai"),
        ("openai", "o3-mini", "openai"),
        ("google", "gemini-3.1-pro-preview", "google"),
        ("google", "models/gemini-3-flash-preview", "google"),
        ("own", "Gemma3:27b", "google"),
        ("groq", "llama-3.3-70b-versatile", "meta"),
        ("ollama", "qwen2.5-coder:7b", "alibaba"),
        ("ollama", "deepseek-r1-distill-llama-70b", "deepseek"),
        ("cerebras", "zai-glm-4.7", "zai"),
        ("xai", "grok-4-1-fast", "xai"),
        ("anthropic", "a-name-of-tomorrow", "anthropic"),
        ("google", "", "google"),
        ("lab", "ours-7", "ours-7"),
        ("lab", "team/ours-7", "ours-7"),
        ("", "", "unknown"),
        ("lab", "/", "lab"),
    ],
)
def test_a_family_is_seen_through_any_name(provider: str, model: str, family: str):
    assert family_of(provider, model) == family
    assert is_known_family(family) == (family in FAMILIES)


@given(st.text(), st.text())
def test_any_text_has_a_family(provider: str, model: str):
    assert family_of(provider, model)


def test_the_server_does_not_hide_a_family():
    drafters = ("claude-cli/claude-opus-4-6", "anthropic/claude-opus-4-7")
    assert find_conflicts(drafters, ("openrouter/anthropic/claude-sonnet-4.6",)) == ("anthropic",)
    assert find_conflicts(drafters, ("google/gemini-3.1-pro-preview",)) == ()


def test_an_answer_says_whose_model_has_served():
    answer = ModelAnswer(
        call_id="1", request_hash="h", text="", provider="openrouter", model="openai/gpt-5.5"
    )
    assert answer.family == "openai"


FIELDS = {
    "claude-cli": "",
    "lab": 'base_url = "https://lab"\napi_key = "k"\nmodels = ["anthropic/claude-3", "m"]\n',
}


def providers(*names: str) -> str:
    keyed = 'api_key = "k"\n'
    return "".join(f'[[providers]]\nname = "{name}"\n{FIELDS.get(name, keyed)}' for name in names)


def role(text: str, tier: Tier) -> list[str]:
    configuration = parse_models(PLACE, text, {})

    async def discover(_: str) -> tuple[str, ...]:
        return ()

    found = asyncio.run(list_candidates(tier, configuration, discover))
    return [each.name for each in found]


def test_by_default_the_program_drafts_then_the_api_and_another_family_reviews():
    text = providers("openai", "anthropic", "google", "claude-cli")
    assert role(text, "draft") == [
        "claude-cli/claude-opus-4-6",
        "anthropic/claude-opus-4-7",
        "anthropic/claude-sonnet-4-6",
    ]
    assert role(text, "review") == [
        "google/gemini-3.1-pro-preview",
        "google/gemini-3-flash-preview",
        "openai/gpt-5.5",
    ]
    assert role(providers("claude-cli", "lab"), "review") == ["lab/m"]


def test_a_program_serves_no_other_tier():
    text = providers("claude-cli", "openai")
    assert role(text, "strong") == ["openai/gpt-5.5"]
    assert not parse_models(PLACE, providers("claude-cli"), {}).has_model
    with pytest.raises(ModelsFileInvalid, match="draft and review alone"):
        parse_models(PLACE, f'{text}[tiers]\nfast = ["claude-cli/claude-opus-4-6"]\n', {})


def test_a_draft_is_never_reviewed_by_its_own_family():
    tiers = '[tiers]\ndraft = ["anthropic/claude-opus-4-7"]\nreview = ["lab/anthropic/claude-3"]\n'
    with pytest.raises(ModelsFileInvalid, match="anthropic both draft and review") as refused:
        parse_models(PLACE, providers("anthropic", "lab") + tiers, {})
    assert refused.value.code == "family_conflict"


def test_a_fall_back_counts_as_a_drafter():
    tiers = '[tiers]\ndraft = ["anthropic/claude-opus-4-7", "openai/gpt-5.5"]\n'
    more = 'review = ["google/gemini-3.1-pro-preview", "openai/gpt-5.5"]\n'
    with pytest.raises(ModelsFileInvalid, match="openai both") as refused:
        parse_models(PLACE, providers("anthropic", "openai", "google") + tiers + more, {})
    assert refused.value.code == "family_conflict"


def test_the_reviewer_never_drafts():
    tiers = '[tiers]\ndraft = ["google/gemini-3.1-pro-preview"]\n'
    with pytest.raises(ModelsFileInvalid, match="review alone") as refused:
        parse_models(PLACE, providers("google") + tiers, {})
    assert refused.value.code == "role_not_allowed"


@pytest.mark.parametrize(
    "fields",
    ['name = "claude-cli"\napi_key = "k"', 'name = "openai"\napi_key = "k"\nprogram = "/bin/x"'],
)
def test_a_program_has_no_key_and_a_server_no_program(fields: str):
    with pytest.raises(ModelsFileInvalid, match="remove"):
        parse_models(PLACE, f"[[providers]]\n{fields}\n", {})


def test_without_a_configuration_nobody_has_a_role():
    assert ModelConfiguration().list_role("draft") == ModelConfiguration().list_role("review") == ()
