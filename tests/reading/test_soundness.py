"""How sure a draft is: what is more likely bad than good is no more than a weak cue."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agents.rules.cues import MODAL, WEAK
from agents.rules.reader import extract, proposed
from agents.rules.soundness import SOUND, draft_signs, learned
from tests.reading.documents import a_chunk

JUDGED = Path(__file__).parents[2] / "agents" / "training" / "drafts.tsv"
LANES = ("Parcel lanes", "Drawbacks")


def confidences(text: str, headings: tuple[str, ...]) -> list[tuple[str, float]]:
    chunk = a_chunk(text, "docs/rfc/0003-lanes.md", headings=headings)
    return [(atom.title, atom.confidence) for atom in extract(chunk)]


def test_a_remedy_among_drawbacks_is_doubted_and_a_drawback_is_not():
    remedy = "A warning can be shown before a parcel is lost."
    told = "Operators must maintain a second index, which increases costs."
    text = f"- {remedy}\n- {told}\n"
    (other, least), (drawback, sure) = confidences(text, LANES)
    assert ("warning" in other, least) == (True, WEAK)
    assert ("costs" in drawback, sure) == (True, 0.75)


def test_a_doubted_draft_keeps_its_kind_and_its_evidence():
    text = "- A warning can be shown before a parcel is lost.\n"
    chunk = a_chunk(text, "docs/rfc/0003-lanes.md", headings=LANES)
    (before,), (after,) = proposed(chunk), extract(chunk)
    assert learned().share(draft_signs(before, chunk)) < SOUND
    assert (after.kind, after.title, after.proposed_status) == (before.kind, before.title, "draft")
    assert after.evidence[0].snippet == text[2:].strip()


def test_a_claim_of_a_weak_cue_that_is_surely_good_is_as_sure_as_by_its_wording():
    said = {
        "The parcel store keeps its index in memory and writes it to disk every minute.": MODAL,
        "The others use it in the same way.": WEAK,
    }
    for text, confidence in said.items():
        chunk = a_chunk(f"{text}\n", "docs/parcel-store.md", headings=("Parcel store",))
        (before,), (after,) = proposed(chunk), extract(chunk)
        assert (before.confidence, after.confidence) == (WEAK, confidence)


@pytest.mark.parametrize(
    ("root", "surer"),
    [
        ("acme/depot-store", True),
        ("depotstore", True),
        ("acme/depot-stores", True),
        ("acme/parcels", False),
        ("acme/docs", False),
        ("main", False),
    ],
)
def test_what_is_said_of_the_project_by_its_name_is_likelier_good(root: str, surer: bool):
    said = "DepotStore can keep the labels of many lanes while the clerks are away.\n"
    shares = [
        learned().share(draft_signs(proposed(chunk)[0], chunk))
        for chunk in (a_chunk(said, "docs/lanes.md", root=it) for it in (root, "", "acme/other"))
    ]
    assert (shares[0] > shares[1]) is surer
    assert shares[1] > shares[2]


def test_a_share_needs_no_order_and_knows_no_sign_it_was_not_trained_on():
    signs = sorted(learned().weights)[:40]
    shares = {learned().share(each) for each in (signs, signs[::-1], [*signs, "never seen"])}
    assert len(shares) == 1
    assert 0 < shares.pop() < 1


def test_judgements_are_facts_without_a_word_of_anybody_s_text():
    heads: list[str] = []
    rows: list[str] = []
    for line in JUDGED.read_text(encoding="utf-8").splitlines():
        (heads if line.startswith("# ") else rows).append(line)
    head = re.compile(
        r"# [\w.-]+/[\w.-]+ [0-9a-f]{40} (?:first|second|third|document|title) (?:train|apart)"
    )
    row = re.compile(r"[^\t]+\t[0-9a-f]{16}\t[a-z_]+\t(?:good|weak|wrong)")
    assert [line for line in heads if not head.fullmatch(line)] == []
    assert [line for line in rows if not row.fullmatch(line)] == []


@pytest.mark.parametrize(
    "said",
    [
        "To prevent this attack, the DepotServer must declare which lanes of a parcel are open.",
        "The DepotServer must keep the label supplied here in the store of every depot it knows.",
        "All stores that the DepotServer has must use the described approach to keep their labels.",
        "The DepotServer must seal such a parcel as soon as it has been read in the last lane.",
    ],
)
def test_what_points_to_what_stands_elsewhere_is_doubted(said: str) -> None:
    ((_, confidence),) = confidences(f"# Depot\n\n## Sealing\n\n{said}\n", ())
    assert confidence == 0.55


@pytest.mark.parametrize(
    ("said", "elsewhere", "here"),
    [
        ("All stores of the DepotServer must use {} to keep labels.", "the described way", "Kafka"),
        (
            "{}, clients MUST send the labels of all parcels to the DepotServer over HTTP.",
            "During this period",
            "In winter",
        ),
        ("Clients MUST NOT send {} as a part of a message.", "such a parcel", "a parcel"),
        ("Clients MUST read the label of each parcel from {}.", "that ledger", "Kafka"),
        ("Labels of each parcel {} sent to clients that MUST keep them.", "are then", "are"),
    ],
)
def test_the_same_said_of_what_it_names_is_not_doubted(
    said: str, elsewhere: str, here: str
) -> None:
    def sure(what: str) -> bool:
        text = f"# Depot protocol\n\n## Sealing\n\n{said.format(what)}\n"
        (atom,) = extract(a_chunk(text, "docs/protocol.md"))
        return atom.confidence > WEAK

    assert sure(here)
    assert not sure(elsewhere)


def test_what_links_to_its_subject_elsewhere_tells_of_somebody_else_s_product():
    told = "stores all labels of the parcels that a depot has read and serves them to each Sorter."

    def sure(subject: str, path: str = "docs/store.md") -> bool:
        (atom,) = extract(a_chunk(f"# Labels in DepotStore\n\n{subject} {told}\n", path))
        return atom.confidence > WEAK

    assert sure("DepotStore")
    assert sure("[DepotStore](store.md)")
    assert not sure("[DepotStore](https://depot.example/)")
    assert sure("[DepotStore](https://depot.example/)", "docs/index.md")


@pytest.mark.parametrize("other", ["Visual Studio", "Prometheus", "PostgreSQL 16", "AWS Lambda"])
def test_what_a_product_that_most_projects_use_does_is_doubted(other: str) -> None:
    said = "stores the weights of parcels in a table that the sorter reads before it opens a lane"
    told, own, at_home = (
        extract(a_chunk(f"# Lanes\n\n{name} {said}.\n", path))
        for name, path in (
            (other, "docs/lanes.md"),
            ("DepotStore", "docs/lanes.md"),
            (other, "README.md"),
        )
    )
    assert [it.proposed_status for it in (*told, *own, *at_home)] == ["draft", "active", "active"]


@pytest.mark.parametrize(
    "said",
    [
        "[Parcel Bus](https://bus.example/) is a messaging platform for depots.",
        "Azure Parcel Bus is a fully managed messaging platform for depots.",
        "The Parcel Bus is a popular messaging platform that many depots use.",
    ],
)
def test_an_entity_of_others_is_a_draft(said: str) -> None:
    (entity,) = [it for it in extract(a_chunk(f"# Lanes\n\n{said}\n")) if it.kind == "entity"]
    assert entity.proposed_status == "draft"
    own = "The Parcel Bus is a messaging platform of the depots in the north."
    (entity,) = [it for it in extract(a_chunk(f"# Lanes\n\n{own}\n")) if it.kind == "entity"]
    assert entity.proposed_status == "active"


def test_how_it_is_today_is_no_decision() -> None:
    told = "{} sorter will be used without classes, and each lane will have modules instead."
    status = [
        extract(a_chunk(f"# Lanes\n\n## Decision\n\n{told.format(which)}\n", "adr/7-lanes.md"))
        for which in ("The existing", "The")
    ]
    assert [atoms[0].proposed_status for atoms in status] == ["draft", "active"]


def test_a_link_without_a_text_leaves_a_hole_and_is_doubted():
    told = (
        "DepotStore stores all labels of the parcels that a depot has read and serves them to {}."
    )

    def sure(last: str) -> bool:
        (atom,) = extract(a_chunk(f"# Labels in DepotStore\n\n{told.format(last)}\n", "docs/a.md"))
        return atom.confidence > WEAK

    assert sure("[each Sorter](sorter.md)")
    assert not sure("[](sorter.md)")
