"""What introduces a feature names it; what is about something else does not."""

from __future__ import annotations

import pytest

from agents.offline.judge.capability_names import capability_name
from agents.offline.reader import extract
from schemas.events.atom import Candidate
from schemas.events.hygiene import DocumentStatus
from tests.reading.documents import a_chunk

LANES = """---
title: Manage Lanes
sidebarTitle: Lanes
description: "Depots sort parcels into lanes by weight."
---

A lane is where parcels wait.
"""


def named(text: str, path: str, *headings: str, **more: object) -> dict[str, Candidate]:
    """The features that the text introduces at the beginning of its document, by name."""
    status: DocumentStatus | None = more.pop("status", None)  # type: ignore[assignment]
    kind = "readme" if path.lower().startswith("readme") else "doc"
    chunk = a_chunk(text, path, headings=headings, source_type=kind, start=0)
    found = extract(chunk.model_copy(update={"document_status": status}))
    return {it.attributes["feature"]: it for it in found if "feature" in it.attributes}


def state(found: Candidate) -> str:
    return found.attributes["feature_state"]


def test_a_page_among_those_of_features_is_one_with_the_name_of_its_navigation():
    (lanes,) = named(LANES, "docs/features/sorting/lanes.mdx", "Manage Lanes").items()

    assert lanes[0] == "Lanes"
    assert lanes[1].evidence[0].snippet == "Depots sort parcels into lanes by weight."
    assert state(lanes[1]) == "done"
    assert lanes[1].attributes["feature_group"] == "Sorting"


def test_an_introduction_is_named_by_its_folder():
    text = "# Introduction\n\nParcels are weighed on the belt while they move.\n"

    assert set(named(text, "docs/features/belt-scales/introduction.md", "Introduction")) == {
        "Belt scales"
    }


@pytest.mark.parametrize(
    "path",
    [
        "docs/install.md",
        "docs/getting-started/lanes.md",
        "docs/tutorials/lanes.md",
        "docs/faq.md",
        "docs/internals/lanes.md",
        "docs/contributing/lanes.md",
        "docs/troubleshooting-lanes.md",
        "docs/releases/lanes.md",
        "docs/legal/lanes.md",
        "docs/adr/0007-lanes.md",
        "docs/de/lanes.md",
        "handbook/lanes.md",
    ],
)
def test_a_page_about_something_else_is_none(path: str):
    assert named("# Lanes\n\nA lane is where parcels wait for the van.\n", path, "Lanes") == {}


def place(found: Candidate) -> str:
    return found.attributes["feature_place"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("docs/lanes.md", "doc"),
        ("apps/docs/content/docs/users/sorting/lanes.md", "doc"),
        ("docs/api/lanes.md", "topic"),
        ("docs/configuration/lanes.md", "topic"),
        ("docs/concepts/lanes.md", "topic"),
    ],
)
def test_a_page_among_those_about_anything_counts_least(path: str, expected: str):
    found = named("# Lanes\n\nA lane is where parcels wait for the van.\n", path, "Lanes")

    assert {name: place(it) for name, it in found.items()} == {"Lanes": expected}


@pytest.mark.parametrize(
    ("title", "path", "name"),
    [
        ("How to set up floor lamps with a timer", "docs/how-to/belts.md", "floor lamps"),
        ("Configure Sorter to use floor lamps", "docs/belts.md", "floor lamps"),
        ("Creating Templates", "docs/templates.md", "Templates"),
        ("Introduction", "docs/how-to/how-to-run-floor-LAMPs.md", "Floor lamps"),
        ("Examples", "docs/usage/weigh-twice.md", "Weigh twice"),
        ("Plugins", "docs/plugins.md", "Plugins"),
    ],
)
def test_a_title_that_leads_to_a_thing_names_it(title: str, path: str, name: str):
    text = f"# {title}\n\nParcels are seen under floor lamps while they move.\n"
    found = named(text, path, title)

    expected = "doc" if " " in name else "topic"
    assert {it.lower(): place(one) for it, one in found.items()} == {name.lower(): expected}


@pytest.mark.parametrize(
    "title",
    [
        "Installing floor lamps",
        "Upgrade the belts",
        "BeltWeightStatusPush",
        "Set up",
        "sorter.belts",
    ],
)
def test_a_title_that_leads_to_a_task_or_a_line_of_code_names_nothing(title: str):
    text = f"# {title}\n\nParcels are seen under floor lamps while they move.\n"

    assert named(text, "docs/belts.md", title) == {}


def test_a_word_in_capitals_is_no_order():
    text = "# GET Parcels\n\nParcels are fetched from the shelf by their number.\n"

    assert set(named(text, "docs/deliverables/parcels.md", "GET Parcels")) == {"GET Parcels"}


def test_a_note_beside_the_text_does_not_take_the_page_away():
    text = """Lanes
=====

.. note::

    Lanes for heavy parcels are not available in all depots.

Lanes are where parcels wait for the van.
"""
    (found,) = named(text, "docs/lanes.rst", "Lanes").values()

    assert found.title == "Lanes are where parcels wait for the van"


