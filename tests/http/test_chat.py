"""Talk with the agents over HTTP, without any model: answered, streamed, queued, read again."""

from __future__ import annotations

import json
import secrets
from typing import Any

import httpx
import pytest

from tests.http.conftest import Called

pytestmark = pytest.mark.broker


@pytest.fixture
def chat(called: Called) -> str:
    return f"/v1/projects/{called.project}/chat"


def done(answer: httpx.Response) -> Any:
    assert answer.is_success, answer.text
    return answer.json()


def frames_of(answer: httpx.Response) -> list[tuple[str, dict[str, Any]]]:
    """The frames of a stream, without heartbeats."""
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = []
    for block in answer.text.split("\n\n"):
        parts = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if parts and parts["event"] != "hb":
            found.append((parts["event"], json.loads(parts["data"])))
    return found


def test_a_question_about_the_agents_is_answered_by_the_supervisor_alone(
    owner: httpx.Client, chat: str
):
    streamed = owner.post(
        chat, json={"message": "What can you do?"}, headers={"accept": "text/event-stream"}
    )

    names = [name for name, _ in frames_of(streamed)]
    assert names == ["routing", "done"]
    last = frames_of(streamed)[-1][1]
    assert "contradictions" in last["text"]
    assert "no language model" in last["text"]
    assert last["turn_id"] == streamed.headers["x-turn-id"]


def test_a_status_question_goes_to_the_assistant_which_calls_a_tool(
    owner: httpx.Client, called: Called, chat: str
):
    key = {"idempotency-key": secrets.token_hex(8)}
    asked = {"message": "What is the status of the project?"}

    turn = done(owner.post(chat, json=asked, headers=key))
    again = done(owner.post(chat, json=asked, headers=key))

    assert (turn["status"], turn["answer"]["author"]) == ("answered", "assistant")
    assert again == turn
    root = f"/v1/projects/{called.project}/conversations"
    whole = done(owner.get(f"{root}/{turn['conversation_id']}"))
    assert [said["role"] for said in whole["messages"]] == ["user", "assistant"]
    listed = done(owner.get(root))["items"]
    assert turn["conversation_id"] in [one["conversation_id"] for one in listed]
    with owner.stream("GET", f"/v1/streams/{turn['turn_id']}") as stream:
        stream.read()
        names = [name for name, _ in frames_of(stream)]
    assert names[0] == "routing"
    assert names.index("tool_call") < names.index("tool_result") < names.index("result")
    assert names[-1] == "done"
    path = f"/v1/projects/{called.project}/turns/{turn['turn_id']}/checkpoint"
    state = done(owner.get(path))
    assert (state["request"], state["should_end"]) == (asked["message"], True)
    assert [one["agent"] for one in state["results"]] == ["assistant"]
    assert [one["agent"] for one in state["thoughts"]] == ["supervisor"]
    assert state["final_response"] in turn["answer"]["content"]
    assert owner.get(path.replace(called.project, called.other)).status_code == 404


def test_turns_of_one_conversation_are_answered_one_after_the_other(
    owner: httpx.Client, called: Called, chat: str
):
    first = done(owner.post(chat, json={"message": "Which risks are there?", "wait": False}))
    assert first["status"] == "running"
    asked = {"message": "Who are you?", "conversation_id": first["conversation_id"]}
    second = done(owner.post(chat, json=asked))

    root = f"/v1/projects/{called.project}/conversations"
    said = done(owner.get(f"{root}/{first['conversation_id']}"))["messages"]

    assert [one["role"] for one in said] == ["user", "assistant"] * 2
    assert [one["turn_id"] for one in said] == [first["turn_id"]] * 2 + [second["turn_id"]] * 2


def test_what_cannot_be_asked_is_refused(owner: httpx.Client, called: Called, chat: str):
    assert owner.post(chat, json={"message": "  "}).status_code == 422
    unknown = {"message": "hello", "conversation_id": "cnv_unknown"}
    assert owner.post(chat, json=unknown).status_code == 404
    root = f"/v1/projects/{called.project}"
    decision = {"decision": "approve"}
    assert owner.post(f"{root}/confirmations/cnf_unknown", json=decision).status_code == 404
    assert owner.get(f"/v1/projects/{called.other}/conversations").json()["items"] == []


def test_graphs_are_shown_as_text_and_never_as_a_picture(owner: httpx.Client):
    graph = done(owner.get("/v1/agents/graphs/project"))

    assert len(graph["nodes"]) == 7
    conditional = {edge["source"] for edge in graph["edges"] if edge["is_conditional"]}
    assert conditional == set(graph["nodes"]) - {"scheduler"}
    assert graph["mermaid"].count("-.->") == 17
    assert {"evaluator", "reviser"} <= set(done(owner.get("/v1/agents/graphs/quality"))["nodes"])
    picture = owner.get("/v1/agents/graphs/project", headers={"accept": "image/png"})
    assert picture.status_code == 501
    assert owner.get("/v1/agents/graphs/other").status_code == 404
