"""The sanitized text of a project in passages: whole quotes that know what they continue."""

from __future__ import annotations

import asyncio

import pytest

from projections.core import CORE
from projections.fold.passages import LONGEST, passages_of
from projections.rebuild import rebuild_from
from tests.projections.builders import replace_part
from tests.projections.conftest import ReadModel
from tests.projections.log import PARTITIONS, Story
from tests.projections.test_folding import projected
from tests.projections.test_rebuild import LogInMemory

LIVE = "SELECT text FROM passages WHERE NOT obsolete ORDER BY path, char_start"
TEN_YEARS = "Invoices stay for ten years.\n\nRefunds take five days."
SENTENCE = "Every invoice is kept for ten years in the archive of the region. "


def texts(text: str) -> list[str]:
    return [text[each.start : each.end] for each in passages_of(text)]


def test_short_paragraphs_share_a_passage_and_long_ones_have_their_own():
    long = SENTENCE * 8
    assert texts(f"One line.\n\nAnother line.\n\n{long}\n\nThe end.\n") == [
        "One line.\n\nAnother line.",
        f"{long}\n\nThe end.",
    ]


def test_a_heading_begins_a_passage_and_is_never_left_alone():
    text = f"# Archive\n\n## Terms\n\n{SENTENCE}\n\n## Costs\nNone so far.\n"
    assert texts(text) == [
        f"# Archive\n\n## Terms\n\n{SENTENCE.strip()}",
        "## Costs\nNone so far.",
    ]


def test_what_is_too_long_is_cut_at_the_end_of_a_sentence():
    found = texts(SENTENCE * 40)
    assert len(found) > 4
    assert all(len(each) <= LONGEST and each.endswith("region.") for each in found)


def test_text_without_any_border_is_cut_all_the_same():
    assert "".join(texts("x" * 5_000)) == "x" * 5_000


def test_later_rows_know_the_header_of_their_table():
    rows = "".join(f"| plan {number} | {number} euros a month |\n" for number in range(60))
    found = passages_of(f"| Plan | Price |\n| --- | --- |\n{rows}")
    assert len(found) > 2
    assert {each.lead for each in found[1:]} == {"| Plan | Price |"}


def test_later_items_know_the_line_that_introduces_them():
    items = "".join(f"- format {number}, which nobody has asked for\n" for number in range(40))
    found = passages_of(f"These formats are not supported:\n\n{items}")
    assert len(found) > 2
    assert {each.lead for each in found[1:]} == {"These formats are not supported:"}


def test_the_lines_of_a_passage_are_those_of_its_text():
    text = f"\n\n# Terms\n\n{SENTENCE * 8}\n\n- one\n- two\n\n{SENTENCE * 8}\n\nLast.\n"
    lines = text.split("\n")
    for each in passages_of(text):
        said = text[each.start : each.end].split("\n")
        assert said[0] in lines[each.line] and said[-1] in lines[each.line_end]
        assert each.line_end - each.line == len(said) - 1


@pytest.fixture
def story() -> Story:
    story = Story()
    story.project()
    story.requested(["docs/a.md", "docs/b.md"])
    story.source("docs/a.md", TEN_YEARS)
    story.source("docs/b.md", "Exports are nightly.")
    return story


def test_a_revision_replaces_the_passages_of_the_one_before(model: ReadModel, story: Story):
    story.source("docs/a.md", "Invoices stay for two years.", trigger_key="second")
    model.fold(projected(story))
    assert model.rows(LIVE) == [("Invoices stay for two years.",), ("Exports are nightly.",)]


def test_content_that_comes_back_is_found_again(model: ReadModel, story: Story):
    before = model.fold(projected(story)).rows(LIVE)
    story.source("docs/a.md", "Invoices stay for two years.", trigger_key="second")
    story.source("docs/a.md", TEN_YEARS, trigger_key="third")
    assert model.emptied().fold(projected(story)).rows(LIVE) == before


def test_boilerplate_is_no_passage(model: ReadModel):
    story = Story()
    story.project()
    story.requested(["LICENSE"])
    (chunk,) = story.source("LICENSE", "Permission is granted.")
    records = projected(story)
    skipped = replace_part(chunk, skip_reason="boilerplate")
    story.follows(story.revised["LICENSE"], skipped)
    model.fold([each for each in projected(story) if each not in records])
    assert model.rows("SELECT count(*) FROM chunks") == [(1,)]
    assert model.rows(LIVE) == []


def test_a_rebuild_makes_the_same_passages(model: ReadModel, story: Story):
    story.source("docs/a.md", "Invoices stay for two years.", trigger_key="second")
    records = projected(story)
    model.fold(records)
    before = model.rows("SELECT * FROM passages ORDER BY passage_id")
    model.connection.execute("DELETE FROM passages WHERE NOT obsolete")
    log = LogInMemory(records)
    found = asyncio.run(rebuild_from(CORE, model.conninfo, log.stretch, PARTITIONS, "passages"))
    assert [(each.table, each.equal) for each in found.tables] == [("passages", False)]
    assert model.rows("SELECT * FROM passages ORDER BY passage_id") == before
