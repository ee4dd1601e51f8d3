"""Turns by their logs: replayed to the letter without a network, forked and compared."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from infra.platform import postgres
from infra.runtime.local.process import wait_until
from projections.read.session import rows
from tests.http.conftest import Called
from tests.http.test_chat import decide, done, find_task, frames_until_end, say
from tests.models.provider import Request, scripted_provider, write_models

pytestmark = pytest.mark.broker

REPLAYED_ALONE = """
import asyncio, json, sys
from pathlib import Path

NETWORK = {"socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo"}

def refuse(event, _):
    if event in NETWORK:
        raise AssertionError(event)

sys.addaudithook(refuse)
from infra.platform.settings import Settings
from infra.service.asking.agent_turns import replay_events
from projections.read.agents import TurnEvent

known = [TurnEvent.model_validate(each) for each in json.load(sys.stdin)["events"]]
state = asyncio.run(replay_events(Settings(home=Path(sys.argv[1])), known))
print(json.dumps(state.model_dump(mode="json"), sort_keys=True))
"""


TAMPERED = "UPDATE checkpoints SET state = set_byte(state, 20, get_byte(state, 20) # 1)"
CUT_OFF = "UPDATE checkpoints SET state = substring(state FOR 40), position = 1"


def turns_of(project: str) -> str:
    return f"/v1/projects/{project}/turns"


def events_of(owner: httpx.Client, project: str, turn_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = done(owner.get(f"{turns_of(project)}/{turn_id}/events"))["events"]
    return found


def number_of(events: list[dict[str, Any]], event_type: str) -> int:
    """The number of the first event of this type."""
    numbers = {one["event_type"]: int(one["ordinal"]) for one in reversed(events)}
    return numbers[f"agent.{event_type}"]


def last_of(events: list[dict[str, Any]], event_type: str) -> int:
    return number_of(events[::-1], event_type)


def fork(
    owner: httpx.Client, project: str, turn_id: str, at: object, **changes: object
) -> httpx.Response:
    body = {"at": str(at), "changes": {name.replace("__", "."): it for name, it in changes.items()}}
    return owner.post(f"{turns_of(project)}/{turn_id}/fork", json=body)


@pytest.fixture(scope="module")
def asked(owner: httpx.Client, called: Called) -> Any:
    """An answered turn in which the assistant has called a tool."""
    return say(owner, called.project, "What is the status of the project?")


def test_a_replay_is_the_same_to_the_letter_where_nothing_can_be_connected_to(
    owner: httpx.Client, called: Called, asked: Any, tmp_path: Path
):
    path = f"{turns_of(called.project)}/{asked['turn_id']}"
    log = done(owner.get(f"{path}/events"))
    replayed = [done(owner.get(f"{path}/checkpoint")) for _ in range(2)]
    assert replayed[0] == replayed[1]
    assert replayed[0]["events"] == len(log["events"])

    alone = subprocess.run(
        [sys.executable, "-c", REPLAYED_ALONE, str(tmp_path)],
        input=json.dumps(log),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert alone.returncode == 0, alone.stderr
    assert alone.stdout.strip() == json.dumps(replayed[0], sort_keys=True)


def test_a_replay_names_the_event_whose_record_was_changed(
    owner: httpx.Client, called: Called, asked: Any, tmp_path: Path
):
    events = events_of(owner, called.project, asked["turn_id"])
    number = number_of(events, "tool_returned")
    answer = json.loads(events[number]["data"]["answer"])
    events[number]["data"]["answer"] = json.dumps(answer | {"text": "There are 9,999 tasks."})

    alone = subprocess.run(
        [sys.executable, "-c", REPLAYED_ALONE, str(tmp_path)],
        input=json.dumps({"events": events}),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert f"Event {number_of(events, 'result_produced')} of run" in alone.stderr


def test_a_fork_goes_on_from_a_changed_result_of_a_tool_and_asks_nobody_again(
    owner: httpx.Client, called: Called, asked: Any
):
    events = events_of(owner, called.project, asked["turn_id"])
    number = number_of(events, "tool_returned")

    forked = done(
        fork(owner, called.project, asked["turn_id"], number, text="There are 9,999 tasks.")
    )

    assert (forked["status"], forked["answer"]["content"].count("9,999")) == ("answered", 1)
    assert forked["conversation_id"] != asked["conversation_id"]
    others = events_of(owner, called.project, forked["turn_id"])
    first = others[0]["data"]
    assert (first["forked_from"], first["forked_at"]) == (asked["turn_id"], number)
    assert [one["event_type"] for one in others] == [one["event_type"] for one in events]
    for mine, theirs in zip(others[1:number], events[1:number], strict=True):
        assert mine["data"].get("answer") == theirs["data"].get("answer")
    assert events_of(owner, called.project, asked["turn_id"]) == events
    names = [name for name, _ in frames_until_end(owner, forked["turn_id"])]
    assert names == [name for name, _ in frames_until_end(owner, asked["turn_id"])]
    replayed = done(owner.get(f"{turns_of(called.project)}/{forked['turn_id']}/checkpoint"))
    assert "9,999" in replayed["final_response"]

    compared = done(
        owner.get(
            f"{turns_of(called.project)}/{asked['turn_id']}/comparison",
            params={"other": forked["turn_id"]},
        )
    )
    assert compared["first"]["ordinal"] == number
    assert compared["first"]["fields"] == ["answer.text"]
    assert compared["first"]["b"]["data"]["answer"]["text"] == "There are 9,999 tasks."
    assert compared["a"]["tools"] == compared["b"]["tools"] != []
    assert compared["b"]["forked_at"] == number


def test_the_same_key_is_the_same_fork_and_an_event_has_two_names(
    owner: httpx.Client, called: Called, asked: Any
):
    path = f"{turns_of(called.project)}/{asked['turn_id']}/fork"
    events = events_of(owner, called.project, asked["turn_id"])
    key = {"idempotency-key": secrets.token_hex(8)}
    body = {"at": events[0]["event_id"], "changes": {"text": "Who are you?"}}

    turn = done(owner.post(path, json=body, headers=key))

    assert turn["answer"]["author"] == "supervisor"
    assert done(owner.post(path, json=body, headers=key)) == turn


def test_a_fork_before_a_decision_asks_a_person_again_and_may_be_decided_otherwise(
    owner: httpx.Client, called: Called
):
    project, title = called.project, "Mend the hoist"
    say(owner, project, f"create a task: {title}")
    turn = say(owner, project, f"delete «{title}»")
    done(decide(owner, project, turn, "reject"))
    events = events_of(owner, project, turn["turn_id"])
    number = number_of(events, "confirmation_given")

    again = done(fork(owner, project, turn["turn_id"], number))
    assert (again["status"], again["waiting"][0]["tool"]) == ("waiting", "delete_task")
    assert again["waiting"][0]["confirmation_id"] != turn["waiting"][0]["confirmation_id"]
    assert find_task(owner, project, title)

    kept = done(fork(owner, project, turn["turn_id"], number, reason="we keep it"))
    assert "Not done (we keep it)" in kept["answer"]["content"]
    assert find_task(owner, project, title)

    approved = done(fork(owner, project, turn["turn_id"], number, decision="approve"))
    assert approved["status"] == "answered"
    assert find_task(owner, project, title) is None
    (given,) = [
        one["data"]
        for one in events_of(owner, project, approved["turn_id"])
        if one["event_type"] == "agent.confirmation_given"
    ]
    assert (given["decision"], given["reason"]) == ("approve", "")


def test_nobody_goes_on_with_a_turn_of_a_role_that_may_do_more(
    owner: httpx.Client, called: Called, asked: Any
):
    project = called.project
    with called.client(called.make_token("member", project)) as member:
        refused = fork(member, project, asked["turn_id"], 0)
        assert (refused.status_code, refused.json()["code"]) == (403, "role_not_allowed")
        turn = say(member, project, "delete feature «Count the barrels»")
    with called.client(called.make_token("viewer", project)) as viewer:
        assert fork(viewer, project, turn["turn_id"], 0).status_code == 403

    forked = done(fork(owner, project, turn["turn_id"], 0))

    assert forked["answer"]["content"] == turn["answer"]["content"]
    first = events_of(owner, project, forked["turn_id"])[0]["data"]
    assert first["role"] == "member"


def test_a_changed_decision_has_to_fit_its_call(owner: httpx.Client, called: Called):
    project = called.project
    say(owner, project, "create a task: Count the barrels")
    turn = say(owner, project, "delete «Count the barrels»")
    done(decide(owner, project, turn, "reject"))
    number = number_of(events_of(owner, project, turn["turn_id"]), "confirmation_given")
    refused = fork(owner, project, turn["turn_id"], number, arguments={"task": ""})
    assert refused.json()["code"] == "arguments_invalid"


def test_what_cannot_be_forked_is_refused_with_the_reason(
    owner: httpx.Client, called: Called, asked: Any
):
    turn_id = asked["turn_id"]
    events = events_of(owner, called.project, turn_id)
    refusals = {
        "unknown_event": fork(owner, called.project, turn_id, 999),
        "event_invalid": fork(owner, called.project, turn_id, "first"),
        "fork_at_end": fork(owner, called.project, turn_id, len(events) - 1),
        "event_follows": fork(
            owner, called.project, turn_id, number_of(events, "routed"), next_agent="planner"
        ),
        "unknown_field": fork(
            owner, called.project, turn_id, number_of(events, "tool_returned"), colour="red"
        ),
        "unknown_turn": fork(owner, called.other, turn_id, 0),
    }
    assert {code: refused.json()["code"] for code, refused in refusals.items()} == {
        code: code for code in refusals
    }


def test_the_command_line_lists_forks_replays_and_compares(
    owner: httpx.Client, called: Called, asked: Any
):
    def agents(*arguments: str) -> str:
        return called.cairn.run("agents", *arguments, "--project", called.project)

    turn_id = asked["turn_id"]
    shown = agents("turns", "--conversation", asked["conversation_id"])
    assert turn_id in shown and "What is the status of the project?" in shown
    number = str(number_of(events_of(owner, called.project, turn_id), "tool_returned"))
    listed = [json.loads(line) for line in agents("events", turn_id, "--json").splitlines()]
    assert [one["ordinal"] for one in listed] == [*range(len(listed))]
    assert "agent.tool_returned" in agents("events", turn_id)
    assert json.loads(agents("replay", turn_id))["events"] == len(listed)

    told = agents("fork", turn_id, "--at", number, "--set", "text=All is lost.", "--json")
    last = json.loads(told.splitlines()[-1])
    assert (last["event"], "All is lost." in last["text"]) == ("done", True)

    shown = agents("diff", turn_id, last["turn_id"])
    assert f"They part at event {number}: answer.text." in shown
    assert f"{turn_id}, event {number}" in shown
    assert "Both are the same" in agents("diff", turn_id, turn_id)


@pytest.mark.parametrize("harm", ["", "DELETE FROM checkpoints", TAMPERED, CUT_OFF])
def test_what_is_kept_of_a_turn_that_waits_may_be_lost_or_forged(
    owner: httpx.Client, called: Called, harm: str
):
    title = f"Sand the deck {len(harm)}"
    say(owner, called.project, f"create a task: {title}")
    turn = say(owner, called.project, f"delete «{title}»")
    with postgres.connect(called.cairn.settings_now().conninfo, autocommit=True) as tables:

        def kept() -> int:
            query = "SELECT count(*) AS n FROM checkpoints WHERE run_id = %s"
            return int(rows(tables, query, turn["turn_id"])[0]["n"])

        assert kept() == 1
        if harm:
            tables.execute(f"{harm} WHERE run_id = %s", (turn["turn_id"],))
        answered = done(decide(owner, called.project, turn, "approve"))
        assert (answered["status"], title in answered["answer"]["content"]) == ("answered", True)
        assert wait_until(lambda: kept() == 0, timeout_s=30)
    assert find_task(owner, called.project, title) is None
    names = [name for name, _ in frames_until_end(owner, turn["turn_id"])]
    assert (names.count("tool_call"), names.count("routing"), names[-1]) == (1, 1, "done")
    path = f"{turns_of(called.project)}/{turn['turn_id']}/checkpoint"
    assert done(owner.get(path))["events"] == len(events_of(owner, called.project, turn["turn_id"]))


def count_tasks(request: Request) -> dict[str, Any]:
    """A model that looks at the tasks and says how many it has read of."""
    if "next_agent" in request.messages[0]["content"]:
        return {"next_agent": "assistant", "message_to_agent": "Count.", "thought": "A question."}
    if "list_tasks returned" not in request.text:
        return {"tool": "list_tasks", "args": {}}
    seen = "seven" if "There are 7 of them." in request.text else "some"
    return {"answer": f"There are {seen} tasks.", "citations": []}


def test_a_fork_asks_a_model_only_what_comes_after_the_changed_event(
    owner: httpx.Client, called: Called
):
    models = called.cairn.settings.models_file
    project = called.cairn.run("project", "create", "Counted", "--idempotency-key", "ct").strip()
    question = "How many tasks are there?"
    with scripted_provider(count_tasks) as provider:

        def times_asked() -> int:  # the sections of the PRD are asked for as well
            return sum(question in request.text for request in provider.requests)

        write_models(models, openai=provider)
        try:
            engine = "rules"
            while engine != "model":  # its worker starts a moment later
                turn = say(owner, project, question)
                engine = turn["answer"]["engine"]
            events = events_of(owner, project, turn["turn_id"])
            number = last_of(events, "tool_returned")
            whole = times_asked()
            same = done(fork(owner, project, turn["turn_id"], last_of(events, "effect_recorded")))
            assert times_asked() == whole
            forked = done(
                fork(owner, project, turn["turn_id"], number, text="There are 7 of them.")
            )
            assert times_asked() == whole + 1
        finally:
            models.unlink()

    assert turn["answer"]["content"].startswith("There are some tasks.")
    assert same["answer"]["content"] == turn["answer"]["content"]
    assert forked["answer"]["content"].startswith("There are seven tasks.")
    compared = done(
        owner.get(
            f"{turns_of(project)}/{turn['turn_id']}/comparison",
            params={"other": forked["turn_id"]},
        )
    )
    a, b = compared["a"], compared["b"]
    assert (compared["first"]["ordinal"], a["tools"]) == (number, b["tools"])
    assert (a["model_calls"], a["tokens"]) == (b["model_calls"], b["tokens"])
    assert a["model_calls"] == 3 and a["tokens"] > 0


def test_of_twenty_decisions_at_once_one_counts_and_the_call_is_made_once(
    owner: httpx.Client, called: Called
):
    project = called.project
    for title in ("Calk the hull", "Mend the hull"):
        say(owner, project, f"create a task: {title}")
    turn = say(owner, project, "delete «Calk the hull»")
    (waiting,) = turn["waiting"]
    path = f"/v1/projects/{project}/confirmations/{waiting['confirmation_id']}"
    edit: dict[str, Any] = {"decision": "edit", "arguments": {"task": "Mend the hull"}}
    decisions: list[dict[str, Any]] = [
        {"decision": "approve"},
        {"decision": "reject"},
        edit,
        {"decision": "approve"},
    ] * 5

    with ThreadPoolExecutor(len(decisions)) as threads:
        answers = list(threads.map(lambda decision: owner.post(path, json=decision), decisions))

    frames = frames_until_end(owner, turn["turn_id"])
    events = events_of(owner, project, turn["turn_id"])
    (given,) = [each["data"] for each in events if each["event_type"].endswith("on_given")]
    assert {answer.status_code for answer in answers} == {200, 409}
    for decision, answer in zip(decisions, answers, strict=True):
        assert answer.is_success <= (decision["decision"] == given["decision"])
    calls = 0 if given["decision"] == "reject" else 1
    assert [name for name, _ in frames].count("tool_call") == calls
    gone = {"approve": "Calk the hull", "edit": "Mend the hull"}.get(given["decision"])
    for title in ("Calk the hull", "Mend the hull"):
        assert (find_task(owner, project, title) is None) == (title == gone)


def test_each_turn_of_a_long_conversation_adds_as_much_as_the_one_before(
    owner: httpx.Client, called: Called
):
    chat = f"/v1/projects/{called.project}/chat"
    turn = say(owner, called.project, "Show all tasks")
    body = {"message": "Show all tasks", "conversation_id": turn["conversation_id"]}
    sizes = []
    for _ in range(14):  # the agents are shown the ten newest messages
        turn = done(owner.post(chat, json=body))
        sizes.append(len(json.dumps(events_of(owner, called.project, turn["turn_id"]))))

    assert max(sizes[6:]) < 1.05 * min(sizes[6:]), sizes
    with postgres.connect(called.cairn.settings_now().conninfo, autocommit=True) as tables:

        def kept() -> int:
            query = (
                "SELECT count(*) AS n FROM checkpoints WHERE run_id IN"
                " (SELECT turn_id FROM conversation_messages WHERE conversation_id = %s)"
            )
            return int(rows(tables, query, turn["conversation_id"])[0]["n"])

        assert wait_until(lambda: kept() == 0, timeout_s=30)
