"""A statement whose subject is no name is told with what its document and section are about."""

from __future__ import annotations

import re

import pytest

from agents.offline.reader import extract
from tests.reading.documents import a_chunk, titles, told

STATEMENT = "The filter stores whatever the upstream returns and serves it to any later request."


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
        "The DepotServer stores whatever the upstream returns and serves it to later requests",
        "Skipper stores what another Skipper returns and serves it to any later request of it",
    ],
)
def test_what_names_its_subject_is_told_with_its_place_as_an_aside(said: str) -> None:
    text = f"### Parcel cache\n\n{said}.\n"
    (atom,) = told(text, "docs/filters.md", "Filters")
    assert atom.title.lower() == f"filters, parcel cache: {said}".lower()
    assert atom.title.endswith(said[4:])
    assert atom.attributes["within"] == "Filters, Parcel cache"
    assert "context" not in atom.attributes


def test_the_project_s_own_readme_tells_what_names_its_subject_as_it_is() -> None:
    said = "The DepotServer stores whatever the upstream returns and serves it to later requests"
    chunk = a_chunk(f"# Depot\n\n## Parcel cache\n\n{said}.\n", "README.md", source_type="readme")
    assert [it.title for it in extract(chunk)] == [said]


def test_an_aside_that_would_cut_its_title_is_left_out() -> None:
    said = (
        "The DepotServer must print the label of a parcel at the last lane of the Sorter and send "
        "a copy of the label to the clerks of all seven depots that handle heavy parcels in winter "
        "with the name of the clerk who has weighed the parcel at the first lane and of the printer"
    )
    assert len(said) <= 300 < len(said) + len("Night sealing of crates and of barrels: ")
    assert titles(f"# Night sealing of crates and of barrels\n\n{said}.\n") == [said]


def test_a_story_is_told_with_its_document() -> None:
    said = "As a clerk, I want to store whatever the upstream returns so that I can serve it again."
    (story,) = told(f"### Parcel cache\n\n{said}\n", "docs/filters.md", "Filters")
    assert story.title == f"Filters: a{said[1:-1]}"
    assert story.attributes["within"] == "Filters"


@pytest.mark.parametrize("path", ["NOTES.md", "docs/filters.md", "docs/copy/of/filters.md"])
def test_a_context_is_what_the_text_says_wherever_it_lies(path: str) -> None:
    assert titles(f"# Parcels\n\n{STATEMENT}\n", path) == [f"Parcels: the{STATEMENT[3:-1]}"]


def test_a_title_tells_its_context_and_its_body_what_the_author_said() -> None:
    chunk = a_chunk(f"### Parcel cache\n\n{STATEMENT}\n", "docs/filters.md", headings=("Filters",))
    (atom,) = [it for it in extract(chunk) if it.kind == "claim"]
    assert atom.attributes["context"] == "Parcel cache"
    assert atom.body == STATEMENT


def test_a_sentence_of_up_to_300_characters_is_its_title_whole() -> None:
    said = (
        "The DepotServer must print the label of a parcel at the last lane of the Sorter and send "
        "a copy of the label to the clerks of all seven depots that handle heavy parcels in winter "
        "with the name of the clerk who has weighed the parcel at the first lane"
    )
    assert 240 < len(said) <= 300
    assert titles(f"{said}.\n") == [said]


def test_a_longer_sentence_is_cut_where_a_clause_begins_never_at_a_remark() -> None:
    said = (
        "The DepotServer must print the label of a parcel (and of each box in it) at the last lane "
        "of the Sorter and send a copy of the label to the clerks of all seven depots that handle "
        "heavy parcels in the months in which no lane of any of them is free (in winter too)"
    )
    reason = ", because nobody can print a label again once the parcel has left the last lane"
    assert len(said) <= 300 < len(said + reason)
    assert titles(f"{said}{reason}.\n") == [said]


def test_a_heading_of_code_names_a_part() -> None:
    said = (
        "The LaneGuard stores the constraints of each lane in PostgreSQL and reads them at night."
    )
    atoms = extract(a_chunk(f"### `constraints`\n\n{said}\n", "docs/lanes.md"))
    assert [it.kind for it in atoms if it.kind != "entity"] == ["claim"]


