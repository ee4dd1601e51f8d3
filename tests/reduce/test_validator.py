"""What rests on no evidence is named with its code and may not be published."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from schemas.events.artifact_sections import Citation, Section, Statement
from schemas.events.ledger import AtomRecord, ContradictionRecord
from streams.reduce.artifacts.validator import validate, validate_markdown
from streams.reduce.texts.inputs import Grounds
from tests.reduce.ledgers import a_conflict, a_requirement, an_atom, atom_id_of

RETRY = a_requirement("The relay must repeat a failed delivery within 5 minutes", revision=3)
NEVER = a_requirement("The relay must never repeat a failed delivery")
CONFLICT = a_conflict(RETRY, NEVER)


def said(
    text: str,
    *atoms: AtomRecord,
    section: str = "functional_requirements",
    revision: int | None = None,
    conflicts: Sequence[ContradictionRecord] = (),
) -> Section:
    """A section with one statement that cites ``atoms``."""
    citations = [
        Citation(atom_id=one.atom_id, atom_revision=revision or one.revision) for one in atoms
    ]
    statement = Statement(
        statement_id="stm_1",
        text=text,
        citations=citations,
        confidence=0.7,
        contradiction_ids=[one.contradiction_id for one in conflicts],
    )
    return Section(
        section_id=section,
        title="Any",
        state="generated",
        statements=[statement],
        content_hash="",
        input_hash="",
    )


def codes(
    section: Section, *atoms: AtomRecord, conflicts: Sequence[ContradictionRecord] = ()
) -> list[str]:
    return [one.code for one in validate([section], Grounds(atoms, conflicts), "deep")]


def test_a_statement_in_the_words_of_its_atom_passes():
    assert codes(said("A failed delivery must be repeated within 5 minutes.", RETRY), RETRY) == []


def test_a_statement_without_citation_is_refused():
    assert codes(said("The relay is fast."), RETRY) == ["uncited_assertion"]


def test_a_cited_atom_must_exist():
    assert codes(said(RETRY.title, RETRY)) == ["unknown_atom"]


@pytest.mark.parametrize("status", ["merged", "superseded", "obsolete", "dismissed"])
def test_a_cited_atom_must_be_live_unless_it_was_included_again(status):
    gone = RETRY.model_copy(update={"status": status})
    section = said(RETRY.title, gone)

    assert codes(section, gone) == ["not_live_atom"]
    assert validate([section], Grounds([gone]), "deep", frozenset([gone.atom_id])) == []


def test_testimony_is_never_cited():
    testimony = RETRY.model_copy(update={"ledger": "tdl"})

    assert codes(said(RETRY.title, testimony), testimony) == ["restricted_atom"]


def test_a_statement_that_shares_no_words_warns_in_preview_and_fails_in_deep():
    section = said("Customers everywhere enjoy blue skies.", RETRY)

    (mild,) = validate([section], Grounds([RETRY]), "preview")
    (hard,) = validate([section], Grounds([RETRY]), "deep")

    assert (mild.code, mild.warning) == ("weak_support", True)
    assert (hard.code, hard.warning) == ("weak_support", False)


def test_one_shared_word_in_five_is_enough():
    assert codes(said("Delivery matters beyond borders today.", RETRY), RETRY) == []


def test_a_number_must_occur_in_a_cited_atom():
    section = said("A failed delivery must be repeated within 15 minutes.", RETRY)

    assert codes(section, RETRY) == ["unsupported_number"]


def test_a_citation_names_the_revision_it_was_written_from():
    assert codes(said(RETRY.title, RETRY, revision=2), RETRY) == ["stale_citation"]


def test_picking_a_side_of_an_open_contradiction_is_refused():
    section = said(RETRY.title, RETRY)

    assert codes(section, RETRY, NEVER, conflicts=[CONFLICT]) == ["contradiction_ignored"]


def test_citing_both_sides_without_naming_both_is_refused():
    section = said("Repeat after 5 minutes.", RETRY, NEVER, conflicts=[CONFLICT])

    assert codes(section, RETRY, NEVER, conflicts=[CONFLICT]) == ["contradiction_ignored"]


def test_naming_both_sides_passes():
    both = f"{RETRY.title}; this conflicts with: {NEVER.title}."
    section = said(both, RETRY, NEVER, conflicts=[CONFLICT])

    assert codes(section, RETRY, NEVER, conflicts=[CONFLICT]) == []


def test_an_open_question_may_stand_on_one_side_when_it_lists_the_contradiction():
    section = said(RETRY.title, RETRY, section="open_questions", conflicts=[CONFLICT])

    assert codes(section, RETRY, NEVER, conflicts=[CONFLICT]) == []


def markdown_codes(text: str, *atoms: AtomRecord, notes: frozenset[str] = frozenset()) -> list[str]:
    return [one.code for one in validate_markdown(text, Grounds(atoms), "deep", notes=notes)]


def test_in_markdown_headings_and_lead_ins_need_no_mark_and_other_lines_do():
    text = f"# Report\n\nDeliveries:\n\n- {RETRY.title} [[{RETRY.atom_id}]]\n"

    assert markdown_codes(text, RETRY) == []
    assert markdown_codes(text + "\nAll is well.\n", RETRY) == ["uncited_assertion"]
    assert (
        markdown_codes(text + "\n_Nothing yet._\n", RETRY, notes=frozenset(["_Nothing yet._"]))
        == []
    )


def test_in_markdown_a_mark_must_name_an_atom_that_says_so():
    unknown = atom_id_of("unknown")
    other = an_atom("claim", "Warehouses open at 9 in the morning")

    assert markdown_codes(f"Repeated within 5 minutes. [[{unknown}]]", RETRY) == ["unknown_atom"]
    assert markdown_codes(f"Repeated often. [[{other.atom_id}]]", other) == ["weak_support"]
