"""Without checkpoints in the database a turn that waits goes on after a restart, by its log."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from infra.platform import postgres
from projections.read.session import rows
from tests.http.test_chat import decide, done, say, tasks
from tests.service import Service, service

pytestmark = [pytest.mark.broker, pytest.mark.slow]


def client_of(cairn: Service) -> httpx.Client:
    (status,) = cairn.json("status")
    token = (cairn.home / "token").read_text().strip()
    headers = {"authorization": f"Bearer {token}"}
    return httpx.Client(base_url=status["http"], headers=headers, timeout=60.0)


def count_kept(cairn: Service) -> int:
    with postgres.connect(cairn.settings_now().conninfo, autocommit=True) as tables:
        (row,) = rows(tables, "SELECT count(*)::int AS kept FROM checkpoints")
    return int(row["kept"])


def test_states_in_memory_are_lost_on_restart_and_the_log_goes_on_without_them():
    with service(CAIRN_CHECKPOINTS="memory") as cairn:
        (status,) = cairn.json("status")
        assert "in memory alone: a restart loses them" in status["checkpoints"]
        assert "in memory alone" in cairn.run("status")
        project = cairn.run("project", "create", "Yard", "--idempotency-key", "yard").strip()
        with client_of(cairn) as owner:
            for title in ("Oil the crane", "Paint the gate"):
                say(owner, project, f"create a task: {title}")
            turns: list[Any] = [
                say(owner, project, f"delete «{title}»")
                for title in ("Oil the crane", "Paint the gate")
            ]
            assert [turn["status"] for turn in turns] == ["waiting"] * 2
            assert count_kept(cairn) == 0
            assert done(decide(owner, project, turns[0], "approve"))["status"] == "answered"
        cairn.down()
        cairn.up()
        with client_of(cairn) as owner:
            assert done(decide(owner, project, turns[1], "approve"))["status"] == "answered"
            assert "Paint the gate" not in tasks(owner, project)
            assert count_kept(cairn) == 0
