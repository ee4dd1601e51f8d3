"""A row of a table is told with what the head calls its columns; rows that list the parts of an
interface, of a test or of a history are not told."""

from __future__ import annotations

import pytest

from agents.offline.reader import extract
from schemas.events.atom import Candidate
from tests.reading.documents import a_chunk


def read(head: str, *rows: str, path: str = "docs/depot.md") -> list[Candidate]:
    ruler = "|".join("---" for _ in head.split("|"))
    table = "\n".join(f"| {it} |" for it in (head, ruler, *rows))
    text = f"# Depot\n\n## Lanes\n\n{table}\n"
    return [it for it in extract(a_chunk(text, path)) if it.kind != "entity"]


@pytest.mark.parametrize(
    ("head", "row", "kind", "told"),
    [
        (
            "ID | Requirement | Priority",
            "R-1 | Sealing of all parcels by hand | must",
            "requirement",
            "ealing of all parcels by hand",
        ),
        (
            "Risk | Likelihood | Impact | Mitigation",
            "Vans break down in winter | low | Parcels are delayed by days | Spare vans",
            "risk",
            "Vans break down in winter – parcels are delayed by days",
        ),
        (
            "Topic | Decision | Rationale",
            "Colour of the seals | Red for all lanes | Seen from afar",
            "decision",
            "Colour of the seals: red for all lanes",
        ),
        (
            "Question | Status",
            "Who opens the depot on Sundays? | open",
            "unknown",
            "ho opens the depot on Sundays?",
        ),
        (
            "Question | Answer",
            "Who opens the depot on Sundays? | Nobody at all",
            "claim",
            "ho opens the depot on Sundays? Nobody at all",
        ),
        (
            "Action | Owner | Due",
            "Order ten more seals | Anna | May",
            "action_item",
            "rder ten more seals",
        ),
        (
            "Plan | Small | Large",
            "Night vans | no | yes",
            "claim",
            "Night vans: yes for Large; no for Small",
        ),
        (
            "Lane | Limit",
            "Northern lane | 40 parcels an hour",
            "claim",
            "Northern lane: limit 40 parcels an hour",
        ),
        (
            "Feature | Status | Target",
            "Sunday delivery | planned | next spring",
            "claim",
            "Sunday delivery: status planned; target next spring",
        ),
        (
            "Part | Purpose",
            "Sorter | Chooses a lane for each parcel by its weight",
            "claim",
            "chooses a lane for each parcel by its weight",
        ),
    ],
)
def test_a_row_is_told_by_what_its_columns_are_called(
    head: str, row: str, kind: str, told: str
) -> None:
    (atom,) = read(head, row)
    assert atom.kind == kind
    assert told in atom.title
    assert atom.evidence[0].snippet in f"| {row} |"


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("Parameter | Type | Description", "lane | string | Where the parcel waits before sealing"),
        ("Variable | Default | Description", "`LANE` | north | Where the parcel waits before it"),
        ("Input | Expected", "An empty parcel of no weight at all | An error message is shown"),
        ("Version | Date | Changes", "1.2 | 2024-01-01 | Sealing of parcels by hand was added"),
        ("Name | Link | Description", "Guide | x.md | How parcels are sorted in the depot"),
        ("Option | Pros | Cons", "Blue seals | Cheap and seen from afar | Break in the winter"),
        ("Lane | Note", "North | –"),
    ],
)
def test_a_row_that_lists_parts_of_something_states_nothing(head: str, row: str) -> None:
    assert read(head, row) == []


def test_rows_of_opposite_columns_are_two_statements() -> None:
    told = read("We deliver | We do not deliver", "parcels of ten kilograms | animals of any kind")
    assert [(it.title, it.attributes.get("scope"), it.polarity) for it in told] == [
        ("Depot, Lanes, We deliver: parcels of ten kilograms", "in", "affirm"),
        ("Depot, Lanes, We do not deliver: animals of any kind", "out", "negate"),
    ]


def test_a_task_that_is_done_is_not_told() -> None:
    assert read("Action | Owner | Status", "Order ten more seals | Anna | done") == []


def test_a_table_of_html_is_read_by_rows() -> None:
    text = (
        "# Depot\n\n<table>\n  <tr><th>Part</th><th>Purpose</th></tr>\n"
        "  <tr>\n    <td>Sorter</td>\n    <td>Choice of a lane by the weight of a parcel</td>\n"
        "  </tr>\n</table>\n\nThe depot must be open at night.\n"
    )
    first, second = sorted(extract(a_chunk(text)), key=lambda it: it.evidence[0].char_start)
    assert first.title == "Depot, Sorter: choice of a lane by the weight of a parcel"
    assert second.title == "The depot must be open at night"


@pytest.mark.parametrize(
    "before", ["Here is an example of a night:", "Let's say that there are two lanes."]
)
def test_a_table_that_serves_as_an_example_states_nothing(before: str) -> None:
    table = "| Lane | Purpose |\n|---|---|\n| North | Storage of all parcels for the villages |\n"
    assert extract(a_chunk(f"# Depot\n\n{before}\n\n{table}")) == []
    assert extract(a_chunk(f"# Depot\n\nThese lanes are open.\n\n{table}"))
