"""Which moves a pipeline can make, and which it refuses."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from schemas import onboarding
from schemas.events.pipeline import STAGES, Attached, PipelineRecord, StageName, StageStatus
from schemas.onboarding import IllegalMove, move_stage

AT = datetime(2026, 3, 1, tzinfo=UTC)


def started() -> PipelineRecord:
    return onboarding.start("onb_1", "k", ["docs"], created_by="human:ada", at=AT).pipeline


def done_until(stage: StageName) -> PipelineRecord:
    """A pipeline whose stages before this one are completed."""
    pipeline = started()
    for name in STAGES[: STAGES.index(stage)]:
        for to in ("running", "completed"):
            pipeline = move_stage(pipeline, name, to, AT).pipeline
    return pipeline


def test_the_stages_in_order_lead_to_the_end_and_each_change_has_its_version():
    pipeline = done_until(STAGES[-1])
    versions = pipeline.version
    pipeline = move_stage(pipeline, STAGES[-1], "running", AT).pipeline
    pipeline = move_stage(pipeline, STAGES[-1], "completed", AT).pipeline
    pipeline = onboarding.complete(pipeline, AT).pipeline

    assert (pipeline.status, pipeline.last_checkpoint) == ("completed", STAGES[-1])
    assert pipeline.version == versions + 3


@pytest.mark.parametrize("to", ["completed", "failed", "skipped", "pending"])
def test_a_stage_that_has_not_begun_can_only_begin(to: StageStatus):
    with pytest.raises(IllegalMove, match="pending"):
        move_stage(started(), "sources", to, AT, reason="why not")


@pytest.mark.parametrize("to", ["running", "failed", "skipped"])
def test_a_completed_stage_moves_no_more(to: StageStatus):
    with pytest.raises(IllegalMove):
        move_stage(done_until("ingestion"), "sources", to, AT, reason="why not")


def test_a_stage_waits_for_those_before_it():
    with pytest.raises(IllegalMove, match="sources comes before ingestion"):
        move_stage(started(), "ingestion", "running", AT)


@pytest.mark.parametrize("stage", STAGES)
def test_only_some_stages_are_skipped_and_only_with_a_reason(stage: StageName):
    begun = move_stage(done_until(stage), stage, "running", AT).pipeline
    if stage in onboarding.SKIPPABLE:
        skipped = move_stage(begun, stage, "skipped", AT, reason="not needed now").pipeline
        assert onboarding.stage_of(skipped, stage).reason == "not needed now"
        with pytest.raises(IllegalMove, match="Say why"):
            move_stage(begun, stage, "skipped", AT, reason=" ")
    else:
        with pytest.raises(IllegalMove, match="cannot be skipped"):
            move_stage(begun, stage, "skipped", AT, reason="not needed now")


def test_a_failed_stage_runs_again_once_the_pipeline_is_resumed():
    begun = move_stage(started(), "sources", "running", AT).pipeline
    broken = move_stage(begun, "sources", "failed", AT, error="no such folder").pipeline
    failed = onboarding.fail(broken, "no such folder", AT).pipeline
    assert failed.status == "failed"

    again = move_stage(onboarding.resume(failed, AT).pipeline, "sources", "running", AT).pipeline

    stage = onboarding.stage_of(again, "sources")
    assert (again.status, stage.attempt, stage.error) == ("running", 2, "")


def test_a_waiting_stage_says_why_until_it_goes_on_and_a_skipped_one_after_that_too():
    begun = move_stage(done_until("team_setup"), "team_setup", "running", AT).pipeline
    waits = onboarding.wait(begun, "Nobody has capacity.", ["skip", "resume"], AT).pipeline
    assert onboarding.stage_of(waits, "team_setup").reason == "Nobody has capacity."
    assert onboarding.stage_of(onboarding.resume(waits, AT).pipeline, "team_setup").reason == ""

    skipped = move_stage(waits, "team_setup", "skipped", AT, reason="Later.").pipeline
    gone_on = onboarding.resume(skipped, AT).pipeline
    assert onboarding.stage_of(gone_on, "team_setup").reason == "Later."


def test_what_goes_on_by_itself_is_not_resumed_and_what_has_ended_stays_so():
    running = move_stage(started(), "sources", "running", AT).pipeline
    with pytest.raises(IllegalMove, match="nothing to resume"):
        onboarding.resume(running, AT)
    ended = onboarding.cancel(running, AT).pipeline
    with pytest.raises(IllegalMove, match="cancelled"):
        onboarding.cancel(ended, AT)
    with pytest.raises(IllegalMove, match="cancelled"):
        move_stage(ended, "sources", "completed", AT)
    with pytest.raises(IllegalMove, match="not over"):
        onboarding.complete(running, AT)


def test_artifacts_of_a_type_take_the_place_of_those_before():
    pipeline = onboarding.attach(started(), Attached(artifact_type="prd", artifact_ids=["a"]), AT)
    again = onboarding.attach(
        pipeline.pipeline, Attached(artifact_type="prd", artifact_ids=["a", "b"]), AT
    )

    assert [each.artifact_ids for each in again.pipeline.artifacts] == [["a", "b"]]
