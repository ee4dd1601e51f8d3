"""What is weighed, given up, was so once or would be so is not told as the project's."""

from __future__ import annotations

import pytest

from tests.reading.documents import read, told

TOP = "# Depot\n\n## Requirements\n\n"


def titles_of(text: str, path: str = "docs/depot.md") -> list[str]:
    return [title for _, title in read(text, path)]


@pytest.mark.parametrize(
    "lead",
    [
        "The plan involves abandoning the following goals of the first depot:",
        "Fields to be removed:",
        "We could:",
        "To save time the depot could:",
        "We have a few options for how to deal with this:",
        "Possible solutions:",
        "Alternatives considered:",
    ],
)
def test_what_is_given_up_or_only_weighed_is_not_told(lead: str) -> None:
    text = f"{lead}\n\n- The Sorter must weigh each parcel twice.\n\nThe Depot must seal all.\n"
    said = titles_of(TOP + text)
    assert not [it for it in said if "weigh" in it]


@pytest.mark.parametrize(
    "lead", ["The depot could not do without:", "An attacker could:", "There are two ways to send:"]
)
def test_what_only_sounds_like_weighing_is_told(lead: str) -> None:
    text = f"{lead}\n\n- The Sorter must weigh each parcel twice.\n"
    assert [it for it in titles_of(f"# Depot\n\n## Lanes\n\n{text}") if "weigh" in it]


@pytest.mark.parametrize(
    "text",
    [
        "Previously, the DepotServer had to print each label twice.",
        "Initially, we decided to use MySQL for the DepotServer.",
        "They used to store labels in a Redis of the DepotServer.",
        "Until version 2, the DepotServer had to be restarted by clerks.",
        "If we used MySQL, the DepotServer would need a second server.",
        "The DepotServer would have needed a second server.",
        "Imagine that the DepotServer must print each label twice.",
        "Alternatively, we will use MySQL for the DepotServer.",
        "Another option is to use MySQL for the DepotServer.",
        "One approach we considered would be a DepotServer with MySQL.",
        "Competitors such as FastPost must print labels within two seconds.",
        "Other tools must print each label twice.",
    ],
)
@pytest.mark.parametrize("path", ["docs/adr/0001-lanes.md", "docs/depot.md", "README.md"])
def test_what_was_would_be_or_is_of_others_is_not_told(text: str, path: str) -> None:
    assert titles_of(f"# Depot\n\n## Lanes\n\n{text}\n", path) == []


@pytest.mark.parametrize(
    "text",
    [
        "Initially, the DepotServer must print labels within two seconds.",
        "Keys used to sign labels must be kept in the DepotServer.",
        "If carts jam, the DepotServer must print each label twice.",
        "As an alternative to paper, the DepotServer must print foil labels.",
        "Before each change, the DepotServer must print all labels.",
        "The DepotServer must print the options of a label within two seconds.",
    ],
)
def test_what_only_sounds_like_it_is_told(text: str) -> None:
    ((kind, _),) = read(f"# Depot\n\n## Lanes\n\n{text}\n")
    assert kind == "requirement"


def test_what_we_decided_against_is_denied() -> None:
    text = "We decided against MySQL for the DepotServer.\n"
    (atom,) = told(f"# Depot\n\n## Decision\n\n{text}", "docs/adr/0001-lanes.md")
    assert (atom.kind, atom.polarity) == ("decision", "negate")


@pytest.mark.parametrize(
    ("verdict", "is_told"), [("chosen", True), ("no", False), ("too slow", False)]
)
def test_of_a_table_of_options_only_the_chosen_row_is_told(verdict: str, is_told: bool) -> None:
    text = (
        "| Option | Pros | Verdict |\n|---|---|---|\n"
        f"| carts | The DepotServer must print each label twice | {verdict} |\n"
        "| belts | The Sorter must weigh each parcel twice | no |\n"
    )
    said = titles_of(f"# Depot\n\n## Lanes\n\n{text}")
    assert not [it for it in said if "weigh" in it]
    assert bool([it for it in said if "print" in it]) is is_told


