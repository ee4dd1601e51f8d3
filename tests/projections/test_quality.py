"""Runs of the quality gate in the tables: one row a run, one row an event, never changed."""

from __future__ import annotations

import psycopg
import pytest

from infra.platform.errors import NotFound
from infra.service.writing.auto_quality import enqueue_judgements
from projections.read import quality
from schemas.envelope import Event
from schemas.events.job import PRIORITIES
from schemas.events.quality import QualityRunFinished
from streams.publishing import PUBLISH
from streams.reduce.prd.gate import evaluate
from streams.reduce.texts.inputs import Grounds
from streams.reduce.writer import Reduce
from tests.projections.conftest import ReadModel
from tests.projections.test_items import records_of
from tests.reduce.ledgers import ENOUGH, EXPORT, PROJECT, RETRY, Play, a_conflict, a_requirement
from tests.reduce.test_edits import a_change, last, the_section
from tests.reduce.test_items import WORLD


@pytest.fixture
def play() -> Play:
    play = Play().given(ENOUGH, [a_conflict(EXPORT, RETRY, severity="low")])
    play.ends()
    return play


def told(play: Play) -> list[Event]:
    return [
        event
        for record in play.settled
        for event in PUBLISH.handle(record.envelope, None)
        if event.type_name.startswith("quality.")
    ]


@pytest.mark.parametrize("times", [1, 2])
def test_rows_match_the_events_of_the_topic_one_to_one(model: ReadModel, play: Play, times: int):
    model.fold(records_of(play, times))
    events = told(play)

    rows = model.rows("SELECT quality_run_id, seq, event_type FROM quality_run_events")

    assert len(rows) == len(set(rows)) == len(events)
    assert {(row[0], row[1]): row[2] for row in rows} == {
        (getattr(event, "quality_run_id", ""), getattr(event, "seq", 0)): event.type_name
        for event in events
    }


def test_a_run_is_shown_with_its_scores_and_what_each_section_lacks(model: ReadModel, play: Play):
    model.fold(records_of(play))
    (run,) = [one.run for one in told(play) if isinstance(one, QualityRunFinished)][:1]

    shown = quality.read_quality_run(model.connection, PROJECT, None)

    assert shown.quality_run_id == run.quality_run_id
    assert (shown.status, shown.mode, shown.number) == ("needs_attention", "full", "prd-001")
    assert shown.dimension_tiers == {one.name: one.tier for one in run.dimensions}
    assert shown.dimensions == run.dimensions
    assert shown.started_at and shown.finished_at
    trail = quality.list_quality_events(model.connection, run.quality_run_id)
    assert [one.seq for one in trail] == list(range(1, 8))
    assert trail[0].payload["mode"] == "full"


def test_what_a_run_reads_is_judged_as_the_writer_judged_it(model: ReadModel, play: Play):
    model.fold(records_of(play))

    artifact = quality.read_assessed(model.connection, PROJECT, "prd")

    grounds = Grounds(artifact.atoms, artifact.contradictions)
    shown = quality.read_quality_run(model.connection, PROJECT, None)
    assert evaluate("full", artifact.sections, grounds) == shown.dimensions
    begun = (artifact.version, artifact.ledger_seq)
    assert quality.read_assessed(model.connection, PROJECT, "prd", begun) == artifact


def test_a_run_that_has_begun_reads_the_version_it_began_with(model: ReadModel, play: Play):
    model.fold(records_of(play))
    first = quality.read_assessed(model.connection, PROJECT, "prd")
    play.given([EXPORT.model_copy(update={"status": "dismissed", "revision": 2})]).ends()
    model.emptied().fold(records_of(play))

    now = quality.read_assessed(model.connection, PROJECT, "prd")
    then = quality.read_assessed(
        model.connection, PROJECT, "prd", (first.version, first.ledger_seq)
    )

    assert (first.version, now.version) == (1, 2)
    assert (then.sections, then.atoms) == (first.sections, first.atoms)


def test_events_of_a_run_are_never_changed_or_deleted(model: ReadModel, play: Play):
    model.fold(records_of(play))

    for statement in (
        "UPDATE quality_run_events SET seq = 99",
        "DELETE FROM quality_run_events",
        "TRUNCATE quality_run_events",
    ):
        with pytest.raises(psycopg.errors.RestrictViolation):
            model.connection.execute(statement.encode())


