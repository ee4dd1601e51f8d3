"""Every source that was not read is listed with its reason."""

from __future__ import annotations

from typing import Any

from projections.read.source_list import SourceState, list_sources
from schemas.events.ingestion_request import ListingNotice, SourcesListed
from tests.projections.builders import PROJECT
from tests.projections.conftest import ReadModel
from tests.projections.log import Story
from tests.projections.test_folding import projected

AT_ROOT = {"sub": "submodule", "z": "link"}


def listed(trigger: str, *notices: ListingNotice, complete: bool = True) -> SourcesListed:
    return SourcesListed(
        trigger_key=trigger,
        root="demo",
        complete=complete,
        part_index=0,
        part_count=1,
        notices=list(notices),
    )


def skipped(model: ReadModel, **question: Any) -> list[tuple[str, str | None, str]]:
    found = list_sources(model.connection, PROJECT, skipped=True, **question).items
    return [(it.path, it.reason, it.detail) for it in found]


def fold_rest(model: ReadModel, story: Story, done: int) -> int:
    """Folds the records of the story that were not folded yet; returns how many there are."""
    records = projected(story)
    model.fold(records[done:])
    return len(records)


def a_story() -> Story:
    story = Story()
    story.project()
    story.requested(["README.md"])
    story.source("README.md", "A first paragraph of words.\n\nA second one of words.")
    return story


def test_a_source_is_listed_with_its_state(model: ReadModel):
    model.fold(projected(a_story()))
    (found,) = list_sources(model.connection, PROJECT).items
    assert isinstance(found, SourceState)
    assert (found.root, found.path, found.state, found.reason) == (
        *("demo", "README.md", "sanitized", None),
    )
    assert skipped(model) == []


def test_what_stage_0_skipped_is_listed_with_reason_and_detail(model: ReadModel):
    story = a_story()
    story.skipped("a.drawio", "no_reader", "none for drawio files")
    model.fold(projected(story))
    assert skipped(model) == [("a.drawio", "no_reader", "none for drawio files")]
    assert skipped(model, reason="binary") == []
    assert skipped(model, source="*.drawio") == skipped(model)


def test_what_is_at_the_root_and_no_source_is_listed_until_a_listing_lacks_it(model: ReadModel):
    story = a_story()
    story.outside(listed("t1", *(ListingNotice(path=p, code=c) for p, c in AT_ROOT.items())))
    done = fold_rest(model, story, 0)
    assert skipped(model) == [("sub", "submodule", ""), ("z", "link", "")]
    story.outside(listed("t2", ListingNotice(path="new", code="link"), complete=False))
    done = fold_rest(model, story, done)
    assert [path for path, *_ in skipped(model)] == ["new", "sub", "z"]
    story.outside(listed("t3", ListingNotice(path="z", code="link")))
    fold_rest(model, story, done)
    assert skipped(model) == [("z", "link", "")]


def test_pages_follow_each_other(model: ReadModel):
    story = a_story()
    story.outside(listed("t1", *(ListingNotice(path=f"p{n}", code="link") for n in range(5))))
    model.fold(projected(story))
    first = list_sources(model.connection, PROJECT, limit=4)
    rest = list_sources(model.connection, PROJECT, limit=4, cursor=first.next_cursor)
    assert [it.path for it in (*first.items, *rest.items)] == [
        *("README.md", "p0", "p1", "p2", "p3", "p4"),
    ]
