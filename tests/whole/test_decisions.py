"""Decisions of people while everything goes wrong: each has one effect, and nothing is lost."""

from __future__ import annotations

import random

import pytest

from schemas.envelope import Actor, Envelope, outside_fact
from schemas.events.hitl import AtomVerified, ContradictionDecided, PersonDecided
from schemas.events.ledger import LedgerChanged
from schemas.ids import sha256_hex
from streams.ledger.turns.fold import LedgerView
from streams.memory import Driver, Faults
from streams.pipeline import pipeline
from streams.tables import MemoryTables
from tests.ledger.decisions import a_decision
from tests.parcel import contents
from tests.whole.changing import ledger_of
from tests.whole.test_faults import read
from tests.worlds import AT, PROJECT, ingestion

GATE = {
    "README.md": b"# Gate\n\nThe gate uses PostgreSQL as its database.\n\n"
    b"The gate must keep its records for ten years.\n",
    "docs/records.md": b"# Records\n\nThe gate must not keep its records for ten years.\n\n"
    b"Passwords must be hashed with argon2.\n",
    "docs/notes.md": b"# Notes\n\nThe gate must keep all of its records for ten years.\n",
}


def troubles(seed: int) -> Faults:
    return Faults(seed=seed, repeat=0.15, forget=0.03, halve=0.1, outlive=0.1, shuffle=True)


def said(event: PersonDecided, key: str) -> Envelope:
    return outside_fact(
        event,
        project_id=PROJECT,
        occurred_at=AT,
        actor=Actor(type="human", id="ana"),
        natural_key=key,
    )


def view_of(driver: Driver) -> LedgerView:
    view = LedgerView(MemoryTables())
    for record in driver.log.of("ledger.v1"):
        view.fold(record)
    return view


def decided_upon(driver: Driver, seed: int, count: int = 12) -> list[Envelope]:
    """Decisions about the ledger as it is, and again as it will be after some of them."""
    chance, view = random.Random(seed), view_of(driver)
    events = [event for _ in range(count) if (event := a_decision(view, chance))]
    return [said(event, sha256_hex(f"{seed}|{n}")) for n, event in enumerate(events)]


def answers(driver: Driver) -> dict[str, LedgerChanged]:
    return {each.caused_by_event_id: each for each in ledger_of(driver) if each.turn is None}


def play(seed: int, partitions: int = 2) -> Driver:
    """One ingest, decisions among the facts of a second one, all of them twice."""
    driver = Driver(pipeline(read), partitions=partitions, faults=troubles(seed))
    driver.publish(ingestion(GATE, key="k1"))
    driver.run()
    people = decided_upon(driver, seed)
    again = {path: text + b"\nThe gate is watched.\n" for path, text in GATE.items()}
    driver.publish([*ingestion(again, key="k2"), *people, *people])
    driver.run()
    late = decided_upon(driver, seed + 1)
    driver.publish(late)
    driver.run()
    said_ids = {str(fact.event_id) for fact in (*people, *late)}
    assert set(answers(driver)) == said_ids
    return driver


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_every_decision_has_one_answer_under_faults(seed: int, partitions: int):
    driver = play(seed, partitions)
    change_sets = ledger_of(driver)
    assert [each.ledger_seq for each in change_sets] == list(range(1, len(change_sets) + 1))
    causes = [each.caused_by_event_id for each in change_sets]
    assert len(causes) == len(set(causes))
    assert any(each.hitl and not each.hitl.refusal for each in change_sets)


def test_two_readers_of_the_log_fold_the_same_ledger_with_decisions_in_it():
    driver = play(3)
    one, two = view_of(driver), LedgerView(MemoryTables())
    for record in driver.log.of("ledger.v1"):
        two.fold(record)
        two.fold(record)
    for table in ("atoms", "evidence", "links", "contradictions", "merge_candidates", "places"):
        assert dict(getattr(one, table).items()) == dict(getattr(two, table).items())


def test_decisions_that_come_after_the_runs_are_answered_alike_in_quiet_and_in_trouble():
    def after(faults: Faults) -> list[LedgerChanged]:
        driver = Driver(pipeline(read), partitions=2, faults=faults)
        driver.publish(ingestion(GATE, key="k1"))
        driver.run()
        driver.publish(decided_upon(driver, 5))
        driver.run()
        return ledger_of(driver)

    calm = after(Faults())
    assert sum(each.turn is None for each in calm) == 12
    for seed in range(3):
        assert after(troubles(seed)) == calm


def test_jwt_against_cookies_blocks_until_a_person_decides_and_is_not_asked_again():
    files = contents()
    driver = Driver(pipeline(read), partitions=1)
    driver.publish(ingestion(files, key="k1"))
    driver.run()
    (dispute,) = view_of(driver).contradictions.values()
    sides = (dispute.atom_a_id, dispute.atom_b_id)

    def decide(event: PersonDecided) -> LedgerChanged:
        driver.publish([said(event, event.model_dump_json())])
        driver.run()
        return ledger_of(driver)[-1]

    for atom_id in sides:
        seen = view_of(driver).atoms[f"{PROJECT}|{atom_id}"].revision
        decide(AtomVerified(atom_id=atom_id, expected_revision=seen, actor_role="pm"))
    (dispute,) = view_of(driver).contradictions.values()
    assert (dispute.status, dispute.severity) == ("open", "high")
    event = ContradictionDecided(
        contradiction_id=dispute.contradiction_id,
        decision="resolve",
        resolution_kind="a_wins",
        expected_revision=dispute.revision,
        actor_role="owner",
        rationale="the security review chose it",
    )
    answer = decide(event)
    assert [change.op for change in answer.changes][-1] == "hitl_applied"
    assert answer.summary and not answer.summary.open_contradictions
    longer = {
        path: text + b"\nThis page is kept by the team.\n" if path.endswith(".md") else text
        for path, text in files.items()
    }
    driver.publish(ingestion(longer, key="k2"))
    driver.run()
    view = view_of(driver)
    (dispute,) = view.contradictions.values()
    assert (dispute.status, dispute.resolution_kind) == ("resolved", "a_wins")
    winner, loser = (view.atoms[f"{PROJECT}|{atom_id}"] for atom_id in sides)
    assert (winner.status, loser.status) == ("active", "superseded")
    assert loser.evidence_count > loser.stale_evidence_count
