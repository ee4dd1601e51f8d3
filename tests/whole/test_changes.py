"""Sources that change between two ingests: only what is new is read, and nothing old is kept."""

import random
from pathlib import Path

import pytest

from schemas.events.ingestion_request import RemovalsAccepted
from schemas.events.ledger import AtomRecord
from tests.connectors.worlds import a_repository, commit, contents, list_source
from tests.whole.changing import (
    FILLER,
    Project,
    a_world,
    assert_it_is_as_read_anew,
    changed,
    files_of,
)
from tests.whole.test_faults import FAULTS
from tests.worlds import PROJECT, fact, info

STEPS = 4
BASE = files_of(a_world(random.Random(7)))
TEN = {f"docs/{number}.md": BASE["docs/a.md"] + str(number).encode() for number in range(10)}


def id_of(path: str) -> str:
    return info(path, "parcel").source_id


def without(path: str, files: dict[str, bytes] = BASE) -> dict[str, bytes]:
    return {name: content for name, content in files.items() if name != path}


@pytest.mark.parametrize("seed", range(8))
def test_after_any_changes_the_ledger_is_that_of_a_first_ingest(seed):
    chance = random.Random(seed)
    world, past = a_world(chance), []
    quiet, troubled = Project(), Project(seed=seed, **FAULTS)
    before: dict[str, bytes] = {}
    for _ in range(STEPS):
        files = files_of(world)
        same = {path for path in files if before.get(path) == files[path] and chance.random() < 0.5}
        short = chance.random() < 0.15
        limits = {"max_chunks_per_run": 3, "batch_size": 2} if short else {}
        for project in (quiet, troubled):
            project.ingest(files, accept_removals=True, unchanged=same, limits=limits)
        if not short:
            assert_it_is_as_read_anew(quiet, files)
        past.append(world)
        world = chance.choice(past) if chance.random() < 0.2 else changed(chance, world)
        before = files
    assert troubled.change_sets() == quiet.change_sets()


@pytest.mark.parametrize("seed", range(6))
def test_what_a_preview_leaves_stale_is_read_by_runs_of_its_own(seed):
    chance = random.Random(seed)
    files = files_of(a_world(chance))
    quiet, troubled = Project(), Project(seed=seed, **FAULTS)
    for project in (quiet, troubled):
        project.ingest(files)
    for _ in range(2):
        new = f"## Addition\n\nThe depot must hold {chance.randint(1, 99)} days of parcels.\n\n"
        changed_ones = {path for path in files if chance.random() < 0.5}
        files |= {path: files[path] + new.encode() + FILLER.encode() for path in changed_ones}
        for project in (quiet, troubled):
            read = project.read()
            project.ingest(files, lanes=("preview",), unchanged=files.keys() - changed_ones)
            assert len(project.read() - read) == len(changed_ones)
        assert_it_is_as_read_anew(quiet, files)
    assert troubled.change_sets() == quiet.change_sets()


def test_what_a_preview_tells_because_others_are_gone_is_read_again_too():
    project = Project().ingest(BASE)
    read = len(project.read())
    new = b"## Retention\n\nThe depot must store every parcel for 77 days.\n\n" + FILLER.encode()
    edited = without("docs/c.md") | {"docs/b.md": BASE["docs/b.md"] + new}
    project.ingest(edited, lanes=("preview",), accept_removals=True)
    assert len(project.read()) == read + 1
    assert_it_is_as_read_anew(project, edited)


def test_a_renamed_source_is_not_read_again_and_keeps_its_atoms():
    project = Project().ingest(BASE)
    live, read = set(project.live), project.read()
    renamed = without("docs/a.md") | {"docs/moved.md": BASE["docs/a.md"]}
    project.ingest(renamed)
    assert project.read() == read
    assert set(project.live) == live
    (change,) = project.changes
    assert (change.kind, change.other_source_id) == ("renamed", id_of("docs/a.md"))
    assert_it_is_as_read_anew(project, renamed)


