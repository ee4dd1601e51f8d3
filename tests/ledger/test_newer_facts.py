"""Of two facts of a numbered list about one thing the one with the larger number is live."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.measure.whole import Outcome, ingest
from schemas.events.ledger import EvidenceRow
from streams.ledger.turns.fact_frames import frames_of

HEAD = "Here is a list of facts:\n"


def read(folder: Path, *facts: str, head: str = HEAD, name: str = "facts.md") -> Outcome:
    lines = "\n".join(f"{number}. {fact}" for number, fact in enumerate(facts))
    (folder / name).write_text(f"{head}{lines}\n")
    return ingest(folder)


def live(outcome: Outcome) -> set[str]:
    return {atom.body for atom in outcome.live_atoms}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ada Kern is a citizen of Norvania.", "Ada Kern is a citizen of the Isles of Brae."),
        ("Ada Kern is a citizen of United Isles of Brae.", "Ada Kern is a citizen of Norvania."),
        ("The capital of Norvania is Alborg.", "The capital of Norvania is Port Merrow."),
        ("Ada Kern plays the position of goalkeeper.", "Ada Kern plays the position of winger."),
        ("Ada Kern is married to Olof Brandt.", "Ada Kern is married to Ivo Quist."),
        ("Ada Kern's child is Olof Brandt.", "Ada Kern's child is Mia Kern."),
        (
            "The headquarters of Nordwell is located in the city of Alborg.",
            "The headquarters of Nordwell is located in the city of Jorvik.",
        ),
        ("The author of The Long Tide is Ada Kern.", "The author of The Long Tide is Ivo Quist."),
        (
            "The Long Tide was written in the language of Ostic.",
            "The Long Tide was written in the language of Selandic.",
        ),
        ("Lane 4 is served by the red crane.", "Lane 4 is served by Crane 7."),
    ],
)
def test_the_newer_fact_holds_and_names_the_older(tmp_path: Path, older: str, newer: str):
    outcome = read(tmp_path, older, "The depot in Havnir has nine lanes.", newer)

    assert newer in live(outcome)
    assert older not in live(outcome)
    (gone,) = (atom for atom in outcome.atoms.values() if atom.body == older)
    assert (gone.status, gone.status_reason) == ("superseded", "newer_fact")
    assert gone.superseded_by in {it.atom_id for it in outcome.live_atoms if it.body == newer}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada Kern is a citizen of Norvania.", "Ada Kern is married to Ivo Quist."),
        ("Ada Kern is a citizen of Norvania.", "Ivo Quist is a citizen of Ostmark."),
        ("Ada Kern was born in the city of Alborg.", "Ada Kern died in the city of Jorvik."),
        ("The author of The Long Tide is Ada Kern.", "The author of The Short Tide is Mia Kern."),
        ("Ada Kern is a doctor.", "Ada Kern is Norvanian."),
        ("The tide is the highest of the year.", "The tide is feared by the crew of the Alborg."),
        ("Ada Kern is famous for The Long Tide.", "Ada Kern is employed by Nordwell."),
    ],
)
def test_facts_about_different_things_stay(tmp_path: Path, one: str, other: str):
    assert live(read(tmp_path, one, other)) == {one, other}


def test_a_fact_told_again_later_is_the_newest(tmp_path: Path):
    first, between = "Ada Kern is employed by Nordwell.", "Ada Kern is employed by Haldane."
    assert live(read(tmp_path, first, between, first)) == {first}
    (atom,) = (it for it in ingest(tmp_path).atoms.values() if it.body == first)
    assert atom.status == "active"


def test_every_fact_of_a_long_list_is_kept_and_the_last_of_each_is_live(tmp_path: Path):
    people = [f"{first} {last}" for first in ("Ada", "Mia", "Olof") for last in _names()]
    cities = ("Alborg", "Jorvik", "Havnir")
    facts = [f"{who} was born in the city of {city}." for city in cities for who in people]

    outcome = read(tmp_path, *facts)

    assert len(outcome.atoms) == len(facts)
    assert live(outcome) == {f"{who} was born in the city of Havnir." for who in people}


def test_the_order_of_reading_decides_nothing_but_the_numbers_do(tmp_path: Path):
    facts = ["Ada Kern is employed by Nordwell.", "Ada Kern is employed by Haldane."]
    lines = "\n".join(f"Fact {number}: {fact}" for number, fact in enumerate(facts, start=7))
    head = "Later facts override earlier ones.\n\n"
    (tmp_path / "notes.md").write_text(f"{head}{lines}\n")

    assert live(ingest(tmp_path)) == {facts[1]}


def test_a_list_that_does_not_call_itself_facts_contradicts_and_replaces_nothing(tmp_path: Path):
    facts = ["The capital of Norvania is Alborg.", "The capital of Norvania is Port Merrow."]
    outcome = read(tmp_path, *facts, head="# Steps\n\n")

    assert not any(atom.status == "superseded" for atom in outcome.atoms.values())


def test_what_another_text_says_too_is_not_replaced_unasked(tmp_path: Path):
    (tmp_path / "README.md").write_text("# Depot\n\nThe capital of Norvania is Alborg.\n")
    facts = ["The capital of Norvania is Alborg.", "The capital of Norvania is Port Merrow."]
    outcome = read(tmp_path, *facts)

    assert not any(atom.status_reason == "newer_fact" for atom in outcome.atoms.values())


def test_a_statement_without_a_value_has_no_frame():
    row = EvidenceRow.model_construct(snippet="3. Ada Kern sleeps soundly", serial=3)
    assert frames_of(row) == ()


def _names() -> list[str]:
    return [f"{a}{b}" for a in ("Kern", "Brandt", "Quist", "Varga") for b in ("", "son", "berg")]