def test_a_row_is_told_of_its_section() -> None:
    row = "| Extension | Length must be zero if the lane is closed |"
    text = f"# Data structures\n\n## ParcelLabel\n\n| Field | Meaning |\n|---|---|\n{row}\n"
    assert titles(text) == ["ParcelLabel, Extension: length must be zero if the lane is closed"]


def test_a_row_under_a_version_is_told_of_both() -> None:
    row = "| Extension | Length must be zero if the lane is closed |"
    text = f"# Labels\n\n## v1.4.0\n\n| Field | Meaning |\n|---|---|\n{row}\n"
    (atom,) = extract(a_chunk(text, "docs/labels.md"))
    assert atom.title == "Labels, v1.4.0: Extension: length must be zero if the lane is closed"
    assert atom.attributes["context"] == "Labels, v1.4.0"


def test_what_stands_under_a_heading_of_its_own_is_no_part_of_what_is_no_goal() -> None:
    said = "Define one printer for all lanes and use it from every depot\n"
    text = f"# Lane guards\n\n## Non-goals\n\n- Printing from abroad\n\n### API\n\n- {said}"
    found = titles(text, "docs/design/guards.md", "Lane guards")
    assert [it for it in found if it.startswith("Not a goal")] == [
        "Not a goal of «Lane guards»: printing from abroad"
    ]


def test_what_a_user_gives_is_told_of_what_takes_it() -> None:
    said = "**FROM** is the base domain that a parcel must match to be forwarded to another lane."
    text = f"# forward\n\n## Syntax\n\n* {said}\n"
    (title,) = titles(text, "plugin/forward/README.md", "forward", "Syntax")
    assert title == f"Forward: {said.replace('*', '')[:-1]}"


def test_a_non_goal_names_its_document() -> None:
    text = "# Lane guards\n\n## Non-goals\n\n- Printing the labels of all parcels from abroad\n"
    (title,) = titles(text, "docs/design/guards.md", "Lane guards", "Non-goals")
    assert title == "Not a goal of «Lane guards»: printing the labels of all parcels from abroad"


@pytest.mark.parametrize(
    ("heading", "said", "told"),
    [
        (
            "Decision",
            "We will keep the label of each parcel for a month in the depot.",
            "Night sealing: we will keep the label of each parcel for a month in the depot",
        ),
        (
            "Goals",
            "- Reduce the number of labels that a clerk must print by hand",
            "Night sealing: reduce the number of labels that a clerk must print by hand",
        ),
        (
            "Open questions",
            "- Do we need to support labels without a number?",
            "Night sealing: do we need to support labels without a number?",
        ),
        (
            "Requirements",
            "The DepotServer must print the label of a parcel within two seconds.",
            "Night sealing: the DepotServer must print the label of a parcel within two seconds",
        ),
        (
            "Decision",
            "Night sealing is done by the DepotServer alone from now on.",
            "Night sealing is done by the DepotServer alone from now on",
        ),
    ],
)
def test_what_a_record_says_is_told_with_what_it_is_about(
    heading: str, said: str, told: str
) -> None:
    text = f"# ADR 7: Night sealing\n\n## {heading}\n\n{said}\n"
    assert titles(text, "docs/adr/0007-night-sealing.md") == [told]


def test_the_number_of_a_record_is_no_part_of_what_it_is_about() -> None:
    path = "docs/adr/SHOP-ADR-OPS-0007-night-sealing.md"
    said = "- It is unclear how the speed of parcels suffers."
    text = f"# SHOP-ADR-OPS-0007 – Night sealing\n\n## Risks\n\n{said}\n"
    assert titles(text, path) == ["Night sealing: it is unclear how the speed of parcels suffers"]


def test_a_long_heading_names_the_document_and_its_file_does_not() -> None:
    heading = "The sealing of heavy parcels in depots at night"
    said = "Any changes should undergo thorough verification before they reach the depots."
    text = f"# {heading}\n\n## Why\n\n{said}\n"
    (title,) = titles(text, "docs/adr/SHOP-ADR-OPS-0007-night-sealing.md")
    assert title == f"{heading}: a{said[1:-1]}"


