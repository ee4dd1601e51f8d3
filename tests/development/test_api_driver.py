"""The loop of the `api` driver: calls in every form that servers give them, and its ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from agents.development.drivers.api import ApiSettings
from agents.development.drivers.failures import DriverFailed
from tests.development.drivers import Bench, in_loop, make_bench
from tests.development.stand_ins.chat_server import PROBLEMS

Make = Callable[..., Bench]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    with ExitStack() as stack:
        yield lambda *script, **given: make_bench(stack, tmp_path, "api", *script, **given)


def sent_messages(bench: Bench) -> list[dict[str, Any]]:
    """The messages of the last request; each call in them has exactly one result."""
    messages: list[dict[str, Any]] = bench.list_calls()[-1]["body"]["messages"]
    calls = [call["id"] for it in messages for call in it.get("tool_calls", ())]
    assert calls == [it["tool_call_id"] for it in messages if it["role"] == "tool"]
    assert len(set(calls)) == len(calls)
    return messages


@pytest.mark.parametrize(
    ("behaviour", "paths"),
    [
        ("good", ["."]),
        ("parallel", [".", "src"]),
        ("same_ids", [".", "src"]),
        ("no_ids", ["."]),
        ("twice_encoded", ["."]),
    ],
)
@in_loop
async def test_calls_are_made_in_whatever_form_they_come(
    make: Make, behaviour: str, paths: list[str]
) -> None:
    bench = make(behaviour)
    events, _ = await bench.run("Tidy up")
    assert [it["path"] for it in bench.toolbox.calls] == paths
    results = [it["content"] for it in sent_messages(bench) if it["role"] == "tool"]
    assert results == ["README.md"] * len(paths)
    assert [event.type for event in events].count("CLAUDE_TOOL_RESULT") == len(paths)


@pytest.mark.parametrize(
    ("behaviour", "result"),
    [
        ("bad_arguments", "Error: The arguments of list_files are not a JSON object"),
        ("unknown_tool", "Error: There is no tool 'launch_rocket'. There are: list_files."),
    ],
)
@in_loop
async def test_a_call_that_cannot_be_made_is_answered_and_the_model_goes_on(
    make: Make, behaviour: str, result: str
) -> None:
    bench = make(behaviour)
    events, reply = await bench.run("Tidy up")
    assert not bench.toolbox.calls
    assert sent_messages(bench)[-1]["content"].startswith(result)
    assert reply.text == events[-1].content != ""


@in_loop
async def test_a_model_that_never_ends_is_ended_and_not_paid_again(make: Make) -> None:
    bench = make("endless", max_rounds=4)
    with pytest.raises(DriverFailed, match="4 rounds") as raised:
        await bench.run("Tidy up")
    assert (raised.value.failure, raised.value.is_retriable) == ("ceiling", False)
    assert len(bench.list_calls()) == 4 and not bench.waits
    assert raised.value.spent.input_tokens == 400
    sent_messages(bench)


@in_loop
async def test_a_model_that_repeats_a_failing_call_is_warned_and_then_ended(make: Make) -> None:
    bench = make("stubborn")
    with pytest.raises(DriverFailed, match="repeats calls") as raised:
        await bench.run("Tidy up")
    assert raised.value.failure == "ceiling"
    assert len(bench.list_calls()) == 5
    assert "You have made this call 3 times" in sent_messages(bench)[-3]["content"]


@in_loop
async def test_a_loop_that_was_ended_can_be_gone_on_with(make: Make) -> None:
    bench = make("endless", "good", max_rounds=2)
    with pytest.raises(DriverFailed) as raised:
        await bench.run("Tidy up")
    reply = await bench.driver.prompt("Answer now", session_id=raised.value.session_id)
    assert "Tidy up" in reply.text
    sent_messages(bench)


@in_loop
async def test_a_wait_that_the_server_asks_for_is_kept(make: Make) -> None:
    bench = make("rate_limited", "good")
    await bench.driver.prompt("Say hello")
    assert bench.waits == [7.0]


@pytest.mark.parametrize(
    ("behaviour", "failure"),
    [("long_wait", "transient"), ("refusal", "permanent"), ("too_long", "permanent")],
)
@in_loop
async def test_what_a_retry_cannot_change_is_not_retried(
    make: Make, behaviour: str, failure: str
) -> None:
    bench = make(behaviour, "good")
    with pytest.raises(DriverFailed) as raised:
        await bench.driver.prompt("Say hello")
    assert raised.value.failure == failure
    assert len(bench.list_calls()) == 1 and not bench.waits


@pytest.mark.parametrize("behaviour", ["broken", "empty", "error_inside", "garbage_body"])
@in_loop
async def test_an_answer_that_is_none_is_asked_for_again(make: Make, behaviour: str) -> None:
    bench = make(behaviour, "good")
    reply = await bench.driver.prompt("Say hello")
    assert reply.text.startswith("Done") and len(bench.waits) == 1


@in_loop
async def test_counts_that_cannot_be_true_are_replaced_and_said_to_be_estimates(make: Make) -> None:
    reply = await make("miscounts").driver.prompt("Say hello")
    assert reply.spent.is_estimated and reply.spent.input_tokens > 0
    assert reply.spent.cost_usd


@in_loop
async def test_a_refusing_server_costs_nothing(make: Make) -> None:
    with pytest.raises(DriverFailed) as raised:
        await make("signed_out").driver.prompt("Say hello")
    assert raised.value.spent.input_tokens == 0
    assert PROBLEMS["signed_out"][0] == 401


@in_loop
async def test_a_server_that_is_away_is_asked_again_and_then_told(make: Make) -> None:
    bench = make("good", base_url="http://127.0.0.1:1/v1")
    with pytest.raises(DriverFailed, match="does not answer") as raised:
        await bench.driver.prompt("Say hello")
    assert raised.value.failure == "transient" and len(bench.waits) == 3


def test_settings_do_not_show_their_key() -> None:
    assert "sk-secret" not in repr(ApiSettings("m", "sk-secret"))
