"""What a document says of its own standing reaches each of its chunks, however it is written."""

from __future__ import annotations

import pytest

from schemas.events.hygiene import ChunkCreated
from streams.hygiene.stage import clean
from tests.worlds import info

TEXT = "The gateway keeps every order in one ledger, and each depot reads it from there. " * 12


def chunks_of(text: str, path: str = "docs/adr/0007-orders.md") -> tuple[ChunkCreated, ...]:
    return clean(info(path, "parcel"), text.encode()).chunks


def status_of(text: str, path: str = "docs/adr/0007-orders.md") -> str | None:
    (status,) = {chunk.document_status for chunk in chunks_of(text, path)}
    return status


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ("# ADR 7: Orders\n\n## Status\n\nProposed\n", "proposed"),
        ("# ADR 7: Orders\n\n## Status\n\n**Accepted**\n", "accepted"),
        ("# ADR 7: Orders\n\n## Status\n\n> Rejected in favour of [ADR 9](adr-9.md)\n", "rejected"),
        ("# ADR 7: Orders\n\n## 1. Status\n\n- [x] Accepted\n", "accepted"),
        ("# ADR 7: Orders\n\nStatus: Superseded by ADR 9\n", "superseded"),
        ("# ADR 7: Orders\n\n- Status: accepted, superseded by ADR 9\n", "superseded"),
        ("# ADR 7: Orders\n\n* **Status**: Draft\n", "proposed"),
        ("# ADR 7: Orders\n\n**Status:** In review.\n", "proposed"),
        ("# ADR 7: Orders\n\n| Status | Declined |\n| --- | --- |\n| Date | May |\n", "rejected"),
        ("---\ntitle: Orders\nstatus: implementable\n---\n\n# Orders\n", "accepted"),
        ("---\nstatus: not-planned\n---\n\n# Orders\n", "rejected"),
        ("---\nstatus: 'withdrawn'\n---\n\n# Orders\n", "rejected"),
        ("# ADR 7: Orders\n\n## Status\n\nNot yet implemented\n", "proposed"),
        ("# ADR 7: Orders\n\n## Status\n\nPartially Accepted\n", "accepted"),
        ("# ADR 7: Orders\n\n## Status\n\nAccepted, not implemented\n", "accepted"),
    ],
)
def test_a_record_says_its_status(head: str, status: str) -> None:
    assert status_of(f"{head}\n## Context\n\n{TEXT}\n\n## Decision\n\n{TEXT}\n") == status


@pytest.mark.parametrize(
    ("path", "head", "status"),
    [
        ("docs/adr/0007-orders.rst", "Orders\n======\n\n:Status: Obsolete\n", "superseded"),
        ("docs/adr/0007-orders.rst", "Orders\n======\n\nStatus\n------\n\nAccepted\n", "accepted"),
        ("docs/adr/0007-orders.adoc", "= Orders\n:status: proposed\n", "proposed"),
        ("docs/adr/0007-orders.adoc", "= Orders\n\n== Status\n\nDeprecated\n", "superseded"),
        ("docs/adr/rejected/0007-orders.md", "# Orders\n", "rejected"),
        ("docs/legacy/orders.md", "# Orders\n", "superseded"),
        ("docs/o.md", "# Orders\n\n> **Note**: This document is now outdated.\n", "superseded"),
        (
            "docs/o.md",
            "# Order Adapter\n\nThe order adapter has been removed in 2.0.\n",
            "superseded",
        ),
        (
            "docs/o.md",
            "+++\ntitle = 'Order API Specification'\n+++\n\n"
            "{{% note %}}\nThe Order API has been replaced by another.\n{{% /note %}}\n\n# Use\n",
            "superseded",
        ),
        ("docs/o.md", "# Order Adapter\n\nThe old labels have been removed in 2.0.\n", None),
        ("docs/o.md", "# Migrating the orders\n\nOrders have been replaced by parcels.\n", None),
        ("docs/superseded/orders.md", "# Orders\n\n## Status\n\nAccepted\n", "accepted"),
    ],
)
def test_other_markup_and_folders_say_it_too(path: str, head: str, status: str | None) -> None:
    assert status_of(f"{head}\n{TEXT}\n", path) == status


