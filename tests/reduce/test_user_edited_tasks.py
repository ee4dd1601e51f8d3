"""Tasks of people: what they make, change and delete stands in every later plan."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events.artifact import ArtifactChanged
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_sections import Citation
from schemas.events.change import ChangeRequested, EditedStatement, SectionEdit, TaskEdit
from schemas.ids import artifact_id as derive_artifact_id
from streams.publishing import PUBLISH
from tests.reduce.ledgers import ENOUGH, PROJECT, Play, a_requirement
from tests.reduce.teams import (
    BREAK,
    PLANNED_FEATURE,
    a_member,
    ask,
    joins,
    plan_of,
    said,
    standing,
    starts,
    task_of,
)

TITLE = "Reset of forgotten passwords"
STEP = "Send a link that is good for ten minutes"
OWN_ID = derive_artifact_id(PROJECT, "task", "person|key")


@pytest.fixture
def play() -> Play:
    """A feature is cut into tasks, and a team of two plans them."""
    play = Play().given([*ENOUGH, *PLANNED_FEATURE])
    play.ends()
    ask(play, joins(a_member("ana", "integration", "security", "engineering", "data modelling")))
    ask(play, joins(a_member("ben")))
    ask(play, starts("2026-01-05"))
    return play


def edits(**sections: list[str]) -> list[SectionEdit]:
    return [
        SectionEdit(section_id=key, statements=[EditedStatement(text=one) for one in texts])
        for key, texts in sections.items()
    ]


def change(play: Play, op: str, artifact_id: str, version: int = 0, **more: Any) -> ArtifactChanged:
    fields = {"sections": [], "editor": "ana"} | more
    asked = {"artifact_id": artifact_id, "op": op, "expected_version": version} | fields
    (answer,) = ask(play, ChangeRequested.model_validate(asked), key=f"{op} {len(play.asked)}")
    assert answer.edit
    return answer


def create(play: Play, **choices: Any) -> ArtifactChanged:
    told = TaskEdit(title=TITLE, **choices)
    return change(play, "create", OWN_ID, task=told, sections=edits(solutions=[STEP]))


def the_task(play: Play, artifact_id: str = OWN_ID) -> ArtifactSnapshot:
    (found,) = [one for one in standing(play, "task") if one.artifact_id == artifact_id]
    return found


def refusal_of(answer: ArtifactChanged) -> str | None:
    assert answer.edit
    return answer.edit.refusal


def test_a_task_that_a_person_makes_is_theirs_and_is_planned(play: Play):
    before = standing(play, "task")

    answer = create(play, assignee_id="mem_ben", estimate_points=3)

    task = the_task(play)
    assert (refusal_of(answer), task.version, task.edited_by) == (None, 1, "ana")
    assert answer.edit
    assert (answer.edit.version, answer.edit.artifact_type) == (1, "task")
    assert (task.title, said(task, "solutions")) == (TITLE, [STEP])
    assert task.sections[0].statements[0].written_by == "ana"
    assert "(uncited)" in task.rendered_markdown
    assert (task_of(task).assignee_id, task_of(task).estimate_points) == ("mem_ben", 3)
    sprint = next(
        one for one in standing(play, "sprint_plan") if one.artifact_id == task_of(task).sprint_id
    )
    assert OWN_ID in [one.task_id for one in plan_of(sprint).items]
    assert [one for one in standing(play, "task") if one.artifact_id != OWN_ID] == before


def test_the_public_topics_hold_it_as_any_task(play: Play):
    create(play)

    told = [event.type_name for event in PUBLISH.handle(play.written[-1].envelope, None)]

    assert "artifact.version_published" in told
    assert "artifact.edited" in told


def test_it_stays_when_later_runs_know_more(play: Play):
    create(play)
    before = the_task(play)

    play.given([a_requirement("The relay must archive every delivered order")]).ends()

    assert the_task(play).content_hash == before.content_hash
    assert the_task(play).version == before.version


def test_a_citation_that_no_input_holds_any_more_keeps_no_sprint_from_being_written(play: Play):
    cited = [Citation(atom_id="atm_gone", atom_revision=1)]
    section = SectionEdit(
        section_id="solutions", statements=[EditedStatement(text=STEP, citations=cited)]
    )

    change(
        play,
        "create",
        OWN_ID,
        task=TaskEdit(title=TITLE, assignee_id="mem_ben"),
        sections=[section],
    )

    assert task_of(the_task(play)).atom_ids == ["atm_gone"]
    assert not [one for one in play.answers()[-1].items if one.outcome == "rejected"]


def test_what_a_person_changes_of_a_task_of_the_rules_stands_and_the_rest_follows(play: Play):
    task = standing(play, "task")[0]
    told = TaskEdit(title="Seals, first", status="done", estimate_points=5)
    change(play, "update", task.artifact_id, task.version, task=told)

    more = a_requirement(
        "A seal must be read by every scanner", source="src_seals", area="integrations"
    )
    play.given([more]).ends()

    now = the_task(play, task.artifact_id)
    assert (now.title, task_of(now).status, task_of(now).estimate_points) == (
        "Seals, first",
        "done",
        5,
    )
    assert said(now, "solutions")
    assert now.edited_by == "ana"


def test_a_section_that_a_person_writes_is_not_written_over(play: Play):
    task = next(one for one in standing(play, "task") if BREAK.atom_id in task_of(one).atom_ids)
    sections = edits(acceptance_criteria=["A seal that is cut is shown at once"])
    change(play, "update", task.artifact_id, task.version, sections=sections)

    play.given(
        [a_requirement("A seal must survive rain", source="src_seals", area="integrations")]
    ).ends()

    now = the_task(play, task.artifact_id)
    assert said(now, "acceptance_criteria") == ["A seal that is cut is shown at once"]


def test_a_deleted_task_is_withdrawn_and_does_not_come_again(play: Play):
    task = standing(play, "task")[0]
    answer = change(play, "delete", task.artifact_id, task.version)
    gone = [one.snapshot for one in answer.items if one.snapshot.artifact_id == task.artifact_id]
    assert (refusal_of(answer), gone[0].number) == (None, "")

    play.given([a_requirement("The relay must archive every delivered order")]).ends()

    assert task.artifact_id not in [one.artifact_id for one in standing(play, "task")]


def test_a_person_changes_and_deletes_their_own_task(play: Play):
    create(play)
    change(play, "update", OWN_ID, 1, task=TaskEdit(status="in_progress"))
    task = the_task(play)
    assert (task.version, task_of(task).status, task.title) == (2, "in_progress", TITLE)

    change(play, "delete", OWN_ID, 2)

    assert OWN_ID not in [one.artifact_id for one in standing(play, "task")]


@pytest.mark.parametrize(
    ("op", "artifact_id", "version", "refusal"),
    [
        ("update", "art_none", 1, "unknown_artifact"),
        ("delete", "art_none", 1, "unknown_artifact"),
        ("update", OWN_ID, 7, "stale_version"),
        ("update", OWN_ID, 1, "no_change"),
        ("create", OWN_ID, 0, "no_change"),
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_moves(play, op, artifact_id, version, refusal):
    create(play)

    answer = change(play, op, artifact_id, version)

    assert (refusal_of(answer), answer.items) == (refusal, [])


def test_the_answer_tells_the_version_of_the_new_task_and_not_that_of_the_prd(play: Play):
    play.tells(a_requirement("Depots must weigh each parcel twice."))
    play.ends()
    answer = create(play)

    assert answer.snapshot.version > 1
    assert answer.edit
    assert answer.edit.version == the_task(play).version == 1
