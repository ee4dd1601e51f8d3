"""What is written while a run goes on, in the tables: shown as speculative, and over in the end."""

from __future__ import annotations

from infra.cli.runs import render_phases
from infra.cli.show import render_ahead
from infra.client.models.shared import SpeculativeArtifact
from infra.client.models.views import Phase
from projections.read import artifacts, loops, runs, streams
from schemas.ids import loop_id
from streams.frames import FRAME
from streams.reduce.writer import Reduce
from tests.projections.conftest import ReadModel
from tests.projections.log import Log
from tests.projections.test_items import folded, records_of
from tests.reduce.ledgers import LOSS, PROJECT, PURPOSE, WHO, Play, a_requirement
from tests.reduce.test_items import WORLD
from tests.web import as_client


def committed() -> Play:
    play = Play().given([PURPOSE, LOSS, WHO])
    play.decide()
    return play


def outcomes(model: ReadModel) -> set[tuple[str, str | None]]:
    return set(
        model.rows(
            "SELECT section_id, outcome FROM speculative_sections WHERE artifact_type = 'prd'"
        )
    )


def test_a_section_stands_as_speculative_until_the_run_has_ended(model: ReadModel):
    folded(model, committed())

    (prd,) = artifacts.list_speculative(model.connection, PROJECT, "prd")
    assert prd.input_ledger_seq == 1
    assert outcomes(model) == {("problem", None), ("risks", None), ("open_questions", None)}
    assert "(speculative, from the ledger at 1)" in render_ahead(
        as_client(SpeculativeArtifact, prd)
    )
    assert WHO.title in render_ahead(as_client(SpeculativeArtifact, prd))


def test_the_end_says_what_became_of_each_section(model: ReadModel):
    play = committed()
    gone = WHO.model_copy(update={"status": "obsolete", "revision": 2})
    play.given([LOSS.model_copy(update={"revision": 2}), gone])
    play.ends()
    folded(model, play)

    assert artifacts.list_speculative(model.connection, PROJECT, "prd") == []
    assert outcomes(model) == {
        ("problem", "confirmed"),
        ("risks", "recomputed"),
        ("open_questions", "withdrawn"),
    }


def test_a_section_written_ahead_again_takes_the_place_of_the_one_before(model: ReadModel):
    play = committed()
    play.given([LOSS.model_copy(update={"revision": 2}), *WORLD])
    play.decide()
    folded(model, play)

    assert {("risks", "recomputed"), ("risks", None)} < outcomes(model)
    assert artifacts.list_speculative(model.connection, PROJECT, "epic")


def test_the_phases_of_a_run_are_told_with_their_results(model: ReadModel):
    play = Play().given(WORLD)
    play.ends()
    folded(model, play)

    (found,) = runs.list_phases(model.connection, PROJECT).values()
    by_name = {row.phase: row for row in found}
    assert set(by_name) == {
        "prd_generation",
        "epic_generation",
        "feature_generation",
        "task_breakdown",
    }
    begun = by_name["epic_generation"].started_at
    ended = by_name["prd_generation"].finished_at
    assert begun and ended and begun < ended
    assert [
        line.split(":")[0] for line in render_phases([as_client(Phase, one) for one in found])
    ] == [row.phase for row in found]


def test_loops_are_listed_newest_first_with_their_streams(model: ReadModel):
    play = Play(Reduce(velocity=20)).given(WORLD)
    play.ends()
    play.given([a_requirement("The relay must archive every delivered order")]).ends()
    model.fold(records_of(play))
    told = [(a.artifact_seq, one.phase, one) for a in play.answers() for one in a.loops]

    first = loops.list_loops(model.connection, PROJECT, limit=2)
    rest = loops.list_loops(model.connection, PROJECT, cursor=first.next_cursor).items

    shown = [*first.items, *rest]
    expected = sorted(told, key=lambda it: (-it[0], it[1]))
    assert [(one.artifact_seq, one.phase) for one in shown] == [it[:2] for it in expected]
    for one, (_, _, record) in zip(shown, expected, strict=True):
        fields = {"stop_reason", "items", "errors", "calls", "calls_ratio"}
        assert one.model_dump(include=fields) == record.model_dump(include=fields)
    assert len({one.stream_id for one in shown}) == len(shown)
    (features, *_) = loops.list_loops(model.connection, PROJECT, phase="feature_generation").items
    assert features.stream_id == loop_id(PROJECT, 2, "feature_generation")


def test_the_stream_of_a_loop_is_found_by_its_id_and_is_over(model: ReadModel):
    play = Play(Reduce(velocity=20)).given(WORLD)
    play.ends()
    answer, log = play.settled[0].envelope, Log()
    for frame in FRAME.handle(answer, None):
        log.write(answer.caused(frame))
    model.fold(log.records).connection.execute(
        "INSERT INTO projects (project_id, name, description, vision, timezone, created_at)"
        " VALUES (%s, 'Shop', '', '', '', now())",
        (PROJECT,),
    )
    stream_id = loop_id(PROJECT, 1, "feature_generation")

    stream = streams.read_stream(model.connection, stream_id)
    whole = streams.list_frames(model.connection, stream_id, -1, 100)
    rest = streams.list_frames(model.connection, stream_id, whole[2].seq, 100)

    assert (stream.project_id, stream.is_endless) == (PROJECT, False)
    assert [one.name for one in whole[:3]] == ["started", "phase", "feature"]
    assert [one.name for one in whole[-2:]] == ["phase", "done"]
    assert rest == whole[3:]
    assert streams.read_ends(model.connection, stream_id, whole[-1].seq).is_over


def test_the_decision_after_each_item_is_a_row(model: ReadModel):
    play = Play().given(WORLD)
    answer = play.ends()
    folded(model, play)

    found = model.rows(
        "SELECT phase, artifact_id, should_continue, confidence, coverage_assessment,"
        " gaps_remaining FROM loop_continuations ORDER BY phase, item_no"
    )
    assert found == [
        (
            loop.phase,
            one.artifact_id,
            one.should_continue,
            one.confidence,
            one.coverage_assessment,
            one.gaps_remaining,
        )
        for loop in sorted(answer.loops, key=lambda loop: loop.phase)
        for one in loop.continuations
    ]
    assert found


def test_records_that_come_twice_change_nothing(model: ReadModel):
    play = committed()
    play.ends()
    model.fold(records_of(play, times=2))

    assert {outcome for _, outcome in outcomes(model)} == {"confirmed"}
