"""A person decides from the terminal: cards, refusals, one effect a key, a log that stays sound."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from infra.platform.clock import SystemClock
from infra.runtime.local.process import wait_until
from infra.service.deciding.decisions import Decider, verify_atom
from infra.service.foundation.database import ask_project
from projections.read.contradictions import ContradictionCard, list_contradictions
from projections.read.runs import list_runs
from projections.read.session import Conn
from projections.read.views import ArtifactView, read_view
from tests.parcel import write_to
from tests.service import COMMAND_PATIENCE_S, Service

pytestmark = pytest.mark.broker
PROJECT = "People"
REASON = "the security review chose it"
PATIENCE_S = 180
BEHIND_THE_PREVIEW = "docs/operations.md"  # listed by a preview, and not read by it
T = TypeVar("T")
Question = Callable[[Conn, str], T]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path: Path = tmp_path_factory.mktemp("people") / "parcel"
    write_to(path)
    return path


@pytest.fixture(scope="module")
def cairn(shared: Service, folder: Path) -> Service:
    shared.run("project", "create", PROJECT, "--idempotency-key", "people")
    shared.ingest(folder, PROJECT, "people")
    return shared


def refused(cairn: Service, *arguments: str) -> str:
    process = cairn.start(*arguments)
    _, err = process.communicate(timeout=COMMAND_PATIENCE_S)
    assert process.returncode == 1
    assert "Traceback" not in err
    return err


def atom(cairn: Service, atom_id: str) -> dict[str, Any]:
    listed = cairn.json("atoms", "--project", PROJECT, "--status", "all")
    (found,) = [each for each in listed if each["atom_id"] == atom_id]
    return found


def comes_true(cairn: Service, question: Question[T], holds: Callable[[T], bool]) -> None:
    """The answer of ``question``, which a command asks too, ``holds`` at last.

    A command would start a process for each look.
    """

    def answer() -> T:
        return asyncio.run(ask_project(cairn.settings_now(), PROJECT, question))

    assert wait_until(lambda: holds(answer()), timeout_s=PATIENCE_S), f"never so: {answer()}"


def prd(cairn: Service, state: str) -> dict[str, Any]:
    """The PRD as soon as it is in that state."""

    def is_there(view: ArtifactView) -> bool:
        return view.prd is not None and view.prd.artifact_state == state

    now = SystemClock().now()
    comes_true(cairn, lambda tables, project: read_view(tables, project, "prd", now), is_there)
    shown, *_ = cairn.json("show", "prd", "--project", PROJECT)
    assert shown["artifact_state"] == state
    return shown


def affected_types(card: ContradictionCard) -> list[str]:
    return [artifact.artifact_type for artifact in card.affected_artifacts]


def test_a_prd_is_stable_once_a_person_vouches_for_what_it_says(cairn: Service):
    drafted = prd(cairn, "preview_stable")
    said = [one for section in drafted["sections"] for one in section["statements"]]
    first, *others = sorted({each["atom_id"] for one in said for each in one["citations"]})
    cairn.run("verify", first, "--role", "pm")
    for atom_id in others:  # as the command does it, without a process for each
        asyncio.run(verify_atom(cairn.settings_now(), atom_id, Decider("ana", "pm")))
    assert prd(cairn, "stable")["blocked_by"] == []


def test_two_sides_that_are_sure_block_the_prd(cairn: Service):
    (card,) = cairn.json("contradictions", "--project", PROJECT, "--cards")
    for side in (card["a"], card["b"]):
        cairn.run("verify", side["atom_id"], "--role", "pm")
    assert prd(cairn, "preview_stable")["blocked_by"] == [card["contradiction_id"]]
    comes_true(
        *(cairn, list_contradictions),
        lambda page: any(affected_types(each) == ["insight", "prd"] for each in page.items),
    )
    (card,) = cairn.json("contradictions", "--project", PROJECT, "--cards")
    assert [each["artifact_type"] for each in card["affected_artifacts"]] == ["insight", "prd"]
    assert (card["status"], card["severity"]) == ("open", "high")


def test_a_card_is_decided_once_and_for_all_to_see(cairn: Service):
    (card,) = cairn.json("contradictions", "--project", PROJECT, "--cards")
    assert card["allowed_actions"][0] == "a_wins"
    assert all(side["evidence"][0]["snippet"] for side in (card["a"], card["b"]))
    assert all(side["evidence"][0]["line_start"] >= 1 for side in (card["a"], card["b"]))
    text = cairn.run("contradictions", "--project", PROJECT, "--cards")
    assert card["a"]["title"] in text and "can be decided" in text

    key, target = secrets.token_hex(8), card["contradiction_id"]
    choice = ("resolve", target, "--a-wins", "--rationale", REASON)
    member = ("--role", "member", "--as", "mia", "--expected-revision", str(card["revision"]))
    assert "Proposed as hitl_" in cairn.run(*choice, *member)
    (proposal,) = cairn.json("proposals", "--project", PROJECT)
    assert "mia proposes to decide that" in proposal["summary"]
    assert "needs a rationale" in refused(cairn, "decline", proposal["proposal_id"])
    cairn.run("decline", proposal["proposal_id"], "--rationale", "not seen by the team yet")
    assert cairn.json("proposals", "--project", PROJECT) == []
    assert "10 characters" in refused(cairn, *choice[:3], "--rationale", "because")
    assert "it is at revision" in refused(cairn, *choice, "--expected-revision", "1")
    said = cairn.run(*choice, "--as", "ana", "--idempotency-key", key)
    assert "superseded" in said and card["b"]["title"] in said
    assert cairn.run(*choice, "--as", "ana", "--idempotency-key", key) == said
    assert "decided already" in refused(cairn, *choice)

    assert cairn.json("contradictions", "--project", PROJECT) == []
    (closed,) = cairn.json("contradictions", "--project", PROJECT, "--status", "all")
    assert (closed["status"], closed["decided_by"]) == ("resolved", "ana")
    assert atom(cairn, card["b"]["atom_id"])["status"] == "superseded"
    assert prd(cairn, "stable")["blocked_by"] == []


def test_no_later_run_undoes_what_a_person_decided(cairn: Service, folder: Path):
    (before,) = cairn.json("contradictions", "--project", PROJECT, "--status", "all")
    loser = atom(cairn, before["atom_b_id"])
    pages = {row["path"] for row in loser["evidence"]}
    for path in (*pages, BEHIND_THE_PREVIEW):
        with (folder / path).open("a") as page:
            page.write("\n## Keeping\n\nThis page must be read by every new member of the team.\n")
    again = ("ingest", str(folder), "--project", PROJECT, "--as", folder.name, "--wait")
    cairn.run(*again, "--lane", "preview")
    comes_true(
        *(cairn, list_runs),
        lambda page: any(
            (run.trigger, run.status) == ("stale_evidence", "stopped") for run in page.items
        ),
    )
    (after,) = cairn.json("contradictions", "--project", PROJECT, "--status", "all")
    assert after == before
    assert atom(cairn, loser["atom_id"])["status"] == "superseded"
    fresh = [row for row in atom(cairn, loser["atom_id"])["evidence"] if not row.get("stale")]
    assert {row["path"] for row in fresh} == pages
    (shown,) = cairn.json("show", "prd", "--project", PROJECT)
    assert shown["blocked_by"] == []
    assert loser["atom_id"] not in str(shown["sections"])


def test_an_atom_is_verified_dismissed_and_taken_back(cairn: Service):
    first = cairn.json("atoms", "--project", PROJECT, "--kind", "requirement")[0]["atom_id"]
    (answer,) = cairn.json("verify", first, "--as", "bo", "--role", "pm")
    assert (answer["outcome"], answer["actor_id"]) == ("applied", "bo")
    assert atom(cairn, first)["confidence"] >= 0.9
    cairn.run("unverify", first)
    assert "rationale" in refused(cairn, "dismiss", first)
    cairn.run("dismiss", first, "--rationale", "not ours to keep")
    assert atom(cairn, first)["status"] == "dismissed"
    live = cairn.json("atoms", "--project", PROJECT)
    assert first not in {each["atom_id"] for each in live}
    cairn.run("reinclude", first)
    assert atom(cairn, first)["status"] == "active"
    assert "atm_nobody" in refused(cairn, "verify", "atm_nobody")


def test_the_tables_rebuilt_are_equal_and_the_log_is_sound(cairn: Service):
    before = cairn.checksums(PROJECT)
    assert "ledger_hitl_events" in before
    cairn.run("rebuild")
    assert cairn.checksums(PROJECT) == before
    cairn.run("verify-log")
