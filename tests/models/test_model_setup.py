"""A provider is added once it has answered; all else in the file of the models stays as it is."""

from __future__ import annotations

import asyncio
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agents.models.protocol import ProviderFailure
from infra.platform.errors import NotFound
from infra.platform.settings import Settings
from infra.service.models.entries import ProviderSpec, drop_provider, insert_provider
from infra.service.models.file import ModelsFileInvalid, read_models
from infra.service.models.models import list_models, list_roles
from infra.service.models.setup import (
    TrialFailed,
    add_provider,
    explain_failure,
    remove_provider,
    try_role,
)
from tests.models.claude import error, result, write_claude
from tests.models.provider import Answer, scripted_provider

FILE = Path("models.toml")
WRITTEN = """# ours
[[providers]]
name = "groq"
api_key_env = "GROQ"  # of the team

[tiers]
fast = ["groq/openai/gpt-oss-120b"]
"""


def insert(text: str, *args: Any, **kwargs: Any) -> str:
    return insert_provider(FILE, text, ProviderSpec(*args, **kwargs))


def names(text: str) -> list[str]:
    return [provider["name"] for provider in tomllib.loads(text)["providers"]]


def test_a_provider_stands_in_front_of_those_that_are_listed_after_it():
    text = insert(WRITTEN, "anthropic", api_key="k")
    assert names(text) == ["anthropic", "groq"]
    text = insert(text, "lab", "http://lab", needs_key=False, models=("m",))
    text = insert(text, "openai", api_key='a"b')
    assert names(text) == ["anthropic", "openai", "groq", "lab"]
    assert text.startswith("# ours\n") and "# of the team" in text and "[tiers]\nfast" in text


def test_a_provider_of_the_same_name_is_replaced():
    text = insert(WRITTEN, "groq", api_key="k")
    assert names(text) == ["groq"]
    assert "GROQ" not in text and "[tiers]\nfast" in text


COMMENTED = """# about all

# who pays: ana
[[ providers ]]
# asked first
"name" = 'openai'
models = [
  "gpt-5.5",
  # ["old"],
]
# about groq
[["providers"]]
name = "groq"

# about tiers
[tiers]
fast = ["groq/openai/gpt-oss-120b"]
"""


def test_comments_stay_with_what_they_are_about():
    assert insert(COMMENTED, "xai", api_key="k") == COMMENTED.replace(
        "# about groq\n", '[[providers]]\nname = "xai"\napi_key = "k"\n\n# about groq\n'
    )
    first, rest = COMMENTED.split("[[ providers ]]")
    _, rest = rest.split("# about groq\n")
    assert drop_provider(FILE, COMMENTED, "openai") == f"{first}# about groq\n{rest}"
    replaced = insert(COMMENTED, "openai", api_key="k")
    assert "[[providers]]\n# asked first\n" in replaced and names(replaced) == ["openai", "groq"]
    assert drop_provider(FILE, replaced, "groq").endswith(
        '# about groq\n# about tiers\n[tiers]\nfast = ["groq/openai/gpt-oss-120b"]\n'
    )


@pytest.mark.parametrize(
    "text",
    [
        'providers = [{name = "openai", api_key = "k"}, {name = "groq", api_key = "k"}]\n',
        'providers = [\n  {name = "openai"},\n  {name = "groq"},\n]\n[tiers]\n',
    ],
)
def test_a_form_that_is_not_edited_is_named_and_nothing_changes(text: str):
    for edit in (
        lambda: drop_provider(FILE, text, "openai"),
        lambda: insert(text, "openai", api_key="new"),
        lambda: insert(text, "xai", api_key="new"),
    ):
        with pytest.raises(ModelsFileInvalid, match=r"provider \w+ by hand") as refused:
            edit()
        assert "new" not in str(refused.value)


def test_a_provider_is_added_once_it_answers_and_says_what_it_costs(tmp_path: Path):
    settings = Settings(home=tmp_path)
    said = '```json\n{"word": "ready"}\n```'
    answer = Answer(said, (20, 2, 0), model="a-name-without-a-price")
    with scripted_provider([answer]) as provider:
        spec = ProviderSpec("openai", base_url=provider.base_url, api_key="k-1")
        trial = asyncio.run(add_provider(settings, spec, os.environ))
    assert trial is not None and trial.cost_usd == pytest.approx((20 * 5 + 2 * 30) / 1e6)
    assert trial.usual_call_usd and trial.million_characters_usd
    assert trial.keeps_form and "response_format" in provider.requests[0].body
    assert settings.models_file.stat().st_mode & 0o777 == 0o600
    states = {each.name: each.state for each in asyncio.run(list_models(settings, {}))}
    assert states.pop("openai") == "ready" and set(states.values()) == {"unconfigured"}


def test_a_provider_that_does_not_answer_by_a_schema_is_named_as_one(tmp_path: Path):
    with scripted_provider(["ready"]) as provider:
        spec = ProviderSpec("lab", base_url=provider.base_url, needs_key=False, models=("m",))
        trial = asyncio.run(add_provider(Settings(home=tmp_path), spec, os.environ))
    assert trial is not None and not trial.keeps_form


