"""A conversation is stopped: nothing more is asked or called in it, and each turn says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from infra.runtime.local.process import wait_until
from tests.http.conftest import Called
from tests.http.console import CONSOLE, Browser
from tests.http.test_chat import decide, done, find_task, frames_until_end, say, waiting_in
from tests.http.test_turns import events_of
from tests.models.provider import Hang, Request, ScriptedProvider, scripted_provider, write_models

pytestmark = pytest.mark.broker
CALLED = "list_tasks returned"
QUESTION, LATER = "Which sacks of flour are there?", "Are there any at all?"


def call_without_end(request: Request) -> Any:
    """A model that looks at the tasks again and again, and does not answer the third time."""
    if "next_agent" in request.messages[0]["content"]:
        return {"next_agent": "assistant", "message_to_agent": "Look.", "thought": "A question."}
    looked = request.text.count(CALLED)
    if QUESTION not in request.text or LATER in request.text:
        return {"answer": "There are some.", "citations": []}
    if looked == 2:
        return Hang()
    return {"tool": "list_tasks", "args": {"limit": looked + 1}}


@pytest.fixture
def endless(owner: httpx.Client, called: Called) -> Iterator[ScriptedProvider]:
    models = called.cairn.settings.models_file
    with scripted_provider(call_without_end) as provider:
        write_models(models, openai=provider)
        try:
            engine = "rules"
            while engine != "model":  # its worker starts a moment later
                engine = say(owner, called.other, "Which crates are there?")["answer"]["engine"]
            yield provider
        finally:
            models.unlink()


def stop(client: httpx.Client, project: str, turn: Any) -> httpx.Response:
    path = f"/v1/projects/{project}/conversations/{turn['conversation_id']}/stop"
    return client.post(path)


def write(owner: httpx.Client, project: str, message: str, conversation: str | None = None) -> Any:
    body = {"message": message, "conversation_id": conversation, "wait": False}
    return done(owner.post(f"/v1/projects/{project}/chat", json=body))


def count_calls(provider: ScriptedProvider) -> int:
    """Requests of a model in a turn that has called a tool."""
    return sum(CALLED in request.text for request in provider.requests)


def test_a_stop_in_the_middle_of_a_turn_ends_it_and_what_is_queued_behind_it(
    owner: httpx.Client, called: Called, endless: ScriptedProvider
):
    turn = write(owner, called.other, QUESTION)
    behind = write(owner, called.other, QUESTION, turn["conversation_id"])
    assert wait_until(lambda: count_calls(endless) == 2, timeout_s=60)

    stopped = done(stop(owner, called.other, turn))

    assert stopped["turns"] == [turn["turn_id"], behind["turn_id"]]
    for each in (turn, behind):
        name, told = frames_until_end(owner, each["turn_id"])[-1]
        assert (name, told["code"]) == ("error", "turn_cancelled")
        assert "may or may not" not in told["message"]
    assert wait_until(lambda: len(endless.abandoned) == 1, timeout_s=30)
    types = [one["event_type"] for one in events_of(owner, called.other, turn["turn_id"])]
    assert types.count("agent.tool_called") == types.count("agent.tool_returned") == 3
    assert types[-1] == "agent.responded"
    types = [one["event_type"] for one in events_of(owner, called.other, behind["turn_id"])]
    assert types == ["agent.request_received", "agent.responded"]

    again = write(owner, called.other, LATER, turn["conversation_id"])
    name, told = frames_until_end(owner, again["turn_id"])[-1]
    assert (name, told["text"].startswith("There are some.")) == ("done", True), told
    assert count_calls(endless) == 2
    assert done(stop(owner, called.other, turn))["turns"] == []


def test_calls_that_wait_are_declined_and_their_turn_ends(owner: httpx.Client, called: Called):
    project, title = called.project, "Stack the flour"
    say(owner, project, f"create a task: {title}")
    turn = say(owner, project, f"delete «{title}»")
    assert turn["status"] == "waiting"
    with called.client(called.make_token("viewer", project)) as viewer:
        assert done(stop(viewer, project, turn))["turns"] == []
    assert len(waiting_in(owner, project, turn)) == 1

    with called.client(called.make_token("member", project)) as member:
        assert done(stop(member, project, turn))["turns"] == [turn["turn_id"]]

    name, told = frames_until_end(owner, turn["turn_id"])[-1]
    assert (name, told["code"]) == ("error", "turn_cancelled")
    path = f"/v1/projects/{project}/conversations/{turn['conversation_id']}"
    whole = done(owner.get(path))
    assert whole["waiting"] == []
    (decided,) = whole["decided"]
    assert (decided["decision"], decided["given_by"]) == ("reject", "a member")
    assert decided["reason"] == "the conversation was stopped"
    assert decide(owner, project, turn, "approve").status_code == 409
    assert find_task(owner, project, title)
    elsewhere = stop(owner, called.other, turn)
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (404, "unknown_conversation")


def test_the_console_and_the_command_line_stop_too(
    owner: httpx.Client, called: Called, endless: ScriptedProvider
):
    with Browser(called) as browser:
        home = f"{CONSOLE}/projects/{called.other}/chat"
        page = browser.send(home, home, message=QUESTION)
        assert wait_until(lambda: count_calls(endless) == 2, timeout_s=60)
        assert browser.send(str(page.url), f"{page.url.path}/stop").status_code == 200
        turn = page.url.params["turn"]
    assert frames_until_end(owner, turn)[-1][1]["code"] == "turn_cancelled"

    turn = write(owner, called.other, QUESTION)
    assert wait_until(lambda: count_calls(endless) == 4, timeout_s=60)
    at = (turn["conversation_id"], "--project", called.other)
    (told,) = called.cairn.run("agents", "stop", *at, "--json").splitlines()
    assert turn["turn_id"] in told
    assert frames_until_end(owner, turn["turn_id"])[-1][1]["code"] == "turn_cancelled"
