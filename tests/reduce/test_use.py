"""How likely a reader would print a statement in a PRD, and what the document makes of it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streams.reduce.prd.placement import places
from streams.reduce.prd.selection import Atoms, ProjectShortlist, select
from streams.reduce.prd.signs import signs_of
from streams.reduce.prd.use import UNJUDGED, VOUCHED, WORTH_PRINTING, load_model, use_of
from tests.reduce.ledgers import a_requirement, a_row, an_atom


def use(atom: Any, *headings: str, line: int = 8) -> float:
    rows = [a_row(atom, headings, line)]
    return use_of(atom, rows, places(atom, rows))


def hardly_printed(name: str) -> Any:
    text = f"You need to run the tests of the {name} depot with the command in the folder tools"
    return a_requirement(text, attributes={"origin": "part"}, source=f"src_{name}")


HOW_TO = ("Depots", "Contributing", "Setup", "Run the tests")


def test_what_introduces_the_product_is_likelier_printed_than_how_to_work_on_it():
    purpose = an_atom(
        "claim",
        "Relay is a service that helps small depots send crates abroad",
        attributes={"origin": "readme", "about": "project"},
    )

    assert use(purpose, "Relay") > 0.5
    assert use(hardly_printed("red"), *HOW_TO, line=80) < WORTH_PRINTING


def test_what_a_person_has_verified_is_printed_first_and_the_unjudged_counts_as_others_do():
    verified = hardly_printed("red").model_copy(update={"verified_by": "ana"})
    talk = a_requirement("Every crate must be sealed", attributes={"origin": "talk"})

    assert use(verified, *HOW_TO, line=80) == VOUCHED
    assert "talk" not in load_model().origins
    assert use(talk) == UNJUDGED


def sealed(name: str) -> Any:
    return a_requirement(f"Every {name} crate must be sealed", attributes={"origin": "product"})


def select_found(*found: tuple[Any, tuple[str, ...]]) -> tuple[ProjectShortlist, list[Any]]:
    """The shortlist of these atoms under these headings, and the functional requirements."""
    shortlist = ProjectShortlist()
    for atom, headings in found:
        shortlist.put(atom, [a_row(atom, headings, 30)])
    table = {f"prj|{atom.atom_id}": atom for atom, _ in found}
    picks = {it.section_id: it.picks for it in select(shortlist, Atoms(table, "prj"))}
    return shortlist, [it.lead.atom_id for it in picks["functional_requirements"]]


def test_a_section_stands_in_the_order_in_which_a_reader_would_print_it():
    headings = [("Relay",), ("Relay", "Goals"), ("Relay", "Requirements")]
    atoms = [sealed(one) for one in ("red", "green", "blue")]
    shortlist, printed = select_found(*zip(atoms, headings, strict=True))
    uses = [shortlist.use.get(it, 0.0) for it in printed]

    assert len(uses) > 1
    assert uses == sorted(uses, reverse=True) and uses[0] > uses[-1]


def test_a_document_that_would_say_next_to_nothing_takes_what_a_reader_would_hardly_print():
    atoms = [sealed("red"), sealed("green")]
    shortlist, printed = select_found(*((it, ("Relay", "Notes on tests")) for it in atoms))

    assert not shortlist.use
    assert set(printed) == {it.atom_id for it in atoms}


@given(text=st.text(min_size=1, max_size=80), heading=st.text(max_size=40))
def test_any_text_under_any_heading_has_signs_and_a_use(text: str, heading: str):
    atom = an_atom("claim", text, name="any", attributes={"origin": "readme"})
    rows = [a_row(atom, (heading,), 3)]

    assert signs_of(atom, rows, places(atom, rows))
    assert 0.0 <= use_of(atom, rows, places(atom, rows)) <= 1.0