@pytest.mark.parametrize(
    "head",
    [
        "# Orders\n",
        "# Orders\n\nStatus: proposed | accepted | rejected | superseded\n",
        "# Orders\n\n## Status\n\nWhat is the status, such as proposed, accepted or rejected?\n",
        "# Orders\n\n## Status\n\nGet the order's status and its depot.\n",
        "# Orders\n\nStatus: 200\n",
        "# Orders\n\nStatus: not applicable\n",
        "# Orders\n\nThis section is deprecated, the next one holds.\n",
        "# Orders\n\nstatus = accepted_at is not None\n",
    ],
)
def test_what_says_no_status_has_none(head: str) -> None:
    assert status_of(f"{head}\n{TEXT}\n") is None


def test_a_status_far_from_the_head_is_a_section_or_nothing() -> None:
    assert status_of(f"# Orders\n\n{TEXT}\n\n## Status\n\nRejected\n") == "rejected"
    assert status_of(f"# Orders\n\n{TEXT * 4}\n\n## Example\n\nStatus: Rejected\n") is None


def test_code_and_talk_have_no_status() -> None:
    assert status_of(f"# Status: rejected\n\ndef order():\n    pass\n{TEXT}", "src/a.py") is None


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ("# ADR 7: Orders (superseded by ADR 9)\n", "superseded"),
        ("# [REJECTED] ADR 7: Orders\n", "rejected"),
        ("# ~~ADR 7: Orders~~\n", "rejected"),
        (
            "# ADR 7: Orders\n\n![](https://img.shields.io/badge/status-deprecated-red)\n",
            "superseded",
        ),
        (
            "# ADR 7: Orders\n\n![x](https://img.shields.io/badge/lifecycle-retired-red.svg)\n",
            "superseded",
        ),
        ("# ADR 7: Orders\n\nStatus: abgelehnt\n", "rejected"),
        ("# ADR 7: Orders\n\n## Status\n\nZurückgezogen am 3. Mai\n", "rejected"),
        ("# ADR 7: Orders\n\nStatus: ersetzt durch ADR 9\n", "superseded"),
        ("# ADR 7: Orders\n\nStatus: angenommen\n", "accepted"),
        ("# ADR 7: Orders (draft for the depots)\n", None),
        ("# ADR 7: Orders\n\n![](https://img.shields.io/badge/build-passing-green)\n", None),
        (
            "# ADR 7: Orders\n\n![](https://img.shields.io/badge/dependencies-deprecated-red)\n",
            None,
        ),
        ("# ADR 7: Rejected parcels (and lost ones)\n", None),
    ],
)
def test_a_tag_a_badge_or_a_german_word_tells_it(head: str, status: str | None) -> None:
    assert status_of(f"{head}\n{TEXT}\n") == status


def test_of_several_records_in_one_file_each_has_its_own() -> None:
    records = (
        f"## Faxes\n\nStatus: rejected\n\n{TEXT}\n\n### Reasons\n\n{TEXT}\n\n## Mails\n\n{TEXT}\n"
    )
    found = {it.structure_path[-1]: it.document_status for it in chunks_of(f"# Log\n\n{records}")}
    assert found == {"Faxes": "rejected", "Reasons": "rejected", "Mails": None}


