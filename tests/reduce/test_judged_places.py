"""What people's judgements, learnt as weights, say of where a statement stands in the PRD."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streams.reduce.prd.judged_places import NOWHERE, judge_places, load_model
from streams.reduce.prd.placement import places
from streams.reduce.prd.signs import signs_of
from streams.reduce.texts.sections import PLANS
from tests.reduce.ledgers import a_requirement, a_row, an_atom, prd_of, texts


def own_of(atom: Any, *headings: str, line: int = 8) -> str:
    fits = judge_places(atom, [a_row(atom, headings, line)])
    return fits.own.section_id if fits.own else ""


def test_the_weights_know_every_section_and_nowhere():
    assert set(load_model().sections.labels) == {*PLANS, NOWHERE}


def test_what_introduces_the_product_and_what_a_record_decides_stand_in_their_sections():
    purpose = an_atom(
        "claim",
        "Relay is a service that helps small depots send crates abroad",
        attributes={"origin": "readme", "about": "project"},
    )
    decision = an_atom(
        "decision",
        "We will keep the crates of both depots in one database",
        attributes={"origin": "record", "document_status": "accepted"},
    )

    assert own_of(purpose, "Relay") == "problem"
    assert own_of(decision, "One database", "Decision", line=20) == "architecture_decisions"


def test_what_tells_its_reader_how_to_work_on_the_product_stands_nowhere():
    text = "You run the tests of the depot with the command in the folder tools"
    told = an_atom("claim", text, attributes={"origin": "development"})
    fits = judge_places(told, [a_row(told, ("Contributing", "Run the tests"), 60)])

    assert (fits.own, fits.others) == (None, ())


def test_nobody_has_decided_what_a_document_only_proposes():
    text = "We will keep the crates of both depots in one database"
    proposed = an_atom(
        "decision", text, attributes={"origin": "record", "document_status": "proposed"}
    )
    fits = judge_places(proposed, [a_row(proposed, ("One database", "Decision"), 20)])

    assert fits.own is None
    assert "architecture_decisions" not in {fit.section_id for fit in fits.others}


def test_a_document_that_would_say_next_to_nothing_takes_what_rules_alone_place():
    few = [
        a_requirement(f"Every {one} crate must be sealed", attributes={"origin": "doc"})
        for one in ("red", "green")
    ]

    assert own_of(few[0]) == ""
    assert len(texts(prd_of(*few), "functional_requirements")) == 2


def test_what_a_person_has_verified_stands_where_the_rules_say():
    text = "You run the tests of the depot with the command in the folder tools"
    told = an_atom("requirement", text, attributes={"origin": "development"}, verified_by="ana")

    assert own_of(told, "Contributing", "Run the tests") == "functional_requirements"


def test_of_documents_of_which_nothing_was_judged_the_rules_place_what_they_say():
    said = a_requirement("Every crate must be sealed", attributes={"origin": "talk"})
    by_rules = places(said, [a_row(said, (), 3)])

    assert own_of(said, line=3) == (by_rules.own.section_id if by_rules.own else "")


@given(text=st.text(min_size=1, max_size=80), heading=st.text(max_size=40))
def test_any_text_under_any_heading_has_signs_and_a_place_or_none(text: str, heading: str):
    atom = an_atom("claim", text, name="any", attributes={"origin": "readme"})
    rows = [a_row(atom, (heading,), 3)]

    assert signs_of(atom, rows, places(atom, rows))
    judge_places(atom, rows)
