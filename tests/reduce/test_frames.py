"""What clients that follow a project or a run are shown of each fact."""

from __future__ import annotations

import json

from schemas.codec import decode
from schemas.envelope import Envelope
from schemas.events.artifact import ArtifactSpeculated
from schemas.events.stream import StreamFrame
from streams.frames import FRAME
from streams.reduce.writer import Reduce
from tests.projections.log import Story
from tests.reduce.ledgers import ENOUGH, EXPORT, RETRY, Play, a_conflict
from tests.reduce.test_items import WORLD


def frames_of(fact: Envelope) -> list[StreamFrame]:
    return [frame for frame in FRAME.handle(fact, None) if isinstance(frame, StreamFrame)]


def names(frames: list[StreamFrame]) -> list[str]:
    return [frame.name for frame in frames]


def data(frame: StreamFrame) -> dict[str, object]:
    loaded: dict[str, object] = json.loads(frame.data)
    return loaded


def test_the_items_of_a_loop_stand_between_its_two_frames():
    play = Play(Reduce(velocity=20)).given(WORLD)
    play.ends()
    frames = frames_of(play.settled[0].envelope)

    phases = [data(frame) for frame in frames if frame.name == "phase"]
    assert [each["status"] for each in phases] == ["running", "complete"] * (len(phases) // 2)
    at = [data(frame).get("name") == "feature_generation" for frame in frames].index(True)
    count = names(frames[at:]).index("phase", 1) - 1
    features = [frame for frame in frames[at + 1 :][:count] if frame.name == "feature"]
    assert features and all(data(each)["atom_ids"] and data(each)["title"] for each in features)
    assert data(frames[at + count + 1])["status"] == "complete"


def test_each_section_of_the_prd_comes_with_its_citations():
    play = Play().given(ENOUGH)
    play.ends()
    frames = frames_of(play.settled[0].envelope)

    sections = [data(frame) for frame in frames if frame.name == "prd_section"]
    assert {"functional_requirements", "risks"} <= {str(each["section_id"]) for each in sections}
    said = [one for each in sections for one in each["statements"]]  # type: ignore[attr-defined]
    assert said and all(one["atom_ids"] for one in said)


def test_a_change_of_state_is_told_without_the_content():
    play = Play().given(ENOUGH)
    play.ends()
    play.given([], [a_conflict(EXPORT, RETRY)]).ends()

    moves = [data(each) for each in frames_of(play.settled[0].envelope) if "state" in each.name]
    assert [(each["type"], each["state"]) for each in moves][:1] == [("prd", "preview_stable")]
    assert names(frames_of(play.settled[1].envelope))[-1] == "settled"


def test_sections_written_ahead_say_that_they_are_provisional():
    play = Play().given(ENOUGH)
    play.decide()
    (ahead,) = [
        each for each in play.written if isinstance(each.envelope.event, ArtifactSpeculated)
    ]

    frames = frames_of(ahead.envelope)

    assert frames and all(data(frame)["speculative"] is True for frame in frames)


def test_a_runs_stream_ends_with_the_run_and_its_projects_goes_on():
    story = Story()
    story.project()
    story.requested(["README.md"])
    chunks = story.source("README.md", "The gateway is the entrance.\n")
    facts = [story.run_started(), story.planned(chunks), story.committed()]
    story.stopped()
    (ended,) = [each for each in story.log.records if each.event_type == "ingestion.run_stopped"]
    facts.append(decode(ended.value or b""))
    by_stream: dict[str, list[StreamFrame]] = {}
    for fact in facts:
        for frame in frames_of(fact):
            by_stream.setdefault(frame.stream_id, []).append(frame)

    assert set(by_stream) == {story.run, facts[0].project_id}
    assert names(by_stream[story.run]) == ["run", "progress", "run", "done"]
    assert [frame.is_last for frame in by_stream[story.run]] == [False, False, False, True]
    assert names(by_stream[facts[0].project_id]) == ["run", "progress", "run"]
    assert not any(frame.is_last for frame in by_stream[facts[0].project_id])


def test_a_repeated_fact_repeats_its_frames_with_their_ids():
    play = Play().given(ENOUGH)
    play.ends()
    answer = play.settled[0].envelope

    once = [answer.caused(frame).event_id for frame in frames_of(answer)]
    again = [answer.caused(frame).event_id for frame in frames_of(answer)]

    assert once == again and len(set(once)) == len(once)
