"""What of a project was read, what is left and why, and what was asked of its runs."""

from __future__ import annotations

from projections.read import runs
from projections.read.batches import list_last_batches
from projections.read.costs import read_costs
from projections.read.coverage import Coverage, read_coverage
from projections.read.owed import count_owed_by_project
from projections.read.progress import read_trigger_progress
from projections.read.source_list import list_sources
from schemas.areas import AREAS
from schemas.codec import decode
from schemas.events.ingestion import DeepDiveQueued, RunStarted
from schemas.events.ingestion_request import RunCancelRequested, RunResumeRequested
from schemas.events.working_summary import WorkingSummary
from tests.projections.builders import PROJECT, an_atom, replace_part
from tests.projections.conftest import ReadModel
from tests.projections.log import TRIGGER, Story
from tests.projections.test_folding import projected

THREE = "The first one is about scope.\n\nThe second paragraph.\n\nThe third paragraph."


def a_story() -> Story:
    """One source of three chunks: the first is read, one given up, one under way."""
    story = Story()
    story.project()
    story.requested(["README.md"])
    one, two, three = story.source("README.md", THREE, areas=["scope", "security"])
    story.run_started()
    story.planned([one, two])
    story.read(one, an_atom(one, story.run))
    story.read(two, outcome="poison")
    story.committed()
    story.planned([three], batch_no=1)
    return story


def seen(model: ReadModel, story: Story) -> Coverage:
    model.fold(projected(story))
    return read_coverage(model.connection, PROJECT)


def test_every_chunk_is_read_left_or_skipped_with_a_reason(model: ReadModel):
    found = seen(model, a_story())
    first, *others = found.tiers
    assert first.model_dump() == {
        "tier": 1,
        "total": 3,
        "extracted": 1,
        "pending": 1,
        "skipped": {"poison": 1},
    }
    assert [row.total for row in others] == [0, 0]


def test_a_chunk_counts_in_each_of_its_areas_and_else_in_none(model: ReadModel):
    found = {row.area: row for row in seen(model, a_story()).areas}
    assert [found[area].extracted for area in ("scope", "security", "market", "none")] == [
        *(1, 1, 0),
        0,
    ]
    assert (found["none"].total, found["none"].pending) == (2, 1)


def test_areas_count_their_active_atoms_and_gaps_are_those_of_the_ledger(model: ReadModel):
    story = a_story()
    summary = WorkingSummary(state_version="v", ledger_seq=story.seq + 1, gaps=["market"])
    story.changed(story.trigger, summary=summary)
    found = seen(model, story)
    assert sum(row.active_atoms for row in found.areas) == 1
    assert found.gaps == ["market"]


def test_before_anything_is_read_every_area_is_a_gap(model: ReadModel):
    story = Story()
    story.project()
    assert seen(model, story).gaps == list(AREAS)


def test_the_last_choice_of_a_run_is_shown_with_places_and_what_was_selected(model: ReadModel):
    story = a_story()
    model.fold(projected(story))
    (batch,) = list_last_batches(model.connection, PROJECT)
    assert (batch.batch_no, batch.committed) == (1, False)
    assert batch.hint.decision_rule
    (chunk,) = batch.hint.candidate_chunks
    assert (chunk.path, chunk.selected) == ("README.md", True)
    assert 0 <= chunk.expected_value_score <= 1
    assert list_last_batches(model.connection, PROJECT, "run_unknown") == []


def test_a_withdrawn_batch_is_no_choice_any_more_and_its_chunks_are_left(model: ReadModel):
    story = a_story()
    story.stopped(stop_reason="diminishing_returns", withdrawn_batches=[1], batch_count=2)
    found = seen(model, story)
    assert found.tiers[0].pending == 1
    (batch,) = list_last_batches(model.connection, PROJECT)
    assert batch.batch_no == 0
    assert model.rows("SELECT state FROM chunks ORDER BY state") == [
        ("extracted",),
        ("pending",),
        ("skipped",),
    ]


def test_a_run_that_waits_for_sources_says_for_how_many(model: ReadModel):
    story = Story()
    story.project()
    story.requested(["README.md", "docs/auth.md"])
    story.run_started()
    model.fold(projected(story))
    (run,) = runs.list_runs(model.connection, PROJECT).items
    assert (run.status, run.waiting_for_sources) == ("running", 1)


def test_a_cancelled_run_says_why_and_until_then_that_it_was_asked_to(model: ReadModel):
    story = a_story()
    story.outside(RunCancelRequested(run_id=story.run, request_key="c", reason="too broad"))
    before = projected(story)
    model.fold(before)
    assert runs.list_runs(model.connection, PROJECT).items[0].cancel_requested
    story.stopped(stop_reason="cancelled", stop_detail="too broad")
    model.fold(projected(story)[len(before) :])
    (run,) = runs.list_runs(model.connection, PROJECT).items
    assert (run.status, run.stop_detail, run.cancel_requested) == (
        *("cancelled", "too broad"),
        False,
    )


def test_a_trigger_with_a_resumed_run_is_not_settled_before_that_run_is(model: ReadModel):
    story = a_story()
    before = story.run
    story.stopped()
    story.outside(RunResumeRequested(run_id=before, request_key="r"))
    facts = [decode(record.value or b"").event for record in story.log.records]
    started = next(fact for fact in facts if isinstance(fact, RunStarted))
    again = replace_part(started, run_id="run_again", resumed_from=before)
    story.follows(story.trigger, again)
    model.fold(projected(story))
    progress = read_trigger_progress(model.connection, PROJECT, TRIGGER)
    assert [run["run_id"] for run in progress.runs] == [before, "run_again"]
    assert not progress.settled


def test_a_deep_dive_is_a_row_that_names_run_batch_and_chunks(model: ReadModel):
    story = a_story()
    dive = DeepDiveQueued(
        contradiction_id="ctr_1",
        updated_seq=2,
        run_id=story.run,
        batch_no=1,
        basis_seq=2,
        chunk_ids=["chk_1"],
    )
    story.follows(story.trigger, dive)
    model.fold(projected(story))
    assert model.rows("SELECT contradiction_id, batch_no, chunk_ids FROM deep_dives") == [
        ("ctr_1", 1, ["chk_1"])
    ]


def an_owed_story() -> Story:
    """Rules have read two of three chunks for a model, for different causes."""
    story = Story()
    story.project()
    story.requested(["README.md"])
    one, two, three = story.source("README.md", THREE)
    story.run_started()
    story.planned([one, two, three])
    story.read(one, error="model_answer_cut")
    story.read(two, error="model_answer_malformed")
    story.read(three)
    return story


def test_what_rules_have_read_for_a_model_is_counted_by_its_cause(model: ReadModel):
    owed = {"model_answer_cut": 1, "model_answer_malformed": 1}
    assert seen(model, an_owed_story()).by_rules == owed
    assert read_costs(model.connection, PROJECT, "agent").by_rules == owed
    assert count_owed_by_project(model.connection) == {"Demo": owed}
    (source,) = list_sources(model.connection, PROJECT, skipped=True).items
    assert (source.reason, source.by_rules) == ("read_by_rules", 2)
    assert "its answer was cut" in source.detail and "malformed" in source.detail


def test_what_the_model_has_read_after_all_is_owed_no_more(model: ReadModel):
    story = an_owed_story()
    for chunk in story.chunks.values():
        story.turns += 1
        cause = story.outside(RunCancelRequested(run_id="run_x", request_key=chunk.chunk_id))
        story.changed(cause, turn=story.turn(chunk))
    assert seen(model, story).by_rules == {}
    assert list_sources(model.connection, PROJECT, skipped=True).items == []