@pytest.mark.parametrize(
    "lead",
    [
        "This page has moved to the manual of depots.",
        "The sorter does not support lanes for heavy parcels.",
        "Lanes are not yet available in small depots.",
    ],
)
def test_a_page_that_is_gone_or_says_what_is_missing_is_none(lead: str):
    text = f"# Lanes\n\n{lead}\n"

    assert named(text, "docs/features/lanes.md", "Lanes") == {}


@pytest.mark.parametrize(
    "taken_back",
    [
        "WITHDRAWN: The sorter must read labels in Braille.",
        "[removed] The sorter must read labels in Braille.",
        "**Decision (reversed):** the sorter reads labels in Braille.",
        "~~The sorter reads labels in Braille.~~",
        "The sorter reads labels in Braille.\n\nThis decision was later withdrawn.",
        "## Non-goals\n\nThe sorter reads labels in Braille.",
        "## Rejected alternatives\n\nThe sorter reads labels in Braille.",
    ],
)
def test_a_feature_is_not_described_by_what_its_page_takes_back(taken_back: str):
    page = f"# Sorter\n\n{taken_back}\n"
    (sorter,) = named(page, "docs/sorter.md", "Sorter").values()

    assert "Braille" not in sorter.body
    kept = named(f"{page}\n# Sorter\n\nThe sorter weighs each parcel twice.\n", "docs/sorter.md")
    assert not any("Braille" in one.body for one in kept.values())


def test_an_item_of_a_list_of_features_that_is_taken_back_is_none():
    found = named(
        "# Depot\n\n## Features\n\n"
        "- Lane sorting\n- ~~Label printing~~\n- WITHDRAWN: Drone delivery\n",
        "README.md",
    )
    assert {"Lane sorting"} == set(found)


@pytest.mark.parametrize(
    ("path", "status", "expected"),
    [
        ("docs/proposals/lanes.md", None, "planned"),
        ("docs/proposals/lanes.md", "accepted", "done"),
        ("docs/design/lanes.md", None, "done"),
        ("docs/design/lanes.md", "proposed", "planned"),
    ],
)
def test_a_proposal_that_nobody_accepted_is_planned(path, status, expected):
    text = "# RFC 12: Lanes for heavy parcels\n\nHeavy parcels get lanes of their own.\n"

    (found,) = named(text, path, "RFC 12: Lanes for heavy parcels", status=status).items()

    assert (found[0], state(found[1])) == ("Lanes for heavy parcels", expected)


@pytest.mark.parametrize("status", ["rejected", "superseded"])
def test_a_proposal_that_was_turned_down_is_none(status):
    text = "# Lanes for heavy parcels\n\nHeavy parcels get lanes of their own.\n"

    assert named(text, "docs/proposals/lanes.md", "Lanes for heavy parcels", status=status) == {}


FEATURES = """# Sorter

## Features

- **Belt scales**: weigh parcels while they move
- 🚚 [Van plans](docs/vans.md) - who drives where
- Label printing
- Supports lanes for heavy parcels, with a guard
- **You can help**: write to us today
- and much more

## Installation

- **Depot image**: load it from the tape
"""


def test_the_items_of_a_list_of_features_are_features_and_no_others():
    found = named(FEATURES, "README.md", "Sorter")

    assert list(found) == ["Belt scales", "Van plans", "Label printing", "Lanes for heavy parcels"]
    assert "weigh parcels while they move" in found["Belt scales"].title


def test_headings_under_features_are_features_where_no_item_is():
    text = (
        "# Sorter\n\n## Key features\n\n### Belt scales\n\nParcels are weighed while they move.\n"
    )

    assert set(named(text, "README.md", "Sorter")) == {"Belt scales"}


def test_a_term_with_a_description_is_a_feature_and_what_it_lists_is_none():
    text = """## Main features

**Belt scales**
  Parcels are weighed while they move, by one of two methods.

  * steel plates
  * light beams

**Van maps**
    Drivers learn the evening before where they go.

**Depot guards**
  * door lamps
  * lane mirrors
"""
    found = named(text, "README.rst", "Main features")

    assert set(found) == {"Belt scales", "Van maps", "Door lamps", "Lane mirrors"}
    assert found["Van maps"].evidence[0].snippet.startswith("Drivers learn")


def test_cards_of_an_introduction_are_features_of_their_heading():
    text = """### Sorting belts

<CardGroup cols={2}>
  <Card title="Belt scales" icon="scale">
    Weigh parcels while they move.
  </Card>
  <Card title="Label printing" description="Print labels for every lane." />
</CardGroup>
"""
    found = named(text, "docs/introduction.mdx", "Sorter", "Sorting belts")

    assert set(found) == {"Belt scales", "Label printing"}
    assert found["Belt scales"].attributes["feature_group"] == "Sorting belts"


def test_cards_that_lead_readers_on_are_none():
    text = '<Card title="Belt scales">\n  Weigh parcels while they move.\n</Card>\n'

    assert named(text, "docs/introduction.mdx", "Sorter", "Next steps") == {}


