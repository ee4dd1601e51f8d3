"""A call to an outside service that knows of no idempotency key is made at most once."""

from __future__ import annotations

import pytest

from agents.project.turn import Steps
from agents.runs.numbering import RunEffects
from agents.tools.tool import Tool, ToolArguments, ToolContext, ToolResult
from schemas.events.agent import ToolCalled, ToolReturned
from tests.agents.talks import PLACE, Killed, Topic, in_loop
from tests.agents.turns import a_turn


class Letter(ToolArguments):
    """``to``: who gets it."""

    to: str


class Post:
    """Sends each letter that it is given, also one that it was given before."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def tool(self, *, once: bool) -> Tool:
        async def send(context: ToolContext, letter: Letter) -> ToolResult:
            self.sent.append(letter.to)
            return ToolResult(f"Sent to {letter.to}.", {})

        return Tool("send_letter", "Sends a letter.", Letter, send, mutating=True, once=once)


async def send(topic: Topic, post: Post, attempt: str, *, once: bool = True) -> ToolResult:
    steps = Steps(a_turn("Write to Bo", project_id=PLACE.project_id), topic.open_log(attempt))
    await steps.read_clock()
    return await steps.call(post.tool(once=once), {"to": "bo"})


@in_loop
async def test_a_call_that_is_made_once_is_never_made_again_wherever_it_was_broken_off():
    whole = Topic()
    quiet = await send(whole, Post(), "1")
    assert (quiet.text, quiet.is_error) == ("Sent to bo.", False)
    counts = []
    for room in range(len(whole.facts)):
        topic, post = Topic(room=room), Post()
        with pytest.raises(Killed):
            await send(topic, post, "1")
        was_called = any(isinstance(event, ToolCalled) for event in topic.events)
        was_sent = bool(post.sent)
        topic.room = None

        result = await send(topic, post, "2")
        again = await send(topic, post, "3")

        counts.append(len(post.sent))
        assert len(post.sent) == (0 if was_called and not was_sent else 1), room
        assert topic.types == whole.types, room
        assert again == result
        if was_called and not any(
            isinstance(fact.event, ToolReturned) for fact in topic.facts[:room]
        ):
            assert result.is_error
            assert "may or may not have happened. Look whether it has" in result.text
    assert sorted(set(counts)) == [0, 1]


@in_loop
async def test_any_other_call_is_made_again_under_its_key():
    topic, post = Topic(), Post()
    await send(topic, post, "1", once=False)
    room = next(n for n, it in enumerate(topic.facts) if isinstance(it.event, ToolReturned))
    cut, post = Topic(room=room), Post()
    with pytest.raises(Killed):
        await send(cut, post, "1", once=False)
    cut.room = None
    result = await send(cut, post, "2", once=False)
    assert (post.sent, result.is_error) == (["bo", "bo"], False)


@in_loop
async def test_the_record_of_a_call_is_the_same_whether_it_is_made_once_or_not():
    positions = []
    for once in (True, False):
        topic = Topic()
        await send(topic, Post(), "1", once=once)
        positions.append(
            [event.position for event in topic.events if isinstance(event, ToolCalled)]
        )
    assert positions[0] == positions[1]


@in_loop
async def test_effects_by_number_know_of_calls_that_are_made_once():
    topic, sent = Topic(), []

    async def post(key: str) -> dict[str, str]:
        sent.append(key)
        raise Killed

    for attempt in ("1", "2"):
        effects = RunEffects(topic.open_log(attempt), PLACE.turn_id, "prj_1", "carrier", 1)
        try:
            answer = await effects.call("send_letter", {"to": "bo"}, post, once=True)
        except Killed:
            continue
    assert (len(sent), answer["is_error"], answer["code"]) == (1, True, "outcome_unknown")
