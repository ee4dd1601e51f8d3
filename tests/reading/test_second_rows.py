"""What confirms a decision or requirement: a reason or the same again, no announcement."""

from __future__ import annotations

import pytest

from tests.reading.documents import only, told

NEED = "The DepotServer must print the label of a parcel within two seconds."
CHOICE = "We will use the LabelPrinter for all heavy parcels."


def confirming(kind: str, text: str, path: str = "docs/adr/lanes.md") -> list[str]:
    """The rows that count of the first of ``kind``."""
    first = only(kind, told(f"# Lanes\n\n{text}\n", path))[0]
    return [row.snippet for row in first.evidence if not row.framing]


@pytest.mark.parametrize(
    "reason",
    [
        "This is because the Sorter reads no ink.",
        "The reason is that the Sorter reads no ink.",
        "Otherwise the Sorter cannot read the label.",
        "This ensures that the Sorter can read it.",
        "This will prevent parcels from waiting in the hall.",
        "So that no parcel has to wait in the hall.",
        "We chose it because the Sorter reads no ink.",
    ],
)
@pytest.mark.parametrize(("kind", "said"), [("requirement", NEED), ("decision", CHOICE)])
def test_the_reason_that_follows_confirms(kind: str, said: str, reason: str) -> None:
    assert confirming(kind, f"{said} {reason}") == [said, reason]


@pytest.mark.parametrize(
    "after",
    [
        "This means that clerks wait for the night train.",
        "As a result clerks wait for the night train.",
        "Since lanes jam at night, a clerk may close the hall.",
        "Due to the weather, a clerk may close the hall.",
        "Clerks close the hall because of the night train.",
        "A clear example are halls since each of them can be closed.",
        "The reasons are listed below:",
        "Why is this because of the Sorter?",
    ],
)
@pytest.mark.parametrize(("kind", "said"), [("requirement", NEED), ("decision", CHOICE)])
def test_a_consequence_or_a_reason_of_something_else_does_not(
    kind: str, said: str, after: str
) -> None:
    assert confirming(kind, f"{said} {after}") == [said]


def test_neither_the_heading_nor_the_announcement_nor_the_condition_confirms() -> None:
    again = "## The DepotServer must print the label of a parcel within two seconds"
    assert confirming("requirement", f"{again}\n\n{NEED}") == [NEED]
    listed = f"If a label is lost:\n\n- {NEED}"
    assert confirming("requirement", listed) == [NEED]
    led = "The DepotServer must:\n\n- print the label of a parcel within two seconds\n"
    assert confirming("requirement", led) == ["print the label of a parcel within two seconds"]


def test_the_same_elsewhere_in_the_chunk_confirms() -> None:
    again = "As agreed, the DepotServer must print the label of a parcel within two seconds."
    assert confirming("requirement", f"{NEED}\n\nParcels come by rail.\n\n{again}") == [NEED, again]
