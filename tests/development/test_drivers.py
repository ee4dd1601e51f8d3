"""One contract for all drivers: the same prompts, events, sessions, retries and costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, aclosing
from pathlib import Path
from typing import Any

import psutil
import pytest

from agents.development.drivers.failures import DriverFailed
from agents.development.errors import DriverError
from agents.development.ports import Reply, StreamEvent
from schemas.ids import derive_id
from tests.development.drivers import NOW, Bench, in_loop, make_bench
from tests.development.stand_ins.words import HUGE

Make = Callable[..., Bench]
PROGRAMS = ("claude", "codex")


@pytest.fixture(params=["api", *PROGRAMS])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make(name: str, tmp_path: Path) -> Iterator[Make]:
    with ExitStack() as stack:
        yield lambda *script, **given: make_bench(stack, tmp_path, name, *script, **given)


@in_loop
async def test_a_prompt_has_a_reply_with_its_session_and_costs(make: Make, name: str) -> None:
    bench = make("good")
    reply = await bench.driver.prompt("Say hello", "Be brief")
    assert reply.text == "Done after 0 earlier prompts: none"
    assert reply.session_id
    assert (reply.spent.input_tokens, reply.spent.output_tokens) == (100, 25)
    assert reply.spent.cost_usd and not reply.spent.is_estimated
    assert bench.driver.name == name


@in_loop
async def test_a_prompt_without_tools_gives_the_model_none(make: Make, name: str) -> None:
    bench = make("good")
    await bench.driver.prompt("Say hello")
    (call,) = bench.list_calls()
    if name == "api":
        assert "tools" not in call["body"]
    elif name == "claude":
        assert call["argv"][-1] == "--tools" or "--tools" in call["argv"]
        assert "acceptEdits" not in call["argv"]
    else:
        assert "--sandbox=read-only" in call["argv"]


@in_loop
async def test_work_is_told_in_the_same_events_by_every_driver(make: Make) -> None:
    events, reply = await make("good").run("Tidy up", system_prompt="Be brief")
    assert [(event.type, event.content.partition(" {")[0]) for event in events][:2] == [
        ("CLAUDE_THINKING", "I look at the files."),
        ("CLAUDE_THINKING", "First the files."),
    ]
    shape = [(event.type, event.tool_input is not None) for event in events[2:]]
    assert shape == [
        ("CLAUDE_TOOL_CALL", True),
        ("CLAUDE_TOOL_RESULT", False),
        ("AGENT_OUTPUT", False),
    ]
    assert events[2].tool_name and events[3].content == "README.md"
    assert events[-1].content == reply.text


@in_loop
async def test_an_event_has_eight_fields_and_an_id_that_follows_from_its_number(make: Make) -> None:
    events, _ = await make("good").run("Tidy up")
    for number, event in enumerate(events, 1):
        assert set(event.model_dump()) == {
            *("id", "type", "content", "timestamp", "agent", "workflow_id"),
            *("tool_name", "tool_input"),
        }
        assert event.id == derive_id("sev", "wfl_1", "developer", number)
        assert (event.timestamp, event.agent, event.workflow_id) == (NOW, "developer", "wfl_1")


@in_loop
async def test_a_run_that_is_taken_up_again_goes_on_with_the_next_number(make: Make) -> None:
    events, _ = await make("good", first_number=6).run("Tidy up")
    assert events[0].id == derive_id("sev", "wfl_1", "developer", 6)


@in_loop
async def test_a_session_knows_what_was_asked_before(make: Make) -> None:
    bench = make("good")
    first = await bench.driver.prompt("One", "Be brief")
    _, second = await bench.run("Two", session_id=first.session_id)
    assert second.session_id == first.session_id
    assert second.text.startswith("Done after 1 earlier prompts:") and "One" in second.text
    third = await bench.driver.prompt("Three")
    assert third.text == "Done after 0 earlier prompts: none"
    assert third.session_id != first.session_id
    assert second.spent.input_tokens <= 200  # its own, not those of the session


@pytest.mark.parametrize("session", ["0199a213-81c0-7800-8aa1-bbab2a035a53", "--help", "a b", ""])
@in_loop
async def test_a_session_that_is_not_there_is_refused(make: Make, session: str) -> None:
    bench = make("good")
    with pytest.raises(DriverFailed, match="session|conversation") as raised:
        await bench.driver.prompt("One", session_id=session)
    assert raised.value.failure == "permanent" and not bench.waits


@in_loop
async def test_a_transient_failure_is_retried_after_waits_that_double(make: Make) -> None:
    bench = make("overloaded", "overloaded", "overloaded", "good", chance=0.0)
    events, reply = await bench.run("Tidy up")
    assert bench.waits == [0.5, 1.0, 2.0]
    assert reply.text.startswith("Done after")
    assert "(transient)" in events[0].content and "Retry 1 of 3" in events[0].content


@in_loop
async def test_waits_are_spread_by_chance(make: Make) -> None:
    bench = make("overloaded", "overloaded", "good", chance=0.5)
    await bench.driver.prompt("Say hello")
    assert bench.waits == [0.75, 1.5]


@in_loop
async def test_after_the_last_retry_the_failure_is_told_by_its_class(make: Make) -> None:
    bench = make("overloaded")
    with pytest.raises(DriverError) as raised:
        await bench.run("Tidy up")
    assert (raised.value.kind, raised.value.is_retriable) == ("driver", True)
    assert raised.value.failure == "transient"  # type: ignore[attr-defined]
    assert len(bench.list_calls()) == 4


@in_loop
async def test_a_permanent_failure_is_not_retried(make: Make) -> None:
    bench = make("signed_out", "good")
    with pytest.raises(DriverFailed) as raised:
        await bench.run("Tidy up")
    assert (raised.value.failure, raised.value.is_retriable) == ("permanent", False)
    assert len(bench.list_calls()) == 1 and not bench.waits


@in_loop
async def test_silence_is_retried_once(make: Make) -> None:
    bench = make("silent", idle_s=1.0)
    with pytest.raises(DriverFailed) as raised:
        await bench.driver.prompt("Say hello")
    assert raised.value.failure == "idle"
    assert len(bench.list_calls()) == 2


@in_loop
async def test_half_a_stream_is_no_answer_and_is_paid(make: Make, name: str) -> None:
    bench = make("cut", "good")
    _, reply = await bench.run("Tidy up")
    assert reply.text.startswith("Done after")
    assert reply.spent.is_estimated and reply.spent.input_tokens > 100
    assert len(bench.waits) == 1


@in_loop
async def test_a_failure_says_what_it_has_cost(make: Make) -> None:
    bench = make("cut")
    with pytest.raises(DriverFailed) as raised:
        await bench.run("Tidy up")
    assert raised.value.spent.is_estimated and raised.value.spent.input_tokens > 0


@in_loop
async def test_who_goes_away_leaves_a_count_of_what_was_spent(make: Make) -> None:
    bench = make("good")
    async with aclosing(bench.driver.prompt_agentic("Tidy up")) as parts:
        async for part in parts:
            if isinstance(part, StreamEvent) and part.type == "CLAUDE_TOOL_CALL":
                break
    assert bench.driver.spent.input_tokens > 0  # type: ignore[attr-defined]


@in_loop
async def test_five_megabytes_at_once_are_read_and_shown_in_part(make: Make) -> None:
    events, reply = await make("huge").run("Tidy up")
    assert len(reply.text) == HUGE
    assert len(events[-1].content) < 31_000 and "more characters" in events[-1].content


@pytest.mark.parametrize("name", PROGRAMS)
@in_loop
async def test_lines_that_nobody_can_read_are_passed_over(make: Make) -> None:
    events, reply = await make("garbage").run("Tidy up")
    assert reply.text.startswith("Done after")
    for event in events:
        event.model_dump_json().encode()


@pytest.mark.parametrize("name", PROGRAMS)
@in_loop
async def test_a_program_that_has_printed_its_result_has_answered(make: Make) -> None:
    bench = make("code_1")
    _, reply = await bench.run("Tidy up")
    assert reply.text.startswith("Done after") and not bench.waits


@pytest.mark.parametrize("name", PROGRAMS)
@in_loop
async def test_a_result_that_is_an_error_fails(make: Make) -> None:
    with pytest.raises(DriverFailed, match="the tool crashed"):
        await make("error_result").run("Tidy up")


@pytest.mark.parametrize("name", PROGRAMS)
@in_loop
async def test_work_that_had_begun_goes_on_in_its_session(make: Make, name: str) -> None:
    bench = make("cut_at_work", "good")
    _, reply = await bench.run("Tidy up")
    first, second = bench.list_calls()
    assert "Tidy up" in first["given"] and "Go on with the task" in second["given"]
    assert any(reply.session_id in option for option in second["argv"])
    assert "Tidy up" in reply.text


@pytest.mark.parametrize("name", PROGRAMS)
@in_loop
async def test_a_program_that_prints_is_alive(make: Make) -> None:
    _, reply = await make("drip", idle_s=5.0).run("Tidy up")
    assert reply.text.startswith("Done after")


@pytest.mark.parametrize("name", PROGRAMS)
@in_loop
async def test_a_program_ends_with_all_that_it_has_started(make: Make, tmp_path: Path) -> None:
    bench = make("grandchildren", "good", idle_s=4.0)
    reply = await bench.driver.prompt("Say hello")
    assert reply.text.startswith("Done")
    assert not psutil.pid_exists(int((tmp_path / "grandchild").read_text()))


@pytest.mark.parametrize("name", PROGRAMS)
@in_loop
async def test_a_program_that_is_not_installed_says_so(
    make: Make, tmp_path: Path, name: str
) -> None:
    bench = make("good")
    (tmp_path / name).unlink()
    with pytest.raises(DriverFailed, match=name) as raised:
        await bench.driver.prompt("Say hello")
    assert raised.value.failure == "permanent"


@in_loop
async def test_a_reply_is_always_last(make: Make) -> None:
    parts: list[Any] = [part async for part in make("good").driver.prompt_agentic("Tidy up")]
    assert [isinstance(part, Reply) for part in parts] == [False] * (len(parts) - 1) + [True]
