"""Of two revisions of an outside item the later one stays, in whatever order they come."""

from __future__ import annotations

import pytest

from schemas.events.hygiene import SourceProcessed
from schemas.events.source import SourceRevised
from streams.hygiene.stage import clean, decide
from tests.hygiene.builders import a_revision


def a_comment(trigger: str, changed: str, connector: str = "github") -> SourceRevised:
    revised = a_revision("12/comments/3", trigger)
    source = revised.source.model_copy(update={"connector": connector, "source_type": "comment"})
    return revised.model_copy(update={"source": source, "revision_ref": f"{changed} etag"})


def answered(*revisions: tuple[SourceRevised, bytes]) -> SourceProcessed:
    previous: SourceProcessed | None = None
    for revised, content in revisions:
        marker = decide(previous, revised, clean(revised.source, content))[-1]
        assert isinstance(marker, SourceProcessed)
        previous = marker
    assert previous is not None
    return previous


OLD = (a_comment("t1", "2026-01-01T00:00:00.000Z"), b"We will use Redis for the sessions.\n")
NEW = (a_comment("t2", "2026-01-01T00:00:00.001Z"), b"We will use Postgres for the sessions.\n")


def test_an_item_older_than_the_one_held_changes_nothing_and_is_answered() -> None:
    late, held = answered(NEW, OLD), answered(NEW)
    assert (late.trigger_key, late.outcome) == ("t1", "unchanged")
    kept = {"trigger_key": held.trigger_key, "outcome": held.outcome}
    assert late.model_copy(update=kept) == held
    assert answered(OLD, NEW, OLD).raw_sha256 == held.raw_sha256


def test_of_equal_times_the_last_one_counts() -> None:
    twin = (a_comment("t3", "2026-01-01T00:00:00.001Z"), b"We will use files for the sessions.\n")
    assert answered(NEW, twin).raw_sha256 != answered(NEW).raw_sha256


@pytest.mark.parametrize("connector", ["upload", "interview"])
def test_a_file_may_go_back_to_what_it_was(connector: str) -> None:
    old = (a_comment("t1", "b", connector), b"We will use Redis for the sessions.\n")
    new = (a_comment("t2", "c", connector), b"We will use Postgres for the sessions.\n")
    assert answered(new, old).raw_sha256 == answered(old).raw_sha256
