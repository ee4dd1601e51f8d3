"""The assistant over HTTP: a conversation is its owner's, work goes through specialists, outside
services are asked once, and what it did can be run again.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from itertools import pairwise
from typing import Any

import httpx
import pytest
from aiohttp import web

from agents.assistant.prompt import FORM
from infra.platform import postgres
from projections.read.session import rows
from tests.connectors.stand_ins.provider import ProviderServer
from tests.connectors.stand_ins.server import Asked, reply
from tests.http.conftest import Called
from tests.http.test_chat import done, frames_until_end
from tests.models.provider import Request, Step, scripted_provider, write_models

pytestmark = pytest.mark.broker
ROOT = "/v1/assistant"
MAIL_SEARCH = "gmail_search_messages"
DEFINITION = """
name = "yard"
title = "the yard"
prompt = "You keep the yard: its crates and its gate."
base_url = "{url}"

[credential]
place = "env:YARD_TOKEN"

[[tools]]
name = "yard_list_crates"
description = "List the crates that stand in the yard."
method = "GET"
path = "/crates"
query = { q = "{words}" }
[tools.arguments]
words = { required = true, description = "Words." }

[[tools]]
name = "yard_remove_crate"
description = "Remove a crate from the yard."
method = "POST"
path = "/crates/{crate}/remove"
body = { why = "{why}" }
[tools.arguments]
crate = { required = true, description = "Which crate." }
why = { required = true, description = "Why." }
"""


class Yard(ProviderServer):
    """A yard with two crates, and a mailbox in which nothing is called an invoice."""

    async def route(self, asked: Asked, body: dict[str, Any]) -> web.Response:
        if asked.path.startswith("/gmail"):
            is_there = asked.query.get("q") == "bill"
            return reply({"messages": [{"id": "m7", "threadId": "t7"}]} if is_there else {})
        if asked.method == "POST":
            return reply({"removed": True})
        return reply({"crates": [{"id": "c1"}, {"id": "c2"}]})

    @property
    def lines(self) -> list[str]:
        """Method, path with query, and body of each request."""
        return [f"{it.method} {it.target} {it.body.decode()}".strip() for it in self.asked]

    @property
    def changes(self) -> list[str]:
        return [one for one in self.lines if one.startswith("POST")]


@contextmanager
def open_yard(called: Called) -> Iterator[Yard]:
    """The service, and a provider for it by a file alone."""
    home = called.cairn.home
    account = '[credential]\nplace = "env:YARD_TOKEN"\n'
    with Yard().beside() as yard:
        yard.write_file(home, "yard", DEFINITION)
        yard.write_file(home, "gmail", f'extends = "gmail"\nbase_url = "{{url}}"\n{account}')
        try:
            yield yard
        finally:
            for name in ("yard", "gmail"):
                (home / "providers" / f"{name}.toml").unlink()


def say(client: httpx.Client, message: str, **more: Any) -> Any:
    return done(client.post(f"{ROOT}/messages", json={"message": message} | more))


def list_own(client: httpx.Client, what: str) -> Any:
    return done(client.get(f"{ROOT}/{what}"))["items"]


def decide(client: httpx.Client, confirmation: Any, decision: str, **more: Any) -> httpx.Response:
    path = f"{ROOT}/confirmations/{confirmation['confirmation_id']}"
    return client.post(path, json={"decision": decision} | more)


def test_what_is_told_in_one_conversation_is_known_in_another_of_the_same_person(
    owner: httpx.Client, called: Called
):
    first = say(owner, "Remember that I work on Fridays")
    assert first["answer"]["content"].startswith("Remembered.")
    again = say(owner, "Please remember that i work on fridays!")
    assert "known already" in again["answer"]["content"]
    asked = say(owner, "What do you remember about Fridays?")
    assert "I work on Fridays" in asked["answer"]["content"]
    assert len({first["conversation_id"], asked["conversation_id"]}) == 2

    token = called.make_token("owner", name="somebody else")
    with called.client(token) as stranger:
        other = say(stranger, "What do you remember about Fridays?")
        assert "Nothing is remembered" in other["answer"]["content"]
        for path in (
            f"conversations/{first['conversation_id']}",
            f"turns/{first['turn_id']}/events",
            f"turns/{first['turn_id']}/checkpoint",
        ):
            assert stranger.get(f"{ROOT}/{path}").status_code == 404
        assert stranger.get(f"/v1/streams/{first['turn_id']}").status_code == 404
        stop = stranger.post(f"{ROOT}/conversations/{first['conversation_id']}/stop")
        assert stop.status_code == 404
        goes_on = {"message": "Hi", "conversation_id": first["conversation_id"]}
        assert stranger.post(f"{ROOT}/messages", json=goes_on).status_code == 404
        shown = stranger.get(f"{ROOT}/conversations").json()["items"]
        assert [one["conversation_id"] for one in shown] == [other["conversation_id"]]
        assert "I work on Fridays" not in stranger.get("/v1/jobs").text
    for project in (called.project, called.other):
        assert "Fridays" not in owner.get(f"/v1/projects/{project}/conversations").text


def test_a_question_about_the_chosen_project_is_answered_by_its_agents(
    owner: httpx.Client, called: Called
):
    turn = say(owner, "How are parcels signed?", project=called.project)

    assert turn["status"] == "answered", turn
    assert turn["answer"]["citations"], turn
    names = [name for name, _ in frames_until_end(owner, turn["turn_id"])]
    assert names.count("handoff_started") == names.count("handoff_finished") == 2
    assert "routing" in names and names[-1] == "done"

    refused = owner.post(f"{ROOT}/messages", json={"message": "Hi", "project": "prj_000000"})
    assert refused.status_code == 404
    told = say(owner, "How are parcels signed?")["answer"]["content"]
    assert "no project is chosen" in told


def test_who_sees_a_project_no_more_sees_no_conversation_about_it(
    owner: httpx.Client, called: Called
):
    name = "ana of both"
    both = called.make_token("member", called.project, called.other, name=name)
    one = called.make_token("member", called.other, name=name)
    with called.client(both) as ana, called.client(one) as later:
        turn = say(ana, "How are parcels signed?", project=called.project)
        path = f"{ROOT}/conversations/{turn['conversation_id']}"
        assert ana.get(path).is_success
        same = {"conversation_id": turn["conversation_id"]}
        next_turn = say(ana, "What did you say?", **same)  # it may quote the one before
        say(ana, "Remember that I sign parcels", project=called.project)
        assert [len(list_own(it, "conversations")) for it in (ana, later)] == [2, 0]
        assert [len(list_own(it, "turns")) for it in (ana, later)] == [3, 0]
        (memory,) = later.get("/v1/memories").json()["items"]
        assert (memory["text"], memory["source_thread"]) == ("I sign parcels", "")
        assert ana.get("/v1/memories").json()["items"][0]["source_thread"]
        for each in (path, f"{ROOT}/turns/{turn['turn_id']}/events"):
            assert later.get(each).status_code == 404
        for it in (turn, next_turn):
            assert later.get(f"/v1/streams/{it['turn_id']}").status_code == 404
            assert later.get(f"{ROOT}/turns/{it['turn_id']}/events").status_code == 404
        assert frames_until_end(ana, next_turn["turn_id"])
        goes_on = {"message": "Go on", **same}
        assert later.post(f"{ROOT}/messages", json=goes_on).status_code == 404
    limited = called.make_token("owner", called.other, name="bo of one")
    with called.client(limited) as bo:
        wanted = {"name": name, "role": "viewer", "projects": [called.other]}
        taken = bo.post("/v1/tokens", json=wanted)
        assert (taken.status_code, taken.json()["code"]) == (403, "name_taken")


def keep_yard(request: Request) -> Step:
    """A model that does what the user wants of the yard."""
    said = request.text
    if "Suggest up to 4" in said:
        return {"follow_up_actions": ["Show the yard"]}
    if "You keep the yard" in said:
        if "yard_remove_crate returned" in said:
            return {"answer": "Both are gone."}
        call = {"tool": "yard_list_crates", "args": {"words": "all"}}
        remove = [
            {"tool": "yard_remove_crate", "args": {"crate": one, "why": "It is old."}}
            for one in ("c1", "c2")
        ]
        return {"calls": [call, *remove]}
    if "You are the executor" in said:
        if "handoff returned" in said:
            return {"answer": "Both crates are gone."}
        return {"calls": [{"tool": "handoff", "args": {"provider": "yard", "task": "Clear it"}}]}
    if "call_executor returned" in said:
        return {"answer": "Done. Both crates are gone."}
    return {"calls": [{"tool": "call_executor", "args": {"task": "Clear the yard"}}]}


ASKED: list[Request] = []  # what the model was asked last


def answer_anything(request: Request) -> Step:
    """A model that keeps the yard, or looks for mail."""
    ASKED.append(request)
    if "Answer at once" in request.text and "Suggest up to 4" not in request.text:
        return {"answer": "At once."}
    is_of_mail = "Where is my invoice?" in request.text
    return find_mail(request) if is_of_mail else keep_yard(request)


def call(tool: str, **args: Any) -> dict[str, Any]:
    return {"calls": [{"tool": tool, "args": args}]}


def find_mail(request: Request) -> Step:
    """A model that takes each way there is: a tool found and called, specialists, and a mail that
    is found at the second try.
    """
    text = request.text
    if "Suggest up to 4" in text:
        return {"follow_up_actions": []}
    if "You work with the user's mail" in text:
        if "m7" in text:
            return {"answer": "The invoice is m7."}
        tried = "gmail_search_messages returned" in text
        return call("gmail_search_messages", query="bill" if tried else "invoice")
    if "You are the executor" in text:
        steps = [
            ("retrieve_tools", {"query": "list the crates in the yard"}),
            ("yard_list_crates", {"words": "all"}),
            ("handoff", {"provider": "nobody", "task": "Look"}),
            ("handoff", {"provider": "notion", "task": "Look"}),
            ("handoff", {"provider": "gmail", "task": "Find the invoice"}),
        ]
        done_before = text.count('{"calls": ') - FORM.count('{"calls": ')
        if done_before < len(steps):
            tool, args = steps[done_before]
            return call(tool, **args)
        return {"answer": "The invoice is m7."}
    if text.rstrip().endswith("mail)") or "call_executor returned" in text:
        return {"answer": "Your invoice is the mail m7."}
    return call("call_executor", task="Find the invoice")


def asked_of(words: str) -> list[str]:
    """The requests to the model of the agent whose prompt has these words, as texts."""
    return [one.text for one in ASKED if words in str(one.messages[0]["content"])]


@pytest.fixture
def yard(owner: httpx.Client, called: Called) -> Iterator[Yard]:
    models = called.cairn.settings.models_file
    with open_yard(called) as yard, scripted_provider(answer_anything) as provider:
        write_models(models, openai=provider)
        try:
            engine = "rules"
            while engine != "model":  # its worker starts a moment later
                hello = say(owner, "Hello")
                engine = "model" if hello["waiting"] else hello["answer"]["engine"]
            assert hello["waiting"], hello
            yield yard
        finally:
            models.unlink()


def list_frames_until_it_waits(client: httpx.Client, turn_id: str) -> list[str]:
    """The names of the frames of a turn that waits for two answers, while it waits."""
    names: list[str] = []
    with client.stream("GET", f"/v1/streams/{turn_id}") as stream:
        for line in stream.iter_lines():
            names += [line.removeprefix("event: ")] if line.startswith("event: ") else []
            if names.count("confirmation_requested") == 2:
                break
    return [name for name in names if name != "hb"]


def events_of(client: httpx.Client, turn: Any, kind: str) -> list[Any]:
    """The contents of a turn's events of a kind."""
    events = done(client.get(f"{ROOT}/turns/{turn['turn_id']}/events"))["events"]
    return [one["data"] for one in events if one["event_type"] == f"agent.{kind}"]


