"""Plain wording: what a reader sees of marked-up text, in time that grows with its length."""

from __future__ import annotations

import pytest

from agents.offline.recognise.statements import classify
from agents.offline.segment.wording import drop_connective, split_sentences, strip_markup


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        ("The {mod}`contextvars` module", "The contextvars module"),
        ("Wrap {py:class}`BoundLogger <structlog.BoundLogger>`", "Wrap BoundLogger"),
        ("The :mod:`contextvars` module", "The contextvars module"),
        ("A {name} in braces with `code`", "A {name} in braces with code"),
        ("the _proof of lock round_ (POLR) is", "the proof of lock round (POLR) is"),
        (
            "`STORAGES['default']` is a\n`map[string]string`",
            "STORAGES['default'] is a map[string]string",
        ),
        ("the `_private` and `public_` names", "the _private and public_ names"),
        ("the value `__lanes_reserved__`", "the value __lanes_reserved__"),
        ("a ``**kwargs`` literal, a `link`_", "a **kwargs literal, a link"),
        ("see [GRANT]({% link v1/grant.md %}#options) now", "see GRANT now"),
        ('of [logs](https://x.y/z){target="_blank" rel="nofollow"} only', "of logs only"),
        ("if `!ready` or `~1.2.3` or `a != b`", "if !ready or ~1.2.3 or a != b"),
        ("as {@link org.Lane} does, {@code open} too", "as org.Lane does, open too"),
        ("see [[LANE.1]](#LANE1) and [the [old] lane](x.md)", "see LANE.1 and the old lane"),
        ("[`lane`](lane.md) and [the `x` lane][1]", "lane and the x lane"),
    ],
)
def test_markup_is_taken_off_and_code_is_left_as_it_is(raw, seen):
    assert strip_markup(raw) == seen


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        (
            "a `!min_size` and `~pool.Lane.size` of :class:`~pool.Lane`",
            "a min_size and size of Lane",
        ),
        ("in `!Lane.info.`\\ `~LaneInfo.size` now", "in Lane.info.size now"),
        ("if `!x` or `~y` or `a != b`", "if x or y or a != b"),
    ],
)
def test_a_name_without_a_link_is_a_name_in_restructured_text(raw, seen):
    assert strip_markup(raw, rst=True) == seen


def test_a_row_of_dots_and_markup_that_is_never_closed_take_a_moment():
    dots, opened = "." * 400_000, "<!-- " * 80_000  # by the square of their length minutes, too
    assert split_sentences(dots, 0, len(dots)) == ((0, len(dots)),)
    assert strip_markup(opened) == opened.strip()


@pytest.mark.parametrize("blank", [" ", "\t"])
def test_a_long_run_of_blanks_is_one_space(blank):
    run = blank * 400_000  # by the square of its length this would take minutes
    assert strip_markup(f"The *tray*{run}must be red") == "The tray must be red"
    assert classify(run).label == "other"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("[[parcel-lanes]]Parcel lanes", "Parcel lanes"),
        ("Parcel lanes {#parcel-lanes}", "Parcel lanes"),
        ("The ann:depot.Scanner[] annotation", "The depot.Scanner annotation"),
        (
            "Access to <https://depot.example/> SHALL end",
            "Access to https://depot.example/ SHALL end",
        ),
        ("It is told elsewhere (<https://depot.example/>)", "It is told elsewhere ()"),
    ],
)
def test_anchors_and_macros_leave_nothing_and_an_address_stays_where_it_is_needed(
    raw: str, shown: str
) -> None:
    assert strip_markup(raw) == shown


def test_a_mark_in_capitals_is_not_the_beginning_of_a_statement() -> None:
    assert (
        drop_connective("NOTE Sorter's modules are preferred") == "Sorter's modules are preferred"
    )
    assert drop_connective("IMPORTANT lanes stay open") == "IMPORTANT lanes stay open"


def test_an_exclamation_in_brackets_ends_no_sentence() -> None:
    text = "In addition to (obviously!) Parcel labels, a lane has a number. It is printed."
    assert [text[start:end] for start, end in split_sentences(text, 0, len(text))] == [
        "In addition to (obviously!) Parcel labels, a lane has a number.",
        "It is printed.",
    ]
    text = "A lane has a number. (It is printed.) Parcels have none."
    assert len(split_sentences(text, 0, len(text))) == 3


def test_a_plus_at_the_end_of_a_line_of_a_comment_is_one_and_elsewhere_a_hard_break() -> None:
    assert (
        strip_markup("a name (space +\n * document) of a lane")
        == "a name (space + document) of a lane"
    )
    assert strip_markup("a name of a lane +\nand of a depot") == "a name of a lane and of a depot"
