"""How much of single plain sentences is read as what they are.

``plain_talk.jsonl`` are 130 of seven kinds, written by somebody who knew none of the rules, for
projects of many trades; no rule was made for them. The README tells the figures.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.reading.documents import kinds

SAID = [
    json.loads(line)
    for line in Path(__file__).with_name("plain_talk.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize(("path", "recorded"), [("docs/notes.md", 52), ("docs/overview.md", 40)])
def test_no_fewer_are_read_than_recorded(path: str, recorded: int) -> None:
    right = sum(one["kind"] in kinds(f"{one['text']}\n", path) for one in SAID)
    assert len(SAID) == 130
    assert right >= recorded
