"""What a fork may not do: act on another project, or as somebody else."""

from __future__ import annotations

import httpx
import pytest

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
