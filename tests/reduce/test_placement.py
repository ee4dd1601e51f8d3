"""Which section an atom stands in: by its kind and marks, its headings, its words, its document."""

from __future__ import annotations

from typing import Any

import pytest

from streams.headings import NOWHERE, find_heading
from streams.lexicons import read_lexicons
from streams.reduce.prd.placement import places
from streams.reduce.prd.selection import Atoms, ProjectShortlist, select
from streams.reduce.texts.vocabulary import find_wordings
from tests.reduce.ledgers import a_requirement, a_row, an_atom, prd_of, texts


def sections_of(atom: Any, *headings: str, line: int = 90) -> list[str]:
    """The section of its own and those that may take it, found under these headings."""
    fits = places(atom, [a_row(atom, headings, line)])
    own = [fits.own] if fits.own else []
    return [one.section_id for one in (*own, *fits.others)]


def first_of(kind: str, text: str, *headings: str, origin: str = "doc", **more: Any) -> str:
    line = more.pop("line", 90)
    given = {"origin": origin} | more.pop("attributes", {})
    found = sections_of(an_atom(kind, text, attributes=given, **more), *headings, line=line)
    return found[0] if found else ""


@pytest.mark.parametrize(
    "entry", read_lexicons("placement")["heading"].entries, ids=lambda it: it.id
)
def test_a_heading_of_the_table_announces_its_section(entry):
    assert find_heading(entry.example) == entry.fields["of"]


@pytest.mark.parametrize(
    "entry", read_lexicons("placement")["wording"].entries, ids=lambda it: it.id
)
def test_a_wording_of_the_table_is_found_where_it_stands(entry):
    assert entry.fields["of"] in find_wordings(entry.example)


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("2.1 Success metrics", "success_metrics"),
        ("Who is it for?", "users"),
        ("Why a relay", "problem"),
        ("Known limitations", "scope"),
        ("Service level objectives", "non_functional_requirements"),
        ("Key features", "functional_requirements"),
        ("Alternatives considered", NOWHERE),
        ("Depots of the north", ""),
    ],
)
def test_synonyms_of_a_section_are_its_headings(heading: str, section: str):
    assert find_heading(heading) == section


@pytest.mark.parametrize(
    ("kind", "text", "headings", "section"),
    [
        ("claim", "Sending abroad means dealing with customs in all countries", (), "problem"),
        ("claim", "Our ambition is to be the easiest way to send a crate", ("About",), "goals"),
        ("claim", "The relay supports weekly deliveries", ("Features",), "functional_requirements"),
        ("claim", "Small companies want a price that they can predict", ("Why",), "users"),
    ],
)  # fmt: skip
def test_what_introduces_the_product_tells_its_problem_goals_users_and_abilities(
    kind: str, text: str, headings: tuple[str, ...], section: str
):
    assert first_of(kind, text, "Relay", *headings, origin="readme", line=8) == section


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("requirement", "Each pull request must name the depot that it is about"),
        ("requirement", "Run the relay with a clean folder before the first delivery"),
        ("claim", "It is kept for thirty days in the archive of the depot"),
        ("claim", "Crates are sealed as shown in the following table"),
        ("claim", "The relay_mode flag determines the order of the deliveries"),
        ("claim", "Crane is a protocol for lifting crates between depots"),
        ("decision", "We propose to keep the orders in a durable queue"),
        ("action_item", "Ask the porters of the northern depot"),
    ],
)
def test_what_speaks_of_the_work_or_cannot_stand_alone_stands_nowhere(kind: str, text: str):
    assert first_of(kind, text) == ""


@pytest.mark.parametrize("origin", ["agent", "manual", "translation", "changelog", "manifest"])
def test_documents_that_do_not_speak_for_the_product_give_nothing(origin: str):
    assert first_of("requirement", "The relay must keep every order", origin=origin) == ""
    assert first_of("requirement", "The relay must keep every order") == "functional_requirements"


def test_what_a_guide_tells_its_reader_is_no_requirement_but_a_plan_has_some():
    assert first_of("requirement", "The relay must keep every order", origin="guide") == ""
    text, goals = "The relay must keep every order", ("Relay", "Goals")
    assert first_of("requirement", text, *goals, origin="plan") == "functional_requirements"
    assert first_of("requirement", text, *goals, origin="readme") == "goals"


def test_a_decision_of_a_record_that_is_only_proposed_is_no_decision():
    chosen = {"document_status": "accepted"}
    proposed = {"document_status": "proposed"}
    text = "Orders are kept in a durable queue"

    assert first_of("decision", text, attributes=chosen) == "architecture_decisions"
    assert first_of("decision", text, attributes=proposed) == ""