def test_before_a_label_a_context_ends_in_a_comma() -> None:
    text = (
        "# ADR 7: Night sealing\n\n## Requirements\n\n- **Costs**: Lanes must be cheap to clean.\n"
    )
    chunk = a_chunk(text, "docs/adr/0007-night-sealing.md")
    (atom,) = [it for it in extract(chunk) if it.kind == "requirement"]
    assert atom.title == "Night sealing, Costs: Lanes must be cheap to clean"
    assert atom.attributes["context"] == "Night sealing"


def test_each_of_a_kind_is_told_with_what_the_document_is_about() -> None:
    said = (
        "Each Depot provides the specification that a Sorter needs to read the parcels of a lane."
    )
    (title,) = titles(f"# Night sealing\n\n## Overview\n\n{said}\n")
    assert title == f"Night sealing: each{said[4:-1]}"


def test_a_possessive_project_name_is_kept_in_the_title() -> None:
    said = "Sorter's minimalist design provides space for members to write packages of their own."
    text = f"# The parcel framework\n\n## Lanes\n\n{said} Many use Sorter in their depots.\n"
    (first, *_) = told(text, "docs/filters.md")
    assert first.title == f"The parcel framework, Lanes: {said[:-1]}"
    assert first.attributes["within"] == "The parcel framework, Lanes"
    (title,) = titles(f"# The parcel framework\n\n## Lanes\n\n{said}\n")
    assert title.endswith(f": {said[:-1]}")


def test_a_label_that_links_is_told_with_every_sentence_of_its_item() -> None:
    said = "The depot stores the number of the label in the ledger of its lane."
    text = (
        "# Depot methods\n\n"
        f"- [**PrintLabel:**](./methods.md#print) The printer is asked for a label. {said}\n"
    )
    assert f"Depot methods, PrintLabel: the{said[3:-1]}" in titles(text)


@pytest.mark.parametrize(
    ("term", "said", "title"),
    [
        (
            "**laneTtl**",
            "Tells the depot to drop a lane after a day.",
            "laneTtl tells the depot to",
        ),
        ("`lane-ttl`", "defines the time that a lane is open.", "lane-ttl defines the time"),
        (
            "**lanes**",
            "A map. Each lane must have a name of its own.",
            "Lanes: each lane must have",
        ),
    ],
)
def test_a_term_alone_in_its_line_is_told_with_what_stands_under_it(
    term: str, said: str, title: str
) -> None:
    (atom,) = told(f"# Depot\n\n* {term}\n  {said}\n", "docs/manifest.md", "Depot")
    assert re.sub("^Depot[,:] ", "", atom.title).startswith(title)


def test_a_title_is_not_cut_within_what_two_dashes_insert() -> None:
    said = (
        "The DepotServer must store a suffix of lanes - if the configuration of the depot says so "
        "in its manifest - and put it behind the name of each lane of which the owner has left the "
        "depot's team, while a lane whose owner comes back within the time of thirty days that the "
        "manifest names keeps the name that it has had before in the store of the depot."
    )
    (title,) = titles(f"# Depot\n\n{said}\n", "docs/manifest.md")
    assert title == said[: said.index(", while")]


def test_a_longer_title_loses_its_instances_before_it_is_cut() -> None:
    said = (
        "The DepotServer distributions of all regions (e.g. the northern one, the southern one, "
        "and whatever other distributions of it are built by clerks) — the configuration of the "
        "lanes must be updated to print the label of a parcel at the last lane of the Sorter and "
        "to send a copy of the label to the clerks of all seven depots."
    )
    (title,) = titles(f"# Depots\n\n{said}\n")
    assert title == re.sub(r" \(.*?\)", "", said).rstrip(".")


