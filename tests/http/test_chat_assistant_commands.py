"""The assistant from the command line: asked, read again, run again, forked and compared."""

from __future__ import annotations

import json
import os

import httpx
import pytest

from infra.cli.partners import find_time_zone
from infra.platform.errors import NotFound, Refusal
from tests.http.conftest import Called
from tests.http.test_chat_assistant import Yard, say
from tests.http.test_chat_assistant import yard as yard
from tests.http.test_commands import Terminal

pytestmark = pytest.mark.broker
WITH = ("chat", "--with", "comms")


@pytest.fixture
def terminal(called: Called) -> Terminal:
    return Terminal(called)


def tell(terminal: Terminal, *arguments: str) -> str:
    printed, code = terminal.here(*arguments)
    assert code == 0, (arguments, printed)
    return printed


def test_the_assistant_remembers_and_answers_about_a_chosen_project(
    terminal: Terminal, called: Called, owner: httpx.Client, capfd: pytest.CaptureFixture[str]
):
    tell(terminal, *WITH, "Remember that I sail on Sundays", "--verbose")
    shown = capfd.readouterr().err
    assert "Remembered: I sail on Sundays" in shown
    conversation = shown.partition("conversation: ")[2].split()[0]
    goes_on = (*WITH, "What do you remember about sailing?", "--conversation", conversation)
    assert "I sail on Sundays" in tell(terminal, *goes_on)

    asked = tell(terminal, *WITH, "How are parcels signed?", "--project", "Parcel", "--verbose")
    steps = capfd.readouterr().err
    assert "README.md" in asked or ".md:" in asked
    assert "comms -> executor: " in steps and "executor -> comms: " in steps

    listed = [
        json.loads(line)
        for line in tell(terminal, "assistant", "conversations", "--json").splitlines()
    ]
    assert conversation in [one["conversation_id"] for one in listed]
    assert conversation in tell(terminal, "assistant", "conversations")
    said = tell(terminal, "assistant", "conversations", conversation)
    assert said.index("Remember that I sail") < said.index("What do you remember about sailing?")
    whole = json.loads(tell(terminal, "assistant", "conversations", conversation, "--json"))
    assert len(whole["messages"]) == 4
    elsewhere = called.make_token("owner", name="no sailor")
    with pytest.raises(NotFound) as refused:
        terminal.elsewhere("assistant", "conversations", conversation, token=elsewhere)
    assert refused.value.code == "unknown_conversation"


def test_own_messages_are_listed_replayed_forked_and_compared(
    terminal: Terminal, owner: httpx.Client
):
    turn = say(owner, "What do you remember about anchors?")
    turn_id = turn["turn_id"]
    assert turn_id in tell(terminal, "agents", "turns", "--conversation", turn["conversation_id"])
    events = [
        json.loads(line)
        for line in tell(terminal, "agents", "events", turn_id, "--json").splitlines()
    ]
    assert json.loads(tell(terminal, "agents", "replay", turn_id))["events"] == len(events)
    told = tell(terminal, "agents", "fork", turn_id, "--at", "0", "--set", "text=Who?", "--json")
    fork = json.loads(told.splitlines()[-1])
    assert fork["event"] == "done"
    assert "They part at event 0: text." in tell(
        terminal, "agents", "diff", turn_id, fork["turn_id"]
    )
    assert tell(terminal, "agents", "stop", turn["conversation_id"]) == ""
    with pytest.raises(Refusal) as refused:
        terminal.here("agents", "events", turn_id, "--project", "Parcel")
    assert refused.value.code == "unknown_turn"


def test_several_calls_that_wait_are_decided_at_the_terminal(
    terminal: Terminal,
    owner: httpx.Client,
    yard: Yard,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    yard.asked.clear()
    ours, theirs = os.openpty()
    os.write(ours, b"n\ny\n")
    with os.fdopen(theirs) as keyboard:
        monkeypatch.setattr("sys.stdin", keyboard)
        told = tell(terminal, *WITH, "Clear the yard, please")
    os.close(ours)
    assert "Both crates are gone." in told
    shown = capfd.readouterr().err
    assert "1 of 2: " in shown and shown.count("May I?") == 3  # the second is asked about anew
    assert "You may go on with:" in shown and "- Show the yard" in shown
    assert len(yard.changes) == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("chat", "Hi"), "name the project, or talk with the assistant"),
        (("chat", "Hi", "-p", "Parcel", "--workflow", "triage"), "goes with --with comms"),
        ((*WITH, "Hi", "--file", "notes.md"), "the assistant takes no documents"),
        ((*WITH, "Hi", "--time-zone", "Atlantis"), "There is no time zone"),
    ],
)
def test_what_does_not_go_with_a_partner_is_wrong_use(
    terminal: Terminal,
    capfd: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    sentence: str,
):
    assert terminal.here(*arguments)[1] == 2
    assert sentence in " ".join(capfd.readouterr().err.replace("│", " ").split())


def test_a_workflow_that_is_not_there_is_not_found(terminal: Terminal):
    with pytest.raises(NotFound):
        terminal.here(*WITH, "Hi", "--workflow", "nowhere")


def test_the_time_zone_of_the_machine_is_told_where_it_has_a_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TZ", ":Asia/Tokyo")
    assert find_time_zone() == "Asia/Tokyo"
    monkeypatch.setenv("TZ", "JST-9")
    assert find_time_zone() == ""
