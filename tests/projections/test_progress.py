"""When a trigger counts as settled, and what the feeder asks."""

from __future__ import annotations

import pytest

from projections.read import atoms, projects, runs, sources
from projections.read.atoms import list_atoms_as_of, read_head
from projections.read.progress import read_trigger_progress
from schemas.envelope import Envelope
from schemas.events.hygiene import VERSIONS, SourceProcessed
from schemas.events.ingestion import SourceChange
from schemas.events.ingestion_request import SourcesUnchanged
from schemas.events.judgement import PairJudged
from schemas.events.ledger import AtomRecord, Turn
from schemas.ids import sha256_hex
from tests.projections.builders import PROJECT, a_rejection, an_atom, replace_part, source_of
from tests.projections.conftest import ReadModel
from tests.projections.log import TRIGGER, Story, a_whole_story
from tests.projections.test_folding import projected


def test_a_trigger_is_settled_when_its_last_record_is_in_the_tables(model: ReadModel):
    model.fold(projected(a_whole_story()))
    progress = read_trigger_progress(model.connection, PROJECT, TRIGGER)
    assert progress.settled
    assert (progress.listed, progress.ready, progress.skipped) == (2, 2, 0)
    assert (progress.chunks_total, progress.chunks_done, progress.atoms) == (3, 3, 3)
    assert progress.prd_version == 1
    assert [run["stop_reason"] for run in progress.runs] == ["exhausted"]


@pytest.mark.parametrize(
    "topic",
    [
        "hygiene.v1",
        "chunk.v1",
        "ingestion.request.v1",
        "ingestion.v1",
        "atom.validated.v1",
        "ledger.v1",
        "reduce.v1",
        "artifact.prd.v1",
        "artifact.latest.v1",
    ],
)
def test_a_trigger_is_not_settled_while_one_topic_lags_behind(model: ReadModel, topic: str):
    records = projected(a_whole_story())
    last = [record for record in records if record.topic == topic][-1]
    model.fold([record for record in records if record is not last])
    assert not read_trigger_progress(model.connection, PROJECT, TRIGGER).settled


def test_a_run_in_which_a_model_judged_pairs_settles(model: ReadModel):
    story = a_story_with_one_reading()
    judged = story.follows(
        story.trigger,
        PairJudged(
            run_id=story.run,
            batch_no=0,
            atom_a_id="atm_a",
            atom_b_id="atm_b",
            conflict=False,
            decided_by="model",
        ),
    )
    turn = Turn(
        run_id=story.run, batch_no=0, position=2, kind="pairs", lane="preview", last_in_batch=True
    )
    story.changed(judged, turn=turn)
    story.published(story.stopped())
    model.fold([each for each in projected(story) if each.topic != PairJudged.topic])
    assert read_trigger_progress(model.connection, PROJECT, TRIGGER).settled


def test_a_record_that_the_tables_refuse_is_not_waited_for(model: ReadModel):
    too_long_for_an_index = "".join(sha256_hex(str(number)) for number in range(400))
    story = a_story_with_one_reading(too_long_for_an_index)
    story.published(story.stopped())
    model.fold(projected(story))
    assert model.rows("SELECT origin_topic FROM dead_letters") == [("atom.validated.v1",)]
    assert read_trigger_progress(model.connection, PROJECT, TRIGGER).settled


def a_story_with_one_reading(*rejected: str) -> Story:
    """One chunk was read; ``rejected`` are ids of candidates that were not taken."""
    story = Story()
    story.project()
    story.requested(["README.md"])
    [chunk] = story.source("README.md", "One paragraph that is long enough.")
    story.run_started()
    story.planned([chunk])
    wrong = a_rejection(chunk)
    judged = [
        replace_part(wrong, candidate=replace_part(wrong.candidate, candidate_id=candidate))
        for candidate in rejected
    ]
    story.read(chunk, rejected=judged)
    return story


def test_a_trigger_whose_deep_run_is_still_to_come_is_not_settled(model: ReadModel):
    story = Story()
    story.project()
    story.requested(["README.md"], lanes=("preview", "deep"))
    chunks = story.source("README.md", "One paragraph that is long enough.")
    story.run_started()
    story.read(chunks[0])
    story.published(story.stopped())
    model.fold(projected(story))
    assert not read_trigger_progress(model.connection, PROJECT, TRIGGER).settled


def test_an_unknown_trigger_has_no_progress(model: ReadModel):
    progress = read_trigger_progress(model.connection, PROJECT, "nobody asked")
    assert (progress.settled, progress.listed, progress.runs) == (False, 0, [])


def test_a_source_is_ready_when_the_feeder_found_it_unchanged(model: ReadModel):
    story = Story()
    story.requested(["README.md", "docs/b.md"])
    unchanged = SourcesUnchanged(
        trigger_key=TRIGGER, part_index=0, source_ids=[source_of("docs/b.md").source_id]
    )
    story.outside(unchanged)
    model.fold(projected(story))
    progress = read_trigger_progress(model.connection, PROJECT, TRIGGER)
    assert (progress.listed, progress.ready) == (2, 1)


def test_chunks_of_a_duplicate_are_not_counted_as_work(model: ReadModel):
    story = Story()
    story.requested(["README.md", "docs/b.md"])
    story.source("README.md", "One paragraph that is long enough.")
    story.source("docs/b.md", "One paragraph that is long enough.")
    same = SourceChange(
        kind="duplicate",
        source_id=source_of("docs/b.md").source_id,
        other_source_id=source_of("README.md").source_id,
    )
    story.planned([], source_changes=[same])
    model.fold(projected(story))
    assert read_trigger_progress(model.connection, PROJECT, TRIGGER).chunks_total == 1


