"""Frames of live streams in the table: once, in the order of the log, forgotten in time."""

from __future__ import annotations

from datetime import timedelta

import pytest

from infra.platform.errors import NotFound
from projections.fold.streams import KEPT
from projections.read import streams
from schemas.envelope import Envelope, outside_fact
from schemas.events.stream import StreamFrame
from tests.projections.builders import PROJECT, START
from tests.projections.conftest import ReadModel
from tests.projections.log import PERSON, Log, Story


def a_frame(
    stream_id: str, ordinal: int, *, name: str = "progress", is_last: bool = False
) -> Envelope:
    event = StreamFrame(
        stream_id=stream_id, ordinal=ordinal, name=name, data='{"n":1}', is_last=is_last
    )
    return outside_fact(event, project_id=PROJECT, occurred_at=START, actor=PERSON)


def test_frames_come_in_the_order_of_the_log_and_a_repeat_adds_none(model: ReadModel):
    log = Log()
    first = log.write(a_frame("run_a", 0))
    log.write(a_frame("run_b", 0))
    log.again(first)
    log.write(a_frame("run_a", 1, is_last=True))
    model.fold(log.records, batch=2)

    frames = streams.list_frames(model.connection, "run_a", -1, 10)

    assert [frame.is_last for frame in frames] == [False, True]
    assert [frame.seq for frame in frames] == sorted({frame.seq for frame in frames})
    assert streams.list_frames(model.connection, "run_a", frames[0].seq, 10) == frames[1:]
    ends = streams.read_ends(model.connection, "run_a", frames[0].seq)
    assert (ends.last, ends.is_over, ends.is_known) == (frames[1].seq, True, True)
    assert not streams.read_ends(model.connection, "run_a", 77).is_known


def test_news_are_those_behind_the_frame_that_is_known_of_each_stream(model: ReadModel):
    log = Log()
    for ordinal in range(3):
        for stream_id in ("run_a", "run_b"):
            log.write(a_frame(stream_id, ordinal))
    model.fold(log.records)
    seqs = [frame.seq for frame in streams.list_frames(model.connection, "run_a", -1, 10)]

    news = streams.list_frames_behind(model.connection, {"run_a": seqs[1], "run_b": -1}, 10)

    assert [frame.stream_id for frame in news] == ["run_a"] + ["run_b"] * 3


def test_the_end_of_a_run_forgets_what_its_topic_has_forgotten(model: ReadModel):
    log = Log()
    log.write(a_frame("run_old", 0))
    model.fold(log.records)
    model.connection.execute(
        "UPDATE stream_frames SET recorded_at = recorded_at - %s", (KEPT + timedelta(days=1),)
    )
    model.fold([log.write(a_frame("run_new", 0)), log.write(a_frame("run_new", 1, is_last=True))])

    assert model.rows("SELECT DISTINCT stream_id FROM stream_frames") == [("run_new",)]


def test_a_stream_is_that_of_a_project_or_of_one_of_its_runs(model: ReadModel):
    story = Story()
    story.project()
    story.requested(["README.md"])
    story.run_started()
    model.fold(story.log.records)

    endless, run = (streams.read_stream(model.connection, each) for each in (PROJECT, story.run))

    assert (endless.is_endless, run.is_endless) == (True, False)
    assert endless.epoch != run.epoch, "a place of one is none of the other"
    with pytest.raises(NotFound, match="no stream run_x"):
        streams.read_stream(model.connection, "run_x")
