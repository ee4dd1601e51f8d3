"""What clients that follow a project or a run are shown of each fact."""

from __future__ import annotations

import json

from schemas.codec import decode
from schemas.envelope import Envelope
from schemas.events.artifact import ArtifactSpeculated
from schemas.events.ledger import HumanDecision, Snapshot
from schemas.events.stream import StreamFrame
from schemas.events.team import MemberAdded
from streams.frames import FRAME
from streams.reduce.writer import Reduce
from tests.projections.log import Story
from tests.reduce.ledgers import ENOUGH, EXPORT, PROJECT, RETRY, Play, a_conflict, a_requirement
from tests.reduce.test_items import LIMIT, WORLD
from tests.reduce.test_items import RETRY as AGAIN


def frames_of(fact: Envelope) -> list[StreamFrame]:
    return [frame for frame in FRAME.handle(fact, None) if isinstance(frame, StreamFrame)]


def in_project(frames: list[StreamFrame]) -> list[StreamFrame]:
    return [frame for frame in frames if frame.stream_id == PROJECT]


def names(frames: list[StreamFrame]) -> list[str]:
    return [frame.name for frame in frames]


def data(frame: StreamFrame) -> dict[str, object]:
    loaded: dict[str, object] = json.loads(frame.data)
    return loaded


