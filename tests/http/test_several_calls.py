"""A turn that asks about two calls at once: listed, decided one by one, left behind together."""

from __future__ import annotations

import asyncio
import os
import secrets
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from agents.runs.confirmations import Confirmation, WaitsForConfirmation
from infra.platform import postgres
from infra.service.asking.agents import BegunTurn, TurnState, follow_turn, read_turn
from infra.service.asking.turn_log import TurnLog, TurnPlace
from infra.service.foundation.publishing import redactor_of
from infra.service.jobs.scheduler import end_turns
from infra.service.runs.driving import Paused, drive
from infra.service.runs.opening import open_facts
from projections.read.session import rows
from tests.http.conftest import Called
from tests.http.test_chat import done, frames_until_end, waiting_in

pytestmark = pytest.mark.broker


@pytest.fixture
def turn(owner: httpx.Client, called: Called) -> dict[str, str]:
    return ask_about_two(owner, called)


def ask_about_two(owner: httpx.Client, called: Called) -> dict[str, str]:
    """A turn whose one step asks about two calls; its question is answered by rules later."""
    name = secrets.token_hex(4)
    project_id = done(owner.get(f"/v1/projects/{called.other}"))["project_id"]
    place = TurnPlace(project_id, f"cnv_{name}", f"trn_{name}", "ana")
    settings = called.cairn.settings_now()

    async def ask() -> None:
        async with open_facts(settings) as publish:
            log = TurnLog(place, [], redactor_of(settings), publish)

            async def program() -> None:
                await log.begin("Who are you?", "owner")
                raise WaitsForConfirmation(*(_confirmation(name, it) for it in ("tea", "salt")))

            assert isinstance(await drive(log, program), Paused)

    asyncio.run(ask())
    return {"conversation_id": place.conversation_id, "turn_id": place.turn_id}


def _confirmation(name: str, task: str) -> Confirmation:
    return Confirmation(
        confirmation_id=f"cnf_{name}_{task}",
        tool="delete_task",
        arguments={"task": task},
        summary=f"Delete {task}.",
    )


def read_paused(called: Called, turn: dict[str, str]) -> TurnState:
    settings = called.cairn.settings_now()
    begun = BegunTurn(called.other, turn["conversation_id"], turn["turn_id"], "")

    async def read() -> TurnState:
        frames = [frame async for frame in follow_turn(settings, begun)]
        return await read_turn(settings, begun, frames[-1])

    return asyncio.run(read())


def list_declined(called: Called, turn: dict[str, str]) -> list[tuple[str, str]]:
    """The calls of the conversation that jobs decline, with the reasons."""
    query = (
        "SELECT payload -> 'given' AS given FROM orchestration_jobs"
        " WHERE serial_key = %s AND payload ? 'given'"
    )
    with postgres.connect(called.cairn.settings_now().conninfo, autocommit=True) as tables:
        given = [row["given"] for row in rows(tables, query, turn["conversation_id"])]
    assert {one["decision"] for one in given} == {"reject"}
    return sorted((one["confirmation_id"].split("_")[-1], one["reason"]) for one in given)


def write(owner: httpx.Client, called: Called, turn: dict[str, str], message: str) -> Any:
    body = {"message": message, "conversation_id": turn["conversation_id"]}
    return owner.post(f"/v1/projects/{called.other}/chat", json=body)


def test_a_paused_turn_lists_all_its_calls_and_a_plain_yes_means_none_of_them(
    owner: httpx.Client, called: Called, turn: dict[str, str]
):
    state = read_paused(called, turn)
    assert state.status == "waiting"
    assert [one.arguments["task"] for one in state.waiting] == ["tea", "salt"]
    assert len(waiting_in(owner, called.other, turn)) == 2

    for answer in ("yes", "No, thanks"):
        refused = write(owner, called, turn, answer)
        assert (refused.status_code, refused.json()["code"]) == (409, "several_calls_wait")
        assert "1. Delete tea. 2. Delete salt." in refused.json()["message"]
        ids = [one.confirmation_id for one in state.waiting]
        assert refused.json()["detail"]["confirmation_ids"] == ids
    assert len(waiting_in(owner, called.other, turn)) == 2


def test_each_call_is_decided_by_itself(owner: httpx.Client, called: Called, turn: dict[str, str]):
    tea, salt = (one.confirmation_id for one in read_paused(called, turn).waiting)
    path = f"/v1/projects/{called.other}/confirmations"

    answered = done(owner.post(f"{path}/{salt}", json={"decision": "reject"}))

    assert (answered["turn_id"], answered["status"]) == (turn["turn_id"], "answered")
    again = owner.post(f"{path}/{salt}", json={"decision": "approve"}).json()
    assert again["code"] == "confirmation_decided"
    assert owner.post(f"{path}/{tea}", json={"decision": "approve"}).json()["code"] == "turn_over"


FOLLOWED = """
import sys
from infra.cli.chat import Talk
from infra.cli.context import connect
from infra.cli.partners import ProjectAgents
from infra.client.models.shared import Turn

project, conversation_id, turn_id = sys.argv[1:]
at = {"conversation_id": conversation_id, "turn_id": turn_id, "job_id": "", "after": -1}
cairn = connect()
talk = Talk(cairn, ProjectAgents(cairn, project), None, as_json=False)
talk.go_on(Turn(**at, status="running"))
"""


def test_the_command_line_shows_all_calls_and_asks_about_each(called: Called, turn: dict[str, str]):
    terminal, keyboard = os.openpty()
    os.write(terminal, b"n\n")
    at = (called.other, turn["conversation_id"], turn["turn_id"])
    talk = subprocess.run(
        [sys.executable, "-c", FOLLOWED, *at],
        env=called.cairn.environ,
        stdin=keyboard,
        capture_output=True,
        text=True,
        timeout=120,
    )
    os.close(terminal)
    os.close(keyboard)

    assert talk.returncode == 0, talk.stderr
    for line in ("May I? Delete tea.", "May I? Delete salt.", "1 of 2: Delete tea."):
        assert line in talk.stderr
    assert list_declined(called, turn) == [("tea", "")]
    assert "no language model took part" in talk.stdout  # the turn has gone on to its end


def test_another_message_leaves_all_calls_behind(
    owner: httpx.Client, called: Called, turn: dict[str, str]
):
    read_paused(called, turn)

    other = done(write(owner, called, turn, "What can you do?"))

    assert (other["status"], waiting_in(owner, called.other, turn)) == ("answered", [])
    assert list_declined(called, turn) == [
        ("salt", "another message came first"),
        ("tea", "another message came first"),
    ]


def test_calls_that_nobody_confirms_are_all_declined(
    owner: httpx.Client, called: Called, turn: dict[str, str]
):
    read_paused(called, turn)
    with postgres.connect(called.cairn.settings_now().conninfo, autocommit=True) as tables:
        end_turns(tables, datetime.now(UTC) + timedelta(hours=6, minutes=1))
    assert list_declined(called, turn) == [("salt", ""), ("tea", "")]
    assert frames_until_end(owner, turn["turn_id"])[-1][0] == "done"
