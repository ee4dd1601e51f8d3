"""Drafts: the command line first, then the API; the reviewer is of another family."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agents.models.call import Message, ModelAnswer
from agents.models.chain import ask_model
from agents.models.errors import AllProvidersFailed, AnswerCut
from agents.models.patience import Clock
from infra.runtime.local.process import start_time_of
from infra.service.models.file import read_models
from tests.models.asking import COLOR, request
from tests.models.book import Book
from tests.models.claude import USAGE, Claude, error, result, write_claude
from tests.models.provider import Answer, ScriptedProvider, scripted_provider
from tests.models.worker import ModelWorker

ASKED = ["-p", "--output-format", "json", "--tools", "", "--strict-mcp-config", "--model"]


@dataclass
class Drafting:
    worker: ModelWorker
    claude: Claude
    api: ScriptedProvider
    book: Book

    def ask(self, **given: Any) -> ModelAnswer:
        configuration = read_models(self.worker.settings, with_keys=False)
        asked = request(**{"tier": "draft"} | given)
        return asyncio.run(
            ask_model(asked, configuration, self.worker.client, self.book, Clock(), 20.0)
        )


@contextmanager
def drafting(
    worker: ModelWorker, folder: Path, *steps: dict[str, Any], **limits: float
) -> Iterator[Drafting]:
    claude = write_claude(folder / "bin", *steps)
    with scripted_provider([Answer("Blue, by the API.", model="claude-opus-4-7")] * 3) as api:
        fields: dict[str, Any] = {
            "claude-cli": {"program": claude.program, "models": ["claude-opus-4-6"]} | limits,
            "anthropic": {"base_url": api.base_url, "api_key": "sk-planted"},
        }
        worker.configure(**fields)
        yield Drafting(worker, claude, api, Book())


def test_the_program_is_asked_first_and_costs_nothing(model_worker: ModelWorker, tmp_path: Path):
    with drafting(model_worker, tmp_path, {"prints": result()}) as it:
        answer = it.ask(messages=(Message(role="system", content="Be short."),
                                  Message(role="user", content="Name a color.")))  # fmt: skip
        (call,) = it.claude.calls
        assert it.api.requests == []
    assert call["argv"] == [*ASKED, "claude-opus-4-6"]
    assert call["given"] == "Be short.\n\nName a color."
    assert (answer.text, answer.provider, answer.model) == (
        *("Blue.", "claude-cli", "claude-opus-4-6"),
    )
    assert (answer.family, answer.fallback_used) == ("anthropic", False)
    assert answer.usage.input_tokens == 103 and answer.usage.output_tokens == 9
    assert answer.usage.cached_tokens == 60 and answer.usage.cache_write_tokens == 40
    assert answer.counted_cost_usd == 0.0421
    (attempt,) = it.book.attempts
    assert attempt.is_local  # what `RecordedCalls` counts as 0


def test_the_program_gets_no_key_and_an_empty_folder(model_worker: ModelWorker, tmp_path: Path):
    with drafting(model_worker, tmp_path, {"prints": result()}) as it:
        it.ask()
        (call,) = it.claude.calls
    assert "sk-planted" not in str(call)
    assert not [name for name in call["environ"] if name.startswith(("CAIRN", "ANTHROPIC"))]
    assert call["files"] == [] and not Path(call["folder"]).exists()


def test_a_call_leaves_the_files_of_the_machine_as_they_were(
    model_worker: ModelWorker, tmp_path: Path
):
    def look() -> dict[str, bytes]:
        folders = (tmp_path, model_worker.settings.home)
        return {
            str(path): path.read_bytes()
            for folder in folders
            for path in folder.rglob("*")
            if path.is_file() and path.name != "calls.jsonl" and path.suffix != ".log"
        }

    step = {"writes": ["notes.txt", ".hidden"], "prints": result()}
    with drafting(model_worker, tmp_path, step) as it:
        before = look()
        assert it.ask().provider == "claude-cli"
        after = look()
        (call,) = it.claude.calls
    assert before == after
    assert not Path(call["folder"]).exists()


@pytest.mark.parametrize(
    ("step", "attempts", "reason"),
    [
        ({"hangs": True, "forks": True}, 2, "idle"),
        (error("API Error: 529 Overloaded"), 2, "overloaded"),
        (error("Claude AI usage limit reached|1764450000"), 2, "rate_limited"),
        (error("API Error: Connection error."), 2, "provider_error"),
        ({"prints": "<html><body>Sign in</body></html>"}, 2, "bad_body"),
        ({"prints": result()[:200]}, 2, "bad_body"),
        ({"prints": ""}, 2, "bad_body"),
        ({"prints": "[" * 100_000}, 2, "bad_body"),
        ({"prints": result(None)}, 1, "program_failed"),
        (error("Invalid API key · Please run /login"), 1, "program_failed"),
        ({"errors": "unknown option '--tools'\n", "code": 1}, 1, "program_failed"),
    ],
)
def test_the_api_stands_in_for_a_program_that_fails(
    model_worker: ModelWorker, tmp_path: Path, step: dict[str, Any], attempts: int, reason: str
):
    idle_s = 2.0 if reason == "idle" else 60.0
    with drafting(model_worker, tmp_path, step, idle_s=idle_s) as it:
        answer = it.ask()
        assert len(it.claude.calls) == attempts
        assert (answer.text, answer.provider) == ("Blue, by the API.", "anthropic")
        assert answer.fallback_used and answer.attempts == attempts + 1
        last = it.book.attempts[-1]
        assert (last.fallback_from, last.fallback_reason) == ("claude-cli/claude-opus-4-6", reason)
        if step.get("forks"):
            assert start_time_of(it.claude.child) is None


def test_a_program_that_is_not_there_is_no_reason_to_wait(
    model_worker: ModelWorker, tmp_path: Path
):
    with drafting(model_worker, tmp_path, {}) as it:
        Path(it.claude.program).unlink()
        answer = it.ask()
    assert answer.fallback_used and it.book.attempts[-1].fallback_reason == "connection"


def test_a_second_try_may_go_well(model_worker: ModelWorker, tmp_path: Path):
    steps = (error("API Error: 529 Overloaded"), {"prints": result()})
    with drafting(model_worker, tmp_path, *steps) as it:
        answer = it.ask()
    assert (answer.provider, answer.attempts, answer.fallback_used) == ("claude-cli", 2, False)


def test_what_takes_too_long_in_all_is_paid_by_nobody_again(
    model_worker: ModelWorker, tmp_path: Path
):
    step = {"tokens": 600, "every_s": 0.1}
    with drafting(model_worker, tmp_path, step, ceiling_s=1.5) as it:
        with pytest.raises(AllProvidersFailed, match="took longer than 1.5 s"):
            it.ask()
        assert len(it.claude.calls) == 1 and it.api.requests == []


def test_a_program_that_prints_tokens_is_alive(model_worker: ModelWorker, tmp_path: Path):
    """60 tokens take 6 s, with an idle limit of 5 s."""
    step = {"tokens": 60, "every_s": 0.1, "prints": result()}
    with drafting(model_worker, tmp_path, step, idle_s=5.0) as it:
        assert it.ask().provider == "claude-cli"


def test_a_line_of_five_megabytes_is_an_answer(model_worker: ModelWorker, tmp_path: Path):
    with drafting(model_worker, tmp_path, {"prints": result("x" * 5_000_000)}) as it:
        assert len(it.ask().text) == 5_000_000


def test_a_fenced_answer_satisfies_its_schema(model_worker: ModelWorker, tmp_path: Path):
    text = 'Here it is:\n```json\n{"color": "blue"}\n```'
    with drafting(model_worker, tmp_path, {"prints": result(text)}) as it:
        assert it.ask(answer_schema=COLOR).data == {"color": "blue"}
        (call,) = it.claude.calls
    assert '"enum": ["blue", "red"]' in call["given"]


def test_a_cut_answer_is_no_answer(model_worker: ModelWorker, tmp_path: Path):
    step = {"prints": result('{"color": "bl', stop_reason="max_tokens")}
    with drafting(model_worker, tmp_path, step) as it, pytest.raises(AnswerCut):
        it.ask(answer_schema=COLOR)


@pytest.mark.parametrize(
    "usage",
    [
        USAGE | {"output_tokens": 10**9},
        USAGE | {"input_tokens": -5, "output_tokens": 3},
        {"input_tokens": "many"},
        "none",
    ],
)
def test_counts_that_cannot_be_true_are_estimated(
    model_worker: ModelWorker, tmp_path: Path, usage: Any
):
    with drafting(model_worker, tmp_path, {"prints": result(usage=usage)}) as it:
        answer = it.ask()
    assert answer.usage.estimated and 0 < answer.usage.output_tokens < 100
