"""A person decides from the terminal: cards, refusals, one effect a key, a log that stays sound."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import pytest

from tests.parcel import write_to
from tests.service import Service, service

pytestmark = pytest.mark.broker
REASON = "the security review chose it"


@pytest.fixture(scope="module")
def cairn(tmp_path_factory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("people") / "parcel"
    write_to(folder)
    with service() as running:
        running.run("project", "create", "Parcel", "--idempotency-key", "parcel")
        running.ingest(folder, "Parcel", "first")
        yield running


def refused(cairn: Service, *arguments: str) -> str:
    process = cairn.start(*arguments)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "Traceback" not in err
    return err


def atom(cairn: Service, atom_id: str) -> dict[str, Any]:
    listed = cairn.json("atoms", "--project", "Parcel", "--status", "all")
    (found,) = [each for each in listed if each["atom_id"] == atom_id]
    return found


def test_a_card_is_decided_once_and_for_all_to_see(cairn: Service):
    (card,) = cairn.json("contradictions", "--project", "Parcel", "--cards")
    assert card["allowed_actions"][0] == "a_wins"
    assert all(side["evidence"][0]["snippet"] for side in (card["a"], card["b"]))
    assert all(side["evidence"][0]["line_start"] >= 1 for side in (card["a"], card["b"]))
    shown = cairn.run("contradictions", "--project", "Parcel", "--cards")
    assert card["a"]["title"] in shown and "can be decided" in shown

    key, target = secrets.token_hex(8), card["contradiction_id"]
    choice = ("resolve", target, "--a-wins", "--rationale", REASON)
    assert "member" in refused(cairn, *choice, "--role", "member")
    assert "10 characters" in refused(cairn, *choice[:3], "--rationale", "because")
    assert "revision 1" in refused(cairn, *choice, "--expected-revision", "7")
    said = cairn.run(*choice, "--as", "ana", "--key", key)
    assert "superseded" in said and card["b"]["title"] in said
    assert cairn.run(*choice, "--as", "ana", "--key", key) == said
    assert "decided already" in refused(cairn, *choice)

    assert cairn.json("contradictions", "--project", "Parcel") == []
    (closed,) = cairn.json("contradictions", "--project", "Parcel", "--status", "all")
    assert (closed["status"], closed["decided_by"]) == ("resolved", "ana")
    assert atom(cairn, card["b"]["atom_id"])["status"] == "superseded"


def test_an_atom_is_verified_dismissed_and_taken_back(cairn: Service):
    first = cairn.json("atoms", "--project", "Parcel", "--kind", "requirement")[0]["atom_id"]
    (answer,) = cairn.json("verify", first, "--as", "bo", "--role", "pm")
    assert (answer["outcome"], answer["actor_id"]) == ("applied", "bo")
    assert atom(cairn, first)["confidence"] >= 0.9
    cairn.run("unverify", first)
    assert "rationale" in refused(cairn, "dismiss", first)
    cairn.run("dismiss", first, "--rationale", "not ours to keep")
    assert atom(cairn, first)["status"] == "dismissed"
    live = cairn.json("atoms", "--project", "Parcel")
    assert first not in {each["atom_id"] for each in live}
    cairn.run("reinclude", first)
    assert atom(cairn, first)["status"] == "active"
    assert "atm_nobody" in refused(cairn, "verify", "atm_nobody")


def test_the_tables_rebuilt_are_equal_and_the_log_is_sound(cairn: Service):
    before = cairn.checksums("Parcel")
    assert "ledger_hitl_events" in before
    cairn.run("rebuild")
    assert cairn.checksums("Parcel") == before
    cairn.run("verify-log")
