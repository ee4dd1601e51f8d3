"""How much of single plain sentences is read as what they are.

``plain_talk.jsonl`` are 130 of seven kinds, written by somebody who knew none of the rules, for
projects of many trades; no rule was made for them, but what bounds of refusing would have lost of
them told which terse statements are kept whatever their share. The README tells the figures.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.offline.reader import extract
from streams.reflection.rules import REJECT_BELOW
from tests.reading.documents import a_chunk

SAID = [
    json.loads(line)
    for line in Path(__file__).with_name("plain_talk.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize(
    ("path", "headings", "recorded"),
    [("docs/notes.md", (), 52), ("docs/overview.md", (), 35), ("docs/overview.md", ("Parts",), 31)],
)
def test_no_fewer_are_kept_than_recorded(
    path: str, headings: tuple[str, ...], recorded: int
) -> None:
    right = sum(_is_kept(one, path, headings) for one in SAID)
    assert len(SAID) == 130
    assert right >= recorded


def _is_kept(one: dict[str, str], path: str, headings: tuple[str, ...]) -> bool:
    """Whether it is read as what it is, and surely enough for reflection."""
    atoms = extract(a_chunk(f"{one['text']}\n", path, headings=headings))
    return any(it.kind == one["kind"] and it.confidence >= REJECT_BELOW for it in atoms)
