"""How sure a draft is: what is more likely bad than good is no more than a weak cue."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agents.offline.judge.features import draft_features
from agents.offline.judge.soundness import SOUND
from agents.offline.models.weights import load_soundness
from agents.offline.reader import extract, propose_drafts
from agents.offline.recognise.cues import DOUBTED, LIKELY, MODAL, WEAK
from tests.reading.documents import a_chunk

JUDGED = Path(__file__).parent / "training" / "drafts.tsv"
LANES = ("Parcel lanes", "Drawbacks")


def confidences(text: str, headings: tuple[str, ...]) -> list[tuple[str, float]]:
    chunk = a_chunk(text, "docs/rfc/0003-lanes.md", headings=headings)
    return [(atom.title, atom.confidence) for atom in extract(chunk)]


def test_a_remedy_among_drawbacks_is_doubted_and_a_drawback_is_not():
    remedy = "A warning can be shown before a parcel is lost."
    told = (
        "Requires operators to maintain a second index of all labels, which increases the costs "
        "and the latency of each lane."
    )
    text = f"- {remedy}\n- {told}\n"
    (other, least), (drawback, sure) = confidences(text, LANES)
    assert ("warning" in other, least) == (True, WEAK)
    assert ("costs" in drawback, sure) == (True, 0.75)


def test_a_doubted_draft_keeps_its_kind_and_its_evidence():
    text = "- A warning can be shown before a parcel is lost.\n"
    chunk = a_chunk(text, "docs/rfc/0003-lanes.md", headings=LANES)
    (before,), (after,) = propose_drafts(chunk), extract(chunk)
    assert load_soundness().probability(draft_features(before, chunk)) < SOUND
    assert (after.kind, after.title, after.proposed_status) == (before.kind, before.title, "draft")
    assert after.evidence[0].snippet == text[2:].strip()


def test_a_claim_of_a_weak_cue_that_is_surely_good_is_as_sure_as_by_its_wording():
    said = {
        "The parcel store keeps its index in memory and writes it to disk every minute.": MODAL,
        "The others use it in the same way as all of the clerks do since then.": DOUBTED,
    }
    for text, confidence in said.items():
        chunk = a_chunk(f"{text}\n", "docs/parcel-store.md", headings=("Parcel store",))
        (before,), (after,) = propose_drafts(chunk), extract(chunk)
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
    probabilities = [
        load_soundness().probability(draft_features(propose_drafts(chunk)[0], chunk))
        for chunk in (a_chunk(said, "docs/lanes.md", root=it) for it in (root, "", "acme/other"))
    ]
    assert (probabilities[0] > probabilities[1]) is surer
    assert probabilities[1] > probabilities[2]


@pytest.mark.parametrize(
    ("loose", "plain"),
    [
        ("DepotServer supports several label stores", "DepotServer supports the label stores"),
        (
            "DepotStore can keep the labels of many lanes",
            "DepotStore can keep the labels of all lanes",
        ),
    ],
)
def test_loose_wording_has_a_lower_probability(loose: str, plain: str) -> None:
    def probability(said: str) -> float:
        chunk = a_chunk(f"{said} while the clerks of the depot are away.\n", "docs/lanes.md")
        return load_soundness().probability(draft_features(propose_drafts(chunk)[0], chunk))

    assert probability(loose) < probability(plain)


@pytest.mark.parametrize(
    ("said", "manner"),
    [
        ("DepotServer supports several label stores", "several"),
        ("DepotServer supports several label stores", "only several"),
        ("DepotServer supports such label stores", "points"),
        ("DepotServer supports stores of labels such as Kafka", "examples"),
    ],
)
def test_how_loosely_a_claim_speaks_weighs_against_it(said: str, manner: str) -> None:
    chunk = a_chunk(f"{said}, so that clients can read them while the clerks are away.\n")
    (draft,) = [it for it in propose_drafts(chunk) if it.kind == "claim"]
    assert f"@{manner} claim" in draft_features(draft, chunk)
    assert load_soundness().weights[f"@{manner} claim"] < 0


def test_a_share_needs_no_order_and_knows_no_sign_it_was_not_trained_on():
    features = sorted(load_soundness().weights)[:40]
    probabilities = {
        load_soundness().probability(each)
        for each in (features, features[::-1], [*features, "never seen"])
    }
    assert len(probabilities) == 1
    assert 0 < probabilities.pop() < 1


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
            "{}, clients MUST send the labels of all sealed parcels to the DepotServer before it "
            "allows access to the lane.",
            "During this period",
            "In winter",
        ),
        ("Clients MUST NOT send {} as a part of a message.", "such a parcel", "a parcel"),
        (
            "{}, the DepotServer must keep the labels of all sealed parcels until it allows access "
            "to the lane.",
            "When doing so",
            "At night",
        ),
        (
            "The DepotServer must name the label of each sealed parcel in {} before it allows "
            "access to the lane.",
            "the corresponding response",
            "the response",
        ),
        (
            "The DepotServer must keep the labels of all sealed parcels {} until it allows access "
            "to the lane.",
            "as seen in the Sealing labels section",
            "as clients configure them",
        ),
        (
            "The DepotServer must keep the labels of all sealed parcels where {} can read them "
            "until it allows access to the lane.",
            "we",
            "clerks",
        ),
        (
            "Clients MUST read the label of each sealed parcel from {} before the DepotServer "
            "allows access to the lane.",
            "that ledger",
            "Kafka",
        ),
        (
            "Labels of each sealed parcel {} sent to all clients, which MUST keep them until the "
            "DepotServer closes the lane.",
            "are then",
            "are",
        ),
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
    said = "stores all weights by default and allows clients to configure what the sorter reads"
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


@pytest.mark.parametrize(
    ("section", "sure", "doubted"),
    [
        (
            "Sealing",
            "The DepotServer must keep the labels of all parcels in a store of its own.",
            "The DepotServer needs to keep the labels of all parcels in a store of its own.",
        ),
        (
            "Goals",
            "- Let the DepotServer keep the labels of all parcels in a store of its own",
            "- Let the DepotServer keep all labels",
        ),
        (
            "Goals",
            "- As an operator, I want all labels",
            "- Let operators read all labels",
        ),
    ],
)
def test_a_weak_requirement_is_a_draft(section: str, sure: str, doubted: str) -> None:
    def status(said: str) -> str:
        text = f"# Depot protocol\n\n## {section}\n\n{said}\n"
        (atom,) = [it for it in extract(a_chunk(text, "docs/protocol.md")) if it.kind != "entity"]
        assert atom.kind == "requirement"
        return atom.proposed_status

    assert (status(sure), status(doubted)) == ("active", "draft")


@pytest.mark.parametrize(
    ("who", "its", "status"), [("The depots", "their", "active"), ("We", "our", "draft")]
)
def test_what_the_makers_mean_to_do_is_a_draft(who: str, its: str, status: str) -> None:
    said = f"{who} should keep the labels of all parcels in a store of {its} own."
    text = f"# DepotServer\n\n## Storage\n\n{said}\n"
    (atom,) = extract(a_chunk(text, "docs/design/storage.md"))
    assert (atom.kind, atom.proposed_status) == ("requirement", status)


def test_a_need_of_a_record_is_one_whichever_word_says_it() -> None:
    said = "The DepotServer needs to keep the labels of all parcels in a store of its own."
    text = f"# 7. Depot protocol\n\n## Sealing\n\n{said}\n"
    (atom,) = extract(a_chunk(text, "docs/adr/0007-protocol.md"))
    assert (atom.kind, atom.proposed_status) == ("requirement", "active")


@pytest.mark.parametrize(("heading", "status"), [("Risks", "active"), ("Storage", "draft")])
def test_a_risk_that_only_its_wording_tells_is_a_draft(heading: str, status: str) -> None:
    said = (
        "DepotServer instances that are restarted while clients write can lose data, because the "
        "DepotServer keeps labels in memory by default."
    )
    text = f"# Depots\n\n## {heading}\n\n{said}\n"
    (atom,) = extract(a_chunk(text, "docs/design/storage.md"))
    assert (atom.kind, atom.proposed_status) == ("risk", status)


@pytest.mark.parametrize(("box", "status"), [("[ ] ", "active"), ("", "draft")])
def test_a_task_without_a_box_is_a_draft(box: str, status: str) -> None:
    said = f"- {box}Support sealed lanes in the LabelPrinter of each depot"
    text = f"# Depot protocol\n\n## Next steps\n\n{said}\n"
    (atom,) = extract(a_chunk(text, "docs/protocol.md"))
    assert (atom.kind, atom.proposed_status) == ("action_item", status)


def test_what_is_no_goal_is_a_draft() -> None:
    said = "- Move the labels of all closed parcels into a store of their own"
    text = f"# 7. Depot protocol\n\n## Non-goals\n\n{said}\n"
    (atom,) = extract(a_chunk(text, "docs/adr/0007-protocol.md"))
    assert atom.attributes["scope"] == "out"
    assert atom.proposed_status == "draft"


@pytest.mark.parametrize(
    "said",
    [
        "When doing so, the DepotServer must keep the labels of all parcels in a store of its own.",
        "The DepotServer must keep the label of each parcel as seen in the Sealing labels section.",
        "In the corresponding response the DepotServer must name the label of every sealed parcel.",
    ],
)
def test_a_statement_that_continues_the_text_before_it_is_a_draft(said: str) -> None:
    text = f"# Depot protocol\n\n## Sealing\n\n{said}\n"
    atoms = extract(a_chunk(text, "docs/protocol.md"))
    assert all(it.proposed_status == "draft" for it in atoms if it.kind != "entity")


def test_a_need_that_was_cut_off_is_doubted() -> None:
    read = ", ".join(
        f"the labels of the parcels of lane {at} are read by the DepotServer of depot {at}"
        for at in range(5)
    )
    told = "DepotServer allows access to each sealed lane, and clients can configure by default"
    need = "for them clients must keep all labels of the store"
    text = f"# Depots\n\n## Lanes\n\n{told} that {read}; {need}.\n"
    (atom,) = [it for it in extract(a_chunk(text, "docs/x.md")) if it.kind == "requirement"]
    assert ("must" in atom.title, atom.proposed_status) == (False, "draft")


@pytest.mark.parametrize(
    ("heading", "said", "status"),
    [
        ("Next steps", "LabelPrinter should support sealed lanes in each depot", "active"),
        ("Lanes", "Support sealed lanes in the LabelPrinter of each depot", "active"),
        ("Lanes", "LabelPrinter should support sealed lanes in each depot", "draft"),
    ],
)
def test_a_box_that_asks_for_nothing_is_no_task(heading: str, said: str, status: str) -> None:
    text = f"# Depot protocol\n\n## {heading}\n\n- [ ] {said}\n"
    (atom,) = extract(a_chunk(text, "docs/protocol.md"))
    assert (atom.kind, atom.proposed_status) == ("action_item", status)


def test_a_list_to_be_checked_each_time_holds_no_tasks() -> None:
    said = "- [ ] Support sealed lanes in the LabelPrinter of each depot"
    assert extract(a_chunk(f"# Checklist for every lane\n\n{said}\n", "docs/lanes.md")) == []


@pytest.mark.parametrize(
    ("said", "root", "status"),
    [
        ("Apache Depot is a platform that keeps the labels of parcels.", "apache/lanes", "draft"),
        ("Apache Depot is a platform that keeps the labels of parcels.", "apache/depot", "active"),
        ("A Depot is a platform that keeps the labels of parcels.", "", "draft"),
        ("The Depot is a platform that keeps the labels of parcels.", "", "active"),
    ],
)
def test_an_entity_is_one_of_this_project(said: str, root: str, status: str) -> None:
    atoms = extract(a_chunk(f"# Lanes\n\n{said}\n", "docs/lanes.md", root=root))
    (entity,) = [it for it in atoms if it.kind == "entity"]
    assert entity.proposed_status == status


def test_a_group_of_things_is_no_team() -> None:
    said = "A Lane Depot is a storage group that keeps the labels of parcels."
    atoms = extract(a_chunk(f"# Lanes\n\n{said}\n", "docs/lanes.md"))
    assert [it for it in atoms if it.kind == "entity"] == []


def test_a_line_that_ends_without_a_mark_before_a_new_sentence_is_not_told_with_it() -> None:
    text = (
        "# Lanes\n\nThe DepotServer stores the label of each parcel every hour\n"
        "In the LaneServer, fetches parcels that have waited for a day.\n"
    )
    assert [it for it in extract(a_chunk(text, "docs/lanes.md")) if it.confidence > LIKELY] == []


def test_a_need_to_be_adjusted_that_does_not_say_how_and_a_step_of_coding_are_doubted() -> None:
    def confidence(said: str) -> float:
        chunk = a_chunk(f"{said}\n", "docs/adr/7-lanes.md", headings=("Lanes", "Labels"))
        (need,) = extract(chunk)
        return need.confidence

    how = " to the names of all lanes"
    said = "The LabelPrinter class of the DepotServer needs to be adjusted"
    assert confidence(f"{said}.") < confidence(f"{said}{how}.")
    step = "The {} of the DepotServer class needs to initialise the labels of all lanes."
    assert confidence(step.format("constructor")) < confidence(step.format("protocol"))
