"""A model's words in artifacts: taken for the input they were made from, checked, and kept."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events.artifact import ArtifactChanged, ArtifactEdited
from schemas.events.artifact_loops import LoopRecord
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_sections import Citation, Section
from schemas.events.change import ChangeRequested, EditedStatement, SectionEdit
from streams.publishing import PUBLISH
from streams.reduce.writer import Reduce
from tests.reduce.ledgers import (
    ENOUGH,
    EXPORT,
    LOSS,
    PROJECT,
    RETRY,
    Play,
    a_conflict,
    a_requirement,
    items_of,
)
from tests.reduce.test_edits import OWN, a_change, edit_of, last, others, the_section
from tests.reduce.test_items import WORLD, agreed

WORDED = "Every order leaves the relay as a signed document, and failed deliveries are repeated."


def says(text: str, *atoms: Any) -> EditedStatement:
    cited = [Citation(atom_id=one.atom_id, atom_revision=one.revision) for one in atoms]
    return EditedStatement(text=text, citations=cited)


def words_for(
    artifact: ArtifactSnapshot, section: Section, *statements: EditedStatement, **changes: Any
) -> ChangeRequested:
    """A model's words for a section, made from its present input."""
    edit = SectionEdit(
        section_id=section.section_id,
        statements=list(statements),
        input_hash=changes.pop("input_hash", section.input_hash),
    )
    return ChangeRequested(
        artifact_id=artifact.artifact_id,
        sections=[edit],
        expected_version=artifact.version,
        editor="synthesis",
        editor_kind="model",
        model="some-model-1",
        prompt_version="s1",
        **changes,
    )


def words(answer: ArtifactChanged, *statements: EditedStatement, **changes: Any) -> ChangeRequested:
    return words_for(answer.snapshot, the_section(answer), *statements, **changes)


@pytest.fixture
def play() -> Play:
    play = Play().given(ENOUGH)
    play.ends()
    return play


def test_a_models_words_are_a_new_version_of_its_engine_and_all_else_stays(play: Play):
    before = last(play)

    after = play.asks(words(before, says(WORDED, EXPORT, RETRY)))

    assert (after.outcome, after.snapshot.version) == ("published", before.snapshot.version + 1)
    snapshot, section = after.snapshot, the_section(after)
    assert (snapshot.engine, snapshot.model, snapshot.prompt_version) == (
        "model",
        "some-model-1",
        "s1",
    )
    assert (section.engine, section.state, section.edited_by) == ("model", "generated", None)
    assert [one.text for one in section.statements] == [WORDED]
    assert all(one.citations for one in section.statements)
    assert section.statements[0].confidence == EXPORT.confidence
    assert others(after) == others(before)
    assert {one.engine for one in snapshot.sections} == {"heuristic", "model"}
    assert (edit_of(after).editor_kind, edit_of(after).model) == ("model", "some-model-1")


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        (says(WORDED), "uncited_assertion"),
        (says("Every order leaves the relay within 40 seconds.", EXPORT), "unsupported_number"),
        (says("Penguins swim.", EXPORT), "weak_support"),
        (says("An outage of the queue stops all deliveries.", LOSS), "unknown_atom"),
        (EditedStatement(text=WORDED, citations=[]), "uncited_assertion"),
        (says("  ", EXPORT), "uncited_assertion"),
    ],
)
def test_words_that_their_atoms_do_not_support_are_refused_and_the_rules_stay(
    play: Play, statement: EditedStatement, code: str
):
    before = last(play)

    after = play.asks(words(before, says(WORDED, EXPORT, RETRY), statement))

    assert (after.outcome, edit_of(after).refusal) == ("unchanged", "not_valid")
    assert code in [one.code for one in edit_of(after).findings]
    assert after.snapshot == before.snapshot


def test_an_empty_section_is_refused(play: Play):
    assert edit_of(play.asks(words(last(play)))).refusal == "not_valid"


def test_words_that_pass_over_an_open_contradiction_are_refused(play: Play):
    answer = play.given([], [a_conflict(EXPORT, RETRY)]).ends()

    after = play.asks(words(answer, says("Orders are exported as signed documents.", EXPORT)))

    assert edit_of(after).refusal == "not_valid"
    assert "contradiction_ignored" in [one.code for one in edit_of(after).findings]


def test_words_for_an_input_that_is_another_by_now_are_refused(play: Play):
    before = last(play)
    play.given([a_requirement("The relay must archive every delivered order")]).ends()

    after = play.asks(words(before, says(WORDED, EXPORT, RETRY)))

    assert edit_of(after).refusal == "stale_input"


def test_words_are_taken_at_a_later_version_when_their_section_is_the_same(play: Play):
    before = last(play)
    play.given([LOSS.model_copy(update={"revision": 2, "impact": "nothing arrives"})]).ends()

    after = play.asks(words(before, says(WORDED, EXPORT, RETRY)))

    assert (after.outcome, edit_of(after).refusal) == ("published", None)


def test_a_section_whose_atoms_stay_keeps_the_models_words(play: Play):
    worded = play.asks(words(last(play), says(WORDED, EXPORT, RETRY)))

    after = play.given(
        [LOSS.model_copy(update={"revision": 2, "impact": "nothing arrives"})]
    ).ends()

    assert the_section(after) == the_section(worded)
    assert after.snapshot.engine == "model"


