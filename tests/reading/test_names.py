"""What documents, sections and things are called."""

from __future__ import annotations

import pytest

from tests.reading.documents import titles, told

STATEMENT = "The filter stores whatever the upstream returns and serves it to any later request."


def test_a_heading_is_named_as_a_reader_sees_it() -> None:
    text = f'## [Parcel cache](cache.md) <img src="c.png">\n\n{STATEMENT}\n'
    assert titles(text, "docs/filters.md", "Filters")[0].startswith("Parcel cache: the filter")


@pytest.mark.parametrize(
    ("heading", "front"),
    [
        ("v0.34.27", "v0.34.27: the"),
        ("Version 2.1 (May 2026)", "2.1: the"),
        ("[1.4.0] - 2026-05-01", "1.4.0: the"),
        ("2.1 - Requirements of lanes", "Requirements of lanes: the"),
    ],
)
def test_what_stands_under_a_version_is_told_of_that(heading: str, front: str) -> None:
    said = "The DepotServer must be compiled with Rust 1.80 or higher."
    text = f"## {heading}\n\n{said}\n"
    assert titles(text, "docs/build.md", "Build") == [f"{front}{said[3:-1]}"]


def test_a_name_at_the_beginning_is_known_by_its_capital() -> None:
    named = "Nextflow stores whatever the upstream returns and serves it to any later request."
    (title,) = titles(f"### Parcel cache\n\n{named}\n", "docs/filters.md", "Filters")
    assert title == f"Filters, Parcel cache: {named[:-1]}"
    plain = "Caching stores whatever the upstream returns, as only caching serves it again later."
    (title,) = titles(f"### Round robin\n\n{plain}\n", "docs/lb.md", "Round robin")
    assert title.startswith("Round robin: caching stores")


def test_an_identifier_is_a_name_within_its_section_only() -> None:
    said = "`limitRange` defines how many parcels of one sender a lane takes before it is closed."
    (title,) = titles(f"## Lane guard\n\n{said}\n", "docs/guard.md", "Guards", "Lane guard")
    assert title == f"Guards, Lane guard: {said.replace('`', '')[:-1]}"


def test_a_word_is_not_taken_out_of_a_heading() -> None:
    said = "All proposals by the clerks of a depot should be sent to the list of its maintainers."
    (title,) = titles(f"## Decision-making process\n\n{said}\n", "docs/lanes.md", "Lanes")
    assert title.startswith("Lanes, Decision-making process: all proposals")


def test_a_clause_before_the_subject_is_no_name() -> None:
    said = "When enabled, a lane must print every label twice before it takes the next parcel."
    text = f"## Lane guard\n\n{said}\n\nIt is so, e.g. When a lane is new.\n"
    assert titles(text, "docs/guard.md", "Guards", "Lane guard")[0].startswith("Guards, Lane guard")


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("RFC 3603 - 2020-08-27 - Sorting parcels by weight", "Sorting parcels by weight"),
        ("DDD-9: A label-less implementation of the scanner", "A label-less implementation"),
        ("26. Two-step sealing of parcels", "Two-step sealing of parcels"),
        ("Proposal: Sealing at night", "Sealing at night"),
        ("Sealing at night, by weight and by name of the depot of each parcel", "Sealing at night"),
        ("Sealing guide [Chat](https://chat.example)", "Sealing guide"),
    ],
)
def test_a_document_is_named_by_its_first_heading_without_number_and_manner(
    heading: str, name: str
) -> None:
    said = "The filter stores whatever the upstream returns and serves it to any later request."
    (title,) = titles(f"# {heading}\n\n## Details\n\n{said}\n")
    assert title.startswith(name)
    assert title.endswith(f": the{said[3:-1]}")


def test_a_section_of_any_document_is_no_name() -> None:
    said = "Members MUST be active maintainers of projects that nobody has deprecated so far."
    text = f"# Depot\n\n## Security team\n\n### Responsibilities\n\n{said}\n"
    assert titles(text) == [f"Depot, Security team: members{said[7:-1]}"]


@pytest.mark.parametrize("manner", ["How it works", "Configuration notes", "Why a cache?"])
def test_the_innermost_heading_that_is_a_name_is_told(manner: str) -> None:
    text = f"### {manner}\n\n{STATEMENT}\n"
    (title,) = titles(text, "docs/filters.md", "Filters", "Parcel cache")
    assert title == f"Parcel cache: the{STATEMENT[3:-1]}"


@pytest.mark.parametrize("name", ["CLAUDE.md", "lanes.rst"])
def test_a_heading_that_is_a_file_is_no_name(name: str) -> None:
    (title,) = titles(f"# {name}\n\n## Parcel cache\n\n{STATEMENT}\n")
    assert title == f"Parcel cache: the{STATEMENT[3:-1]}"


def test_a_colon_in_a_name_is_no_end_of_it() -> None:
    (title,) = titles(f"# Lanes: parcels to depots\n\n{STATEMENT}\n")
    assert title == f"Lanes – parcels to depots: the{STATEMENT[3:-1]}"


def test_a_version_is_no_name_of_a_section() -> None:
    said = "The DepotServer must be compiled with Rust 1.80 or higher"
    (title,) = titles(f"# Printers\n\n## Version 2.1\n\n{said}.\n")
    assert title == f"Printers, 2.1: t{said[1:]}"