def test_the_feeder_learns_what_was_accepted(model: ReadModel):
    story = a_whole_story()
    model.fold(projected(story))
    hashes = {p.source.source_id: p.raw_sha256 for p in story.processed.values()}
    assert sources.find_last_accepted(model.connection, PROJECT) == hashes


@pytest.mark.parametrize(
    "changes",
    [
        {"versions": VERSIONS.model_dump() | {"hygiene": "h0"}},
        {"outcome": "skipped", "skip_reason": "poison", "sanitized_hash": None},
    ],
)
def test_what_was_read_by_older_rules_or_given_up_has_to_be_sent_again(
    model: ReadModel, changes: dict[str, object]
):
    story = Story()
    story.requested(["README.md"])
    story.source("README.md", "One paragraph that is long enough.")
    again = replace_part(
        story.processed["README.md"], revision_seq=2, trigger_key="t2", chunks=[], **changes
    )
    assert isinstance(again, SourceProcessed)
    story.outside(again, natural_key="again")
    model.fold(projected(story))
    assert sources.find_last_accepted(model.connection, PROJECT) == {}


def test_a_run_tells_how_long_first_atom_and_first_prd_took(model: ReadModel):
    model.fold(projected(a_whole_story()))
    (run,) = runs.list_runs(model.connection, PROJECT).items
    assert run.first_atom_ms and run.prd_v0_ms and 0 < run.first_atom_ms < run.prd_v0_ms
    assert run.target_missed == []


def test_a_project_is_found_by_name_and_by_id(model: ReadModel):
    model.fold(projected(a_whole_story()))
    assert projects.find_project(model.connection, "Demo") == PROJECT
    assert projects.find_project(model.connection, PROJECT) == PROJECT


def test_atoms_are_filtered_by_kind_status_and_path(model: ReadModel):
    model.fold(projected(a_whole_story()))

    def titles(**filters: object) -> list[str]:
        found = atoms.list_atoms(model.connection, PROJECT, **filters)  # type: ignore[arg-type]
        return [atom.title for atom in found.items]

    assert titles() == ["Auth uses session cookies", "Auth uses JWT tokens", "Gateway"]
    assert titles(kind="decision") == ["Auth uses session cookies"]
    assert titles(source="docs/*") == ["Auth uses session cookies"]
    assert titles(source="*.rst") == []
    assert titles(status="obsolete") == []
    assert titles(status="all", limit=1) == ["Auth uses session cookies"]
    assert titles(tag="dependency") == []


def test_the_best_atom_comes_first_whenever_it_came(model: ReadModel):
    story = Story()
    story.project()
    story.requested(["README.md"])
    one, two = story.source("README.md", "It may be slow.\n\nTokens expire after an hour.")
    story.run_started()
    story.planned([one, two])
    weak = an_atom(one, story.run, "It may be slow", confidence=0.55)
    strong = an_atom(two, story.run, "Tokens expire after an hour of silence", confidence=0.75)
    story.read(one, weak)
    story.read(two, strong)
    model.fold(projected(story))

    (first,) = atoms.list_atoms(model.connection, PROJECT, limit=1).items
    (oldest,) = atoms.list_atoms(model.connection, PROJECT, order="age", limit=1).items
    assert (first.title, oldest.title) == (strong.title, weak.title)
    past = list_atoms_as_of(model.connection, PROJECT, read_head(model.connection, PROJECT)).items
    assert [atom.title for atom in past] == [strong.title, weak.title]


def test_an_atom_comes_with_the_exact_place_of_its_evidence(model: ReadModel):
    model.fold(projected(a_whole_story()))
    (atom,) = atoms.list_atoms(model.connection, PROJECT, kind="claim").items
    (quote,) = atom.evidence
    assert quote.path == "README.md"
    assert quote.snippet == "The API authenticates callers with JWT tokens.\n"
    assert sources.read_chunk_text(model.connection, quote.chunk_id) == quote.snippet


def test_an_empty_prd_is_not_the_first(model: ReadModel):
    story, end, gateway = a_story_before_its_prd()
    story.published(end)
    story.published(end, gateway)
    model.fold(projected(story))
    (run,) = runs.list_runs(model.connection, PROJECT).items
    query = (
        "SELECT floor(extract(epoch FROM v.published_at - t.first_source_at) * 1000)"
        " FROM artifact_versions v, trigger_stamps t WHERE v.version = 2"
    )
    assert model.connection.execute(query).fetchall() == [(run.prd_v0_ms,)]


def test_a_run_with_an_empty_prd_has_none(model: ReadModel):
    story, end, _ = a_story_before_its_prd()
    story.published(end)
    model.fold(projected(story))
    (run,) = runs.list_runs(model.connection, PROJECT).items
    assert (run.prd_v0_ms, run.target_missed) == (None, [])


def a_story_before_its_prd() -> tuple[Story, Envelope, AtomRecord]:
    story = Story()
    story.requested(["README.md"])
    (chunk,) = story.source("README.md", "The gateway is public.")
    story.run_started()
    story.planned([chunk])
    gateway = an_atom(chunk, story.run, "The gateway is public")
    story.read(chunk, gateway)
    return story, story.stopped(), gateway
