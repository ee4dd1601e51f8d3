"""What a fork may not do: act on another project, or as somebody else; and how one fails."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from infra.runtime.local.process import wait_until
from infra.service.asking.agents import enqueue_turn
from infra.service.asking.turn_payload import Fork, TurnPayload
from tests.http.conftest import Called
from tests.http.test_chat import decide, done, say
from tests.http.test_turns import events_of, fork, number_of

pytestmark = pytest.mark.broker


def test_a_fork_stays_in_its_project_whatever_is_changed(owner: httpx.Client, called: Called):
    project = called.project
    say(owner, project, "create a task: Paint the winch")
    looked = say(owner, project, "What is the status of the project?")
    removed = say(owner, project, "delete «Paint the winch»")
    done(decide(owner, project, removed, "reject"))
    for turn in (looked, removed):
        events = events_of(owner, project, turn["turn_id"])
        number = number_of(events, "effect_recorded")
        refused = [
            fork(owner, project, turn["turn_id"], number, project__project_id=called.other),
            fork(owner, project, turn["turn_id"], number, asked_by="somebody"),
        ]
        assert {answer.status_code for answer in refused} == {422}
        assert {answer.json()["code"] for answer in refused} == {"change_invalid"}
        renamed = done(fork(owner, project, turn["turn_id"], number, project__name="Winches"))
        assert renamed["status"] in {"answered", "waiting"}
        first = number_of(events_of(owner, project, renamed["turn_id"]), "effect_recorded")
        assert first == number


def test_a_turn_forked_by_somebody_else_parts_nowhere_for_that(owner: httpx.Client, called: Called):
    project = called.project
    with called.client(called.make_token("member", project)) as member:
        turn = say(member, project, "What is the status of the project?")
    events = events_of(owner, project, turn["turn_id"])
    forked = done(fork(owner, project, turn["turn_id"], len(events) - 2))
    path = f"/v1/projects/{project}/turns/{turn['turn_id']}/comparison"
    assert done(owner.get(path, params={"other": forked["turn_id"]}))["first"] is None


def test_a_fork_whose_other_turn_is_gone_ends_with_the_reason(owner: httpx.Client, called: Called):
    settings = called.cairn.settings_now()
    turn = say(owner, called.project, "What is the status of the project?")
    first = events_of(owner, called.project, turn["turn_id"])[0]
    payload = TurnPayload(
        conversation_id="cnv_of_a_fork",
        turn_id="trn_of_a_fork",
        text="What is the status of the project?",
        role="owner",
        is_first=True,
        fork=Fork(turn_id="trn_gone", at=1),
    )
    asyncio.run(enqueue_turn(settings, first["project_id"], payload, payload.turn_id, "ana"))

    def ended() -> list[dict[str, Any]]:
        path = f"/v1/projects/{called.project}/turns/{payload.turn_id}/events"
        answer = owner.get(path)
        events: list[dict[str, Any]] = answer.json()["events"] if answer.is_success else []
        return [one for one in events if one["event_type"] == "agent.responded"]

    assert wait_until(lambda: bool(ended()), timeout_s=120)
    (last,) = ended()
    assert last["data"]["error"] == "unknown_turn"


def test_a_changed_value_that_only_its_reader_finds_wrong_ends_the_fork_with_a_sentence(
    owner: httpx.Client, called: Called
):
    turn = say(owner, called.project, "What do we know about parcels?")
    events = events_of(owner, called.project, turn["turn_id"])
    number = number_of(events, "tool_returned")
    assert json.loads(events[number]["data"]["answer"])["citations"][0]["line_start"] > 0

    refused = fork(owner, called.project, turn["turn_id"], number, citations=[{"path": "a.md"}])
    assert refused.json()["code"] == "change_invalid"
    assert "the items of the list have cited_id, line_end" in refused.json()["message"]

    failed = done(
        fork(owner, called.project, turn["turn_id"], number, citations__0__line_start=1.5)
    )
    assert (failed["status"], failed["answer"]["error"]) == ("failed", "change_unfit")
    assert "fork again with another value" in failed["answer"]["content"]
