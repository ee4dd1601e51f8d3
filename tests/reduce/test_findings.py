"""Insights state what several documents say together; none rests on one document alone."""

from __future__ import annotations

from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.ledger import AtomRecord, ContradictionRecord
from tests.reduce.ledgers import Play, a_conflict, a_requirement, an_atom, items_of
from tests.reduce.test_candidates import LABELS, VANS, introducing
from tests.reduce.test_items import cited, ids

DAILY = a_requirement("The audit log must be sealed every day", source="src_a")
WEEKLY = a_requirement("The audit log must be sealed every week", source="src_b")
SAME = an_atom("claim", "Sealed audit logs are kept in the vault of the depot", source="src_a")
AGAIN = an_atom("claim", "Sealed audit logs stay in the vault of a depot", source="src_b")
ASKED = an_atom("unknown", "Where are audit logs kept when a vault is full?", source="src_a")
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


def test_what_two_documents_say_in_words_of_their_own_is_agreed():
    ((title, one),) = insights(SAME, AGAIN).items()

    assert title.startswith("Two documents agree: ")
    assert cited(one) == ids(SAME, AGAIN)


def test_what_one_document_says_twice_is_no_insight():
    alone = AGAIN.model_copy(update={key: getattr(SAME, key) for key in PROVENANCES})

    assert insights(SAME, alone) == {}


PROVENANCES = ("first_provenance", "latest_provenance")


def test_a_question_that_another_document_answers_says_so():
    ((title, one),) = insights(ASKED, TOLD).items()

    assert (
        title == "A question is answered elsewhere: where are audit logs kept when a vault is full?"
    )
    assert cited(one) == ids(ASKED, TOLD)


def test_a_risk_of_a_feature_in_another_document_is_one_for_the_feature():
    risk = an_atom(
        "risk",
        "Label printing stops when the ink is frozen",
        source="src_other",
        impact="vans wait",
    )
    ((title, one),) = insights(LABELS, risk).items()

    assert title.startswith("Another document sees a risk for Label printing: ")
    assert cited(one) == ids(LABELS, risk)
    assert (
        insights(LABELS, risk.model_copy(update={k: getattr(LABELS, k) for k in PROVENANCES})) == {}
    )


def test_what_is_planned_and_missed_today_or_wished_for_is_found():
    missing = an_atom(
        "claim", "Van plans are not supported by the depot", source="src_b", polarity="negate"
    )
    wish = an_atom("domain_signal", "Drivers ask for van plans before noon", source="src_c")
    found = insights(VANS, missing, wish)

    assert set(found) == {
        "Van plans is planned, and another document says what is missing today",
        "Van plans is planned, and users ask for it",
    }
    done = introducing("Van plans", "Van plans tell who drives where on a day")
    assert not any("planned" in title for title in insights(done, missing, wish))


def test_a_thing_that_is_taken_away_while_others_build_on_it_is_a_trend():
    moved = an_atom("decision", "The StockTable is replaced by a ledger", tags=["stocktable"])
    still = [
        an_atom("claim", f"The StockTable is read {when}", source=f"src_{at}", tags=["stocktable"])
        for at, when in enumerate(("at noon by customs", "by billing before the month ends"), 2)
    ]
    found = insights(moved, *still)

    assert (
        "Other documents still build on StockTable: The StockTable is replaced by a ledger" in found
    )
