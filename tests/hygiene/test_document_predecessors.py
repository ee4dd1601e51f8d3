"""A document tells with each chunk which others it replaces."""

import pytest

from streams.hygiene.documents.predecessors import predecessors_of

PATH = "docs/adr/0009-lanes.md"


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("Supersedes ADR-0003", ["ADR-0003"]),
        ("Status: accepted, supersedes ADR 3", ["ADR 3"]),
        ("Accepted; this supersedes ADR 3", ["ADR 3"]),
        ("## Status\n\nAccepted. Supersedes [ADR-3](./0003-carts.md).", ["docs/adr/0003-carts.md"]),
        ("This decision replaces ADR 3.", ["ADR 3"]),
        ("This record supersedes the decision in ADR 3 (carts).", ["ADR 3"]),
        ("It replaces [Use carts](0003-carts.md) as of May.", ["docs/adr/0003-carts.md"]),
        ("replaces [Use carts](../old/0003-carts.md)", ["docs/old/0003-carts.md"]),
        (
            "Supersedes: [3](0003-a.md), [4](0004-b.md)",
            ["docs/adr/0003-a.md", "docs/adr/0004-b.md"],
        ),
        ("- Supersedes: `0003-carts.md`", ["docs/adr/0003-carts.md"]),
        ("* **Supersedes**: ADR-0003", ["ADR-0003"]),
        ("| Supersedes | ADR 3 |", ["ADR 3"]),
        ("## Supersedes\n\n- ADR 3\n- ADR 4", ["ADR 3", "ADR 4"]),
        ("supersedes: 3", ["3"]),
        ("supersedes: [3, 4]", ["3", "4"]),
        ("supersedes:\n  - 3\n  - ADR-4", ["3", "ADR-4"]),
        ("Obsoletes RFC 12", ["RFC 12"]),
        ('Supersedes "Use carts".', ["Use carts"]),
        ("We hereby replace ADR 3 and 4 with lanes.", ["ADR 3", "4"]),
        ("Diese Entscheidung ersetzt ADR 3.", ["ADR 3"]),
        ("Supersedes: none", []),
        ("Superseded by ADR 12", []),
        ("Partially supersedes ADR 3", []),
        ("Supersedes section 2 of ADR 3", []),
        ("This decision does not replace ADR 3.", []),
        ("This decision would replace ADR 3 if approved.", []),
        ("ADR 5 supersedes ADR 3.", []),
        ("```\nsupersedes: 3\n```", []),
    ],
)
def test_what_a_document_replaces_is_named(said: str, names: list[str]) -> None:
    assert predecessors_of(f"# ADR 9: Lanes\n\n{said}\n", PATH, "accepted") == names


@pytest.mark.parametrize("status", ["proposed", "rejected"])
def test_what_is_not_decided_replaces_nothing(status) -> None:
    assert predecessors_of("Supersedes ADR 3", PATH, status) == []


def test_a_list_of_documents_replaces_nothing() -> None:
    assert predecessors_of("Supersedes ADR 3", "docs/adr/README.md", None) == []
