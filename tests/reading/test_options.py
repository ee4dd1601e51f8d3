"""Options that a document weighs: the chosen one's statements are the project's, a rejected one's
nobody's, and an open one's a proposal.
"""

from __future__ import annotations

import pytest

from agents.offline.reader import extract
from schemas.events.atom import Candidate
from schemas.events.hygiene import ChunkCreated, DocumentOption, OptionStatus
from streams.hygiene.stage import clean
from tests.reading.documents import a_chunk
from tests.worlds import info

DEEP = (
    "### Details\n\n#### Belts\n\nThe DepotServer must weigh each parcel twice.\n\n"
    "#### Pros\n\n- The Sorter stores no label of a parcel.\n\n"
    "#### Cons\n\n- Parcels may be lost at night.\n"
)


def read_document(text: str, path: str = "docs/adr/0007-lanes.md") -> list[Candidate]:
    """All candidates of a document, chunk by chunk."""
    chunks = clean(info(path, "parcel"), text.encode()).chunks
    return [atom for chunk in chunks for atom in extract(chunk) if atom.kind != "entity"]


def weighed(text: str, *options: tuple[str, OptionStatus]) -> list[Candidate]:
    """What is read in a chunk of a document with these options."""
    listed = [DocumentOption(heading=title, status=standing) for title, standing in options]
    chunk: ChunkCreated = a_chunk(text, "docs/adr/lanes.md", headings=("Lanes",))
    atoms = extract(chunk.model_copy(update={"options": listed}))
    return [atom for atom in atoms if atom.kind != "entity"]


def test_all_that_stands_under_a_rejected_option_is_left_out() -> None:
    text = f"## Option 1: two scales\n\n{DEEP}\n## Notes\n\nThe Sorter must seal each parcel.\n"
    said = weighed(text, ("Option 1: two scales", "rejected"), ("Option 2: one scale", "chosen"))
    assert [it for it in said if "seal" in it.title]
    assert not [it for it in said if "weigh" in it.title or "lost" in it.title]


def test_what_is_said_of_the_chosen_option_is_the_projects() -> None:
    text = f"## Considered options\n\n### Option 1: two scales\n\n#{DEEP}"
    said = weighed(text.replace("\n###", "\n####"), ("Option 1: two scales", "chosen"))
    assert [it.kind for it in said if "weigh" in it.title] == ["requirement"]


def test_an_open_option_is_told_as_a_proposal_and_binds_nobody() -> None:
    text = f"## Option 1: two scales\n\n{DEEP}"
    said = weighed(text, ("Option 1: two scales", "open"), ("Option 2: one scale", "open"))
    weighs = next(it for it in said if "weigh" in it.title)
    assert (weighs.kind, weighs.proposed_status) == ("claim", "draft")
    assert weighs.title.startswith("Option 1: two scales: the DepotServer must weigh")
    assert {it.kind for it in said}.isdisjoint({"decision", "requirement"})
    assert all(it.proposed_status == "draft" for it in said)


@pytest.mark.parametrize(
    ("standing", "is_told"), [("rejected", False), ("chosen", True), ("open", True)]
)
def test_an_item_is_labelled_with_its_option(standing: OptionStatus, is_told: bool) -> None:
    text = (
        "There are two ways.\n\n- Option 1: one scale\n"
        "  - The DepotServer must weigh each parcel twice.\n- Option 2: none\n"
    )
    said = weighed(text, ("Option 1: one scale", standing), ("Option 2: none", "open"))
    assert bool([it for it in said if "weigh" in it.title]) is is_told


def test_the_rejected_are_the_alternatives_of_the_decision() -> None:
    text = (
        "# Lanes\n\n## Context\n\nParcels wait in the hall for hours, as all lanes are taken.\n\n"
        f"## Option 1: two scales\n\n{DEEP}\n## Option 2: one scale\n\n"
        "The Sorter must seal each parcel.\n\n"
        "## Decision\n\nWe will use option 2 for all halls.\n\n## Consequences\n\n"
        "- Clerks may be late at night.\n"
    )
    said = read_document(text)
    (decision,) = [it for it in said if it.kind == "decision"]
    assert decision.attributes["alternatives"] == "Option 1: two scales"
    assert not [it for it in said if "weigh" in it.title]
    assert [it for it in said if "seal" in it.title]