def test_two_changes_are_each_asked_about_and_made_once_as_they_were_decided(
    owner: httpx.Client, called: Called, yard: Yard
):
    done(owner.post("/v1/memories", json={"text": "the yard is cleared on Mondays"}))
    yard.asked.clear()
    turn = say(owner, "Clear the yard, please")
    assert turn["status"] == "waiting"
    first, second = turn["waiting"]
    assert [one["tool"] for one in turn["waiting"]] == ["yard_remove_crate"] * 2
    assert yard.lines == ["GET /crates?q=all"]
    names = list_frames_until_it_waits(owner, turn["turn_id"])
    assert names.index("tool_call") < names.index("tool_result") < len(names) - 2
    assert "done" not in names
    with postgres.connect(called.cairn.settings_now().conninfo, autocommit=True) as tables:
        kept = "FROM checkpoints WHERE starts_with(run_id, %s)"
        agents = rows(tables, f"SELECT run_id {kept}", turn["turn_id"])
        assert len(agents) == 3  # comms, the executor and the specialist
        tables.execute(f"DELETE {kept}".encode(), (turn["turn_id"],))

    changed = {"crate": "c9", "why": "The other one."}
    with ThreadPoolExecutor(20) as pool:
        answers = list(
            pool.map(lambda _: decide(owner, second, "edit", arguments=changed), range(20))
        )
    assert {one.status_code for one in answers} <= {200, 409}
    waits = next(one.json() for one in answers if one.status_code == 200)
    assert [one["confirmation_id"] for one in waits["waiting"]] == [first["confirmation_id"]]
    assert len(yard.changes) == 1
    ended = done(decide(owner, first, "approve"))

    assert ended["answer"]["content"] == "Done. Both crates are gone."
    assert yard.changes == [
        'POST /crates/c9/remove {"why":"The other one."}',
        'POST /crates/c1/remove {"why":"It is old."}',
    ]
    frames = frames_until_end(owner, turn["turn_id"])
    assert ("follow_up_actions", {"follow_up_actions": ["Show the yard"]}) in frames
    told = [name for name, _ in frames]
    assert told.index("token") < told.index("done") == len(told) - 1
    assert ("token", {"text": "Done."}) in frames
    state = done(owner.get(f"{ROOT}/turns/{turn['turn_id']}/checkpoint"))
    assert (state["query"], state["ended"]) == ("Clear the yard, please", "answered")
    assert state["conversation_id"] == turn["conversation_id"]
    assert state["mem0_user_id"] == done(owner.get("/v1/me"))["name"]
    assert datetime.fromisoformat(state["current_datetime"]).tzinfo is not None
    assert "the yard is cleared on Mondays" in state["memories"]
    assert state["memories_stored"] is False  # comms learns nothing of its work
    kinds = [one["type"] for one in state["messages"]]
    assert sorted(kinds) == ["ai", "ai", "human", "system", "tool"]  # each step has added its own
    asked = len(yard.asked)
    again = done(owner.get(f"{ROOT}/turns/{turn['turn_id']}/checkpoint"))
    assert again["log_sha256"] == state["log_sha256"] and len(yard.asked) == asked


