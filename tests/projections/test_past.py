"""What stood at a moment: versions of artifacts, and contradictions as they were then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from infra.measure.benches.reads import PROJECT as BENCH
from infra.measure.benches.reads import fill
from infra.platform.errors import Invalid, NotFound
from projections.read.changes import LARGEST_WINDOW, Changes, list_changes, read_changes
from projections.read.contradictions import list_contradiction_pairs
from projections.read.coverage import read_coverage
from projections.read.moments import compare_ledgers, list_committed_batches, snap_to_batch
from projections.read.page import take
from projections.read.past import (
    list_past_atoms,
    list_past_contradictions,
    read_past_coverage,
    read_past_version,
)
from tests.projections.conftest import ReadModel
from tests.projections.parcel_log import records
from tests.projections.test_history import TOPICS, up_to
from tests.worlds import PROJECT

BEFORE = datetime(1970, 1, 1, tzinfo=UTC)
RECORDED = "SELECT recorded_at FROM ledger_change_sets WHERE ledger_seq = {}"


@pytest.mark.parametrize("share", [0.3, 0.7, 1.0])
def test_contradictions_are_those_that_stood_there(model: ReadModel, share: float):
    seq = int(sum(record.topic == "ledger.v1" for record in records(TOPICS)) * share)
    then = model.fold(list(up_to(seq)))
    stood = [
        (one.contradiction_id, one.status, one.severity, one.title_a, one.title_b)
        for one in take(partial(list_contradiction_pairs, then.connection, PROJECT, None))
    ]
    now = model.emptied().fold(records(TOPICS))
    moment = now.value(RECORDED.format(seq))

    past = take(partial(list_past_contradictions, now.connection, PROJECT, moment, None))

    assert [
        (one.contradiction_id, one.status, one.severity, one.title_a, one.title_b) for one in past
    ] == stood
    assert stood or share < 1.0
    assert list_past_contradictions(now.connection, PROJECT, BEFORE, None).items == []


def test_atoms_are_read_at_a_sequence_or_at_its_moment(model: ReadModel):
    model.fold(records(TOPICS))
    moment = model.value(RECORDED.format(5))
    at_moment = list_past_atoms(model.connection, PROJECT, moment, status="all").items
    assert at_moment == list_past_atoms(model.connection, PROJECT, 5, status="all").items
    assert {one.as_of_seq for one in at_moment} == {5}


def test_the_version_is_the_last_one_published_by_then(model: ReadModel):
    model.fold(records(TOPICS))
    versions = model.rows(
        "SELECT artifact_id, version, published_at FROM artifact_versions ORDER BY 1, 2"
    )
    for artifact_id, version, published_at in versions:
        found = read_past_version(model.connection, PROJECT, artifact_id, published_at)
        assert (found.version, found.published_at) == (version, published_at)
        made_of = read_past_version(model.connection, PROJECT, artifact_id, found.input_ledger_seq)
        assert made_of.input_ledger_seq == found.input_ledger_seq
    artifact_id, version, published_at = next(one for one in versions if one[1] == 1)
    with pytest.raises(NotFound, match="no sequence"):
        read_past_version(model.connection, PROJECT, artifact_id, 10_000_000)
    earlier = published_at - timedelta(milliseconds=1)
    with pytest.raises(NotFound, match="no version of it yet"):
        read_past_version(model.connection, PROJECT, artifact_id, earlier)
    with pytest.raises(NotFound, match="no artifact art_other"):
        read_past_version(model.connection, PROJECT, "art_other", earlier)


@pytest.mark.parametrize("since", [0, 4])
def test_a_comparison_tells_what_the_changes_between_tell(model: ReadModel, since: int):
    model.fold(records(TOPICS))
    told = read_changes(model.connection, PROJECT, since, LARGEST_WINDOW)
    compared = compare_ledgers(model.connection, PROJECT, since, told.to_seq, shown=1_000)
    for name in ("came", "went", "changed"):
        group, expected = getattr(compared, name), getattr(told, name)
        assert sorted(group.first, key=str) == sorted(expected, key=str)
        assert group.count == len(expected)
    few = compare_ledgers(model.connection, PROJECT, since, told.to_seq, shown=1)
    assert (few.came.count, len(few.came.first)) == (compared.came.count, 1)


LISTS = ("came", "went", "changed", "contradictions", "decided", "written")


def pages_of(model: ReadModel, limit: int, since: int = 0, project: str = PROJECT) -> list[Changes]:
    ask = partial(list_changes, model.connection, project, since, LARGEST_WINDOW, limit=limit)
    pages = [ask()]
    while pages[-1].next_cursor is not None:
        pages.append(ask(cursor=pages[-1].next_cursor))
    return pages


@pytest.mark.parametrize("limit", [1, 3, 1_000])
def test_pages_of_changes_are_together_the_whole(model: ReadModel, limit: int):
    model.fold(records(TOPICS))
    whole = read_changes(model.connection, PROJECT, 4, LARGEST_WINDOW)
    pages = pages_of(model, limit, since=4)
    for name in LISTS:
        assert [it for page in pages for it in getattr(page, name)] == getattr(whole, name)
    sizes = [sum(len(getattr(page, name)) for name in LISTS) for page in pages]
    assert set(sizes[:-1]) <= {limit} and sum(sizes) > 20


def test_pages_of_changes_end_where_the_first_one_did(model: ReadModel):
    own = [record for record in records(TOPICS) if record.topic == "ledger.v1"]
    model.fold(own[: len(own) // 2])
    first = list_changes(model.connection, PROJECT, 0, limit=1)
    assert first.next_cursor is not None
    model.fold(own[len(own) // 2 :])
    second = list_changes(model.connection, PROJECT, 0, cursor=first.next_cursor)
    assert first.to_seq == second.to_seq < second.head_seq
    for other in ("", "x", "0.1", f"1{first.next_cursor}", "0.999999.0.", "0.1.7.", "9.1.0."):
        with pytest.raises(Invalid):
            list_changes(model.connection, PROJECT, 0, cursor=other)


def test_a_page_of_changes_reads_what_it_shows(model: ReadModel):
    fill(model.conninfo, 2_000)
    with model.connection.transaction():
        before = rows_read(model)
        first = list_changes(model.connection, BENCH, 0, LARGEST_WINDOW, limit=20)
        of_first = rows_read(model) - before
        assert first.next_cursor is not None
        list_changes(model.connection, BENCH, 0, LARGEST_WINDOW, cursor=first.next_cursor, limit=20)
        of_second = rows_read(model) - before - of_first
    assert len(first.came) == 20
    assert max(of_first, of_second) < 20 * 10  # of 2,400 records and 4,000 quotes


def rows_read(model: ReadModel) -> int:
    """How many rows this transaction has read of the ledger's tables so far."""
    return int(
        model.value(
            "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables"
            " WHERE schemaname = 'cairn' AND starts_with(relname, 'ledger_')"
        )
    )


def test_what_had_been_read_is_what_coverage_told_then(model: ReadModel):
    seq = sum(record.topic == "ledger.v1" for record in records(TOPICS)) // 2
    then = read_coverage(model.fold(list(up_to(seq))).connection, PROJECT)
    now = model.emptied().fold(records(TOPICS))
    past = read_past_coverage(now.connection, PROJECT, seq)
    assert [(it.area, it.live_atoms) for it in past.areas] == [
        (it.area, it.active_atoms + it.draft_atoms) for it in then.areas
    ]
    assert sum(it.chunks_read for it in past.areas) > 0
    nearest = snap_to_batch(now.connection, PROJECT, seq)
    ends = {0, *(it.ledger_seq for it in list_committed_batches(now.connection, PROJECT, 100))}
    assert nearest in ends and abs(nearest - seq) == min(abs(end - seq) for end in ends)