@pytest.mark.parametrize("path", ["docs/filters.md", "docs/architecture.md"])
def test_outside_of_records_a_need_of_a_name_is_the_same_wherever_it_stands(path: str) -> None:
    said = "The DepotServer must print the label of a parcel within two seconds"
    (need,) = told(f"# Night sealing\n\n{said}.\n", path)
    assert need.attributes["within"] == "Night sealing"
    (need,) = told(f"# Night sealing\n\n{said}.\n", "docs/adr/0007-night-sealing.md")
    assert need.attributes["context"] == "Night sealing"


@pytest.mark.parametrize(
    ("whole", "part", "named"),
    [
        ("Label source", "Weights", "Weights: the Label source plugin"),
        ("Plugins", "Label source", "The Label source plugin"),
        ("Labels", "Source plugin", "Labels: Source plugin"),
    ],
)
def test_this_plugin_is_what_is_called_one(whole: str, part: str, named: str) -> None:
    said = "seals the parcels of all heavy lanes before a clerk of the depot opens one of them"
    text = f"# {whole}\n\n## {part}\n\nThis plugin {said.replace('seals', 'uses seals of')}.\n"
    (title,) = titles(text, "docs/labels.md")
    assert title.startswith(f"{named} uses seals of the parcels")


def test_what_stands_before_a_section_is_not_told_with_it() -> None:
    text = f"{STATEMENT}\n\n## Single lanes\n\nA lane has a sorter.\n"
    (title, *_) = titles(text, "docs/lanes.md", "Parcel cache", "Single lanes")
    assert title == f"Parcel cache: the{STATEMENT[3:-1]}"


def test_the_section_over_a_section_is_told_too() -> None:
    text = f"## Handover\n\n### Reconnects\n\n{STATEMENT}\n"
    (title,) = titles(text, "docs/lanes.md", "Lane protocol", "Handover", "Reconnects")
    assert title == f"Lane protocol, Handover, Reconnects: the{STATEMENT[3:-1]}"


def test_the_section_over_a_section_gives_way_where_the_context_gets_long() -> None:
    names = (
        "Lane protocol of all the depots in the north and in the west",
        "Handover of heavy parcels at night or on Sundays",
    )
    text = f"## {names[1]}\n\n### Reconnects of broken lanes\n\n{STATEMENT}\n"
    (title,) = titles(text, "docs/lanes.md", *names, "Reconnects of broken lanes")
    assert title == f"{names[0]}, Reconnects of broken lanes: the{STATEMENT[3:-1]}"


@pytest.mark.parametrize(
    "heading",
    [
        "Running the DepotServer as a Windows service",
        "When the clerks use synced calls",
        "Sealing for depots that hold open parcels abroad",
    ],
)
def test_a_heading_that_says_when_something_holds_is_told(heading: str) -> None:
    text = f"# Parcel lanes\n\n## {heading}\n\nThe DepotServer must read each seal.\n"
    (atom,) = extract(a_chunk(text, "docs/lanes.md"))
    assert atom.title == f"Parcel lanes, {heading}: the DepotServer must read each seal"


@pytest.mark.parametrize(
    "heading",
    ["Getting started with sealed lanes", "How the lanes work", "Examples of sealed lanes"],
)
def test_a_heading_that_leads_a_reader_is_not_told(heading: str) -> None:
    text = f"# Parcel lanes\n\n## {heading}\n\nThe DepotServer must read each seal.\n"
    assert all(heading not in it.title for it in extract(a_chunk(text, "docs/lanes.md")))


@pytest.mark.parametrize(
    "said",
    ["the DepotServer must read each seal", "names with underscores should be told with dashes"],
)
def test_a_record_that_is_called_by_an_order_is_read(said: str) -> None:
    text = f"# 7. Add sealed lanes\n\n## Detailed design\n\n{said.capitalize()}.\n"
    text = text.replace("depotserver", "DepotServer")
    (atom,) = extract(a_chunk(text, "docs/adr/0007-lanes.md"))
    assert atom.title == f"Add sealed lanes: {said}"


def test_a_cell_that_defines_something_else_than_its_row_is_no_entity() -> None:
    row = "| `LaneSource` | Lane origin is the gateway port of the depot that holds it. |"
    text = f"# Lanes\n\n| Field | Meaning |\n|---|---|\n{row}\n"
    assert [it for it in extract(a_chunk(text, "docs/lanes.md")) if it.kind == "entity"] == []


