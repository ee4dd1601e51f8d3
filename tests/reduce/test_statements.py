"""Whatever the ledger holds, a PRD says nothing that its atoms do not say, and nothing twice."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.areas import AREAS
from schemas.events.atom import KINDS
from schemas.events.ledger import LIVE
from streams.reduce.artifacts.markdown import notes_of
from streams.reduce.artifacts.validator import errors, validate, validate_markdown
from streams.reduce.texts.inputs import Grounds
from streams.reduce.texts.sections import PLANS, SHOWN
from streams.reduce.texts.wording import MAX_STATEMENT
from tests.reduce.ledgers import (
    a_conflict,
    a_requirement,
    an_atom,
    cited,
    prd_of,
    texts,
)
from tests.reduce.test_placement import sections_of

TEXT = """
    The relay `must` store 5 orders within 1.5 s because users need scope; [[atm_0]] goal is not
    a Queue: … *never* risk — outage? p95 90% In out of Größe
"""
GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi"
COLOURS = "red green blue white black grey brown pink orange violet"
WORDS = st.sampled_from(TEXT.split())
TITLES = st.lists(WORDS, min_size=1, max_size=40).map(" ".join) | st.text(min_size=1, max_size=60)
ATTRIBUTES = st.sampled_from(
    [
        {},
        {"requirement_type": "non_functional"},
        {"scope": "out"},
        {"rationale": "users asked 12 times"},
        {"entity_type": "system"},
    ]
)


@st.composite
def ledgers(draw):
    """Some atoms of any kind and status, and contradictions between any of them."""
    atoms = [
        an_atom(
            draw(st.sampled_from(KINDS)),
            draw(TITLES),
            name=f"atom {number}",
            area=draw(st.sampled_from(AREAS)),
            status=draw(st.sampled_from(["active", "active", "draft", "obsolete", "merged"])),
            polarity=draw(st.sampled_from(["affirm", "negate", None])),
            attributes=draw(ATTRIBUTES),
            impact=draw(st.sampled_from([None, "loss of 7 orders"])),
            source=f"src_{draw(st.integers(0, 2))}",
            revision=draw(st.integers(1, 3)),
        )
        for number in range(draw(st.integers(0, 12)))
    ]
    numbers = st.integers(0, max(len(atoms) - 1, 0))
    pairs = draw(st.lists(st.tuples(numbers, numbers), max_size=6 if atoms else 0))
    conflicts = {
        one.contradiction_id: one
        for one in (
            a_conflict(atoms[a], atoms[b], severity=draw(st.sampled_from(["high", "low"])))
            for a, b in pairs
            if a != b
        )
    }
    return atoms, list(conflicts.values())


@settings(max_examples=150)
@given(ledgers())
def test_every_statement_of_any_ledger_cites_live_atoms_and_passes_the_validator(ledger):
    atoms, conflicts = ledger
    answer = prd_of(*atoms, conflicts=conflicts)
    sections = answer.snapshot.sections
    alive = [atom for atom in atoms if atom.status in LIVE]
    live = {atom.atom_id for atom in alive}
    grounds = Grounds(
        alive, [one for one in conflicts if live.issuperset((one.atom_a_id, one.atom_b_id))]
    )

    assert answer.outcome == "published"
    assert errors(validate(sections, grounds, "deep")) == []
    markdown = answer.snapshot.rendered_markdown
    assert (
        errors(validate_markdown(markdown, grounds, "deep", notes=notes_of(sections, SHOWN))) == []
    )
    for section in sections:
        assert len(section.statements) <= PLANS[section.section_id].limit
        for statement in section.statements:
            assert statement.citations
            assert {one.atom_id for one in statement.citations} <= live
            assert len(statement.text) <= MAX_STATEMENT
            assert "\n" not in statement.text


@settings(max_examples=100)
@given(ledgers())
def test_no_atom_leads_two_statements(ledger):
    atoms, conflicts = ledger

    assert max(Counter(cited(prd_of(*atoms, conflicts=conflicts))).values(), default=0) <= 1


def test_two_wordings_of_the_same_are_one_statement_that_cites_both():
    one = a_requirement("The relay must export every order as a signed document")
    two = a_requirement("The relay must export every order as signed document", name="two")

    (statement,) = [
        statement
        for section in prd_of(one, two).snapshot.sections
        for statement in section.statements
    ]

    assert {citation.atom_id for citation in statement.citations} == {one.atom_id, two.atom_id}


def test_wordings_that_differ_in_a_number_stay_two_statements():
    one = a_requirement("The relay must retry a failed delivery for 5 warehouses in parallel")
    two = a_requirement("The relay must retry a failed delivery for 6 warehouses in parallel")

    assert len(texts(prd_of(one, two), "functional_requirements")) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The billing service must notify the parcel service about each order",
         "The parcel service must notify the billing service about each order"),
        ("Orders must be copied from the Oslo depot to the Bergen depot",
         "Orders must be copied from the Bergen depot to the Oslo depot"),
    ],
)  # fmt: skip
def test_wordings_that_exchange_roles_stay_two_statements(one: str, other: str):
    both = prd_of(a_requirement(one), a_requirement(other, name="two"))

    assert len(texts(both, "functional_requirements")) == 2


def test_what_is_excluded_stands_under_scope_as_out_of_scope():
    atom = a_requirement("Payment of warehouses", attributes={"scope": "out"}, polarity="negate")

    assert texts(prd_of(atom), "scope") == ["Out of scope: Payment of warehouses."]


def test_what_says_already_that_it_is_no_goal_is_not_told_so_twice():
    atom = a_requirement(
        "Not a goal of «Payments»: payment of warehouses",
        attributes={"scope": "out"},
        polarity="negate",
    )

    assert texts(prd_of(atom), "scope") == ["Out of scope: Payment of warehouses."]


def test_a_remark_on_how_something_was_measured_describes_no_part_of_the_solution():
    remark = an_atom("claim", "Of other wordings 19 of 19 are right", area="architecture_decisions")
    reached = an_atom("claim", "The relay has a throughput of 900 requests on a quiet machine")

    for heading in ("Measured", "Benchmarks", "Test results"):
        assert sections_of(remark, heading) == []
        assert sections_of(reached, heading) == ["success_metrics"]
    assert sections_of(remark, "Parts")


def test_a_section_spreads_over_sources_and_keeps_to_its_limit():
    loud = [
        a_requirement(f"The relay must answer the {word} request of a warehouse", source="loud")
        for word in GREEK.split()
    ] + [
        a_requirement(f"A warehouse must confirm the {word} delivery of the relay", source="loud")
        for word in COLOURS.split()
    ]
    quiet = a_requirement(
        "Every order must carry the address of its sender", source="quiet", confidence=0.65
    )

    chosen = texts(prd_of(*loud, quiet), "functional_requirements")

    assert len(chosen) == PLANS["functional_requirements"].limit
    assert f"{quiet.title}." in chosen


def test_a_statement_on_drafts_alone_is_provisional():
    draft = a_requirement("The relay must export every order", status="draft")
    active = a_requirement("A warehouse must confirm each delivery")

    provisional = {
        statement.text: statement.provisional
        for section in prd_of(draft, active).snapshot.sections
        for statement in section.statements
    }

    assert provisional == {f"{draft.title}.": True, f"{active.title}.": False}


def test_nothing_is_written_from_what_was_turned_down_or_replaced() -> None:
    told = "The relay must export every order as a signed document"
    for status, written in (("accepted", True), ("proposed", True), ("superseded", False)):
        attributes = {"requirement_type": "functional", "document_status": status}
        answer = prd_of(a_requirement(told, attributes=attributes))
        assert (told in " ".join(text for each in PLANS for text in texts(answer, each))) is written


def test_a_context_is_told_but_for_the_project_s_name_in_its_own_readme():
    told = an_atom("claim", "Relay: users can send orders", attributes={"within": "Relay"})
    own = an_atom(
        "claim",
        "Relay: users can cancel orders",
        name="own",
        attributes={"context": "Relay", "origin": "readme"},
    )

    named = an_atom(
        "claim", "users can print orders", name="named", attributes={"origin": "readme"}
    )
    part = an_atom(
        "claim",
        "Relay, Intake: users can see orders",
        name="part",
        attributes={"context": "Relay, Intake", "origin": "readme"},
    )

    said = texts(prd_of(told, own, named, part), "functional_requirements")
    assert sorted(said) == [
        "Intake: users can see orders.",
        "Relay: users can send orders.",
        "Users can cancel orders.",
        "users can print orders.",
    ]
