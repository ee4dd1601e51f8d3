"""What differs in two texts is marked by words, and nothing of either is lost."""

from __future__ import annotations

import random

import pytest

from infra.http.console.differing import mark_differences
from infra.http.console.spans import Piece


def marked(pieces: list[Piece]) -> list[str]:
    return [piece.text for piece in pieces if piece.marked]


@pytest.mark.parametrize(
    ("a", "b", "in_a", "in_b"),
    [
        ("The van must stop.", "The van MUST stop.", [], []),
        ("Seals are signed by two.", "Seals are never signed by two.", [], ["never"]),
        # The same words in another order say something else.
        ("A tells B", "B tells A", ["tells B"], ["B tells"]),
        ("The 🚚 is e\u0301te\u0301 red", "The 🚛 is e\u0301te\u0301 red", ["🚚"], ["🚛"]),
        ("a <b>x</b>  c", "a <i>y</i>  d", ["<b>x</b>  c"], ["<i>y</i>  d"]),
        ("", "two words", [], ["two words"]),
        ("x x x", "x x", ["x"], []),
    ],
)
def test_words_that_one_of_two_texts_alone_has_are_marked(a, b, in_a, in_b):
    left, right = mark_differences(a, b)

    assert (marked(left), marked(right)) == (in_a, in_b)
    assert ("".join(it.text for it in left), "".join(it.text for it in right)) == (a, b)


def test_texts_that_are_too_long_to_compare_are_marked_between_their_equal_ends():
    drawn = random.Random(1)
    a, b = (" ".join(drawn.choices("xy", k=20_000)) for _ in range(2))

    left, right = mark_differences(f"Both begin {a} end", f"Both begin {b} end")

    assert [len(marked(left)), len(marked(right))] == [1, 1]
    assert left[0].text.startswith("Both begin ") and right[-1].text.endswith(" end")
