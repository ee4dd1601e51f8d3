"""What is required, and what only sounds so."""

from __future__ import annotations

import pytest

from agents.offline.reader import extract
from tests.reading.documents import a_chunk, kinds, read, surest

RECORD = "docs/adr/0007-depot.md"


@pytest.mark.parametrize(
    "said",
    [
        "US-4: As a clerk I'd like to print a label twice.",
        "In order to save paper, as a clerk, I need a preview.",
        "Als Packerin möchte ich Etiketten nachdrucken.",
        "Como empleada, quiero imprimir etiquetas.",
        "| As a | I want to | So that |\n|--|--|--|\n| clerk | print a label | none is lost |",
    ],
)
def test_a_story_is_a_need_in_any_of_its_forms(said):
    assert "requirement" in kinds(f"# Printers\n\n{said}\n", "docs/x.md")


def test_a_we_that_qualifies_a_noun_neither_decides_nor_needs():
    assert read("A sketch of the API we will provide to the clerks of Depot.\n", RECORD) == []
    found = read("In the Depot we will provide an API to the clerks.\n", RECORD)
    assert [kind for kind, _ in found] == ["decision"]


def test_a_file_called_requirements_needs_nothing():
    text = "## Requirements files\n\nThey list the parcels a depot is opened with each day.\n"
    assert read(text) == []


UNDER_NEEDS = {
    "The Depot is an old building with lanes of many sizes.": [],
    "- Once a parcel is sorted the clerk goes on to the next one": [],
    "The Depot should be a building with lanes of many sizes.": ["requirement"],
    "- Sorting of heavy parcels in lanes of their own": ["requirement"],
    "- Once a parcel is lost its owner must be told of it": ["requirement"],
}


@pytest.mark.parametrize(("text", "kinds"), UNDER_NEEDS.items())
def test_under_a_heading_of_needs_what_only_tells_of_them_needs_nothing(text, kinds):
    found = [kind for kind, _ in read(f"## Goals\n\n{text}\n")]
    assert [kind for kind in found if kind == "requirement"] == kinds


@pytest.mark.parametrize("heading", ["Testing", "Documentation Impact", "Test plan"])
def test_what_a_form_asks_of_each_change_is_not_read(heading):
    text = "The sorter must be described in the guide of the Depot."
    assert read(f"## {heading}\n\n{text}\n") == []
    assert len(read(f"## Security impact\n\n{text}\n")) == 1


def test_what_is_listed_as_an_example_is_no_need_of_the_project():
    need = "- The SealTest must be dedicated only to seals of the depot"
    assert read(f"Tests have a depot each. For example:\n\n{need}\n") == []
    assert len(read(f"Tests have a depot each. The first ones:\n\n{need}\n")) == 1


def test_how_papers_are_written_is_a_weak_requirement():
    (atom,) = extract(a_chunk("An RFC should list every lane that its change touches.\n"))
    assert (atom.kind, atom.confidence) == ("requirement", 0.55)
    led = "An RFC should provide:\n\n- a list of every lane that its change touches\n"
    assert surest(led) == [("requirement", False)]


def test_a_measure_of_a_setting_is_no_requirement():
    said = "How long a clerk should wait before the Depot is closed by the Sorter."
    assert "requirement" not in [kind for kind, _ in read(f"{said}\n")]


def test_what_somebody_expects_to_happen_is_no_requirement():
    said = "The lanes of the Depot should {} when the Sorter is there."
    assert [kind for kind, _ in read(f"{said.format('be closed')}\n")] == ["requirement"]
    for guess in ("typically be empty", "barely change", "already be open", "be roughly as long"):
        assert "requirement" not in [kind for kind, _ in read(f"{said.format(guess)}\n")], guess


def test_a_need_in_a_table_is_named_after_its_row():
    table = "| Field | Meaning |\n|---|---|\n| {} | The value must match one of the lanes. |\n"
    assert read(table.format("`lane_code`")) == [
        ("requirement", "lane_code: the value must match one of the lanes")
    ]
    nameless = table.format("what a clerk may write on it")
    assert surest(nameless) == [("requirement", False)]


def test_a_wish_and_its_items_make_sentences():
    text = "As a clerk, I want to:\n\n- sort all heavy parcels by lane\n- print every label twice\n"
    assert read(text) == [
        ("requirement", "As a clerk, I want to sort all heavy parcels by lane"),
        ("requirement", "As a clerk, I want to print every label twice"),
    ]


@pytest.mark.parametrize(("wish", "sure"), [("want", False), ("are asking", True)])
def test_what_users_want_in_a_document_is_a_weak_sign_and_what_they_ask_for_is_not(wish, sure):
    text = f"# Depot\n\nMany customers {wish} to print their labels at night in small depots.\n"
    assert surest(text) == [("domain_signal", sure)]


def test_what_a_guide_s_reader_wants_is_no_requirement() -> None:
    text = "# Sealing\n\n- **Goal:** build a local label printer against a local DepotServer\n"
    assert kinds(text, "docs/sealing.md") == ["requirement"]
    assert kinds(text, "docs/howtos/sealing.md") == []


@pytest.mark.parametrize("need", ["should be seen as the number of", "should be regarded as"])
def test_how_something_is_to_be_understood_is_no_need(need: str) -> None:
    said = f"The lanes.max setting {need} lanes that a DepotServer opens"
    assert "requirement" not in kinds(f"# Lanes\n\n{said}.\n", "docs/x.md")


def test_what_somebody_should_notice_in_consequence_is_no_need() -> None:
    so = "so in most depots, operators should not notice a difference apart from the label"
    said = f"The LabelStore will be the only store by default, {so}"
    assert "requirement" not in kinds(f"# Lanes\n\n{said}.\n", "docs/x.md")


def test_a_story_may_say_who_its_teller_is() -> None:
    said = "As a clerk, who seals parcels, I want to read the label of every open lane"
    (atom,) = extract(a_chunk(f"# Printers\n\n## User stories\n\n- {said}\n", "docs/x.md"))
    assert (atom.kind, atom.title) == ("requirement", f"Printers: {said[0].lower()}{said[1:]}")


@pytest.mark.parametrize(("who", "found"), [("clerk", ["requirement"]), ("result", [])])
def test_as_a_result_begins_no_story(who: str, found: list[str]) -> None:
    said = f"As a {who}, they can read the labels of every open lane"
    assert kinds(f"# Printers\n\n## User stories\n\n- {said}\n", "docs/x.md") == found


@pytest.mark.parametrize(
    "said",
    [
        'The edges of the lane graph of the Depot represent "must happen after" relationships.',
        "The edges of the lane graph of the Depot stand for the “should happen first” of it.",
    ],
)
def test_a_need_that_is_only_quoted_is_none(said: str) -> None:
    assert "requirement" not in kinds(f"# Lanes\n\n{said}\n", "docs/x.md")


@pytest.mark.parametrize("said", ["should keep every label", "must no longer keep labels"])
def test_what_a_choice_makes_better_is_expected_not_demanded(said: str) -> None:
    for heading, demands in (("Positive", False), ("Rules of lanes", True)):
        text = f"## Consequences\n\n### {heading}\n\n- All depots {said} of each lane\n"
        assert ("requirement" in kinds(text, RECORD)) is demands


@pytest.mark.parametrize(("path", "found"), [("docs/tutorial/lanes.md", 0), ("docs/lanes.md", 1)])
def test_the_goals_of_a_tutorial_are_its_reader_s(path: str, found: int) -> None:
    text = "## Goals\n\n- Share a lane of the depot with clerks of other depots\n"
    assert len(read(text, path)) == found
