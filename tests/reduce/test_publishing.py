"""What the public topics learn from each answer of the writer."""

from __future__ import annotations

from schemas.envelope import Event
from schemas.events.artifact import LatestSet, StateChanged, VersionRejected
from streams.publishing import PUBLISH
from streams.reduce.writer import Reduce
from tests.reduce.ledgers import ENOUGH, EXPORT, RETRY, Play, a_conflict, a_requirement
from tests.reduce.test_writer import uncited


def published(play: Play) -> list[list[str]]:
    """The names of the public facts about the PRD in each answer so far."""
    return [
        [event.type_name for event in PUBLISH.handle(record.envelope, None) if about(event, "prd")]
        for record in play.settled
    ]


def about(event: Event, artifact_type: str) -> bool:
    told = event.snapshot if isinstance(event, LatestSet) else event
    return getattr(told, "artifact_type", None) == artifact_type


def test_a_first_version_is_published_with_its_state_and_as_the_latest():
    play = Play().given(ENOUGH)
    play.ends()

    assert published(play) == [
        ["artifact.version_published", "artifact.state_changed", "artifact.latest_set"]
    ]


def test_a_new_version_in_the_same_state_moves_no_state():
    play = Play().given(ENOUGH)
    play.ends()
    play.given([a_requirement("The relay must archive every delivered order")]).ends()

    assert published(play)[1] == ["artifact.version_published", "artifact.latest_set"]


def test_an_unchanged_position_leaves_no_trace():
    play = Play().given(ENOUGH)
    play.ends()
    play.ends()

    assert published(play)[1] == []


def test_what_blocks_is_told_by_the_latest_alone_when_version_and_state_stay():
    play = Play().given(ENOUGH, [a_conflict(EXPORT, RETRY, severity="medium")])
    play.ends()
    play.given([], [a_conflict(EXPORT, RETRY, updated_seq=3)]).ends()

    assert published(play)[1] == ["artifact.latest_set"]


def test_crossing_the_minimum_moves_the_state_by_an_event():
    play = Play().given([EXPORT])
    play.ends("preview")
    play.given(ENOUGH).ends()

    (move,) = [
        event
        for event in PUBLISH.handle(play.settled[1].envelope, None)
        if event.type_name == "artifact.state_changed" and about(event, "prd")
    ]

    assert isinstance(move, StateChanged)
    assert (move.state_before, move.state_after) == ("draft", "preview_stable")


def test_a_refusal_names_the_version_that_did_not_come_to_be():
    play = Play().given(ENOUGH)
    play.ends()
    play.writer = Reduce(synthesise=uncited)
    play.given([a_requirement("The relay must archive every delivered order")]).ends()

    facts = PUBLISH.handle(play.settled[1].envelope, None)
    (refusal,) = [event for event in facts if about(event, "prd")]

    assert isinstance(refusal, VersionRejected)
    assert refusal.version == 2
    assert refusal.findings