def test_each_agent_has_its_own_words_and_tools_and_goes_on_where_it_was(
    owner: httpx.Client, yard: Yard
):
    done(owner.put(f"{ROOT}/workflows/tidy", json={"prompt": "Answer in one line.", "tools": []}))
    done(owner.post("/v1/memories", json={"text": "the invoice is from Acme"}))
    yard.asked.clear()
    ASKED.clear()
    choices = {"time_zone": "Europe/Berlin", "workflow": "tidy"}
    turn = say(owner, "Where is my invoice?", **choices)

    assert turn["answer"]["content"] == "Your invoice is the mail m7.", turn
    comms = asked_of("You are Cairn's assistant")[0]
    listed = comms.split("Tools:")[1]
    assert [line.split("(")[0] for line in listed.split("\n- ")[1:4]] == [
        "call_executor",
        "add_memory",
        "search_memory",
    ]
    assert listed.count("\n- ") == 3
    for text in ("(Europe/Berlin)", "the invoice is from Acme", "Answer in one line."):
        assert text in comms, text
    executor = asked_of("You are the executor")
    assert "- yard_list_crates(" not in executor[0] and "- yard_list_crates(" in executor[1]
    assert "There is no provider 'nobody'" in executor[3]
    assert "Notion is not configured" in executor[4]
    mail = asked_of("You work with the user's mail")
    assert "- gmail_search_messages(" in mail[0] and "yard_" not in mail[0]
    assert "Where is my invoice?" in mail[0]  # the user's own words
    assert [one.split("?")[1][:9] for one in yard.lines if "/gmail" in one] == [
        "q=invoice",
        "q=bill&ma",
    ]
    learnt = done(owner.get("/v1/memories", params={"of": "agents"}))["items"]
    assert "gmail_search_messages" in str([one for one in learnt if "gmail" in one["namespace"]])

    ASKED.clear()
    again = say(owner, "And the invoice before?", conversation_id=turn["conversation_id"])
    assert again["conversation_id"] == turn["conversation_id"]
    assert "Your invoice is the mail m7." in asked_of("You are Cairn's assistant")[0]
    events = done(owner.get(f"{ROOT}/turns/{turn['turn_id']}/events"))["events"]
    handed = [one["data"] for one in events if one["event_type"] == "agent.handoff_finished"]
    assert [one["thread"].partition(":")[2] for one in handed] == ["gmail", "executor"]
    assert handed[0]["summary"] == "The invoice is m7."
    direct = [one for one in events_of(owner, turn, "tool_called") if one["tool"] != MAIL_SEARCH]
    assert [(one["tool"], one["position"]["node"]) for one in direct] == [
        ("yard_list_crates", "executor")
    ]
    assert yard.lines.count("GET /crates?q=all") == 1

    ASKED.clear()
    say(owner, "Where is my invoice?")  # in another conversation
    (skill,) = [one["text"] for one in learnt if one["namespace"] == "agent:gmail"]
    assert skill in asked_of("You work with the user's mail")[0]
    assert skill not in "".join(asked_of("You are the executor"))
    now = done(owner.get("/v1/memories", params={"of": "agents"}))["items"]
    assert [one["text"] for one in now].count(skill) == 1
    assert owner.delete("/v1/memories").is_success


