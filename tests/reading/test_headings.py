"""The headings of a chunk that a statement stands under."""

from __future__ import annotations

import pytest

from agents.offline.judge.headings import headings_over
from agents.offline.reader import extract
from tests.reading.documents import a_chunk

MINUTES = """# Meeting of 4 May

## Decisions

- Parcels must be weighed within 14 days.

## Risks

- Only two porters can read the scales.
"""


def over(text: str, part: str) -> tuple[str, ...]:
    return headings_over(text, text.index(part))


def test_the_nearest_heading_comes_last():
    assert over(MINUTES, "Parcels") == ("Meeting of 4 May", "Decisions")
    assert over(MINUTES, "Only") == ("Meeting of 4 May", "Risks")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Depot\n=====\n\nScales\n------\n\nHERE\n", ("Depot", "Scales")),
        ("= Depot\n\n== Scales\n\nHERE\n", ("Scales",)),
        ("**Decisions:**\n\nHERE\n", ("Decisions",)),
        ("# Depot\n\n```\n# no heading\n```\n\nHERE\n", ("Depot",)),
        ("# `Scales` [and](https://example.com) belts\n\nHERE\n", ("Scales and belts",)),
        ("Some text\n\nHERE\n", ()),
        ("| a | b |\n---\nHERE\n", ()),
    ],
)
def test_headings_of_all_markups_are_known(text: str, found: tuple[str, ...]):
    assert over(text, "HERE") == found


def test_a_statement_is_told_with_its_heading_and_not_with_the_meeting():
    found = {it.title: it for it in extract(a_chunk(MINUTES, "docs/minutes/may.md", start=0))}

    (weighed,) = [it for title, it in found.items() if "weighed" in title]
    assert weighed.title == "Parcels must be weighed within 14 days"
    assert weighed.attributes["under"].split("\n")[-1] == "Decisions"
    assert weighed.attributes["origin"] == "minutes"
