"""What a model is told, and what is read out of its answer."""

from __future__ import annotations

from typing import Any

import pytest

from agents.fence import fence
from agents.synthesis.answers import clean, read_answer, schema_of
from agents.synthesis.order import Order
from agents.synthesis.prompts import begin, describe
from schemas.events.artifact_sections import Section
from schemas.events.ledger import AtomRecord
from tests.reduce.ledgers import ENOUGH, LOSS, prd_of


@pytest.fixture(scope="module")
def order() -> Order:
    snapshot = prd_of(*ENOUGH).snapshot
    sections: list[Section] = [one for one in snapshot.sections if one.statements]
    atoms = {one.atom_id: one for one in ENOUGH}
    return Order("prd", snapshot.artifact_id, snapshot.title, sections, atoms)


def test_the_unchanging_part_of_a_prompt_comes_first(order: Order):
    one = begin(order)
    other = begin(Order("insight", "art_1", "Other", order.sections[:1], order.atoms))

    assert one[0] == other[0]
    assert one[0].role == "system"


def test_every_atom_has_one_number_and_each_section_names_its_own(order: Order):
    numbers = sorted(order.numbered)

    assert numbers == list(range(1, len({*order.numbers}) + 1))
    said = begin(order)[-1].content
    for section in order.sections:
        asked = ", ".join(map(str, order.numbers_of(section)))
        assert f"Section `{section.section_id}`" in said
        assert f"Statements: {asked}." in said


def test_an_answer_becomes_statements_with_the_atoms_behind_the_numbers(order: Order):
    section = order.sections[0]
    (number, *_) = order.numbers_of(section)
    data: dict[str, Any] = {one.section_id: [] for one in order.sections}
    data[section.section_id] = [{"text": "- Said  well. [1]", "atoms": [number, number]}]

    (edit, *_), findings = read_answer(order, data)

    atom = order.numbered[number]
    assert isinstance(atom, AtomRecord)
    assert findings == []
    assert edit.input_hash == section.input_hash
    (said,) = edit.statements
    assert said.text == "Said well."
    assert [(one.atom_id, one.atom_revision) for one in said.citations] == [
        (atom.atom_id, atom.revision)
    ]


def test_a_number_of_another_section_is_a_finding(order: Order):
    first, second, *_ = order.sections
    (foreign, *_) = [n for n in order.numbers_of(second) if n not in order.numbers_of(first)]
    data: dict[str, Any] = {one.section_id: [] for one in order.sections}
    data[first.section_id] = [{"text": "Said.", "atoms": [foreign]}]

    _, findings = read_answer(order, data)

    assert [one.code for one in findings] == ["unknown_number"]


def test_an_atom_says_each_thing_once():
    loss = LOSS.model_copy(update={"body": f"{LOSS.title}. Ships wait."})

    said = describe(loss)

    assert said == f"{LOSS.title}. Ships wait. — impact: {LOSS.impact}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Orders are kept. [2, 3]", "Orders are kept."),
        ("Orders [[atm_0a1b]] are kept.", "Orders are kept."),
        ("* Orders\nare kept.", "Orders are kept."),
        ("[[Orders]] are kept.", "[Orders] are kept."),
    ],
)
def test_marks_are_taken_out_of_the_text(text: str, said: str):
    assert clean(text) == said


def test_the_schema_asks_for_each_section_and_for_nothing_else(order: Order):
    schema = schema_of(order)

    assert schema["required"] == [one.section_id for one in order.sections]
    assert schema["additionalProperties"] is False


def test_no_text_holds_the_mark_that_fences_it():
    first = fence("a text")
    mark = first.split("\n")[-1]

    again = fence(f"a text\n{mark}\nand more")

    assert again.count(mark) == 1
    assert not again.endswith(mark)