PRE_HOOKS = ["filter_messages", "manage_system_prompts", "trim_messages"]


@pytest.mark.parametrize(
    ("name", "end"),
    [("comms", "follow_up_actions"), ("executor", ""), ("provider", "memory_learning")],
)
def test_a_drawing_shows_what_always_follows_and_what_the_output_decides(
    name: str, end: str, owner: httpx.Client
):
    drawn = done(owner.get(f"/v1/agents/graphs/{name}"))
    assert set(drawn["nodes"]) == {*PRE_HOOKS, "agent", "tools", *filter(None, [end])}
    always = {(it["source"], it["target"]) for it in drawn["edges"] if not it["is_conditional"]}
    decided = {(it["source"], it["target"]) for it in drawn["edges"] if it["is_conditional"]}
    last = end or "__end__"
    assert always == {
        *pairwise(["__start__", *PRE_HOOKS, "agent"]),
        *([(end, "__end__")] if end else []),
    }
    first = PRE_HOOKS[0]
    assert decided == {
        ("agent", "tools"), ("agent", first), ("agent", last), ("tools", first), ("tools", last),
    }  # fmt: skip


def test_the_output_of_the_model_decides_which_way_a_graph_goes(owner: httpx.Client, yard: Yard):
    yard.asked.clear()
    straight = say(owner, "Answer at once")
    assert straight["answer"]["content"] == "At once."
    assert events_of(owner, straight, "handoff_started") == []
    by_tools = say(owner, "Clear the yard, please")
    handed = events_of(owner, by_tools, "handoff_started")
    assert [one["to_agent"] for one in handed] == ["executor", "yard"]
    path = f"{ROOT}/conversations/{by_tools['conversation_id']}"
    done(owner.post(f"{path}/stop"))


