"""What stands in a card, an answer, a list under an announcement, behind a label, in the front
matter or in minutes is told with what it belongs to."""

from __future__ import annotations

import pytest

from agents.offline.reader import extract
from schemas.events.atom import Candidate
from tests.reading.documents import a_chunk


def read(text: str, path: str = "docs/depot.mdx", *, start: int = 1_000) -> list[Candidate]:
    return [it for it in extract(a_chunk(text, path, start=start)) if it.kind != "entity"]


def titles(text: str, path: str = "docs/depot.mdx", *, start: int = 1_000) -> list[str]:
    return [it.title for it in read(text, path, start=start)]


CARDS = """# Depot

<CardGroup cols={2}>
  <Card
    title="Night sealing"
    icon="lock"
  >
    Parcels are sealed by hand at night, so that
    nobody opens them on the way.
  </Card>
  <Card title="Lanes" href="/lanes">Automatic choice of the shortest lane for each parcel.</Card>
  <Card title="Vans" description="Daily tours through all the villages of the valley." />
</CardGroup>
"""


def test_the_text_of_a_card_is_told_with_its_title() -> None:
    atoms = read(CARDS)
    assert [it.title for it in atoms] == [
        "Depot, Night sealing: parcels are sealed by hand at night, so that nobody opens them on"
        " the way",
        "Depot, Lanes: automatic choice of the shortest lane for each parcel",
        "Depot, Vans: daily tours through all the villages of the valley",
    ]
    assert (
        "Automatic choice" in next(it for it in atoms if "shortest" in it.title).evidence[0].snippet
    )
    assert "Daily tours" in atoms[-1].evidence[0].snippet


@pytest.mark.parametrize(
    "text",
    [
        '<Card title="Guide" href="/g">Read the guide to set up a depot.</Card>',
        '<Tab title="npm">Run the command in the depot of your choice.</Tab>',
        "<Link to='/x'>Docs</Link>",
    ],
)
def test_cards_that_only_lead_somewhere_state_nothing(text: str) -> None:
    assert titles(f"# Depot\n\n{text}\n") == []


def test_text_indented_in_an_element_is_no_code() -> None:
    text = "<Group>\n  <Item>\n    The depot must seal each parcel at night.\n  </Item>\n</Group>\n"
    assert titles(f"# Depot\n\n{text}") == ["The depot must seal each parcel at night"]


FAQ = """# Depot

## FAQ

### Can a parcel wait for two nights?

No. Each parcel leaves with the first van of the next day.

### How do I open a parcel?

Cut the seal with the small knife.
"""


def test_an_answer_is_told_with_its_question_which_is_not_open() -> None:
    atoms = read(FAQ)
    (answer,) = [it for it in atoms if "wait for two nights" in it.title]
    assert answer.kind == "claim"
    assert answer.title.startswith("Depot: Can a parcel wait for two nights? No.")
    assert all(it.kind != "unknown" for it in atoms)
    assert not any("knife" in it.title for it in atoms)


def test_a_question_in_an_element_is_answered_by_its_text() -> None:
    text = (
        "## FAQ\n\n<AccordionGroup>\n"
        '  <Accordion title="Does the Depot send parcels abroad?">\n'
        "    Only to the three neighbours of the valley, and never on Sundays.\n"
        "  </Accordion>\n</AccordionGroup>\n"
    )
    assert titles(text) == [
        "Does the Depot send parcels abroad? Only to the three neighbours of the valley, and never"
        " on Sundays"
    ]


@pytest.mark.parametrize(
    ("over", "item", "kind", "title"),
    [
        (
            "The sorter supports:",
            "parcels of up to ten kilograms",
            "claim",
            "supports parcels of up",
        ),
        (
            "The sorter provides the following features:",
            "A scale for each lane",
            "claim",
            "provides",
        ),
        ("These points are still open:", "who seals parcels on Sundays", "unknown", "who seals"),
    ],
)
def test_an_item_is_told_with_what_announces_it(
    over: str, item: str, kind: str, title: str
) -> None:
    (atom,) = read(f"# Depot\n\n{over}\n\n- {item}\n", "docs/depot.md")
    assert atom.kind == kind
    assert title in atom.title.lower() or title in atom.title
    assert item in atom.evidence[0].snippet


@pytest.mark.parametrize(
    "over", ["For example, the sorter supports:", "You can:", "In this guide the sorter supports:"]
)
def test_what_announces_an_example_or_an_instruction_tells_nothing(over: str) -> None:
    assert titles(f"# Depot\n\n{over}\n\n- parcels of many kinds\n", "docs/depot.md") == []


def test_an_item_behind_a_label_is_told_with_it() -> None:
    text = "# Depot\n\n- **Night vans**: Delivery of all parcels before six in the morning.\n"
    (atom,) = read(text, "docs/depot.md")
    assert atom.title == ("Depot, Night vans: delivery of all parcels before six in the morning")


@pytest.mark.parametrize(
    "item",
    [
        "**lane_id** (string): The name of the lane that a parcel waits in.",
        "`lane`: The name of the lane that a parcel waits in.",
        "**Guide**: See how parcels are sorted in the depot.",
    ],
)
def test_parts_of_an_interface_and_links_are_not_told(item: str) -> None:
    assert titles(f"# Depot\n\n- {item}\n", "docs/depot.md") == []


