"""What plain prose states and no rule is sure of is a draft; what states nothing is none."""

from __future__ import annotations

import pytest

from agents.offline.reader import extract
from agents.offline.recognise.cues import LIKELY
from tests.reading.documents import a_chunk, stated

KINDS = [
    ("claim", "The depot is the sorting layer for carriers that need to move parcels at night."),
    ("requirement", "A carrier that moves parcels at night has to seal its lanes before."),
    ("decision", "After two trials we settled on belts without rollers for the night lanes."),
    ("decision", "The decision was made to keep labels on paper for another season."),
    ("decision", "Sealing at the gate is postponed in favour of faster sorting."),
    ("decision", "The old stacker is deprecated and its lanes are handed over one by one."),
    ("unknown", "Whether clerks may open a sealed lane at night is still undecided."),
    ("unknown", "We should define how heavy a parcel may be before it takes the slow lane."),
    ("unknown", "More research is needed on how carriers read faded labels."),
    ("domain_signal", "Customers often ask for a receipt, since their insurers want one."),
    ("domain_signal", "We have seen little adoption of coloured labels among small depots."),
    ("action_item", "We plan to add a second gate for returned parcels."),
    ("action_item", "The shelf count will be corrected in a later release."),
    ("requirement", "Lanes are limited to forty parcels, regardless of their size."),
    ("requirement", "Do not put a seal on a parcel whose label cannot be read."),
    ("requirement", "A parcel can only leave the depot after its seal was scanned."),
    ("claim", "Labels stay readable for about two years when they are kept dry."),
]


@pytest.mark.parametrize(("kind", "said"), KINDS)
def test_what_prose_states_is_a_draft_of_its_likeliest_kind(kind: str, said: str) -> None:
    found = extract(a_chunk(f"# Lanes\n\n{said}\n", "docs/lanes.md"))
    assert [it.kind for it in found] == [kind]
    assert kind == "domain_signal" or all(it.proposed_status == "draft" for it in found)


NOTHING = {
    "order of a guide": "Open the lane panel and press the green key.",
    "pointer": "Learn more about lanes in the handbook of the carrier.",
    "own text": "This page explains how parcels travel through a depot.",
    "thanks": "We hope this helps you to sort your parcels!",
    "scene": "Imagine a depot that has a thousand lanes and one clerk.",
    "idea": "We could also let the carriers print their own labels.",
    "no verb": "- Heavy parcels of all carriers with labels on paper",
    "headless": "Retrieves the labels of all parcels that wait in a lane.",
    "field": "weight: the weight of the parcel as it was measured at the gate.",
    "announcement": "There are three sorts of lanes in a depot:",
}


@pytest.mark.parametrize("said", NOTHING.values(), ids=NOTHING.keys())
def test_what_leads_points_or_shows_is_no_draft(said: str) -> None:
    assert extract(a_chunk(f"# Lanes\n\n{said}\n", "docs/lanes.md")) == []


def test_several_sentences_of_a_paragraph_are_drafts_each() -> None:
    text = "Labels fade in the sun. Customers complain about it every summer.\n"
    assert [it.kind for it in extract(a_chunk(text))] == ["claim", "domain_signal"]


def test_what_leans_on_the_sentence_before_quotes_both() -> None:
    first = "Clerks can reopen a sealed lane at night without a second key."
    second = "This opens up a way for thieves to steal parcels unseen."
    (found,) = [
        it
        for it in extract(a_chunk(f"# Seals\n\n{first} {second}\n", "docs/seals.md"))
        if it.kind == "risk"
    ]
    assert [row.snippet for row in found.evidence] == [f"{first} {second}"]
    assert found.title.endswith("This opens up a way for thieves to steal parcels unseen")


def test_two_claims_of_which_one_leans_on_the_other_are_one() -> None:
    text = "Labels fade in the strong light of the gate. This makes parcels slow to sort by hand.\n"
    ((kind, title),) = stated(text)
    assert (kind, title.count("abels fade")) == ("claim", 1)


def test_a_guide_states_what_binds_and_nothing_else() -> None:
    text = "The panel shows the lane in green.\n\nA lane cannot hold more than forty parcels.\n"
    assert [kind for kind, _ in stated(text, "docs/tutorial/lanes.md")] == ["requirement"]


def test_an_option_among_several_states_nothing_unless_it_is_the_chosen_one() -> None:
    text = "# Lanes\n\n## Option 2: Wide lanes{}\n\nParcels of all sizes share one lane.\n"
    assert stated(text.format(""), "docs/adr/0007-lanes.md") == []
    assert stated(text.format(" (chosen)"), "docs/adr/0007-lanes.md") != []


def test_what_stands_under_a_form_s_heading_is_no_surer_than_a_draft() -> None:
    text = "# Lanes\n\n## Contributing\n\nEach change must be agreed upon in an issue first.\n"
    (found,) = extract(a_chunk(text, "docs/lanes.md"))
    assert (found.kind, found.confidence) == ("requirement", LIKELY)