def test_a_section_whose_atoms_change_goes_back_to_rules(play: Play):
    play.asks(words(last(play), says(WORDED, EXPORT, RETRY)))

    after = play.given([a_requirement("The relay must archive every delivered order")]).ends()

    assert the_section(after).engine == "heuristic"
    assert (after.snapshot.engine, after.snapshot.model) == ("heuristic", None)


def test_a_model_does_not_touch_what_a_person_has_edited(play: Play):
    edited = play.asks(a_change(last(play), OWN))

    after = play.asks(words(edited, says(WORDED, EXPORT, RETRY)))

    assert edit_of(after).refusal == "edited_by_person"
    assert the_section(after) == the_section(edited)


def test_a_person_may_edit_what_a_model_has_worded(play: Play):
    worded = play.asks(words(last(play), says(WORDED, EXPORT, RETRY)))

    after = play.asks(a_change(worded, OWN))

    assert (the_section(after).edited_by, after.snapshot.engine) == ("ana", "heuristic")


def public_facts(play: Play) -> list[str]:
    return [one.type_name for one in PUBLISH.handle(play.settled[-1].envelope, None)]


def test_how_a_model_went_through_a_list_is_no_edit_of_an_artifact(play: Play):
    loop = LoopRecord(
        phase="insight_generation",
        engine="model",
        stop_reason="should_continue_false",
        items=1,
        errors=0,
        calls=2,
        calls_ratio=2.0,
    )

    after = play.asks(words(last(play)).model_copy(update={"sections": [], "loop": loop}))

    assert (after.loops, edit_of(after).refusal) == ([loop], None)
    assert public_facts(play) == []


@pytest.mark.parametrize(
    "asked", [{"op": "update"}, {"editor_kind": "model"}, {"editor_kind": "quality_gate"}]
)
def test_of_an_artifact_that_there_is_not_nothing_is_told(play: Play, asked: dict[str, str]):
    change = words(last(play), says(WORDED, EXPORT, RETRY))

    after = play.asks(change.model_copy(update={"artifact_id": "art_nobody"} | asked))

    assert (edit_of(after).refusal, edit_of(after).version) == ("unknown_artifact", 0)
    assert public_facts(play) == []


def test_the_log_alone_says_what_a_model_has_worded(play: Play):
    play.asks(words(last(play), says(WORDED, EXPORT, RETRY)))

    again = Play()
    for record in (*play.ledger, *play.asked):
        again.writer.evolve(again.state, record)
        again.decide()

    assert again.answers()[-1] == last(play)


ALIKE = [*agreed("stock table"), *agreed("tariff book")]


@pytest.fixture(scope="module")
def told() -> Play:
    """A project with insights, features and tasks; each test asks about items of its own."""
    play = Play(Reduce(velocity=20)).given((*WORLD, *ALIKE))
    play.ends()
    return play


def first_of(play: Play, artifact_type: str, section_id: str = "") -> tuple[Any, Section]:
    found = [
        (item, section)
        for item in items_of(play.answers()[0], artifact_type)
        for section in item.sections
        if section.statements and section.section_id.startswith(section_id)
    ]
    return found[0]


def reworded(section: Section) -> EditedStatement:
    said = section.statements[0]
    return EditedStatement(text=f"In short: {said.text}", citations=said.citations)


@pytest.mark.parametrize("artifact_type", ["insight", "feature", "task"])
def test_an_item_takes_a_models_words_and_keeps_its_place(told: Play, artifact_type: str):
    item, section = first_of(told, artifact_type)

    after = told.asks(words_for(item, section, reworded(section)))

    (now,) = [one for one in after.items if one.snapshot.artifact_id == item.artifact_id]
    assert (now.outcome, now.snapshot.version) == ("published", item.version + 1)
    assert (now.snapshot.number, now.snapshot.engine) == (item.number, "model")
    assert after.snapshot == told.answers()[0].snapshot
    facts = PUBLISH.handle(told.settled[-1].envelope, None)
    edited = [one for one in facts if isinstance(one, ArtifactEdited)]
    assert [one.artifact_type for one in edited] == [artifact_type]


def test_the_approach_of_a_task_is_what_the_model_has_worded(told: Play):
    item, section = first_of(told, "task", "solutions")

    after = told.asks(words_for(item, section, reworded(section)))

    (now,) = [one.snapshot for one in after.items if one.snapshot.artifact_id == item.artifact_id]
    assert now.task and now.task.solutions == [reworded(section).text]


def test_a_later_position_keeps_the_items_words():
    play = Play().given(ALIKE)
    play.ends()
    item, section = first_of(play, "insight")
    play.asks(words_for(item, section, reworded(section)))

    after = play.given([]).ends()

    assert item.artifact_id not in [one.snapshot.artifact_id for one in after.items]
    assert play.state.items_of(PROJECT)[item.artifact_id].engine == "model"


def test_an_item_that_says_what_another_says_is_refused():
    play = Play().given(ALIKE)
    first, other = items_of(play.ends(), "insight")
    (section,), (copied,) = first.sections, other.sections
    citations = [one for said in section.statements for one in said.citations]
    texts = [one.text for one in copied.statements]

    request = words_for(
        first, section, *(EditedStatement(text=one, citations=citations) for one in texts)
    )

    assert edit_of(play.asks(request)).refusal == "repeats_another"
