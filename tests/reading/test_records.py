"""What a record's standing makes of its statements."""

from __future__ import annotations

import pytest

from agents.offline.reader import extract
from schemas.events.hygiene import ChunkCreated, DocumentStatus
from tests.reading.documents import a_chunk

RECORD = "docs/adr/0007-labels.md"
KEPT_UP = "docs/labels.md"
CLAIM = "The DepotServer supports HTTP and stores the lanes of the Sorter in memory by default."
TEXT = f"""# Labels

{CLAIM}

## Decision

We will use the LabelPrinter for all heavy parcels because the Sorter reads no ink.

## Requirements

The LabelPrinter must print every label within 2 seconds.

## Risks

If the Sorter loses its connection, parcels of its lane are lost and a depot must count again.
"""


def standing(path: str, status: DocumentStatus | None = None) -> dict[str, bool]:
    """Each kind that is read, with whether it is more than a weak cue."""
    return {
        atom.kind: atom.confidence >= 0.6
        for atom in extract(chunk_of(path, status))
        if atom.kind != "entity"
    }


def chunk_of(path: str, status: DocumentStatus | None = None) -> ChunkCreated:
    return a_chunk(TEXT, path).model_copy(update={"document_status": status})


def test_a_claim_of_a_record_is_a_weak_cue() -> None:
    assert standing(KEPT_UP)["claim"]
    assert not standing(RECORD)["claim"]
    assert not standing(KEPT_UP, "accepted")["claim"]  # what has a status is a record


def test_what_an_accepted_record_decides_and_needs_holds() -> None:
    kept = standing(RECORD, "accepted")
    assert kept["decision"]
    assert kept["requirement"]


def test_what_is_only_proposed_is_a_weak_cue_and_its_risks_are_real() -> None:
    proposed = standing(RECORD, "proposed")
    assert not proposed["decision"]
    assert not proposed["requirement"]
    assert proposed["risk"]


@pytest.mark.parametrize("status", ["superseded", "rejected"])
def test_nothing_of_a_record_that_holds_no_more_is_sure(status: DocumentStatus) -> None:
    told = standing(RECORD, status)
    assert {"decision", "requirement", "claim"} <= told.keys()
    assert not any(told.values())


@pytest.mark.parametrize("status", ["proposed", "accepted", "rejected", "superseded"])
def test_each_atom_says_how_its_document_stands(status: DocumentStatus) -> None:
    told = {atom.attributes.get("document_status") for atom in extract(chunk_of(RECORD, status))}
    assert told == {status}
    assert all("document_status" not in it.attributes for it in extract(chunk_of(KEPT_UP)))