def test_runs_come_by_time_and_of_one_artifact_when_it_is_named(model: ReadModel):
    play = Play(Reduce(velocity=20)).given(WORLD)
    play.ends()
    model.fold(records_of(play))
    prd = quality.read_assessed(model.connection, PROJECT, "prd").artifact_id

    modes = [one.mode for one in quality.list_quality_runs(model.connection, PROJECT).items]

    assert sorted(modes) == ["full", "light", "light"]
    assert [
        one.mode for one in quality.list_quality_runs(model.connection, PROJECT, prd).items
    ] == ["full"]
    first = quality.list_quality_runs(model.connection, PROJECT, limit=1)
    others = quality.list_quality_runs(model.connection, PROJECT, cursor=first.next_cursor).items
    assert first.items[0].quality_run_id not in {one.quality_run_id for one in others}


def test_what_is_of_another_project_is_not_found(model: ReadModel, play: Play):
    model.fold(records_of(play))
    run = quality.read_quality_run(model.connection, PROJECT, None)

    with pytest.raises(NotFound):
        quality.read_quality_run(model.connection, "prj_other", run.quality_run_id)
    with pytest.raises(NotFound):
        quality.read_assessed(model.connection, "prj_other", run.artifact_id)


MORE = "The relay must archive every delivered order"
LATER_S = 10.0**9


@pytest.fixture
def queued(model: ReadModel) -> ReadModel:
    """A read model with an empty queue."""
    model.connection.execute("TRUNCATE orchestration_jobs, outbox")
    return model


def fold(model: ReadModel, play: Play) -> None:
    """The tables as they are after the play, its project among them."""
    model.emptied().fold(records_of(play)).connection.execute(
        "INSERT INTO projects (project_id, name, description, vision, timezone, created_at)"
        " VALUES (%s, 'Shop', '', '', '', now())",
        (PROJECT,),
    )


def waiting(model: ReadModel) -> list[tuple[int, int, bool]]:
    return model.rows(
        "SELECT (payload->>'version')::int, priority, (payload->>'may_revise')::bool"
        " FROM orchestration_jobs WHERE job_type = 'quality_run' ORDER BY created_seq"
    )


def test_each_version_that_stays_is_judged_once_in_the_background(queued: ReadModel, play: Play):
    fold(queued, play)
    assert len(enqueue_judgements(queued.connection)) == 1
    assert enqueue_judgements(queued.connection) == []
    assert waiting(queued) == [(1, PRIORITIES["background"], False)]

    play.given([a_requirement(MORE)]).ends()
    fold(queued, play)
    enqueue_judgements(queued.connection)

    assert [version for version, _, _ in waiting(queued)] == [1, 2]


def test_of_versions_that_follow_quickly_only_the_last_is_judged(queued: ReadModel, play: Play):
    play.given([a_requirement(MORE)]).ends()
    fold(queued, play)

    assert enqueue_judgements(queued.connection, quiet_s=LATER_S) == []
    enqueue_judgements(queued.connection)

    assert [version for version, _, _ in waiting(queued)] == [2]


def test_what_the_gate_has_revised_is_not_judged_for_it_but_what_a_person_wrote_is(
    queued: ReadModel,
):
    play = Play().given(ENOUGH)
    play.ends()
    kept = the_section(last(play)).statements[0].text
    play.asks(a_change(last(play), kept, editor="quality_gate", editor_kind="quality_gate"))
    assert last(play).reason == quality.REVISED
    fold(queued, play)
    assert enqueue_judgements(queued.connection) == []

    play.asks(a_change(last(play), "Orders of the harbour are sealed twice."))
    fold(queued, play)
    enqueue_judgements(queued.connection)

    assert [version for version, _, _ in waiting(queued)] == [3]


def test_a_dead_job_is_not_put_into_the_queue_again(queued: ReadModel, play: Play):
    fold(queued, play)
    enqueue_judgements(queued.connection)
    queued.connection.execute("UPDATE orchestration_jobs SET status = 'dead'")

    assert enqueue_judgements(queued.connection) == []