def test_only_the_changed_chunk_of_a_source_is_read_again():
    project = Project().ingest(BASE)
    read = project.read()
    new = b"## Retention\n\nThe depot must store every parcel for 77 days.\n\n"
    edited = BASE | {"docs/b.md": BASE["docs/b.md"] + new + FILLER.encode()}
    project.ingest(edited)
    assert len(project.read() - read) == 1
    assert_it_is_as_read_anew(project, edited)


def test_a_changed_statement_replaces_the_older_wording_and_the_summary_follows():
    said = "# Limits\n\nThe gateway must answer every scan request of a depot within {} ms.\n"
    before, after = ({"docs/limits.md": said.format(limit).encode()} for limit in (200, 300))
    project = Project().ingest(BASE | before)
    versions = [each.summary.state_version for each in project.change_sets() if each.summary]
    read = project.read()
    project.ingest(BASE | after)
    assert len(project.read() - read) == 1
    atoms = {atom.atom_id: atom for _, atom in project.ledger.atoms.items()}
    (old,) = [atom for atom in atoms.values() if atom.status == "superseded"]
    assert "200 ms" in old.body
    assert old.superseded_by
    assert "300 ms" in atoms[old.superseded_by].body
    (link,) = [link for _, link in project.ledger.links.items() if link.link_type == "supersedes"]
    assert (link.from_atom_id, link.to_atom_id) == (old.superseded_by, old.atom_id)
    (row,) = project.ledger.evidence_of(PROJECT, old.atom_id)
    assert row.stale
    last = [each.summary.state_version for each in project.change_sets() if each.summary][-1]
    assert last not in versions


def test_a_content_that_comes_back_needs_no_reading_at_all():
    project = Project().ingest(BASE)
    project.ingest(BASE | {"docs/a.md": BASE["docs/b.md"] + b"\nAnd more.\n"})
    read = project.read()
    project.ingest(BASE)
    assert project.read() == read
    assert_it_is_as_read_anew(project, BASE)


def test_a_duplicate_that_becomes_the_only_copy_takes_the_evidence_over():
    twice = BASE | {"docs/z-copy.md": BASE["docs/a.md"]}
    project = Project().ingest(twice)
    read = project.read()
    project.ingest(without("docs/a.md", twice))
    assert project.read() == read
    assert_it_is_as_read_anew(project, without("docs/a.md", twice))


def test_a_duplicate_under_another_root_takes_the_evidence_over():
    project = Project().ingest(BASE).ingest({"docs/a.md": BASE["docs/a.md"]}, root="other")
    live = set(project.live)
    project.ingest(without("docs/a.md"))
    assert set(project.live) == live
    assert project.changes[-1].kind == "renamed"


def test_a_copy_is_read_when_the_original_says_something_else():
    twice = BASE | {"docs/z-copy.md": BASE["docs/a.md"]}
    edited = twice | {"docs/a.md": b"# Other\n\nThe depot must answer within 3 seconds.\n"}
    project = Project().ingest(twice).ingest(edited)
    assert_it_is_as_read_anew(project, edited)


def test_a_source_that_repeats_another_or_is_skipped_now_takes_its_rows_back():
    project = Project().ingest(BASE)
    emptied = BASE | {"docs/a.md": BASE["docs/b.md"], "docs/c.md": b""}
    project.ingest(emptied)
    assert_it_is_as_read_anew(project, emptied)


def test_too_many_removals_are_held_and_everything_else_goes_on():
    project = Project().ingest(TEN)
    live = set(project.live)
    kept = {path: TEN[path] for path in list(TEN)[:8]} | {
        "docs/new.md": b"# New\n\nThe queue must keep every report for 12 days.\n"
    }
    project.ingest(kept)
    assert project.stops[-1].removals_held == [id_of("docs/8.md"), id_of("docs/9.md")]
    assert not any(stop.removals_held for stop in project.stops[:-1])
    assert live < set(project.live)
    (raised,) = [note for note in project.notes if note.op == "review_item_raised"]
    assert (raised.target_id, raised.reason) == (project.stops[-1].run_id, "removals_held")