def test_what_a_document_says_of_itself_is_read() -> None:
    text = (
        '---\ntitle: "Depots"\ndescription: "Storage of parcels for towns without a station."\n'
        "---\n\n## Lanes\n"
    )
    (atom,) = read(text, start=0)
    assert atom.title == "Depots: storage of parcels for towns without a station"
    assert atom.evidence[0].snippet == "Storage of parcels for towns without a station."


MINUTES = """# Depot meeting 2024-03-01

## Minutes

- Anna: should we open on Sundays?
- Ben: lanes must be wider at some time, I think.
- The group agreed to open the depot on Sundays from May on.
- Action on Ben: Ask the town about the noise of the vans.
"""


def test_minutes_tell_what_was_concluded() -> None:
    told = {it.kind: it.title for it in read(MINUTES, "meetings/2024-03-01.md")}
    assert set(told) == {"decision", "action_item"}
    assert told["decision"].endswith("he group agreed to open the depot on Sundays from May on")
    assert told["action_item"].endswith("sk the town about the noise of the vans")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Every order must be delivered within 30 minutes.", "requirement"),
        ("Parcels of the night shift may not leave the depot without a seal.", "requirement"),
        ("Customers cannot cancel an order once it is placed.", "requirement"),
        ("- Lanes must be sealed before the vans leave", "requirement"),
    ],
)
def test_a_plain_rule_in_minutes_is_a_requirement(text: str, kind: str) -> None:
    told = read(f"# Depot meeting 2024-03-01\n\n## Delivery\n\n{text}\n", "meetings/a.md")
    assert [it.kind for it in told] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "- Anna: lanes must be wider",
        "- Anna, lanes must be wider than the vans",
        "- Anna thinks that lanes must be wider than the vans.",
        "- We must talk about the lanes of the depot.",
        "- Maybe lanes must be wider than the vans.",
        "- Must lanes be wider than the vans?",
    ],
)
def test_what_somebody_holds_in_a_meeting_is_no_rule(text: str) -> None:
    assert read(f"# Depot meeting 2024-03-01\n\n## Delivery\n\n{text}\n", "meetings/a.md") == []


def test_a_heading_of_minutes_is_no_decision() -> None:
    text = "# Depot meeting\n\n## Summary of what we agreed\n\n- Use one queue for all depots\n"
    assert [it.title for it in read(text, "meetings/2024-03-01.md")] == [
        "Use one queue for all depots"
    ]


@pytest.mark.parametrize(
    "opinion",
    ["Ben, not sure whether we need more vans", "Ben (@ben) does the size of the vans matter?"],
)
def test_minutes_are_known_by_their_folder(opinion: str) -> None:
    text = f"Attendees: Anna, Ben\n\n* Logistics\n  * {opinion}\n  * Do we have more vans?\n"
    assert titles(text, "meetings/2024-03-01.md", start=0) == ["Do we have more vans?"]


@pytest.mark.parametrize("first", ["", "Today, ", "Finally, ", "Instead, "])
def test_a_decision_of_minutes_may_begin_with_an_adverb(first: str) -> None:
    said = f"{first}we decided to use one queue for all depots"
    text = f"# Depot meeting\n\n## Decisions\n\n- {said[:1].upper()}{said[1:]}.\n"

    assert "decision" in {it.kind for it in read(text, "meetings/2024-03-01.md")}


@pytest.mark.parametrize("heading", ["What we agreed", "Agreement on lanes", "Agreed points"])
def test_what_stands_under_an_agreement_is_decided_with_what_is_nested_in_it(heading: str) -> None:
    agreed = "- Use one queue for all depots\n  - The old queue is read until March\n"
    opinion = "- Anna, we should buy more vans\n"
    text = f"# Depot meeting\n\n## {heading}\n\n{agreed}{opinion}"
    told = [it for it in read(text, "meetings/2024-03-01.md") if it.kind != "entity"]
    assert [it.kind for it in told] == ["decision", "decision"]
    assert not any("vans" in it.title for it in told)


@pytest.mark.parametrize(
    "item",
    [
        "Bob: write the plan for the queue of lanes",
        "Alice will write the plan for the queue of lanes",
        "Write the plan for the queue of lanes (Bob)",
    ],
)
def test_colleagues_with_the_names_of_examples_have_tasks(item: str) -> None:
    text = f"# Depot meeting\n\n## Next steps\n\n- {item}\n"
    assert [it.kind for it in read(text, "meetings/2024-03-01.md")] == ["action_item"]


@pytest.mark.parametrize(
    ("heading", "scope"),
    [
        ("In scope", "in"),
        ("Goals", "in"),
        ("What the depot does", "in"),
        ("Out of scope", "out"),
        ("Non-goals", "out"),
        ("What the depot does not do", "out"),
        ("Not supported", "out"),
        ("Sorting", None),
    ],
)
def test_items_of_scope_lists_are_marked(heading: str, scope: str | None) -> None:
    text = (
        f"# Depot\n\n## {heading}\n\n- The depot must weigh parcels of more than ten kilograms.\n"
    )
    atoms = read(text, "docs/depot.md")
    assert atoms
    assert {it.attributes.get("scope") for it in atoms} == {scope}
    if scope == "out":
        assert {it.polarity for it in atoms} == {"negate"}


def test_a_list_that_is_said_to_be_left_out_is_marked() -> None:
    text = "# Depot\n\nThe following is out of scope:\n\n- sorting of letters by their stamps\n"
    (atom,) = read(text, "docs/depot.md")
    assert (atom.attributes["scope"], atom.polarity) == ("out", "negate")