def test_a_provider_whose_key_is_in_no_variable_is_not_added(tmp_path: Path):
    settings = Settings(home=tmp_path)
    with pytest.raises(TrialFailed, match="openai has no key"):
        asyncio.run(add_provider(settings, ProviderSpec("openai", api_key_env="NOWHERE"), {}))
    assert not settings.models_file.exists()


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (ProviderFailure(error_class="refused", status=401), "refuses the key"),
        (ProviderFailure(error_class="refused", status=404), "knows no model m"),
        (ProviderFailure(error_class="connection"), "cannot be reached"),
        (ProviderFailure(error_class="timeout"), "has not answered within"),
        (
            ProviderFailure(error_class="program_failed", detail="/login"),
            "sign in. It says: /login",
        ),
        (
            ProviderFailure(error_class="connection", detail="claude cannot be started: none"),
            "install it, or give the path",
        ),
        (ProviderFailure(error_class="overloaded", status=529, detail="busy"), "says: busy"),
    ],
)
def test_a_failed_trial_says_what_to_do(failure: ProviderFailure, words: str):
    assert words in explain_failure("lab", "m", failure)


def test_what_would_make_the_file_unfit_is_not_written(tmp_path: Path):
    settings = Settings(home=tmp_path)
    with pytest.raises(ModelsFileInvalid, match="provider lab has no base_url"):
        asyncio.run(add_provider(settings, ProviderSpec("lab", models=("m",)), {}, try_it=False))
    assert not settings.models_file.exists()


def test_a_provider_is_removed_with_its_key(tmp_path: Path):
    settings = Settings(home=tmp_path)
    for name in ("openai", "xai"):
        spec = ProviderSpec(name, api_key=f"key of {name}")
        asyncio.run(add_provider(settings, spec, {}, try_it=False))
    asyncio.run(remove_provider(settings, "openai", {}))
    assert [one.name for one in read_models(settings).providers] == ["xai"]
    assert "key of openai" not in settings.models_file.read_text()
    with pytest.raises(NotFound):
        asyncio.run(remove_provider(settings, "openai", {}))


def with_roles(folder: Path, review_url: str, *steps: dict[str, Any]) -> Settings:
    settings = Settings(home=folder)
    program = write_claude(folder / "bin", *steps).program
    for spec in (
        ProviderSpec("claude-cli", program=program),
        ProviderSpec("google", base_url=review_url, api_key="k", models=("gemini-3.1",)),
        ProviderSpec("lab", base_url=review_url, needs_key=False, models=("ours",)),
    ):
        asyncio.run(add_provider(settings, spec, {}, try_it=False))
    return settings


def test_each_model_that_drafts_or_reviews_is_really_asked(tmp_path: Path):
    with scripted_provider(['{"word": "ready"}', Answer("x", model="ours")]) as reviewer:
        ready = {"prints": result('{"word": "ready"}')}
        settings = with_roles(tmp_path, reviewer.base_url, ready)
        (draft,) = asyncio.run(try_role(settings, "draft", os.environ))
        gemini, lab = asyncio.run(try_role(settings, "review", os.environ))
    assert (draft.name, draft.family) == ("claude-cli/claude-opus-4-6", "anthropic")
    assert draft.trial and draft.trial.keeps_form and draft.trial.cost_usd == 0
    assert (gemini.name, gemini.family) == ("google/gemini-3.1", "google") and gemini.trial
    assert lab.trial and not lab.trial.keeps_form
    assert len(reviewer.requests) == 2


def test_a_program_that_is_not_signed_in_says_so(tmp_path: Path):
    settings = with_roles(tmp_path, "http://127.0.0.1:9/v1", error("Please run /login"))
    (draft,) = asyncio.run(try_role(settings, "draft", os.environ))
    assert draft.trial is None and "Please run /login" in draft.problem


def test_a_role_that_nobody_has_is_named(tmp_path: Path):
    with pytest.raises(NotFound, match="No model can draft: add the provider claude-cli"):
        asyncio.run(try_role(Settings(home=tmp_path), "draft", {}))


def test_who_drafts_and_who_reviews_is_listed_with_families(tmp_path: Path):
    draft, review = list_roles(with_roles(tmp_path, "http://127.0.0.1:9/v1", {}), {})
    assert (draft.models, draft.families) == (["claude-cli/claude-opus-4-6"], ["anthropic"])
    assert review.models == ["google/gemini-3.1", "lab/ours"]
    assert review.families == ["google", "ours"]
    assert (draft.unknown, review.unknown) == ([], ["lab/ours"])


def test_while_one_family_drafts_and_reviews_nothing_is_added(tmp_path: Path):
    settings = with_roles(tmp_path, "http://127.0.0.1:9/v1", {})
    written = settings.models_file.read_text().replace('"ours"', '"ours", "claude-next"')
    settings.models_file.write_text(f'{written}\n[tiers]\nreview = ["lab/claude-next"]\n')
    written = settings.models_file.read_text()
    with pytest.raises(ModelsFileInvalid) as refused:
        asyncio.run(add_provider(settings, ProviderSpec("xai", api_key="k"), {}, try_it=False))
    assert refused.value.code == "family_conflict"
    assert settings.models_file.read_text() == written
