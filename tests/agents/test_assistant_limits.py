"""What keeps the assistant within bounds, and lets honest work go on: the loop guard, roles, what
is taken back after a crash, and what a question does not show.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from agents.models.call import StreamPart
from agents.models.errors import AllProvidersFailed
from agents.project.answer_stream import AnswerStream
from agents.runs.confirmations import confirmation_of
from agents.runs.effects import EffectKey
from agents.runs.loop_guard import LoopGuard
from infra.service.runs.driving import Paused
from schemas.events.stream import StreamFrame
from tests.agents.assistants import World, answer, calls
from tests.agents.talks import Killed, Topic, in_loop
from tests.agents.test_assistants import HANDED, mail_world, says
from tests.agents.turns import OverHttp, Recorded
from tests.models.provider import Step, scripted_provider

DONE = [answer("All is done."), answer("All is done."), {"follow_up_actions": []}]
LOOPS = "The same calls came again and again"


def numbered(tool: str, *numbers: int) -> list[tuple[str, dict[str, Any]]]:
    return [(tool, {"subject": str(number)}) for number in numbers]


@in_loop
async def test_calls_that_were_put_off_are_made_in_the_next_reply():
    world = mail_world()
    wanted = numbered("list_mail", *range(18))
    script: list[Step] = [HANDED[0], calls(*wanted), calls(*wanted[10:]), *DONE]
    with scripted_provider(script) as provider:
        done = await world.attempt("Read my mail", OverHttp(provider.base_url))
    assert says(done) == "All is done."
    assert LOOPS not in str([request.text for request in provider.requests])
    assert sorted(world.outside.calls) == sorted((name, args["subject"]) for name, args in wanted)


@in_loop
async def test_a_person_may_decline_as_often_as_they_like():
    world = mail_world()
    first, second = (numbered("delete_mail", *range(at, at + 5)) for at in (0, 5))
    script: list[Step] = [HANDED[0], calls(*first), calls(*second), *DONE]
    with scripted_provider(script) as provider:
        model = OverHttp(provider.base_url)
        done = await world.attempt("Tidy up", model)
        for number in range(2):
            assert isinstance(done, Paused)
            for one in done.confirmations:
                await world.decide(one.confirmation_id, "reject")
            done = await world.attempt("Tidy up", model, attempt=f"after {number}")
    assert says(done) == "All is done."
    assert LOOPS not in str([request.text for request in provider.requests])
    assert world.outside.calls == []


@in_loop
async def test_who_asks_again_and_again_for_what_was_declined_is_ended():
    world = mail_world()
    script: list[Step] = [HANDED[0], *[calls(*numbered("delete_mail", 1))] * 6, *DONE[1:]]
    with scripted_provider(script) as provider:
        model = OverHttp(provider.base_url)
        paused = await world.attempt("Tidy up", model)
        assert isinstance(paused, Paused)
        await world.decide(paused.confirmations[0].confirmation_id, "reject")
        done = await world.attempt("Tidy up", model, attempt="2")
    assert says(done) == "All is done."
    assert LOOPS in provider.requests[-2].text
    assert world.topic.types.count("confirmation_requested") == 1


@pytest.mark.parametrize(
    ("error", "times", "ends"),
    [
        (None, 4, False),
        (None, 5, True),
        ("declined", 50, False),
        ("too_many_calls", 50, False),
        ("declined_before", 5, True),
        ("", 5, True),
    ],
)
def test_a_call_that_was_made_counts(error: str | None, times: int, ends: bool):
    guard = LoopGuard()
    for _ in range(times):
        guard.take("look", "look", error)
    assert guard.ends() == ends


def tokens_of(topic: Topic) -> list[Any]:
    """The frames with pieces of an answer, each once, in their order."""
    frames = {
        fact.event_id: fact.event for fact in topic.facts if isinstance(fact.event, StreamFrame)
    }
    return [json.loads(one.data) for one in frames.values() if one.name == "token"]


@in_loop
async def test_pieces_that_were_told_before_a_crash_are_taken_back_by_the_answer_that_follows():
    look = calls(("search_memory", {"query": "day"}))
    first, second = answer("It is Monday. Or so."), answer("It is Tuesday. Sure.")
    whole = World()
    with scripted_provider([look, first, DONE[2]]) as provider:
        await whole.attempt("Which day is it?", OverHttp(provider.base_url))
    names = [getattr(fact.event, "name", "") for fact in whole.topic.facts]
    world = World(topic=Topic(room=names.index("token") + 1))
    with scripted_provider([look, first, second, DONE[2]]) as provider:
        model = OverHttp(provider.base_url)
        with pytest.raises(Killed):
            await world.attempt("Which day is it?", model)
        world.topic.room = None
        done = await world.attempt("Which day is it?", model, attempt="2")
    assert says(done) == "It is Tuesday. Sure."
    assert tokens_of(world.topic) == [
        {"text": "It is Monday."},
        {"text": "", "retracted": True},
        {"text": "It is Tuesday."},
    ]


@in_loop
async def test_pieces_of_an_answer_that_breaks_off_are_taken_back():
    async def break_off() -> AsyncGenerator[StreamPart, None]:
        yield '{"answer": "It is Monday. Or'
        raise AllProvidersFailed("Nobody answers.")

    effects = Recorded()
    with pytest.raises(AllProvidersFailed):
        await AnswerStream(effects).listen(break_off())
    assert effects.frames == [
        ("token", {"text": "It is Monday."}),
        ("token", {"text": "", "retracted": True}),
    ]


@in_loop
async def test_a_role_is_told_of_the_tools_alone_that_it_may_call():
    def world_of_members() -> World:
        world = mail_world()
        world.tools += [
            world.outside.tool("send_mail", role="member"),
            world.outside.tool("list_events", space="calendar", role="member"),
        ]
        return world

    def script() -> list[Step]:
        return [
            HANDED[0],
            calls(("retrieve_tools", {"query": "send mail and list events"})),
            calls(("handoff", {"provider": "mail", "task": "Send it"})),
            calls(("send_mail", {"subject": "x"})),
            *DONE[:1],
            *DONE,
        ]

    with scripted_provider(script()) as provider:
        world = world_of_members()
        await world.attempt("Send the mail", OverHttp(provider.base_url), role="viewer")
    for asked in provider.requests:
        assert "- send_mail(" not in asked.text and "- list_events(" not in asked.text
    assert "- calendar:" not in provider.requests[1].text
    assert "- mail:" in provider.requests[1].text  # of which it may read
    assert "may not use send_mail" in provider.requests[4].text
    assert world.outside.calls == []

    with scripted_provider(script()) as provider:
        world = world_of_members()
        await world.attempt("Send the mail", OverHttp(provider.base_url), role="member")
    assert "- send_mail(" in provider.requests[2].text
    assert "- send_mail(" in provider.requests[3].text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("password", "hunter2"),
        ("newPassword", "hunter2"),
        ("api_key", "hunter2"),
        ("apiKey", "hunter2"),
        ("access-token", "hunter2"),
        ("client_secret", "hunter2"),
        ("credentials", {"user": "ana", "pass": "hunter2"}),
        ("account", {"name": "ana", "login": [{"secret": "hunter2"}]}),
        ("tokens", ["hunter2"]),
        ("keys", ["SHOP-12", "hunter2hunter2hunter2"]),
        ("key", "hunter2hunter2hunter2"),
        ("secret", 2),
    ],
)
def test_a_question_does_not_show_what_its_name_calls_secret(name: str, value: Any):
    asked = _ask({"title": "Door", name: value})
    assert "hunter2" not in asked and f"{name} " in asked and "'Door'" in asked
    assert "(not shown)" in asked


@pytest.mark.parametrize(
    "arguments",
    [
        {"key": "SHOP-12"},
        {"issue_key": "SHOP-12"},
        {"keyboard": "hunter2hunter2hunter2"},
        {"text": "the password is in the safe"},
        {"compass": "north"},
        {"keys": "the keys of the door, all of them"},
        {"token": ""},
        {"is_secret": True},
    ],
)
def test_a_question_shows_all_else(arguments: dict[str, Any]):
    ((name, value),) = arguments.items()
    assert _ask(arguments) == f"Open door: {name} {value!r}."


def _ask(arguments: dict[str, Any]) -> str:
    key = EffectKey("trn_1", "comms", 1, 1, "x")
    confirmation = confirmation_of(key, "open_door", arguments)
    assert confirmation.arguments == arguments  # which is what will be done
    return confirmation.summary