def test_pros_and_cons_that_label_a_list_bind_nobody() -> None:
    text = (
        "1. Pros:\n   1. We have to store labels.\n2. Cons:\n   1. We need to store labels twice.\n"
    )
    found = read(f"# Depot\n\n## Lanes\n\n{text}", "docs/adr/0001-lanes.md")
    assert {kind for kind, _ in found} <= {"risk", "claim"}


def test_what_explains_an_excluded_item_is_not_excluded_itself() -> None:
    text = "- Transport of live animals by air\n  - FastPost does that for all depots already\n"
    said = titles_of(f"# Depot\n\n## Non-goals\n\n{text}")
    assert said == ["Not a goal of «Depot»: transport of live animals by air"]


@pytest.mark.parametrize(
    "text",
    [
        "Currently, clerks must seal each parcel of the DepotServer.",
        "Developers have to restart the DepotServer after each change.",
        "Clerks are currently forced to restart the DepotServer.",
    ],
)
def test_what_people_endure_is_no_need_of_a_document_that_changes_it(text: str) -> None:
    assert titles_of(f"# Depot\n\n## Motivation\n\n{text}\n", "docs/rfcs/0001-lanes.md") == []


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        ("Motivation", "Developers must be able to restart the DepotServer at night."),
        ("Motivation", "The DepotServer must print each label twice."),
        ("Requirements", "Developers must restart the DepotServer after each change."),
    ],
)
def test_what_people_need_is_a_need(heading: str, text: str) -> None:
    ((kind, _),) = read(f"# Depot\n\n## {heading}\n\n{text}\n", "docs/rfcs/0001-lanes.md")
    assert kind == "requirement"


@pytest.mark.parametrize(
    "lead", ["We decided to use SQLite due to the following:", "We use SQLite, because:"]
)
def test_the_reasons_of_a_decision_are_no_decisions(lead: str) -> None:
    text = f"{lead}\n\n- the DepotServer stores labels in one file of its own\n"
    found = read(f"# Depot\n\n## Decision\n\n{text}", "docs/adr/0001-lanes.md")
    assert not [title for kind, title in found if kind == "decision" and "one file" in title]


def test_what_was_considered_has_drawbacks_of_its_own() -> None:
    lead = "FastPost was also considered, however, it has the following disadvantages:"
    text = f"# Depot\n\n## Proposal\n\n{lead}\n\n- Parcels may be lost at night.\n"
    assert titles_of(text, "docs/rfcs/0001-lanes.md") == []


@pytest.mark.parametrize(
    "text",
    [
        "Such a DepotServer would also need to print labels.",
        "The DepotServer was originally built to print labels for one hall only.",
        "Several tools were considered to print labels for the DepotServer.",
        "If we don't have this change:\n\n- The DepotServer must print each label twice.",
        "There are two ways to do this:\n\n- The DepotServer must print each label twice.",
        "We will remove the following from the depot:\n\n- The DepotServer must print labels.",
    ],
)
def test_what_is_weighed_or_given_up_is_not_told(text: str) -> None:
    found = titles_of(f"# Depot\n\n## Design\n\n{text}\n", "docs/rfcs/0001-lanes.md")
    assert not [it for it in found if "label" in it]


@pytest.mark.parametrize("heading", ["Pros", "Cons", "Motivation"])
def test_what_is_praised_or_feared_binds_nobody(heading: str) -> None:
    lead = "This design has several limitations:\n\n" if heading == "Motivation" else ""
    text = f"{lead}- Clerks cannot close the hall without help\n- Clerks need not weigh parcels\n"
    found = read(f"# Depot\n\n## {heading}\n\n{text}", "docs/rfcs/0001-lanes.md")
    assert {kind for kind, _ in found} <= {"claim", "risk"}
