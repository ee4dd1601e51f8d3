"""A statement whose subject is no name is told with what its document and section are about."""

from __future__ import annotations

import pytest

from agents.rules.reader import extract
from tests.reading.documents import a_chunk

STATEMENT = "The filter stores whatever the upstream returns and serves it to any later request."


def titles(text: str, path: str = "docs/filters.md", *headings: str) -> list[str]:
    atoms = extract(a_chunk(text, path, headings=headings))
    return [atom.title for atom in atoms if atom.kind != "entity"]


def test_a_bare_subject_is_told_with_its_section() -> None:
    assert titles(f"### Parcel cache\n\n{STATEMENT}\n", "docs/filters.md", "Filters") == [
        f"Parcel cache: the{STATEMENT[3:-1]}"
    ]


def test_a_bare_subject_is_told_with_its_document_too() -> None:
    text = "The weights of all lanes are updated by the loop that checks the health of each one."
    (title,) = titles(f"## Round robin\n\n{text}\n", "docs/lb.md", "Load balancer", "Round robin")
    assert title == f"Load balancer, Round robin: the{text[3:-1]}"


@pytest.mark.parametrize(
    "said",
    [
        "The DepotServer stores whatever the upstream returns and serves it to later requests.",
        "Skipper stores what another Skipper returns and serves it to any later request of it.",
        "As a clerk, I want to store whatever the upstream returns so that I can serve it again.",
    ],
)
def test_what_names_its_subject_is_told_as_it_is(said: str) -> None:
    assert titles(f"### Parcel cache\n\n{said}\n", "docs/filters.md", "Filters") == [said[:-1]]


def test_a_document_at_the_top_is_about_the_project() -> None:
    assert titles(f"# Parcels\n\n{STATEMENT}\n", "NOTES.md", "Parcels") == [STATEMENT[:-1]]


def test_a_title_tells_its_context_and_its_body_what_the_author_said() -> None:
    chunk = a_chunk(f"### Parcel cache\n\n{STATEMENT}\n", "docs/filters.md", headings=("Filters",))
    (atom,) = [it for it in extract(chunk) if it.kind == "claim"]
    assert atom.attributes["context"] == "Parcel cache"
    assert atom.body == STATEMENT


def test_a_sentence_of_up_to_240_characters_is_its_title_whole() -> None:
    said = (
        "The DepotServer must print the label of a parcel at the last lane of the Sorter and send "
        "a copy of the label to the clerks of all seven depots that handle heavy parcels in winter"
    )
    assert 160 < len(said) <= 240
    assert titles(f"{said}.\n") == [said]


def test_a_name_at_the_beginning_is_known_by_its_capital() -> None:
    named = "Nextflow stores whatever the upstream returns and serves it to any later request."
    assert titles(f"### Parcel cache\n\n{named}\n", "docs/filters.md", "Filters") == [named[:-1]]
    plain = "Caching stores whatever the upstream returns, as only caching serves it again later."
    (title,) = titles(f"### Round robin\n\n{plain}\n", "docs/lb.md", "Round robin")
    assert title.startswith("Round robin: caching stores")
