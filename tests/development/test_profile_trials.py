"""`cairn profiles try`: one prompt with a profile's driver, as the service runs it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from infra.platform.errors import Conflict, NotFound, Unavailable
from infra.platform.settings import Settings
from infra.service.development.profile_checks import check_profile
from infra.service.development.profile_trials import try_profile
from infra.service.development.profiles import add_profile, build_profile
from tests.development.drivers import in_loop
from tests.development.stand_ins.chat_server import chat_server
from tests.models.provider import write_models
from tests.models.worker import ModelWorker, model_worker

__all__ = ["model_worker"]  # a fixture
KEY, OTHER_KEY = "sk-planted-key-of-the-proxy", "sk-or-planted-key-of-the-host"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    settings = Settings(home=home)
    for name, given in (
        ("direct", {"model": "anthropic/claude-opus-4.7"}),
        ("missing", {"driver": "claude"}),
    ):
        add_profile(settings, build_profile({"name": name, **given}))
    return settings


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@in_loop
async def test_a_trial_shows_what_the_driver_does_and_what_it_leaves(
    stack: ExitStack, settings: Settings
) -> None:
    server = stack.enter_context(chat_server("developer"))
    environ = {"OPENROUTER_API_KEY": "sk-key", "OPENROUTER_BASE_URL": server.url}
    trial = await try_profile(settings, environ, "direct", "Write a file", key="k1")
    assert trial.failure is None and trial.text.startswith("Done after")
    assert trial.files == ["a.txt"]
    assert [event.type for event in trial.events].count("CLAUDE_TOOL_CALL") == 3
    assert (trial.input_tokens, trial.output_tokens, trial.cost_usd) == (200, 50, 0.025)
    assert server.requests[0]["headers"]["authorization"] == "Bearer sk-key"


@pytest.mark.parametrize("sandbox", ["none", "process"])
@in_loop
async def test_a_trial_goes_by_the_model_proxy_and_no_key_gets_in(
    model_worker: ModelWorker, stack: ExitStack, sandbox: str
) -> None:
    """The real proxy, the real walls: the key is added outside, and found nowhere inside."""
    settings = model_worker.settings
    server = stack.enter_context(chat_server("spy"))
    fields = {"base_url": server.url, "api_key": KEY, "models": ["m-1"]}
    model_worker.configure(openai=fields)
    name = f"by-proxy-{sandbox}"
    values = {"name": name, "model": "openai/m-1", "sandbox": sandbox, "allowlist": ["python3"]}
    add_profile(settings, build_profile(values))
    environ = {"OPENROUTER_API_KEY": OTHER_KEY} if sandbox == "process" else {}
    trial = await try_profile(settings, environ, name, "Look around", key=sandbox)
    assert (trial.failure, trial.reason, trial.sandbox) == (None, "", sandbox)
    assert trial.text.startswith("Done after") and trial.input_tokens == 200
    assert {it["headers"]["authorization"] for it in server.requests} == {f"Bearer {KEY}"}
    shown = trial.model_dump_json() + json.dumps([it["body"] for it in server.requests])
    assert KEY not in shown and OTHER_KEY not in shown and "cairn_proxy_" not in shown
    results = [event.content for event in trial.events if event.type == "CLAUDE_TOOL_RESULT"]
    assert "PATH=" in results[1] and "the spy is done" in results[1]


@in_loop
async def test_a_trial_of_a_profile_that_does_not_fit_is_refused(settings: Settings) -> None:
    with pytest.raises(Conflict, match="nobody serves .* OPENROUTER_API_KEY"):
        await try_profile(settings, {}, "direct", "Write", key="k1")
    add_profile(settings, build_profile({"name": "nameless"}))
    with pytest.raises(Conflict, match="names no model, .*add a provider of models"):
        await try_profile(settings, {}, "nameless", "Write", key="k1")
    write_models(settings.models_file, openai="http://127.0.0.1:9/v1")
    add_profile(settings, build_profile({"name": "served", "model": "openai/gpt-5.5"}))
    with pytest.raises(Unavailable, match="model worker"):
        await try_profile(settings, {}, "served", "Write", key="k1")


@in_loop
async def test_a_profile_without_a_model_has_the_one_that_its_check_names(
    model_worker: ModelWorker, stack: ExitStack
) -> None:
    settings = model_worker.settings
    server = stack.enter_context(chat_server("developer"))
    fields = {"base_url": server.url, "api_key": KEY}
    model_worker.configure(google=fields, openai=fields | {"models": ["m-1"]})
    add_profile(settings, build_profile({"name": "of-its-own-choice"}))
    trial = await try_profile(settings, {}, "of-its-own-choice", "Write a file", key="own")
    assert (trial.failure, trial.files) == (None, ["a.txt"])
    assert {it["body"]["model"] for it in server.requests} == {"m-1"}  # Google's only review
    checked = await check_profile(settings, os.environ, "of-its-own-choice")
    assert checked.parts[0].finding == "openai/m-1 answers"


@in_loop
async def test_the_check_asks_where_the_trial_would(stack: ExitStack, settings: Settings) -> None:
    server = stack.enter_context(chat_server("developer"))
    environ = {"OPENROUTER_API_KEY": "sk-key", "OPENROUTER_BASE_URL": server.url}
    driver = (await check_profile(settings, environ, "direct")).parts[0]
    assert (driver.works, driver.finding) == (
        True,
        f"anthropic/claude-opus-4.7 answers at {server.url}",
    )
    assert server.requests[0]["headers"]["authorization"] == "Bearer sk-key"
    nobody = environ | {"OPENROUTER_BASE_URL": "http://127.0.0.1:9/v1"}
    driver = (await check_profile(settings, nobody, "direct")).parts[0]
    assert not driver.works and "OPENROUTER_BASE_URL" in driver.advice


@in_loop
async def test_a_driver_that_fails_is_an_answer(stack: ExitStack, settings: Settings) -> None:
    environ = {"PATH": "/nowhere", "HOME": os.fspath(settings.home)}
    trial = await try_profile(settings, environ, "missing", "Write", key="k1")
    assert trial.failure == "permanent" and "claude" in trial.reason
    with pytest.raises(NotFound):
        await try_profile(settings, environ, "none", "Write", key="k1")
