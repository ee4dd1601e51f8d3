"""What beside its words confirms a statement, so that it may be active from one passage."""

from __future__ import annotations

import pytest

from agents.offline.reader import extract
from schemas.confirmations import CONFIRMED_BY, describe_status
from streams.ledger.sources.documents import HOLDS_AGAIN
from tests.reading.documents import a_chunk

RULE = "Every parcel of the night shift must be sealed before the van leaves the depot."


def confirmed(text: str, path: str = "docs/depot.md", **more: object) -> dict[str, str]:
    """Of each statement what confirms it, by its kind."""
    chunk = a_chunk(text, path).model_copy(update=more)
    return {it.kind: it.attributes.get(CONFIRMED_BY, "") for it in extract(chunk)}


def test_a_decision_of_a_record_is_confirmed_by_its_section() -> None:
    text = "# Seals\n\n## Decision\n\nWe will seal parcels by hand instead of by machine.\n"
    record = "docs/adr/0001-seals.md"
    assert confirmed(text, record, document_status="accepted") == {"decision": "section"}
    assert confirmed(text, record, document_status="superseded") == {"decision": ""}


def test_a_need_of_a_section_of_needs_is_confirmed_by_it() -> None:
    assert confirmed(f"# Depot\n\n## Requirements\n\n- {RULE}\n") == {"requirement": "section"}


def test_a_plain_rule_that_reads_well_is_confirmed_by_its_form() -> None:
    path = ["Depot", "Sealing parcels"]
    assert confirmed(f"## Sealing parcels\n\n{RULE}\n", structure_path=path) == {
        "requirement": "rule"
    }
    told = "All three events fall into the must-be category of the needs of the clerks."
    found = confirmed(f"## Sealing parcels\n\n{told}\n", structure_path=path)
    assert "rule" not in found.values()


@pytest.mark.parametrize(
    "text",
    [
        f"# Depot meeting 2024-03-01\n\n## Decisions\n\n- {RULE}\n",
        "# Depot meeting 2024-03-01\n\n## What we agreed\n\n- Use one queue for all depots\n",
    ],
)
def test_minutes_confirm_nothing(text: str) -> None:
    assert set(confirmed(text, "docs/minutes/2024-03-01.md").values()) == {""}


@pytest.mark.parametrize(
    ("status", "reason", "attributes", "line"),
    [
        ("active", "accepted", {CONFIRMED_BY: "section"}, "active because its section says that"),
        ("active", "two_rows", {CONFIRMED_BY: "rule"}, "active because two passages say so"),
        ("active", "accepted", {}, "active because its own words say what it is"),
        ("draft", "document_proposed", {}, "draft because its document is proposed"),
        ("draft", "judged_draft", {}, "draft because only its wording speaks for it"),
        ("active", HOLDS_AGAIN, {}, "active because its document holds again"),
        ("draft", HOLDS_AGAIN, {}, "draft because it is not sure enough, although its document"),
        ("active", "reopened", {}, "active because a person took back what had closed it"),
        ("active", "reincluded", {}, "active because a person took it in again"),
        ("active", "unmerged", {}, "active because a merge that it had gone into was undone"),
        ("active", "wording_stands", {}, "active because its words are those that a document"),
        ("merged", "duplicate", {}, ""),
    ],
)
def test_people_are_told_why_a_statement_is_active_or_a_draft(
    status: str, reason: str, attributes: dict[str, str], line: str
) -> None:
    assert describe_status(status, reason, attributes, verified_by=None).startswith(line)


def test_who_verified_it_comes_first() -> None:
    told = describe_status("active", "accepted", {CONFIRMED_BY: "rule"}, verified_by="Ana")
    assert told == "active because Ana verified it"
