"""What the deep run leaves to a person is queued with its end, and only then."""

from __future__ import annotations

from typing import Any

import pytest

from projections.read import waiting
from projections.read.runs import list_runs
from schemas.events.hitl import AtomDismissed, AtomVerified
from schemas.events.ingestion_request import RemovalsAccepted
from tests import worlds
from tests.projections.conftest import ReadModel
from tests.projections.log import records_in
from tests.projections.test_items import folded
from tests.reduce.ledgers import PROJECT, Play, a_conflict
from tests.reduce.test_items import LIMIT, RETRY, WORLD
from tests.whole.changing import Project
from tests.whole.test_changes import TEN
from tests.whole.test_decisions import GATE, said

DISPUTE = a_conflict(RETRY, LIMIT)


def queued(model: ReadModel) -> list[str]:
    return [row.target_id for row in waiting.list_waiting(model.connection, PROJECT).items]


def test_a_preview_records_a_dispute_and_asks_nobody(model: ReadModel):
    play = Play().given(WORLD, [DISPUTE])
    play.ends("preview")
    folded(model, play)

    assert model.value("SELECT count(*) FROM ledger_contradictions WHERE status = 'open'") == 1
    assert queued(model) == []


def test_the_end_of_the_deep_run_queues_it_and_makes_the_rest_stable(model: ReadModel):
    play = Play().given(WORLD, [DISPUTE])
    play.ends("preview")
    play.ends("deep")
    folded(model, play)

    (asked,) = waiting.list_waiting(model.connection, PROJECT).items
    assert (asked.target_id, asked.queued_seq) == (DISPUTE.contradiction_id, 3)
    states = dict(model.rows("SELECT artifact_id, artifact_state FROM artifacts"))
    blocked = {
        artifact
        for (artifact,) in model.rows(
            "SELECT artifact_id FROM artifacts WHERE cardinality(blocked_by) > 0"
        )
    }
    assert len(asked.blocks) == len(blocked) > 0
    assert "stable" not in {state for key, state in states.items() if key in blocked}
    assert "stable" in {state for key, state in states.items() if key not in blocked}
    moved = model.rows(
        "SELECT DISTINCT state_before FROM artifacts WHERE artifact_state = 'stable'"
    )
    assert moved == [("preview_stable",)]


def test_what_is_decided_waits_no_longer(model: ReadModel):
    play = Play().given(WORLD, [DISPUTE])
    play.ends("deep")
    play.decided([], [a_conflict(RETRY, LIMIT, status="resolved", updated_seq=3)])
    folded(model, play)

    assert queued(model) == []


def kinds(model: ReadModel, project: Project) -> list[str]:
    """What waits once the whole log of the project is in tables of their own."""
    model.emptied().fold(records_in(project.driver))
    return [row.kind for row in waiting.list_waiting(model.connection, worlds.PROJECT).items]


def first_of_ten(count: int) -> dict[str, bytes]:
    return {path: TEN[path] for path in list(TEN)[:count]}


def test_a_series_waits_as_one_review_that_names_all_of_it(model: ReadModel):
    names = ("Halden", "Lerwick", "Narvik", "Visby")
    lines = [
        f"- The {name} office must be moved to the new region before March.\n" for name in names
    ]
    text = "# Moves\n\n## Requirements\n\n" + "".join(lines)
    project = Project().ingest({"docs/moves.md": text.encode()})
    assert kinds(model, project) == ["merge_review"]
    (asked,) = waiting.list_waiting(model.connection, worlds.PROJECT).items
    assert asked.detail == "differ in: halden, lerwick, narvik, visby"


@pytest.mark.parametrize(
    ("one", "other", "detail"),
    [
        ("print all with -v", "print all with -V", "differ in: -V, -v"),
        ("read from the north and write to the south",
         "write to the north and read from the south", "differ in the order of their words"),
    ],
)  # fmt: skip
def test_a_review_says_what_the_two_differ_in(model: ReadModel, one: str, other: str, detail: str):
    needs = [f"# Tool\n\n## Requirements\n\n- The copy tool must {it}.\n" for it in (one, other)]
    project = Project().ingest({"a.md": needs[0].encode(), "b.md": needs[1].encode()})
    assert kinds(model, project) == ["merge_review"]
    (asked,) = waiting.list_waiting(model.connection, worlds.PROJECT).items
    assert asked.detail == detail


def count_held(model: ReadModel, run_id: str) -> int:
    """How many removals the run says that it holds."""
    (run,) = list_runs(model.connection, worlds.PROJECT, run_id=run_id).items
    return run.removals_held


def test_held_removals_wait_until_a_person_lets_them_go(model: ReadModel):
    project = Project().ingest(TEN).ingest(first_of_ten(7))
    held = project.stops[-1]
    assert kinds(model, project) == ["removals_held"]
    (asked,) = waiting.list_waiting(model.connection, worlds.PROJECT).items
    assert (asked.target_id, asked.detail) == (held.run_id, "3 sources are gone from parcel")
    assert count_held(model, held.run_id) == 3
    accepted = RemovalsAccepted(run_id=held.run_id, root="parcel", source_ids=held.removals_held)
    assert kinds(model, project.given([worlds.fact(accepted)])) == []
    assert count_held(model, held.run_id) == 0


def test_held_removals_wait_no_longer_when_the_files_are_back(model: ReadModel):
    project = Project().ingest(TEN).ingest(first_of_ten(8))
    assert kinds(model, project) == ["removals_held"]
    missing = {path: TEN[path] for path in list(TEN)[8:]}
    assert kinds(model, project.ingest(missing, complete=False)) == []


def test_a_later_complete_listing_judges_anew(model: ReadModel):
    project = Project().ingest(TEN).ingest(first_of_ten(7)).ingest(first_of_ten(6))
    assert kinds(model, project) == ["removals_held"]
    (asked,) = waiting.list_waiting(model.connection, worlds.PROJECT).items
    assert asked.target_id == project.stops[-1].run_id


def test_a_verified_atom_without_evidence_waits_until_somebody_has_looked(model: ReadModel):
    project = Project().ingest(GATE)
    atom = next(atom for atom in project.live.values() if "argon2" in atom.title)
    seen: dict[str, Any] = {
        "atom_id": atom.atom_id,
        "actor_role": "pm",
        "rationale": "in the contract",
    }
    project.given([said(AtomVerified(**seen, expected_revision=atom.revision), "v")])
    project.ingest(GATE | {"docs/records.md": b"# Records\n\nRecords are kept in a safe.\n"})
    queued_now = [kind for kind in kinds(model, project) if kind != "merge_review"]
    assert queued_now == ["verified_evidence_stale"]
    asked = waiting.list_waiting(model.connection, worlds.PROJECT).items[-1]
    assert asked.title_a == atom.title
    now = project.ledger.atoms[f"{worlds.PROJECT}|{atom.atom_id}"]
    project.given([said(AtomDismissed(**seen, expected_revision=now.revision), "d")])
    assert "verified_evidence_stale" not in kinds(model, project)