STATED = [
    ("# ADR 7: Orders\n\n*Retired*\n", "superseded"),
    ("# ADR 7: Orders\n\n**Replaced by [ADR 9](0009-x.md)**\n", "superseded"),
    ("# ADR 7: Orders\n\nDeferred\n", "proposed"),
    ("# ADR 7: Orders\n\n> Obsolete, see [ADR 9](0009-x.md).\n", "superseded"),
    ("# ADR 7: Orders\n\nCancelled on 2 May 2023\n", "rejected"),
    ("# ADR 7: Orders\n\n## Status\n\nSee ADR 9\n", "superseded"),
    ("# ADR 7: Orders\n\n## Status\n\nNo longer valid, see [ADR 9](0009-x.md)\n", "superseded"),
    ("# ADR 7: Orders\n\n## Status\n\nInactive\n", "superseded"),
    ("# ADR 7: Orders\n\n## Status\n\n~~Accepted~~ Abandoned\n", "rejected"),
    (
        "# ADR 7: Orders\n\n## Status\n\n~~Proposed~~\n\n~~Accepted~~\n\nSuperseded by ADR 9\n",
        "superseded",
    ),
    (
        "# ADR 7: Orders\n\n## Status\n\nProposed\n\nAccepted in June\n\nReplaced by ADR 9\n",
        "superseded",
    ),
    ("# ADR 7: Orders\n\n## Decision status\n\nDropped\n", "rejected"),
    ("# ADR 7: Orders\n\nLifecycle: retired\n", "superseded"),
    ("# ADR 7: Orders\n\nResolution: declined\n", "rejected"),
    ("# ADR 7: Orders\n\nSuperseded-By: ADR 9\n", "superseded"),
    (
        "# ADR 7: Orders\n\n| Date | Status |\n|---|---|\n| May | Superseded by ADR 9 |\n",
        "superseded",
    ),
    ("# ADR 7: Orders\n\n| | |\n|---|---|\n| **State** | Withdrawn |\n", "rejected"),
    (
        "# ADR 7: Orders\n\n<table><tr><th>Status</th><td>Deprecated</td></tr></table>\n",
        "superseded",
    ),
    (
        "# ADR 7: Orders\n\n> [!WARNING]\n> This decision has been superseded by ADR 9.\n",
        "superseded",
    ),
    ("# ADR 7: Orders\n\n> [!CAUTION] Deprecated\n> Read ADR 9.\n", "superseded"),
    ('# ADR 7: Orders\n\n!!! danger "Withdrawn"\n    Nobody needs it.\n', "rejected"),
    ("# ADR 7: Orders\n\n:::warning[Outdated]\nRead ADR 9.\n:::\n", "superseded"),
    (
        '# ADR 7: Orders\n\n{{< callout title="Archived" >}}\nRead ADR 9.\n{{< /callout >}}\n',
        "superseded",
    ),
    ('# ADR 7: Orders\n\n<div class="warning">This page is no longer valid.</div>\n', "superseded"),
    ("# ADR 7: Orders\n\n⚠️ **DEPRECATED** – read ADR 9.\n", "superseded"),
    ("# ADR 7: Orders\n\n![Status: rejected](rejected.svg)\n", "rejected"),
    ("# ADR 7: Orders\n\n`superseded`\n", "superseded"),
    ("# ADR 7: Orders - DEPRECATED\n", "superseded"),
    ("# ADR 7: Orders `rejected`\n", "rejected"),
    ("---\nobsolete: yes\n---\n# Orders\n", "superseded"),
    ("---\ndeprecated: true\ntitle: Orders\n---\n# Orders\n", "superseded"),
    ("---\ntitle: Orders\ndraft: true\n---\n# Orders\n", "proposed"),
    ("+++\narchived = true\n+++\n# Orders\n", "superseded"),
    ("---\nsuperseded_by: ADR-9\n---\n# Orders\n", "superseded"),
    ("---\nstate: withdrawn\n---\n# Orders\n", "rejected"),
    ("---\ntags: [architecture, status/deprecated]\n---\n# Orders\n", "superseded"),
    ("Deprecated: use ADR 9 instead.\n\n# ADR 7: Orders\n", "superseded"),
    ("# ADR 7: Orders\n\nThis ADR is replaced by ADR 9.\n", "superseded"),
    ("# ADR 7: Orders\n\nThis proposal was never accepted.\n", "rejected"),
    ("# ADR 7: Orders\n\nStatus: accepted -> superseded\n", "superseded"),
    (
        "# ADR 7: Orders\n\n## Status\n\n- [ ] Proposed\n- [ ] Accepted\n- [x] Superseded\n",
        "superseded",
    ),
    ("# ADR 7: Orders\n\n* Status: 🔴 rejected\n", "rejected"),
    ("# ADR 7: Orders\n\n- **Stand:** verworfen\n", "rejected"),
    ("# ADR 7: Orders\n\n## Status\n\nDepreciated.\n", "superseded"),
    ("# ADR 7: Orders\n\nEstado: obsoleto\n", "superseded"),
]
UNSTATED = [
    "# Orders\n\nDeprecated calls must answer 410.\n",
    "# Orders\n\nArchived orders stay readable.\n",
    "# Orders\n\nState: the order has one of five.\n",
    "# Orders\n\n| State | Meaning |\n|---|---|\n| Cancelled | The customer has cancelled it |\n",
    "# Orders\n\n| Field | Status |\n|---|---|\n| colour | deprecated |\n| size | stable |\n",
    "# Orders\n\n## Fields\n\n> [!WARNING]\n> The field colour is deprecated.\n",
    '# Orders\n\n## Old calls\n\n!!! warning "Deprecated"\n    Use the new call.\n',
    "# Orders\n\n> [!NOTE]\n> Rejected orders are kept for ten days.\n",
    "---\narchived: false\ndeprecated: no\ndraft: false\n---\n# Orders\n",
    "# Orders\n\nSee ADR 9 for the reasons.\n",
    "# Orders\n\n**Supersedes:** ADR 3\n",
    "# Orders\n\n## Rejected\n\nOrders without an address.\n",
    "# Order states: open and closed\n",
    "---\nsuperseded_by: null\n---\n# Orders\n",
    "# Orders\n\nReplaced parts are sent back.\n",
    "# Orders\n\nSuperseded by: -\n",
]


