"""A text that has too little room is cut at a word."""

from __future__ import annotations

import pytest

from schemas.shortening import shorten


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Seals are red", "Seals are red"),
        ("Seals are red, and ropes are blue", "Seals are red, and…"),
        ("Failed: https://depot.example/seals", "Failed: https://dep…"),
        ("https://depot.example/seals/and/ropes", "https://depot.examp…"),
    ],
)
def test_a_text_is_cut_at_a_word_but_for_a_long_one(text: str, told: str) -> None:
    assert shorten(text, 20) == told
