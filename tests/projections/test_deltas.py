"""The report of a run: what had changed, what was read again, which sections kept their bytes."""

from __future__ import annotations

import random
from typing import Any

import pytest

from infra.cli.runs import render_report
from infra.client.models import runs
from infra.platform.errors import Refusal
from projections.read.deltas import DeltaReport, read_delta_report
from tests.projections.conftest import ReadModel
from tests.projections.log import records_in
from tests.web import as_client
from tests.whole.changing import FILLER, Project, a_world, files_of
from tests.worlds import PROJECT, ingestion

BASE = files_of(a_world(random.Random(7)))
NEW = b"## Retention\n\nThe depot must store every parcel for 77 days.\n\n" + FILLER.encode()
RISK = b"# Risks\n\n- Risk: an outage of the depot stops every delivery.\n"


def last_report(model: ReadModel, project: Project) -> DeltaReport:
    model.fold(records_in(project.driver))
    return read_delta_report(model.connection, project.stops[-1].run_id)


def sections(report: DeltaReport, name: str) -> set[tuple[str, str]]:
    return {(one.artifact_id, one.section_id) for one in getattr(report, f"sections_{name}")}


def test_only_the_files_of_a_delta_are_told_and_only_their_changed_chunks_read(model: ReadModel):
    project = Project().ingest(BASE)
    changes = {
        "docs/b.md": BASE["docs/b.md"] + NEW,
        "docs/c.md": BASE["docs/c.md"] + NEW.replace(b"77", b"99"),
        "docs/risks.md": RISK,
    }
    project.ingest(
        changes,
        complete=False,
        lanes=("deep",),
        trigger="delta",
        removed=("docs/a.md",),
        accept_removals=True,
    )
    report = last_report(model, project)

    assert (report.trigger, report.files_added) == ("delta", ["docs/risks.md"])
    assert report.files_modified == ["docs/b.md", "docs/c.md"]
    assert (report.files_removed, report.files_renamed) == (["docs/a.md"], [])
    assert report.chunks_reextracted == 3
    assert report.chunks_reanchored > 0
    assert report.atoms_touched >= report.atom_changes["atom_created"] > 0


def test_what_was_written_again_and_what_was_kept_is_all_there_is(model: ReadModel):
    project = Project().ingest(BASE)
    project.ingest(BASE | {"docs/risks.md": RISK})
    report = last_report(model, project)
    recomputed, kept = sections(report, "recomputed"), sections(report, "kept")
    standing = set(
        model.rows(
            "SELECT a.artifact_id, s.section_id FROM artifacts a"
            " JOIN artifact_sections s USING (artifact_id, version)"
            " WHERE a.project_id = %s AND s.statement_count > 0",
            PROJECT,
        )
    )

    assert "risks" in {section for _, section in recomputed}
    assert kept
    assert recomputed.isdisjoint(kept)
    assert recomputed | kept >= standing
    assert "sections kept" in render_report(as_client(runs.DeltaReport, report))


def test_a_report_is_settled_only_once_the_sections_it_counts_are_there(model: ReadModel):
    """The decision about the artifacts comes to the tables before the versions it published."""
    project = Project().ingest(BASE)
    project.ingest({"docs/b.md": BASE["docs/b.md"] + NEW}, complete=False, lanes=("deep",))
    everything = records_in(project.driver)
    on_their_way = {"artifact.prd.v1", "artifact.feature.v1"}
    model.fold([record for record in everything if record.topic not in on_their_way])
    early = read_delta_report(model.connection, project.stops[-1].run_id)
    assert (early.settled_at, early.sections_recomputed) == (None, None)
    model.fold([record for record in everything if record.topic in on_their_way])
    late = read_delta_report(model.connection, project.stops[-1].run_id)
    assert late.settled_at
    assert late.sections_recomputed


@pytest.mark.parametrize("name", ["docs/moved.md", "docs\\a%_b\\.md"])
def test_a_moved_file_is_renamed_and_neither_new_nor_gone(model: ReadModel, name: str):
    project = Project().ingest(BASE)
    moved = {path: said for path, said in BASE.items() if path != "docs/a.md"}
    project.ingest(moved | {name: BASE["docs/a.md"]})
    report = last_report(model, project)

    assert report.files_renamed == [f"docs/a.md -> {name}"]
    assert (report.files_added, report.files_removed) == ([], [])
    assert report.chunks_reextracted == 0
    assert report.chunks_reanchored > 0


def test_the_report_of_an_earlier_run_stays_what_it_was(model: ReadModel):
    project = Project().ingest(BASE)
    project.ingest(BASE | {"docs/b.md": BASE["docs/b.md"] + NEW})
    second = project.stops[-1].run_id
    before = last_report(model, project)
    project.ingest(BASE)
    model.emptied().fold(records_in(project.driver))

    assert read_delta_report(model.connection, second) == before


def test_a_run_that_nobody_knows_has_no_report(model: ReadModel):
    with pytest.raises(Refusal):
        read_delta_report(model.connection, "run_nobody")


def test_what_another_run_wrote_first_was_still_changed_by_this_one(model: ReadModel):
    """A run that ends while a longer one goes on writes the sections the longer one has changed."""
    project = Project().ingest(BASE)
    quiet = {f"docs/z{no:02}.md": f"Page {no}. {FILLER}".encode() for no in range(40)}
    part: dict[str, Any] = {"complete": False, "lanes": ("deep",)}
    project.given(
        [
            *ingestion({"docs/a.md": RISK} | quiet, key="long", trigger="delta", **part),
            *ingestion({"talk.md": NEW}, key="short", root="talk", **part),
        ]
    )
    model.fold(records_in(project.driver))
    short, long = [stop.run_id for stop in project.stops[-2:]]

    assert model.value(
        "SELECT 'risks' = ANY (recomputed_sections) FROM artifact_versions"
        " WHERE artifact_type = 'prd' AND run_id = %s",
        short,
    )
    report = read_delta_report(model.connection, long)
    assert "risks" in {section for _, section in sections(report, "recomputed")}