def test_a_question_that_a_document_asks_and_answers_is_not_open():
    asked = "Which depots does the relay serve?"

    assert first_of("unknown", asked, "Guide", asked, origin="overview") == ""
    assert first_of("unknown", asked, "Guide") == ""
    assert first_of("unknown", asked, "Open questions") == "open_questions"
    assert first_of("unknown", asked, "Sealing", origin="architecture") == "open_questions"


def test_a_limit_of_use_is_scope_and_no_risk():
    assert first_of("risk", "Glass crates are not supported", "Limitations") == "scope"
    assert first_of("risk", "An outage of the queue stops all deliveries") == "risks"


def test_scope_lists_go_to_scope_the_product_s_own_before_that_of_one_design():
    own = an_atom("claim", "Weekly deliveries", attributes={"scope": "in", "origin": "readme"})
    out = a_requirement("Live animals", attributes={"scope": "out", "origin": "readme"})
    designs = [
        a_requirement(f"Sealing of {one} crates", attributes={"scope": "out", "origin": "record"},
                      source=f"src_{one}")
        for one in ("red", "green", "blue", "white", "grey", "black")
        + ("pink", "brown", "lilac", "orange", "silver", "golden")
    ]  # fmt: skip

    said = texts(prd_of(out, own, *designs), "scope")

    assert said[:2] == ["In scope: Weekly deliveries.", "Out of scope: Live animals."]
    assert len(said) == 14


def test_what_denies_something_itself_is_not_denied_twice():
    atom = a_requirement("No appeal against a held crate", attributes={"scope": "out"})

    assert texts(prd_of(atom), "scope") == ["No appeal against a held crate."]


def test_the_problem_of_a_design_fills_a_section_that_is_short():
    told = an_atom(
        "claim", "Every depot counts its crates by hand today", attributes={"origin": "record"}
    )
    assert "problem" in sections_of(told, "Counting crates", "Motivation")
    assert sections_of(told, "Counting crates", "Motivation")[0] == "problem"
    assert "problem" not in sections_of(told, "Counting crates")


def test_a_decision_in_a_document_on_development_may_stand():
    assert (
        first_of(
            "decision", "We chose to generate the client from the interface", origin="development"
        )
        == "architecture_decisions"
    )
    assert first_of("claim", "The client is generated from it", origin="development") == ""


def test_what_is_normative_counts_more():
    must = a_requirement("The relay MUST seal every crate", attributes={"origin": "doc"})
    may = a_requirement("The relay needs to seal every crate", attributes={"origin": "doc"})
    fits = [places(one, [a_row(one, (), 90)]).own for one in (must, may)]
    assert fits[0] and fits[1] and fits[0].fit > fits[1].fit


def test_what_a_person_vouches_for_is_not_left_out():
    proposed = {"origin": "record", "document_status": "proposed"}
    decision = an_atom("decision", "The relay uses two seals", attributes=proposed)
    assert sections_of(decision) == []
    verified = decision.model_copy(update={"verified_by": "ana"})
    assert sections_of(verified) == ["architecture_decisions"]


@pytest.mark.parametrize(
    ("kind", "text", "heading", "section"),
    [
        ("decision", "Parcels are weighed twice", "Decisions", "architecture_decisions"),
        ("decision", "We agreed to weigh parcels twice", "Scales", "architecture_decisions"),
        ("claim", "Scales are checked on Mondays", "What we agreed", "architecture_decisions"),
        ("claim", "Only two porters can read the scales", "Risks", "risks"),
        ("unknown", "Who checks the scales in August?", "Open questions", "open_questions"),
        ("requirement", "Each parcel must be weighed twice", "Scales", "functional_requirements"),
    ],
)
def test_minutes_tell_what_was_agreed_asked_and_feared(kind, text, heading, section):
    assert first_of(kind, text, heading, origin="minutes") == section


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("claim", "The scales provide a second display for porters"),
        ("decision", "Maria, different scales for different parcels"),
        ("requirement", "karl: need to support both scales"),
        ("domain_signal", "Porters struggle with the scales"),
    ],
)
def test_what_was_said_in_passing_in_minutes_stands_nowhere(kind: str, text: str):
    assert first_of(kind, text, "Scales", origin="minutes") == ""


def test_research_tells_of_users_and_makes_no_requirements():
    needs = "Porters say that customers want a receipt by mail"

    assert first_of("domain_signal", needs, "What we heard", origin="research") == "users"
    assert first_of("requirement", "Find out how porters weigh", "Goals", origin="research") == ""


def test_what_nobody_has_agreed_to_fills_a_section_that_is_short():
    atom = a_requirement(
        "The relay must sign every order", attributes={"document_status": "proposed"}
    )

    assert places(atom).own is None
    assert sections_of(atom) == ["functional_requirements"]


def test_headings_inside_a_short_document_count_as_those_over_its_chunk():
    told = an_atom(
        "decision",
        "Parcels are weighed twice",
        attributes={"origin": "minutes", "under": "Depot\nDecisions"},
    )

    assert sections_of(told, "Depot meeting")[0] == "architecture_decisions"