def test_the_items_of_a_loop_stand_between_its_two_frames():
    play = Play(Reduce(velocity=20)).given(WORLD)
    play.ends()
    frames = in_project(frames_of(play.settled[0].envelope))

    phases = [data(frame) for frame in frames if frame.name == "phase"]
    assert [each["status"] for each in phases] == ["running", "complete"] * (len(phases) // 2)
    at = [data(frame).get("name") == "feature_generation" for frame in frames].index(True)
    count = names(frames[at:]).index("phase", 1) - 1
    features = [frame for frame in frames[at + 1 :][:count] if frame.name == "feature"]
    assert features and all(data(each)["atom_ids"] and data(each)["title"] for each in features)
    assert data(frames[at + count + 1])["status"] == "complete"


def loops_of(answer: Envelope) -> dict[str, list[StreamFrame]]:
    """The frames of each loop's own stream, by its phase."""
    by_stream: dict[str, list[StreamFrame]] = {}
    for frame in frames_of(answer):
        if frame.stream_id != PROJECT:
            by_stream.setdefault(frame.stream_id, []).append(frame)
    return {str(data(frames[0])["name"]): frames for frames in by_stream.values()}


def test_each_loop_has_a_stream_of_its_own_that_ends_with_the_number_of_its_items():
    play = Play(Reduce(velocity=20)).given(WORLD, [a_conflict(AGAIN, LIMIT)])
    play.ends()
    answer = play.settled[0].envelope
    loops = loops_of(answer)

    items = {"insight": "insight_generation", "feature": "feature_generation"}
    for item, phase in (items | {"prd_section": "prd_generation"}).items():
        frames = loops[phase]
        made = frames[2:-2]
        assert names(frames) == ["started", "phase", *[item] * len(made), "phase", "done"]
        assert [data(frame) for frame in (frames[1], frames[-2])] == [
            {"name": phase, "status": "running"},
            {"name": phase, "status": "complete"},
        ]
        assert data(frames[-1])["total"] == len(made) > 0
        assert [frame.is_last for frame in frames] == [False] * (len(frames) - 1) + [True]
    for loop in play.answers()[0].loops:
        assert data(loops[loop.phase][-1])["stop_reason"] == loop.stop_reason


def test_items_come_in_the_order_in_which_their_loop_made_them_from_a_fact_that_holds_them():
    play = Play(Reduce(velocity=20)).given(WORLD)
    play.ends()
    envelope, answer = play.settled[0].envelope, play.answers()[0]
    (loop,) = [one for one in answer.loops if one.phase == "feature_generation"]
    frames = loops_of(envelope)["feature_generation"][2:-2]

    assert [data(one)["id"] for one in frames] == [one.artifact_id for one in loop.continuations]
    held = {change.snapshot.artifact_id for change in answer.items}
    assert held >= {str(data(one)["id"]) for one in frames}
    assert {envelope.caused(one).causation_id for one in frames} == {envelope.event_id}


def test_a_loop_that_makes_nothing_new_ends_with_nothing():
    play = Play(Reduce(velocity=20)).given(WORLD)
    play.ends()
    play.given([a_requirement("The relay must archive every delivered order")]).ends()
    first, second = (loops_of(each.envelope) for each in play.settled)

    assert not {f.stream_id for fs in first.values() for f in fs} & {
        f.stream_id for fs in second.values() for f in fs
    }
    frames = second["insight_generation"]
    assert names(frames) == ["started", "phase", "phase", "done"]
    assert data(frames[-1])["total"] == 0
    shown = in_project(frames_of(play.settled[1].envelope))
    (complete,) = [
        data(frame)
        for frame in shown
        if data(frame).get("name") == "insight_generation" and data(frame)["status"] == "complete"
    ]
    assert complete["total"] == play.answers()[1].loops[0].items
    assert complete["stream_id"] == frames[0].stream_id


def test_each_section_of_the_prd_comes_with_its_citations():
    play = Play().given(ENOUGH)
    play.ends()
    frames = frames_of(play.settled[0].envelope)

    sections = [data(frame) for frame in in_project(frames) if frame.name == "prd_section"]
    assert {"functional_requirements", "risks"} <= {str(each["section_id"]) for each in sections}
    said = [one for each in sections for one in each["statements"]]  # type: ignore[attr-defined]
    assert said and all(one["atom_ids"] for one in said)


def test_a_change_of_state_is_told_without_the_content():
    play = Play().given(ENOUGH)
    play.ends()
    play.given([], [a_conflict(EXPORT, RETRY)]).ends()

    moves = [data(each) for each in frames_of(play.settled[0].envelope) if "state" in each.name]
    assert [(each["type"], each["state"]) for each in moves][:1] == [("prd", "preview_stable")]
    assert names(in_project(frames_of(play.settled[1].envelope)))[-1] == "settled"


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


def test_what_a_person_decides_is_told():
    story = Story()
    project = story.project()
    verified = HumanDecision(
        hitl_event_id="an-id",
        action="verify",
        target_type="atom",
        target_id="atm_1",
        decision="verify",
        actor_id="ana",
        actor_role="owner",
        expected_revision=1,
        before=Snapshot(),
    )
    decided = story.changed(project, hitl=verified)
    added = story.outside(MemberAdded(member_id="mem_1", name="Ana"))

    told = [frame for fact in (decided, added) for frame in frames_of(fact)]

    assert [(it.name, it.stream_id) for it in told] == [
        ("decision", decided.project_id),
        ("team", added.project_id),
    ]
    assert data(told[0]) == {
        "hitl_event_id": "an-id",
        "action": "verify",
        "target_type": "atom",
        "target_id": "atm_1",
        "decision": "verify",
        "outcome": "applied",
        "ledger_seq": story.seq,
    }
    assert {"ledger.v1", "team.v1"} <= {*FRAME.inputs}
    assert {it.event.type_name for it in (decided, added)} <= {*FRAME.only}
    refused = story.changed(
        project, hitl=verified.model_copy(update={"outcome": "refused", "refusal": "not_live"})
    )
    assert [data(frame)["outcome"] for frame in frames_of(refused)] == ["refused"]
    assert frames_of(story.changed(project)) == []


def test_the_atoms_and_contradictions_of_a_change_set_are_one_frame_each():
    story = Story()
    project = story.project()
    (first, second, *_), conflict = ENOUGH, a_conflict(RETRY, EXPORT)
    many = [first.model_copy(update={"atom_id": f"atm_{n}"}) for n in range(60)]
    grown = second.model_copy(update={"revision": 2, "title": "long " * 100})

    told = frames_of(story.changed(project, atoms=[first, grown], contradictions=[conflict]))
    flood = frames_of(story.changed(project, atoms=many))

    assert [frame.name for frame in told] == ["atoms", "contradictions"]
    atoms, pairs = map(data, told)
    assert [each["is_new"] for each in atoms["atoms"]] == [True, False]  # type: ignore[attr-defined]
    assert atoms["atoms"][0]["atom_id"] == first.atom_id  # type: ignore[index]
    assert len(atoms["atoms"][1]["title"]) == 200  # type: ignore[index]
    assert [(each["status"], each["contradiction_id"]) for each in pairs["contradictions"]] == [  # type: ignore[attr-defined]
        ("open", conflict.contradiction_id)
    ]
    assert pairs["ledger_seq"] == story.seq - 1
    assert (data(flood[0])["count"], len(data(flood[0])["atoms"])) == (60, 50)  # type: ignore[arg-type]


def test_a_repeated_fact_repeats_its_frames_with_their_ids():
    play = Play().given(ENOUGH)
    play.ends()
    answer = play.settled[0].envelope

    once = [answer.caused(frame).event_id for frame in frames_of(answer)]
    again = [answer.caused(frame).event_id for frame in frames_of(answer)]

    assert once == again and len(set(once)) == len(once)