def test_a_fork_goes_on_from_a_decision_otherwise_and_is_compared(owner: httpx.Client, yard: Yard):
    turn = say(owner, "Clear the yard, please")
    for one in turn["waiting"]:
        last = done(decide(owner, one, "approve"))
    assert last["status"] == "answered"
    events = done(owner.get(f"{ROOT}/turns/{turn['turn_id']}/events"))["events"]
    decided = [one for one in events if one["event_type"] == "agent.confirmation_given"]
    yard.asked.clear()
    body = {"at": str(decided[0]["ordinal"]), "changes": {"decision": "reject"}}
    fork = done(owner.post(f"{ROOT}/turns/{turn['turn_id']}/fork", json=body))
    assert fork["turn_id"] != turn["turn_id"]
    assert yard.changes == []  # the one is rejected, and the other asked about anew
    path = f"{ROOT}/turns/{turn['turn_id']}/comparison"
    compared = done(owner.get(path, params={"other": fork["turn_id"]}))
    assert compared["first"]["ordinal"] == decided[0]["ordinal"]


def test_a_stop_ends_what_waits_and_nothing_more_is_done(owner: httpx.Client, yard: Yard):
    yard.asked.clear()
    turn = say(owner, "Clear the yard, please")
    path = f"{ROOT}/conversations/{turn['conversation_id']}"
    assert done(owner.post(f"{path}/stop"))["turns"] == [turn["turn_id"]]
    frames = frames_until_end(owner, turn["turn_id"])
    assert frames[-1][0] == "error"
    assert yard.changes == []
    for one in turn["waiting"]:
        assert decide(owner, one, "approve").status_code == 409
    assert yard.changes == []