def test_held_removals_go_when_a_person_accepts_them():
    project = Project().ingest(TEN).ingest({path: TEN[path] for path in list(TEN)[:7]})
    held = project.stops[-1]
    project.ingest({path: TEN[path] for path in list(TEN)[:8]}, complete=False)  # 7 is back
    accepted = RemovalsAccepted(run_id=held.run_id, root="parcel", source_ids=held.removals_held)
    project.given([fact(accepted), fact(accepted)])
    removed = {change.source_id for change in project.changes if change.kind == "removed"}
    assert removed == {id_of("docs/8.md"), id_of("docs/9.md")}
    assert_it_is_as_read_anew(project, {path: TEN[path] for path in list(TEN)[:8]})


def test_moving_many_sources_is_no_removal():
    project = Project().ingest(TEN)
    pictures = {f"docs/{n}.png": b"\x89PNG\r\n\x1a\n\x00" + bytes([n]) for n in range(10)}
    project.ingest(TEN | pictures)
    moved = {path.replace("docs/", "manual/"): each for path, each in (TEN | pictures).items()}
    project.ingest(moved)
    assert project.stops[-1].removals_held == []
    assert_it_is_as_read_anew(project, moved)


def test_a_listing_that_is_not_complete_removes_only_what_it_names():
    project = Project().ingest(TEN)
    project.ingest({}, complete=False, removed=("docs/3.md",))
    assert [change.source_id for change in project.changes] == [id_of("docs/3.md")]
    assert_it_is_as_read_anew(project, without("docs/3.md", TEN))


def test_removals_come_with_the_last_run_of_a_trigger_whatever_its_lanes():
    project = Project().ingest(TEN).ingest(without("docs/9.md", TEN), lanes=("preview",))
    assert [change.kind for change in project.stops[-1].source_changes] == ["removed"]
    both = Project().ingest(TEN).ingest(without("docs/9.md", TEN))
    assert [len(stop.source_changes) for stop in both.stops] == [0, 0, 0, 1]


def test_a_source_that_a_short_run_leaves_half_read_is_settled_by_the_one_that_reads_its_rest():
    project = Project().ingest(BASE)
    rewritten = {path: content.replace(b"depot", b"hub") for path, content in BASE.items()}
    project.ingest(rewritten, limits={"max_chunks_per_run": 1, "batch_size": 1})
    left = set(project.stops[-1].unfinished_sources)
    assert left
    project.ingest({"docs/note.md": b"# Note\n\nNothing."}, complete=False, root="other")
    assert set(project.stops[-1].unfinished_sources) == left
    assert not left & {note.target_id for note in project.notes if note.reason == "settled"}
    project.ingest(rewritten)
    assert project.stops[-1].unfinished_sources == []
    assert_it_is_as_read_anew(project, rewritten)


def test_two_commits_of_a_repository(tmp_path: Path):
    before = BASE | {"docs/d.md": BASE["docs/a.md"] + b"More.\n"} | TEN
    origin = a_repository(tmp_path / "shop", before)
    project = Project().ingest(contents(list_source(f"file://{origin}", tmp_path / "clones")))
    read = project.read()
    (origin / "docs/b.md").rename(origin / "docs/renamed.md")
    (origin / "docs/c.md").unlink()
    (origin / "docs/added.md").write_bytes(b"# Added\n\nThe cache must hold every invoice.\n")
    edited = BASE["docs/a.md"].replace(b"depot", b"hub").replace(b"queue", b"line")
    (origin / "docs/a.md").write_bytes(edited)
    commit(origin)
    after = contents(list_source(f"file://{origin}", tmp_path / "clones"))
    project.ingest(after)
    kinds = {change.source_id: change.kind for change in project.changes}
    assert kinds == {
        id_of("docs/a.md"): "revised",
        id_of("docs/renamed.md"): "renamed",
        id_of("docs/c.md"): "removed",
    }
    fresh = {row.source_id for _, row in project.ledger.evidence.items() if not row.stale}
    assert id_of("docs/c.md") not in fresh
    assert len(project.read() - read) < len(read) / 2
    assert_it_is_as_read_anew(project, after)


