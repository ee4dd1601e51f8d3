"""What clients that follow a run of the quality gate get to see."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from schemas.envelope import Actor, Event, outside_fact
from schemas.events.quality import QualityRunFinished
from schemas.events.stream import StreamFrame
from schemas.quality_gate import describe_judgement
from streams.frames import FRAME
from tests.reduce.ledgers import ENOUGH, prd_of

AT = datetime(2026, 1, 1, tzinfo=UTC)


def a_run() -> list[Event]:
    (run,) = [one for one in prd_of(*ENOUGH).quality_runs if one.mode == "full"]
    return describe_judgement(run, 1)


def frames_of(event: Event, actor: Actor) -> list[StreamFrame]:
    fact = outside_fact(event, project_id="prj_1", occurred_at=AT, actor=actor)
    return [one for one in FRAME.handle(fact, None) if isinstance(one, StreamFrame)]


GATE = Actor(type="agent", id="quality_gate")


def test_the_stream_of_a_run_shows_each_event_and_ends_with_it():
    frames = [frame for event in a_run() for frame in frames_of(event, GATE)]
    own = [frame for frame in frames if frame.stream_id != "prj_1"]

    assert len({frame.stream_id for frame in own}) == 1
    assert [frame.name for frame in own] == [
        "quality_started",
        *["assessment_progress"] * 4,
        *["assessment_progress", "dimension_score"] * 4,
        "iteration_feedback",
        "final_tier",
        "done",
    ]
    assert [frame.is_last for frame in own] == [False] * 15 + [True]
    score = json.loads(next(frame.data for frame in own if frame.name == "dimension_score"))
    assert score["tier_name"] in ("incomplete", "basic", "intermediate", "advanced")
    assert set(score["criteria"]) == {"completeness", "consistency", "evidence_coverage", "clarity"}


def test_the_projects_stream_shows_it_too_and_goes_on():
    frames = [frame for event in a_run() for frame in frames_of(event, GATE)]
    of_project = [frame for frame in frames if frame.stream_id == "prj_1"]

    assert [frame.name for frame in of_project][-1] == "final_tier"
    assert not any(frame.is_last for frame in of_project)


def test_a_run_that_failed_says_so():
    ended = a_run()[-1]
    assert isinstance(ended, QualityRunFinished)
    run = ended.run.model_copy(
        update={"status": "failed", "final_tier": None, "error": "TimeoutError"}
    )

    frames = frames_of(ended.model_copy(update={"run": run}), GATE)

    own = [frame for frame in frames if frame.stream_id == run.quality_run_id]
    assert [frame.name for frame in own] == ["error", "done"]


def test_a_judgement_made_in_passing_is_not_shown_live():
    assert [frame for event in a_run() for frame in frames_of(event, Actor())] == []