@pytest.mark.parametrize(("head", "status"), STATED)
def test_a_status_is_read_in_all_usual_forms(head: str, status: str) -> None:
    assert status_of(f"{head}\n## Context\n\n{TEXT}\n\n## Decision\n\n{TEXT}\n") == status


@pytest.mark.parametrize("head", UNSTATED)
def test_such_words_about_something_else_are_no_status(head: str) -> None:
    assert status_of(f"{head}\n## Context\n\n{TEXT}\n", "docs/o.md") is None


@pytest.mark.parametrize(
    ("head", "path", "status"),
    [
        ("# ADR 7: Orders\n\nStatus: accepted\n", "docs/archive/0007-orders.md", "accepted"),
        ("# ADR 7: Orders\n\nStatus: draft\n", "docs/superseded/0007-orders.md", "proposed"),
        ("# ADR 7: Orders\n\nStatus: rejected\n", "docs/accepted/0007-orders.md", "rejected"),
        ("# ADR 7: Orders\n", "docs/archive/0007-orders.md", "superseded"),
        ("Orders\n======\n\n.. deprecated:: 2.0\n   Use parcels.\n", "docs/o.rst", "superseded"),
        ("Orders\n======\n\n.. admonition:: Withdrawn\n\n   No need.\n", "docs/o.rst", "rejected"),
        (
            "= Orders\n\n[WARNING]\n.Obsolete\n====\nRead ADR 9.\n====\n",
            "docs/o.adoc",
            "superseded",
        ),
        ("= Orders\n:archived: true\n", "docs/o.adoc", "superseded"),
        ("#+TITLE: Orders\n#+STATUS: rejected\n\n* Orders\n", "docs/o.org", "rejected"),
    ],
)
def test_its_own_status_goes_before_its_folder(head: str, path: str, status: str) -> None:
    assert status_of(f"{head}\n{TEXT}\n", path) == status


@pytest.mark.parametrize(
    ("head", "successor"),
    [
        ("Status: superseded by [ADR 9](0009-parcels.md)", "docs/adr/0009-parcels.md"),
        ("## Status\n\nReplaced by [9](../parcels/0009.md#decision)", "docs/parcels/0009.md"),
        ("Status: superseded by ADR-9 (May)", "ADR-9"),
        ("**Deprecated in favour of RFC 12.**", "RFC 12"),
        ("> Obsolete, see [the parcels](https://parcels.example/9).", "https://parcels.example/9"),
        ("Superseded-By: 0009-parcels.md", "docs/adr/0009-parcels.md"),
        ("## Status\n\nSee ADR 9", "ADR 9"),
        ("Status: superseded by the parcel design, in May", "the parcel design"),
        ("Status: superseded", None),
        ("Superseded by: none\n\nStatus: rejected", None),
    ],
)
def test_a_named_successor_is_told_with_each_chunk(head: str, successor: str | None) -> None:
    chunks = chunks_of(f"# ADR 7: Orders\n\n{head}\n\n## Decision\n\n{TEXT}\n")
    assert {chunk.document_successor for chunk in chunks} == {successor}


def test_a_document_that_holds_has_no_successor() -> None:
    chunks = chunks_of(f"# ADR 7: Orders\n\nThe old labels are replaced by RFC 12.\n\n{TEXT}\n")
    assert {chunk.document_successor for chunk in chunks} == {None}