def test_a_record_that_is_accepted_now_is_read_again_though_its_words_are_the_same() -> None:
    decided = "We will use the LabelPrinter for all heavy parcels because the Sorter reads no ink."
    sections = f"## Decision\n\n{decided}\n{FILLER}\n\n## Context\n\n{FILLER}\n"
    path = "docs/adr/0007-labels.md"
    project = Project().ingest({path: f"# Labels\n\nStatus: Proposed\n\n{sections}".encode()})
    (proposed,) = decisions(project)
    accepted = {path: f"# Labels\n\nStatus: Accepted\n\n{sections}".encode()}
    project.ingest(accepted)
    (decision,) = decisions(project)
    assert (proposed.attributes["document_status"], proposed.confidence) == ("proposed", 0.55)
    assert decision.attributes["document_status"] == "accepted"
    assert decision.confidence > proposed.confidence
    assert_it_is_as_read_anew(project, accepted)


def test_a_record_that_is_superseded_takes_its_decision_back_to_a_draft() -> None:
    decided = "We will use the LabelPrinter for all heavy parcels."
    reason = "This is because the Sorter reads no ink."
    sections = f"## Decision\n\n{decided} {reason}\n{FILLER}\n"
    path = "docs/adr/0007-labels.md"
    project = Project().ingest({path: f"# Labels\n\nStatus: Accepted\n\n{sections}".encode()})
    assert ("active", "accepted") in stands(project)
    project.ingest({path: f"# Labels\n\nStatus: Superseded by 9\n\n{sections}".encode()})
    assert {status for status, _ in stands(project)} == {"draft"}
    assert {told for _, told in stands(project)} == {"superseded"}
    project.ingest({path: f"# Labels\n\n- Status: Accepted\n\n{sections}".encode()})
    assert ("active", "accepted") in stands(project)


def an_adr(number: int, thing: str, says: str = "") -> bytes:
    decided = f"We will use the {thing} for all heavy parcels because the Sorter reads no ink."
    status = f"Status: Accepted\n\n{says}\n\n" if says else "Status: Accepted\n\n"
    text = f"# ADR {number}: Use the {thing}\n\n{status}## Decision\n\n{decided}\n{FILLER}\n"
    return text.encode()


@pytest.mark.parametrize(
    "says",
    [
        "Supersedes ADR-0003.",
        "This decision replaces ADR 3.",
        "It replaces [the old one](0003-labels.md).",
        "Supersedes: Use the LabelPrinter",
    ],
)
def test_a_record_replaces_another_as_long_as_it_says_so(says: str) -> None:
    old = {"docs/adr/0003-labels.md": an_adr(3, "LabelPrinter")}
    new = {"docs/adr/0009-lasers.md": an_adr(9, "LaserMarker", says)}
    together = Project().ingest(old | new)
    later = Project().ingest(new).ingest(old | new)
    for project in (together, later):
        assert ["LaserMarker" in it.title for it in decisions(project)] == [True]
        assert {it.status_reason for it in replaced(project)} == {"document_replaced"}
    silent = old | {"docs/adr/0009-lasers.md": an_adr(9, "LaserMarker")}
    together.ingest(silent)
    assert len(decisions(together)) == 2
    assert_it_is_as_read_anew(together, silent)
    assert len(decisions(later.ingest(old))) == 1


def replaced(project: Project) -> list[AtomRecord]:
    return [atom for _, atom in project.ledger.atoms.items() if atom.status == "superseded"]


def decisions(project: Project) -> list[AtomRecord]:
    return [atom for atom in project.live.values() if atom.kind == "decision"]


def stands(project: Project) -> set[tuple[str, str]]:
    return {(atom.status, atom.attributes["document_status"]) for atom in decisions(project)}
