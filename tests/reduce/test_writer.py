"""The PRD is written once for each settled position, from the ledger at exactly that position."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.events.artifact_sections import ReviewFinding, Statement
from schemas.ids import derive_id
from streams.reduce.texts.inputs import SectionInput
from streams.reduce.texts.sections import SECTIONS
from streams.reduce.texts.wording import write_section
from streams.reduce.writer import REDUCE, Reduce
from streams.tables import MemoryTables
from tests.reduce.ledgers import (
    ENOUGH,
    EXPORT,
    LOSS,
    QUEUE,
    RETRY,
    WHO,
    Play,
    a_conflict,
    a_requirement,
    cited,
    prd_of,
    texts,
)


def test_the_end_of_a_run_publishes_the_first_version_with_all_sections_in_order():
    answer = prd_of(*ENOUGH)

    assert (answer.outcome, answer.snapshot.version, answer.artifact_seq) == ("published", 1, 1)
    assert [one.section_id for one in answer.snapshot.sections] == [p.section_id for p in SECTIONS]
    assert texts(answer, "risks") == [
        "An outage of the queue stops all deliveries — impact: warehouses receive no orders."
    ]
    assert texts(answer, "open_questions") == ["Who rotates the signing keys of a warehouse?"]


def test_nothing_is_settled_before_a_run_ends():
    play = Play().given(ENOUGH)
    play.decide()

    assert play.answers() == []


def test_a_section_without_atoms_names_what_is_missing_and_states_nothing():
    answer = prd_of(EXPORT)
    users = next(one for one in answer.snapshot.sections if one.section_id == "users")

    assert (users.state, users.statements) == ("insufficient_evidence", [])
    assert users.gap == "Not enough evidence: no statements about users and their needs so far."


def test_a_run_that_changes_nothing_is_answered_without_a_new_version():
    play = Play().given(ENOUGH)
    first = play.ends()

    second = play.given([]).ends()

    assert (second.outcome, second.artifact_seq) == ("unchanged", 2)
    assert second.snapshot == first.snapshot
    assert second.input_ledger_seq == 4


def test_only_the_section_whose_atoms_changed_is_written_again():
    play = Play().given(ENOUGH)
    first = play.ends()

    other = LOSS.model_copy(update={"revision": 2, "confidence": 0.75})
    second = play.given([other]).ends()

    assert second.recomputed_sections == ["risks"]
    assert second.snapshot.version == 2
    kept = zip(first.snapshot.sections, second.snapshot.sections, strict=True)
    assert all(a == b for a, b in kept if a.section_id != "risks")


def test_an_atom_that_is_no_longer_live_leaves_the_prd():
    play = Play().given(ENOUGH)
    play.ends()

    gone = LOSS.model_copy(update={"status": "obsolete", "revision": 2})
    answer = play.given([gone]).ends()

    assert texts(answer, "risks") == []
    assert LOSS.atom_id not in cited(answer)


def test_the_prd_of_a_position_ignores_what_the_ledger_learned_later():
    slow, prompt = Play(), Play()
    for play in (slow, prompt):
        play.given(ENOUGH)
    prompt.ends("preview")
    slow.end_run("preview")
    later = a_requirement("The relay must archive every order after delivery")
    for play in (slow, prompt):
        play.given([later])
    slow.end_run()
    slow.decide()
    prompt.ends()

    assert [one.value for one in slow.written] == [one.value for one in prompt.written]


def test_a_state_folded_again_in_either_order_owes_nothing():
    play = Play().given(ENOUGH)
    play.ends("preview")
    play.given([a_requirement("The relay must archive every order after delivery")]).ends()

    for records in (play.written + play.ledger, play.ledger + play.written):
        state = REDUCE.open(MemoryTables())
        for record in records + records:
            REDUCE.evolve(state, record)
        assert REDUCE.decide(state) is None


def test_a_crash_before_the_answer_makes_the_same_answer_again():
    play = Play().given(ENOUGH)
    play.ends("preview")
    play.given([a_requirement("The relay must archive every order after delivery")]).ends()

    for at, known in enumerate(play.written):
        state = REDUCE.open(MemoryTables())
        for record in play.written[:at] + play.ledger:
            REDUCE.evolve(state, record)
        decision = REDUCE.decide(state)
        assert decision is not None
        assert decision.commit_record.event == known.envelope.event
        assert decision.commit_record.event_id == known.envelope.event_id


def test_a_state_opened_over_stored_tables_goes_on_where_it_was():
    tables = MemoryTables()
    play = Play()
    play.state = REDUCE.open(tables)
    play.given(ENOUGH)
    play.state = REDUCE.open(tables)

    assert play.ends().snapshot == prd_of(*ENOUGH).snapshot


@settings(max_examples=20)
@given(st.permutations(ENOUGH), st.integers(1, 5))
def test_the_order_in_which_atoms_arrive_leaves_no_trace(atoms, at):
    split = Play().given(atoms[:at]).given(atoms[at:]).ends()

    assert split.snapshot.sections == prd_of(*ENOUGH).snapshot.sections


def test_the_hash_seed_of_a_process_leaves_no_trace():
    program = (
        "from tests.reduce.ledgers import *\n"
        "many = [a_requirement(f'The relay must serve warehouse {n} over its gateway',"
        " source=f's{n % 3}') for n in range(40)]\n"
        "print(prd_of(*ENOUGH, *many, conflicts=[a_conflict(EXPORT, RETRY)]).model_dump_json())"
    )
    root = Path(__file__).parents[2]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=root,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(outputs) == 1


def uncited(
    artifact_id: str, given: SectionInput, findings: list[ReviewFinding]
) -> list[Statement]:
    """A synthesiser that adds a sentence of its own, and does it again when told."""
    invented = Statement(
        statement_id=derive_id("stm", artifact_id, given.section_id),
        text="Customers love it.",
        citations=[],
        confidence=1.0,
    )
    return [*write_section(artifact_id, given, findings), invented]


def test_one_uncited_sentence_is_refused_and_the_version_before_stays():
    play = Play().given(ENOUGH)
    first = play.ends()
    play.writer = Reduce(synthesise=uncited)

    answer = play.given([a_requirement("The relay must archive every delivered order")]).ends()

    assert answer.outcome == "rejected"
    assert answer.snapshot == first.snapshot
    assert {finding.code for finding in answer.findings} == {"uncited_assertion"}


def test_a_refused_first_version_leaves_version_0_and_the_next_is_version_1():
    play = Play(Reduce(synthesise=uncited)).given(ENOUGH)
    assert play.ends().snapshot.version == 0

    play.writer = REDUCE
    answer = play.given([]).ends()

    assert (answer.outcome, answer.snapshot.version, answer.state_before) == ("published", 1, None)


def test_a_synthesiser_that_heeds_the_findings_is_published_and_they_are_kept():
    def heeding(artifact_id, given, findings):
        written = write_section(artifact_id, given, findings)
        return written if findings else uncited(artifact_id, given, findings)

    answer = Play(Reduce(synthesise=heeding)).given(ENOUGH).ends()

    assert answer.outcome == "published"
    assert {finding.code for finding in answer.findings} == {"uncited_assertion"}


def test_a_statement_names_both_sides_of_an_open_contradiction():
    conflict = a_conflict(EXPORT, RETRY)

    answer = prd_of(*ENOUGH, conflicts=[conflict])

    (both,) = [text for text in texts(answer, "functional_requirements") if "conflicts" in text]
    assert "signed document" in both
    assert "failed delivery" in both
    assert answer.snapshot.blocked_by == [conflict.contradiction_id]


def test_an_atom_in_several_contradictions_becomes_an_open_question():
    conflicts = [a_conflict(EXPORT, RETRY), a_conflict(EXPORT, QUEUE)]

    answer = prd_of(*ENOUGH, conflicts=conflicts)

    asked = texts(answer, "open_questions")
    assert sum("conflicts with" in text for text in asked) == 1
    assert WHO.title in asked
    assert EXPORT.atom_id not in {
        citation.atom_id
        for section in answer.snapshot.sections
        if section.section_id != "open_questions"
        for statement in section.statements
        for citation in statement.citations
    }


def test_a_closed_contradiction_changes_only_the_sections_that_cite_its_atoms():
    play = Play().given(ENOUGH, [a_conflict(EXPORT, RETRY)])
    play.ends()

    answer = play.given([], [a_conflict(EXPORT, RETRY, status="resolved", updated_seq=3)]).ends()

    assert answer.recomputed_sections == ["functional_requirements"]
    assert answer.snapshot.blocked_by == []
    assert len(texts(answer, "functional_requirements")) == 2
