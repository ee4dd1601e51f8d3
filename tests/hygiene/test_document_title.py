"""A title before a document's text stands over its sections, as the page shows it."""

from __future__ import annotations

import pytest

from schemas.events.hygiene import ChunkCreated
from streams.hygiene.stage import clean
from tests.worlds import info

TEXT = "The gateway keeps every order in one ledger, and each depot reads it from there. " * 12
SECTIONS = f"\n## Writing\n\n{TEXT}\n\n## Reading\n\n{TEXT}\n"


def chunks_of(text: str, path: str = "docs/orders.md") -> tuple[ChunkCreated, ...]:
    return clean(info(path, "parcel"), text.encode()).chunks


def tops(text: str, path: str = "docs/orders.md") -> set[str]:
    return {chunk.structure_path[0] for chunk in chunks_of(text, path) if chunk.structure_path}


@pytest.mark.parametrize(
    "before",
    [
        "---\ntitle: Live orders\nsidebar: 3\n---\n",
        "---\nsidebar: 3\ntitle: 'Live orders'\n---\n",
        "---\ntitle: Live orders\n...\n",
        '+++\ntitle = "Live orders"\nweight = 3\n+++\n',
        "```\n  DIP: 7\n  Layer: Depot\n  Title: Live orders\n  Status: Final\n```\n",
        "DIP: 7\nTitle: Live orders\nStatus: Final\n",
        "- Name: Live orders\n- Start Date: 2024-01-08\n- Status: Final\n",
        "<div align='center'>\n\n<h2>Live\n<em>orders</em></h2>\n\n</div>\n",
        "* **Feature Name**: `Live orders`\n* **Start Date**: 2024-01-08\n",
    ],
)
def test_it_is_the_heading_over_all_sections(before: str) -> None:
    made = chunks_of(before + SECTIONS)
    assert {
        tuple(chunk.structure_path) for chunk in made if "keeps every" in chunk.text_payload
    } == {
        ("Live orders", "Writing"),
        ("Live orders", "Reading"),
    }


def test_a_list_of_fields_names_what_its_own_heading_does_not() -> None:
    text = f"# Meta\n[meta]: #meta\n- Name: Live orders\n- Start Date: 2024-01-08\n{SECTIONS}"
    paths = {tuple(it.structure_path) for it in chunks_of(text) if "every" in it.text_payload}
    assert paths == {("Live orders", "Meta", "Writing"), ("Live orders", "Meta", "Reading")}


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (f"# Live orders\n\n{TEXT}\n\n# References\n\n{TEXT}\n", "docs/orders.md"),
        (f"# Live orders\n\n# 1. Terms\n\n{TEXT}\n\n# 2. Depots\n\n{TEXT}\n", "docs/orders.md"),
        (f"<!-- draft -->\n# Live orders\n\n{TEXT}\n\n# Scope\n\n{TEXT}\n", "docs/orders.md"),
        (
            f".. _orders:\n\nLive orders\n===========\n\n{TEXT}\n\nUsage\n=====\n\n{TEXT}\n",
            "docs/orders.rst",
        ),
    ],
)
def test_the_first_of_several_highest_headings_is_over_what_sections_are_called(
    text: str, path: str
) -> None:
    made = [it for it in chunks_of(text, path) if "every" in it.text_payload]
    assert {it.structure_path[0] for it in made} == {"Live orders"}
    assert all(it.structure_path.count("Live orders") == 1 for it in made)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"---\ntitle: Live orders\n---\n\n# Orders\n{SECTIONS}", {"Orders"}),
        (f"---\ntitle: |\n  Live\n---\n{SECTIONS}", {"Writing", "Reading"}),
        (f"---\ntitle: {{{{ page }}}}\n---\n{SECTIONS}", {"Writing", "Reading"}),
        (f"---\nsubtitle: Live orders\n---\n{SECTIONS}", {"Writing", "Reading"}),
        (f"# Orders\n\n{TEXT}\n\n# Depots\n\n{TEXT}\n", {"Orders", "Depots"}),
        (f"# Install\n\n{TEXT}\n\n# Usage\n\n{TEXT}\n", {"Install", "Usage"}),
        (f"# Orders\n\n<h2>Live orders</h2>\n{SECTIONS}", {"Orders"}),
        (f"{TEXT}\n\n# Orders\n\n{TEXT}\n\n# Usage\n\n{TEXT}\n", {"Orders", "Usage"}),
        (f"# Orders\n\n- Name: Live orders\n- Unit: one order\n{SECTIONS}", {"Orders"}),
        (f"Title: the first word of a letter.\n{SECTIONS}", {"Writing", "Reading"}),
    ],
)
def test_a_first_heading_or_no_title_leaves_the_sections_as_they_are(
    text: str, expected: set[str]
) -> None:
    assert tops(text) == expected


def test_an_issue_that_begins_like_front_matter_has_no_sections_of_its_own() -> None:
    text = f"---\ntitle: Live orders\n---\n{SECTIONS}"
    source = info("docs/orders.md", "parcel").model_copy(update={"source_type": "issue"})
    made = clean(source, text.encode()).chunks
    assert all("Live orders" not in chunk.structure_path for chunk in made)
