"""Insights state what documents say together, what nobody decided and what only one voice says."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.ledger import AtomRecord, ContradictionRecord
from tests.reduce.ledgers import Play, a_conflict, a_requirement, an_atom, items_of
from tests.reduce.test_candidates import LABELS, VANS, introducing
from tests.reduce.test_items import cited, ids

DAILY = a_requirement("The audit log must be sealed every day", source="src_a")
WEEKLY = a_requirement("The audit log must be sealed every week", source="src_b")
SAME = an_atom("claim", "Sealed audit logs are kept in the vault of the depot", source="src_a")
AGAIN = an_atom("claim", "Sealed audit logs stay in the vault of a depot", source="src_b")
ASKED = an_atom(
    "unknown",
    "Where are audit logs kept when a vault is full?",
    source="src_a",
    attributes={"origin": "plan"},
)
TOLD = an_atom(
    "decision", "Audit logs are kept in the second vault when one is full", source="src_b"
)


def insights(
    *atoms: AtomRecord, conflict: ContradictionRecord | None = None
) -> dict[str, ArtifactSnapshot]:
    answer = Play().given(atoms, [conflict] if conflict else []).ends()
    return {one.title: one for one in items_of(answer, "insight")}


def test_documents_that_contradict_each_other_disagree():
    found = insights(DAILY, WEEKLY, conflict=a_conflict(DAILY, WEEKLY))
    ((title, one),) = found.items()

    assert title.startswith("Documents disagree whether the audit log must be sealed every ")
    assert one.insight
    assert (one.insight.category, one.insight.cross_source) == ("conflict", True)
    assert cited(one) == ids(DAILY, WEEKLY)


def of(kind: str, title: str, origin: str, **more: Any) -> AtomRecord:
    """A statement of a document of that sort, each in a document of its own."""
    more.setdefault("source", f"src_{title}")
    attributes = {"origin": origin} | more.pop("attributes", {})
    return an_atom(kind, title, attributes=attributes, **more)


def test_documents_of_two_kinds_agree_in_words_of_their_own():
    decided = of("decision", "We will keep sealed audit logs in the vault of each depot", "record")
    told = of("claim", "Sealed audit logs of all vans stay in the vault of a depot", "readme")
    ((title, one),) = insights(decided, told).items()

    assert title.startswith("A decision record and the README agree: ")
    assert cited(one) == ids(decided, told)


def test_documents_of_one_kind_agree_on_nothing():
    assert insights(SAME, AGAIN) == {}


@pytest.mark.parametrize(
    "other",
    [
        "Sealed audit logs are kept in the vault of the depot",
        "Sealed audit logs are kept in the vault of the town",
        "Since May sealed audit logs are kept in the vault of the depot, as the town asked for",
    ],
)
def test_what_is_copied_is_told_as_copied(other: str):
    one = of("claim", "Sealed audit logs are kept in the vault of the depot", "readme", source="a")
    copy = of("claim", other, "product", source="b", name="copy")
    (title,) = insights(one, copy)

    assert title.startswith("The same text stands in two documents: ")


def test_copies_among_documents_of_a_series_are_no_insight():
    minutes = [of("claim", SAME.title, "minutes", source=f"src_{n}", name=f"{n}") for n in "ab"]

    assert insights(*minutes) == {}


def test_things_with_names_of_few_words_are_not_the_same():
    lanes = of("requirement", "Broad night lane support", "plan")
    vans = of("claim", "Broad night van support", "research")

    assert insights(lanes, vans) == {}


def test_what_one_document_says_twice_is_no_insight():
    alone = AGAIN.model_copy(update={key: getattr(SAME, key) for key in PROVENANCES})

    assert insights(SAME, alone) == {}


def test_a_question_of_a_proposal_that_no_document_answers_is_told_as_undecided():
    asked = of("unknown", "How do clerks start a second vault on Sundays without power?", "plan")
    about = of("claim", "The second vault is closed on Sundays", "product")
    ((title, one),) = insights(asked, about).items()

    assert (
        title == "Nobody has decided: How do clerks start a second vault on Sundays without power?"
    )
    assert cited(one) == ids(asked, about)


@pytest.mark.parametrize(
    ("title", "origin"),
    [
        ("Is the order of the fields logical?", "guide"),
        ("Did we keep our promises from the last time?", "minutes"),
        ("How many parcels got lost last year?", "plan"),
        ("Who brings cake to the next meeting?", "minutes"),
        ("Should we make this a thing that clerks do?", "minutes"),
    ],
)
def test_check_lists_and_questions_about_what_was_are_not_undecided(title: str, origin: str):
    assert insights(of("unknown", title, origin)) == {}


def test_what_only_a_meeting_decided_is_told_so():
    decided = of("decision", "Vans of the night shift carry two seals", "minutes", confidence=0.75)
    (title,) = insights(decided)
    known = of("requirement", "Vans of the night shift must carry two seals each", "product")

    assert title.startswith("Said only in the minutes of a meeting: Vans of the night shift")
    assert not any(it.startswith("Said only") for it in insights(decided, known))
    of_meeting = of("decision", "The next meeting is about two seals", "minutes", confidence=0.75)
    assert insights(of_meeting) == {}


def test_what_only_users_ask_for_is_told_so():
    wish = of("domain_signal", "Most customers want to see their parcels on a map", "research")
    (title,) = insights(wish)
    planned = of("requirement", "A map must show customers their parcels", "plan")

    assert title == "Only users ask for it: most customers want to see their parcels on a map"
    assert insights(wish, planned) == {}
    method = of("claim", "We investigated customers, their needs and a map", "research")
    assert insights(method) == {}


def test_a_change_that_a_record_decides_is_told():
    change = of("decision", "We will use labels instead of seals on every parcel", "record")

    assert list(insights(change)) == [
        "A change, decided in a decision record: We will use labels instead of seals on every"
        " parcel"
    ]
    assert insights(change.model_copy(update={"attributes": {"origin": "guide"}})) == {}
    rule = of("decision", "A label is deprecated once it is no longer read by a van", "plan")
    assert insights(rule) == {}


PROVENANCES = ("first_provenance", "latest_provenance")


def test_a_question_that_another_document_answers_says_so():
    ((title, one),) = insights(ASKED, TOLD).items()

    assert (
        title
        == "A question may be answered elsewhere: where are audit logs kept when a vault is full?"
    )
    assert cited(one) == ids(ASKED, TOLD)


def test_a_risk_of_a_feature_in_another_document_is_one_for_the_feature():
    risk = an_atom(
        "risk",
        "Label printing stops when the ink is frozen",
        source="src_other",
        impact="vans wait",
    )
    averted = an_atom(
        "risk",
        "Label printing uses two printers to minimize the risk of frozen ink",
        source="src_third",
        impact="vans wait",
    )
    ((title, one),) = insights(LABELS, risk).items()

    assert title.startswith("Another document sees a risk for Label printing: ")
    assert cited(one) == ids(LABELS, risk)
    assert (
        insights(LABELS, risk.model_copy(update={k: getattr(LABELS, k) for k in PROVENANCES})) == {}
    )
    assert insights(LABELS, averted) == {}


def test_a_question_about_a_feature_is_one_insight():
    asked = of("unknown", "How does label printing go on without power in the depot?", "plan")
    about = of("claim", "Vans without power wait in the depot", "product")
    found = insights(LABELS, asked, about)

    assert [title for title, one in found.items() if ids(asked) & cited(one)] == [
        "Open in another document about Label printing:"
        " how does label printing go on without power in the depot?"
    ]


def test_what_is_planned_and_missed_today_or_wished_for_is_found():
    missing = an_atom(
        "claim", "Van plans are not supported by the depot", source="src_b", polarity="negate"
    )
    wish = an_atom("domain_signal", "Drivers ask for van plans before noon", source="src_c")
    found = insights(VANS, missing, wish)

    assert set(found) == {
        "Van plans is planned, and missing today: van plans are not supported by the depot",
        "Van plans is planned, and users ask for it: drivers ask for van plans before noon",
    }
    done = introducing("Van plans", "Van plans tell who drives where on a day")
    assert not any("planned" in title for title in insights(done, missing, wish))


def test_a_thing_that_is_taken_away_while_others_build_on_it_is_a_trend():
    moved = an_atom(
        "decision",
        "The StockTable is replaced by a ledger",
        tags=["stocktable"],
        attributes={"origin": "record"},
    )
    still = [
        an_atom("claim", f"The StockTable is read {when}", source=f"src_{at}", tags=["stocktable"])
        for at, when in enumerate(("at noon by customs", "by billing before the month ends"), 2)
    ]
    found = insights(moved, *still)

    assert (
        "Other documents still build on StockTable: The StockTable is replaced by a ledger" in found
    )
