"""The reviser by rule takes out and reorders, in failing sections alone."""

from __future__ import annotations

from schemas.events.artifact_sections import Section
from schemas.events.ledger import AtomRecord
from schemas.quality_gate import list_failing_sections
from streams.reduce.artifacts.items import section_of
from streams.reduce.artifacts.section_text import replace_statements
from streams.reduce.artifacts.validator import errors, validate
from streams.reduce.prd.gate import evaluate
from streams.reduce.prd.revision import list_removals, revise
from streams.reduce.texts.inputs import Grounds, Pick, SectionInput
from streams.reduce.texts.sections import SHOWN
from streams.reduce.texts.wording import write_section
from tests.reduce.ledgers import a_requirement

PLACES = ("north", "south", "east", "west", "quay", "yard", "tower", "mill", "ferry", "bridge")
SURE = [a_requirement(f"The relay must seal every crate of the {place} gate") for place in PLACES]
OTHERS = [a_requirement(f"Each {place} depot must count its pallets daily") for place in PLACES]


def section(section_id: str, atoms: list[AtomRecord]) -> Section:
    given = SectionInput(section_id=section_id, picks=[Pick(atoms=[one]) for one in atoms])
    return section_of(given, write_section("art_1", given, []), "Title")


def draft(atom: AtomRecord) -> AtomRecord:
    return atom.model_copy(update={"status": "draft"})


def texts(section: Section) -> list[str]:
    return [one.text for one in section.statements]


def different(count: int) -> list[AtomRecord]:
    """Statements that share few words."""
    said = (
        "Couriers must sign each receipt",
        "The scanner reads barcodes without light",
        "Invoices are kept for seven years",
        "Customs officers approve every export form",
        "Drivers must see their route offline",
        "A refund needs two approvals",
        "Warehouse doors open by badge only",
        "Temperature of vaccines is logged hourly",
        "Lost parcels are reported within a day",
        "Postal codes are validated per country",
        "Managers export monthly totals as spreadsheets",
        "Damaged labels are printed again",
    )
    return [a_requirement(one) for one in said[:count]]


def test_what_repeats_or_is_vague_is_taken_out_and_nothing_is_reworded():
    good, *_ = different(1)
    again = a_requirement("Couriers must sign each single receipt")
    vague = draft(a_requirement("Deliveries are simple and various things"))
    before = section("goals", [good, vague, again])
    grounds = Grounds([good, vague, again])

    (after,) = revise([before], ["goals"], grounds)

    assert texts(after) == ["Couriers must sign each receipt."]
    assert after.statements[0] == before.statements[0]
    assert after.content_hash != before.content_hash
    assert after.input_hash == before.input_hash
    removals = list_removals([before], [after])
    assert [(one.section_id, one.atom_ids, one.reason) for one in removals] == [
        ("goals", [vague.atom_id], "draft_and_vague"),
        ("goals", [again.atom_id], "repeats_another"),
    ]


def test_a_statement_that_a_model_words_anew_is_not_told_as_taken_out():
    kept, left_out = different(2)
    before = section("goals", [kept, left_out])
    worded = before.statements[0].model_copy(update={"text": "Each receipt is signed."})
    after = replace_statements(before.model_copy(update={"engine": "model"}), [worded])

    (removal,) = list_removals([before], [after])

    assert (removal.atom_ids, removal.reason) == ([left_out.atom_id], "removed_by_model")


def test_what_a_person_has_edited_is_left_as_it_is():
    good, *_ = different(1)
    vague = draft(a_requirement("Deliveries are simple and various things"))
    edited = section("goals", [good, vague]).model_copy(update={"state": "edited"})
    made = section("users", [good, vague])

    after = revise([edited, made], ["goals", "users"], Grounds([good, vague]))

    assert after[0] == edited
    assert texts(after[1]) != texts(made)


def test_what_is_sure_stays_though_it_is_vague():
    vague = a_requirement("Deliveries are simple and various things")
    before = section("goals", [vague, *different(2)])

    assert revise([before], ["goals"], Grounds([vague, *different(2)])) == [before]


def test_what_is_vague_is_held_back_where_better_takes_its_place():
    vague = draft(a_requirement("Deliveries are simple and various things"))
    atoms = [vague, *different(12)]
    before = section("functional_requirements", atoms)

    (after,) = revise([before], ["functional_requirements"], Grounds(atoms))

    assert len(after.statements) == len(before.statements)
    assert after.statements[-1].citations[0].atom_id != before.statements[0].citations[0].atom_id
    place = [one.citations[0].atom_id for one in after.statements].index(vague.atom_id)
    assert place >= SHOWN


def test_what_is_sure_comes_up_from_what_the_section_holds_back():
    atoms = different(12)
    atoms = [draft(one) if at < 4 else one for at, one in enumerate(atoms)]
    before = section("functional_requirements", atoms)

    (after,) = revise([before], ["functional_requirements"], Grounds(atoms))

    shown = [one.citations[0].atom_id for one in after.statements[:SHOWN]]
    assert len(after.statements) == len(before.statements), "a draft that is clear stays"
    assert {one.atom_id for one in atoms[4:]} <= set(shown)
    assert shown == [one.atom_id for one in (*atoms[:2], *atoms[4:])], "their order is kept"


def test_a_section_that_does_not_fail_keeps_its_bytes():
    atoms = [a_requirement("Deliveries are simple and various things")]
    sections = [section("goals", atoms), section("scope", atoms)]

    goals, scope = revise(sections, ["scope"], Grounds(atoms))

    assert goals is sections[0]
    assert scope == sections[1], "it keeps one statement at least"


def test_what_a_section_before_it_says_is_not_said_again():
    (atom,) = different(1)
    other = a_requirement("A refund needs two approvals")
    sections = [section("goals", [atom]), section("scope", [atom, other])]

    _, scope = revise(sections, ["scope"], Grounds([atom, other]))

    assert texts(scope) == ["A refund needs two approvals."]


def test_drafts_alone_are_not_made_better():
    atoms = [draft(one) for one in different(5)]
    before = [section("goals", atoms)]

    assert revise(before, ["goals"], Grounds(atoms)) == before


def test_a_revision_passes_the_validator_and_scores_higher():
    atoms = different(12)
    atoms = [draft(one) if at < 5 else one for at, one in enumerate(atoms)]
    before = [section("functional_requirements", atoms)]
    grounds = Grounds(atoms)
    scores = evaluate("full", before, grounds)

    after = revise(before, list_failing_sections(scores), grounds)

    assert errors(validate(after, grounds, "deep")) == []
    assert evaluate("full", after, grounds)[0].evidence_coverage > scores[0].evidence_coverage