def test_a_name_of_code_is_told_unless_it_stands_there_as_it_is() -> None:
    said = (
        "The responses are cached as separate entries, so that a clerk gets what he has asked for."
    )
    (title,) = titles(f"# ai-cache\n\n{said}\n")
    assert title == f"ai-cache: the{said[3:-1]}"


def test_a_name_written_as_one_word_is_told_where_its_parts_stand_apart() -> None:
    said = "The trait uses the health component in order to provide a readiness probe to clerks."
    (title,) = titles(f"### HealthTrait\n\n{said}\n", "docs/traits.md", "Depots", "HealthTrait")
    assert title == f"Depots, HealthTrait: the{said[3:-1]}"


def test_a_question_in_a_heading_is_no_subject() -> None:
    said = "feature requires the dynamic generation of a printer that holds all inks of the depot"
    headings = ("Runtime printers", "How does it work")
    (title,) = titles(f"## {headings[-1]}\n\nThis {said}.\n", "docs/runtime.md", *headings)
    assert title == f"The Runtime printers {said}"


def test_what_begins_with_the_end_of_its_document_s_name_keeps_its_capital() -> None:
    said = "Depot K supports many lanes of parcels, each with a printer and a clerk of its own"
    assert titles(f"# :package: + :cloud: = Apache Depot K\n\n## Lanes\n\n{said}.\n") == [said]


def test_an_emoji_is_no_part_of_a_document_s_name() -> None:
    (title,) = titles(f"# :package: Parcel cache\n\n{STATEMENT}\n")
    assert title == f"Parcel cache: the{STATEMENT[3:-1]}"


def test_default_is_no_name() -> None:
    said = "Default is an empty list, which holds the numbers of all lanes that are served."
    (title,) = titles(
        f"### PRINTER_INKS\n\n{said}\n", "docs/settings.md", "Depot settings", "PRINTER_INKS"
    )
    assert title == "Depot settings, PRINTER_INKS: default is" + said[len("Default is") : -1]


@pytest.mark.parametrize(
    ("where", "front"),
    [
        ("in /etc/php-runtime/metrics.yaml", "PHP runtime metrics: "),
        ("of PHP runtime metrics", ""),
    ],
)
def test_an_address_does_not_say_what_it_is_called_after(where: str, front: str) -> None:
    text = f"# PHP runtime metrics\n\nThe rules {where} are read once by the DepotServer.\n"
    (title,) = titles(text, "docs/metrics.md")
    assert title.startswith(f"{front}{'the' if front else 'The'} rules")


def test_a_name_of_two_words_keeps_its_capital() -> None:
    said = "Lane Controller can open every lane at night, and the clerks of the depot close it."
    assert titles(f"# Printers\n\n{said}\n") == [f"Printers: {said[:-1]}"]


def test_two_capitals_make_a_name_and_an_aside() -> None:
    text = "# Printers\n\nLane Controllers are read by every depot before a clerk opens a lane.\n"
    (atom,) = told(text, "docs/x.md")
    assert (atom.attributes.get("within"), atom.attributes.get("context")) == ("Printers", None)


def test_meta_is_no_name_of_a_section() -> None:
    said = "The filter must hold where one of the nested labels is true for a parcel."
    found = titles(f"{said}\n", "docs/x.md", "Label lanes", "Meta", "Proposal")
    assert found == [f"Label lanes: the{said[3:-1]}"]


@pytest.mark.parametrize(
    ("said", "front"),
    [
        ("keep the protocol of every heavy lane until some clerk asks its printer", True),
        ("keep the printer protocol of every heavy lane until some clerk asks", False),
    ],
)
def test_a_name_is_mentioned_where_its_words_stand_together(said: str, front: bool) -> None:
    text = f"# Printer protocol\n\nThe DepotServer must {said}.\n"
    (title,) = titles(text, "docs/x.md")
    assert title.startswith("Printer protocol: ") is front


def test_a_short_name_counts_as_a_word() -> None:
    said = "The lanes are sorted by the DepotServer in the order of their weights."
    assert titles(f"# Lanes QoS\n\n{said}\n", "docs/x.md") == [f"Lanes QoS: the{said[3:-1]}"]


def test_a_short_name_of_code_names_a_part() -> None:
    said = "The filter must hold where one of the nested labels is true for a parcel."
    text = f"# Label filters\n\n## Dialects\n\n### `any`\n\n{said}\n"
    (title,) = titles(text, "docs/x.md")
    assert title.startswith("Label filters, Dialects, any: the filter must")


@pytest.mark.parametrize("heading", ["State: APPROVED", "Status: draft", "DRAFTING"])
def test_how_a_document_stands_is_no_name_of_a_section(heading: str) -> None:
    said = "The printer must hold the labels of every lane until some clerk asks."
    (title,) = titles(f"{said}\n", "docs/x.md", "Label lanes", heading)
    assert title == f"Label lanes: the{said[3:-1]}"


def test_the_overview_of_a_project_is_no_name() -> None:
    said = "The printer must hold the labels of every lane until some clerk asks."
    (title,) = titles(f"{said}\n", "docs/x.md", "Project overview")
    assert title == said[:-1]
