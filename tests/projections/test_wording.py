"""What waits for the words of a model: settled projects that only rules have worded."""

from __future__ import annotations

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from infra.platform.settings import Settings
from infra.service.writing.auto_quality import Waiting, enqueue_judgements, find_model
from infra.service.writing.synthesis_jobs import enqueue_syntheses
from infra.store.jobs.lease import claim
from projections.read import artifacts, jobs, loops, quality, wording
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.change import ChangeRequested
from schemas.events.team import ReportRequested
from schemas.ids import artifact_id as derive_artifact_id
from tests.projections.conftest import ReadModel
from tests.projections.test_quality import LATER_S, MORE, fold, queued
from tests.reduce.ledgers import ENOUGH, EXPORT, PROJECT, RETRY, Play, a_requirement
from tests.reduce.teams import ask
from tests.reduce.test_edits import last
from tests.reduce.test_model_texts import WORDED, says, words, words_for

__all__ = ["queued"]


@pytest.fixture
def play() -> Play:
    play = Play().given(ENOUGH)
    play.ends()
    return play


def test_each_settled_position_is_worded_once_and_before_it_is_judged(
    queued: ReadModel, play: Play
):
    fold(queued, play)

    assert len(enqueue_syntheses(queued.connection)) == 1
    assert enqueue_syntheses(queued.connection) == []
    assert enqueue_judgements(queued.connection) == []

    queued.connection.execute("UPDATE orchestration_jobs SET status = 'succeeded'")
    assert len(enqueue_judgements(queued.connection)) == 1
    play.given([a_requirement(MORE)]).ends()
    fold(queued, play)
    assert len(enqueue_syntheses(queued.connection)) == 1


def test_a_project_is_worded_by_one_job_at_a_time(queued: ReadModel, play: Play):
    fold(queued, play)
    (first,) = enqueue_syntheses(queued.connection)
    (lease,) = filter(None, [claim(queued.connection, "worker-1", ["synthesis"])])
    play.given([a_requirement(MORE)]).ends()
    fold(queued, play)

    assert len(enqueue_syntheses(queued.connection)) == 1
    assert lease.job_id == first
    assert claim(queued.connection, "worker-2", ["synthesis"]) is None


def test_what_changes_quickly_is_not_worded_yet(queued: ReadModel, play: Play):
    fold(queued, play)

    assert enqueue_syntheses(queued.connection, quiet_s=LATER_S) == []


def test_a_project_in_which_a_run_is_under_way_is_not_worded_yet(queued: ReadModel, play: Play):
    fold(queued, play)
    queued.connection.execute(
        "INSERT INTO ingestion_runs (run_id, project_id, status) VALUES ('run_x', %s, 'running')",
        (PROJECT,),
    )

    assert enqueue_syntheses(queued.connection) == []


def test_why_no_model_words_is_said_once_for_each_reason(tmp_path: Path):
    settings, unfit = Settings(home=tmp_path), Waiting("synthesis.waits")
    fit = tmp_path / "models.toml"
    with capture_logs() as told:
        for text in ("what", "what", "", "what"):
            fit.write_text(text)
            fit.chmod(0o600)
            assert not find_model(settings, unfit)

    assert [one["event"] for one in told] == ["synthesis.waits"] * 2


def test_a_report_is_worded_when_what_it_is_made_from_has_been(queued: ReadModel, play: Play):
    for as_of in ("2026-05-06", "2026-05-07"):
        ask(play, ReportRequested(report_type="management", as_of=as_of), key=as_of)
    fold(queued, play)
    assert len(enqueue_syntheses(queued.connection)) == 1
    assert enqueue_syntheses(queued.connection) == []
    queued.connection.execute("UPDATE orchestration_jobs SET status = 'succeeded'")

    (job_id,) = enqueue_syntheses(queued.connection)

    found = jobs.read_job(queued.connection, job_id)
    newest = derive_artifact_id(PROJECT, "report", "management 2026-05-07")
    assert found.payload == {"artifact_id": newest}
    queued.connection.execute("UPDATE orchestration_jobs SET status = 'succeeded'")
    assert enqueue_syntheses(queued.connection) == []
    cited = quality.read_assessed(queued.connection, PROJECT, newest).documents
    assert "prd" in [one.artifact_type for one in cited]
    assert all(one.title in one.text for one in cited)


def word_all(play: Play, snapshot: ArtifactSnapshot) -> None:
    for section in snapshot.sections:
        for said in section.statements[:1]:
            again = said.model_copy(update={"text": f"In short: {said.text}"})
            edited = says(again.text).model_copy(update={"citations": again.citations})
            play.asks(words_for(snapshot, section, edited))


def test_a_project_whose_artifacts_are_worded_waits_for_nothing(queued: ReadModel, play: Play):
    answer = last(play)
    word_all(play, answer.snapshot)
    for change in answer.items:
        word_all(play, change.snapshot)
    fold(queued, play)

    assert enqueue_syntheses(queued.connection) == []


def test_a_models_words_are_shown_with_its_name(model: ReadModel, play: Play):
    worded = play.asks(words(last(play), says(WORDED, EXPORT, RETRY)))
    fold(model, play)

    prd = artifacts.read_only_artifact(model.connection, PROJECT, "prd")

    assert (prd.engine, prd.model) == ("model", "some-model-1")
    engines = {one.section_id: one.engine for one in prd.sections}
    assert engines["functional_requirements"] == "model"
    edit = artifacts.find_edit(model.connection, worded.caused_by_event_id)
    assert edit and (edit.editor_kind, edit.model, edit.refusal) == ("model", "some-model-1", None)


def test_items_come_by_number_and_a_models_loop_is_told_apart(model: ReadModel, play: Play):
    item = last(play).items[0].snapshot
    loop = last(play).loops[0].model_copy(update={"engine": "model", "items": 7})
    play.asks(
        ChangeRequested(
            artifact_id=item.artifact_id,
            sections=[],
            expected_version=0,
            editor="synthesis",
            editor_kind="model",
            loop=loop,
        )
    )
    fold(model, play)

    listed = wording.list_listed_items(model.connection, PROJECT, item.artifact_type)

    assert item.artifact_id in [one.artifact_id for one in listed]
    first, *_ = loops.list_loops(model.connection, PROJECT, phase=loop.phase).items
    assert (first.engine, first.items) == ("model", 7)