def test_items_of_a_roadmap_are_planned_and_what_was_shipped_is_done():
    text = """# Roadmap

## Shipped

- Label printing in every depot

## Next

- [ ] Add belt scales for heavy parcels
- [x] Van plans for the weekend
"""
    found = named(text, "ROADMAP.md", "Roadmap")

    assert {name: state(it) for name, it in found.items()} == {
        "Label printing in every depot": "done",
        "Belt scales for heavy parcels": "planned",
        "Van plans for the weekend": "done",
    }


def test_what_a_mark_ticks_off_in_a_roadmap_is_done():
    text = """# Depot

## Roadmap

Status | Feature | Release
-------|---------|--------
✅ | Lane maps: every lane on a map | v1.2
📅 | Belt scales: weigh heavy parcels | v2
Done | Label printing in every depot | v1
Completed 20 % | Crate sensors: know where each crate is | v3
✅ needed by sales | Price lists: one for each lane | Available in Q4

### Later

- ✅ Van plans for the weekend
- Night shifts for porters
"""

    assert {name: state(it) for name, it in named(text, "README.md", "Depot").items()} == {
        "Lane maps": "done",
        "Belt scales": "planned",
        "Label printing in every depot": "done",
        "Crate sensors": "planned",
        "Price lists": "planned",
        "Van plans for the weekend": "done",
        "Night shifts for porters": "planned",
    }


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("🚀 **Belt scales** (beta)", "Belt scales"),
        ("Introduction to belt scales", "Belt scales"),
        ("3. Belt scales", "Belt scales"),
        ("How to weigh parcels", ""),
        ("Install the depot", ""),
        ("Key features", ""),
        ("Why lanes?", ""),
        ("Lanes are where parcels wait for the van", ""),
        ("`lane_count`", ""),
    ],
)
def test_a_name_is_what_the_product_calls_it(raw, name):
    assert capability_name(raw) == name


def test_what_it_does_is_a_list_of_features():
    items = "- **Lanes**: parcels wait in lanes.\n- **Scales**: parcels are weighed.\n"
    text = f"# Depot\n\n## What it does\n\n{items}"

    assert set(named(text, "README.md", "Depot")) == {"Lanes", "Scales"}


def test_a_proposal_in_a_folder_of_its_own_is_named_by_its_title():
    text = "# Proposal: night lanes\n\nParcels that come at night wait in lanes of their own.\n"

    assert set(named(text, "proposals/night/README.md", "Proposal: night lanes")) == {"Night lanes"}


ROADMAP = """# Product roadmap

## Release 1

This is the first release.

| Outcome |
|---|
| Users can upload data files by section |
| Staff with a key will receive email notifications on the state of a parcel |
| The depot is hardened and stable |
| All users are engaged in the pilot |

## Release 2 and beyond

- As a courier, I want to print labels so that no parcel is lost
"""


def test_what_a_roadmap_promises_people_is_named_by_what_they_will_do():
    found = named(ROADMAP, "docs/roadmap-and-backlog.md", "Product roadmap")

    assert {"Upload data files", "Receive email notifications", "Print labels"} <= set(found)
    assert not {it for it in found if "user" in it.lower() or "elease" in it or "eyond" in it}
    assert state(found["Upload data files"]) == "planned"


def test_a_name_that_begins_with_people_is_one():
    found = named("# Depot\n\n## Features\n\n- People search\n- Lane maps\n", "README.md")

    assert set(found) == {"People search", "Lane maps"}


@pytest.mark.parametrize("name", ["Milestone maps", "Winter tyres"])
def test_a_feature_may_begin_like_a_period_of_a_plan(name: str):
    text = f"# Depot\n\n## Features\n\n### {name}\n\nEvery lane has one that its porters see.\n"

    assert name in named(text, "README.md")


def test_a_proposal_in_a_folder_named_by_its_abbreviation_is_a_feature():
    text = "# Lane hooks\n\n## State: APPROVED\n\nHooks run before a parcel enters its lane.\n"

    assert set(named(text, "DEPEP/lane-hooks.md", "Lane hooks")) == {"Lane hooks"}


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Exponential backoff for crates", "Exponential backoff for crates"),
        ("Design: Integrate lane scales (RFC 7) into the depot", "Lane scales into the depot"),
        (
            "Orders & challenges of lanes to handle the flow of crates",
            "Orders & challenges of lanes",
        ),
    ],
)
def test_a_proposal_whose_title_stands_in_its_front_matter_is_a_feature(title: str, name: str):
    front = f'---\ntitle: "{title}"\nauthors:\n  - "@ana"\nstatus: implementable\n---\n'

    assert set(named(front, "design/20240102.lanes.md", status="accepted")) == {name}


def test_a_title_behind_a_licence_opens_its_document_and_a_later_one_does_not():
    text = "# Lane hooks\n\nHooks run before a parcel enters its lane.\n"

    def at(start: int) -> set[str]:
        path, headings = "proposals/lane-hooks.md", ("Lane hooks",)
        chunk = a_chunk(text, path, headings=headings, source_type="doc", start=start)
        return {it.attributes["feature"] for it in extract(chunk) if "feature" in it.attributes}

    assert at(800) == {"Lane hooks"}
    assert at(9_000) == set()