def test_what_its_section_is_called_after_is_told_with_the_document() -> None:
    said = "SealMonitor enables measurements between all pairs of depots."
    for over in ("", "## Description of features\n\n"):
        text = f"# Depot gates\n\n{over}### SealMonitor\n\n{said}\n"
        assert titles(text, "docs/gates.md") == [f"Depot gates: {said[:-1]}"]


@pytest.mark.parametrize("name", ["Lane Controllers", "Lane SDK", "Lane Controller"])
def test_so_it_does_where_a_record_demands_something(name: str) -> None:
    text = f"# 7. Sealed parcels\n\n{name} MUST read each seal before a clerk opens it.\n"
    (title,) = titles(text, "docs/adr/0007-parcels.md")
    assert title.startswith(f"Sealed parcels: {name} MUST")


def test_what_a_record_demands_is_told_with_its_section() -> None:
    text = "# 7. Sealed lanes\n\n## Promotion of clerks\n\nThe DepotServer must ask two clerks.\n"
    found = titles(text, "docs/adr/0007-lanes.md")
    assert found == ["Sealed lanes, Promotion of clerks: the DepotServer must ask two clerks"]


NOTE = "TODO: keep the labels of heavy parcels in lanes of their own"


@pytest.mark.parametrize(
    ("path", "text", "part"),
    [
        ("sort.go", "func (s *Sorter) Sort(p Parcel) {\n\t// {}\n\tsend(p)\n}\n", "Sorter.Sort"),
        ("sort.go", "func Pack() {\n}\n\n// {}\nfunc Sort(p Parcel) {\n\tsend(p)\n}\n", "Sort"),
        ("sort.go", "func Pack() {\n}\n\n// {}\nvar lanes = 3\n", ""),
        ("sort.go", "func main() {\n\t// {}\n\tsend(p)\n}\n", ""),
        ("sort.py", "def sort(parcel):\n    # {}\n    send(parcel)\n", "sort"),
        ("sort.rs", "pub fn sort(p: Parcel) {\n    // {}\n    send(p)\n}\n", "sort"),
        ("heavy_parcels.py", "def heavy(parcel):\n    # {}\n    send(parcel)\n", ""),
    ],
)
def test_a_note_in_code_is_told_with_the_part_it_stands_in(path: str, text: str, part: str) -> None:
    chunk = a_chunk(text.replace("{}", NOTE), f"src/{path}", source_type="code")
    (atom,) = extract(chunk)
    said = NOTE.partition(": ")[2]
    assert atom.title == (f"{part}: {said}" if part else said[0].upper() + said[1:])
    assert atom.attributes.get("within", "") == part


def test_a_note_in_code_is_told_with_its_class_and_method() -> None:
    text = f"    def sort(self, parcel):\n        # {NOTE}\n        send(parcel)\n"
    names = ("Sorter", "sort")
    chunk = a_chunk(text, "src/s.py", source_type="code", anchor_type="function", headings=names)
    assert [it.title for it in extract(chunk)] == [f"Sorter.sort: {NOTE.partition(': ')[2]}"]


def test_what_a_record_says_of_nothing_is_told_with_the_record() -> None:
    text = "# ADR 7: Parcel lanes\n\n## Risks\n\n- It is unclear how the speed of seals suffers.\n"
    titles = [
        [it.title for it in extract(a_chunk(text, path))]
        for path in ("docs/adr/0007-parcel-lanes.md", "docs/parcels.md")
    ]
    said = "it is unclear how the speed of seals suffers"
    assert titles == [[f"Parcel lanes: {said}"], [f"I{said[1:]}"]]


def test_the_full_stop_of_a_numbered_title_is_not_part_of_the_name() -> None:
    text = (
        "# ADR 108: Tests for parcel lanes.\n\n## Goals\n\n- Find labels that are lost at night.\n"
    )
    (goal,) = extract(a_chunk(text, "docs/adr/0108-tests.md"))
    assert goal.title == "Tests for parcel lanes: find labels that are lost at night"