def test_who_is_spoken_of_comes_first_in_a_line_about_users():
    spoken = "Many volunteers want to see the day of the last check"
    beside = "The research repository holds what users need"

    assert first_of("claim", spoken, "Depot") == "users"
    assert first_of("claim", beside, "Depot") != "users"


def test_the_goals_that_a_readme_lists_are_goals():
    attributes = {"scope": "in", "origin": "readme"}
    aim = a_requirement("A porter hands out a parcel in two minutes", attributes=attributes)

    assert sections_of(aim, "Depot", "Goals")[0] == "goals"


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("Depot Benefits helps drivers of all depots find their lane", "problem"),
        ("Our depot application makes it easy to find a lane", "problem"),
        ("Depot Benefits will be a shared service allowing staff to send crates", "problem"),
    ],
)
def test_what_a_product_does_for_somebody_is_its_purpose_whatever_its_title_announces(
    text: str, section: str
):
    attributes = {"origin": "readme", "about": "project"}
    told = an_atom("claim", text, attributes=attributes)

    assert sections_of(told, "Depot Benefits", line=6)[0] == section


def test_a_thing_with_risk_in_its_name_is_none_and_neither_is_what_guards_against_one():
    index = an_atom("claim", "The index counts depots in each county", attributes={"origin": "doc"})
    guard = "A watchman immediately notifies the team of attacks"

    assert "risks" not in sections_of(index, "Depot Risk Index")
    assert sections_of(index, "Risks and mitigations") == ["risks"]
    assert first_of("risk", guard, "Watch") != "risks"
    assert first_of("risk", "The depot will be a shared yard at little cost") != "risks"
    for harm in (
        "A leaked key allows anybody to open every depot",
        "Vendor lock-in is a danger that can stop all deliveries",
    ):
        assert first_of("risk", harm, severity="high") == "risks"


@pytest.mark.parametrize(
    "text",
    [
        "View the plan of the depot online",
        "Request an introductory call with the depot",
        "We've developed a stakeholder map of the depot",
        "Summary of what we agreed about the seals",
    ],
)
def test_what_asks_the_reader_or_speaks_of_the_papers_stands_nowhere(text: str):
    assert first_of("claim", text, "Depot", "Features", origin="readme") == ""


def test_a_plan_says_what_people_and_the_product_will_do():
    for text in ("Users will receive a receipt by mail", "The app sends a receipt by mail"):
        assert first_of("claim", text, "Release 2", origin="plan") == "functional_requirements"


def test_how_research_was_done_is_no_need_of_users():
    found = "Customers struggle to find the lane of their crate"

    assert first_of("claim", found, "Users", origin="research") == "users"
    assert first_of("claim", "We interviewed three customers", "Users", origin="research") == ""


@pytest.mark.parametrize("text", ["Some views that two seals help", "Two seals may be too many"])
def test_what_somebody_only_thinks_is_not_agreed(text: str):
    assert first_of("claim", text, "What we agreed", origin="minutes") == ""


def test_what_neither_asks_nor_says_that_it_is_open_is_no_open_question():
    said = "An example of a lane is the one for glass"

    assert first_of("unknown", said, "Lanes", origin="architecture") == ""
    assert first_of("unknown", said, "Open questions") == "open_questions"


def test_the_same_statement_of_two_documents_is_printed_once_and_cites_both():
    statement = "the customer no longer needs cash to pay for the crates of a lane"
    twice = [
        an_atom(
            "claim",
            f"{name}: {statement}",
            attributes={"origin": "product", "within": name},
            source=f"src_{name}",
        )
        for name in ("Veterans", "Seniors")
    ]
    (shown,) = (
        one
        for section in prd_of(*twice).snapshot.sections
        for one in section.statements
        if "cash" in one.text
    )

    assert {it.atom_id for it in shown.citations} == {it.atom_id for it in twice}


def test_a_section_that_documents_have_headings_for_takes_more_of_what_fits_it_second():
    told = [
        an_atom(
            "claim",
            f"Every {one} depot counts its crates by hand today",
            attributes={"origin": "record"},
            source=f"src_{one}",
        )
        for one in ("red", "green", "blue", "white", "grey", "black", "pink", "brown", "lilac")
    ]

    shortlist = ProjectShortlist()
    for atom in told:
        shortlist.put(atom, [a_row(atom, ("Counting crates", "Motivation"))])
    table = {f"prj|{atom.atom_id}": atom for atom in told}
    sections = {it.section_id: it.picks for it in select(shortlist, Atoms(table, "prj"))}

    assert len(sections["problem"]) == 8


def test_the_goal_of_the_product_is_told_wherever_a_document_tells_it():
    for text in (
        "Our primary goal at Depot is to lose no crate",
        "The goal of the depot team is to lose no crate",
    ):
        assert first_of("claim", text, "Context", origin="product") == "goals"
