"""The PRD as people read it: ten statements of a section, and a way to the rest."""

from __future__ import annotations

import pytest
import typer

from infra.cli.show import render_prd, select_section
from infra.client.models.views_parts import Artifact
from streams.reduce.artifacts.markdown import notes_of
from streams.reduce.artifacts.validator import validate_markdown
from streams.reduce.texts.inputs import Grounds
from streams.reduce.texts.sections import SHOWN
from tests.reduce.ledgers import AT, a_requirement, prd_of, texts

CRATES = (
    *("red", "green", "blue", "white", "grey", "black", "pink", "brown", "lilac", "silver"),
    *("golden", "orange", "violet"),
)
MANY = [
    a_requirement(f"Every {one} crate must carry the seal of the {one} depot", source=f"src_{one}")
    for one in CRATES
]


def shown_of(*atoms) -> Artifact:
    """The PRD as the tables give it; every atom was read at one place."""
    snapshot = prd_of(*atoms).snapshot.model_dump()
    for section in snapshot["sections"]:
        for statement in section["statements"]:
            for citation in statement["citations"]:
                citation["places"] = ["docs/crates.md:7"]
    fields = {name: snapshot.get(name, AT) for name in Artifact.model_fields}
    return Artifact.model_validate(fields, from_attributes=True)


def test_a_section_shows_ten_statements_and_says_how_many_more_there_are():
    answer = prd_of(*MANY)
    markdown = answer.snapshot.rendered_markdown

    assert len(texts(answer, "functional_requirements")) == len(MANY)
    assert markdown.count("\n- ") == SHOWN
    assert "_3 more: `cairn show prd --section functional_requirements`_" in markdown


def test_statements_behind_show_more_are_cited_and_validated():
    sections = prd_of(*MANY).snapshot.sections
    markdown = prd_of(*MANY).snapshot.rendered_markdown

    assert all(one.citations for section in sections for one in section.statements)
    notes = notes_of(sections, SHOWN)
    assert not validate_markdown(markdown, Grounds(MANY), "deep", notes=notes)
    assert validate_markdown(markdown, Grounds(MANY), "deep")


def test_a_reader_sees_below_each_statement_where_it_was_read_and_its_atom():
    prd = shown_of(MANY[0])

    lines = render_prd(prd, in_full=False).splitlines()

    at = lines.index(f"- {MANY[0].title}.")
    assert lines[at + 1] == f"  docs/crates.md:7 {MANY[0].atom_id}"
    assert "_Not enough evidence: no open questions so far._" in lines


def test_more_and_a_section_of_its_own_show_all_statements():
    prd = shown_of(*MANY)
    alone = render_prd(select_section(prd, "functional_requirements"), in_full=True)

    assert render_prd(prd, in_full=False).count("\n- ") == SHOWN
    assert render_prd(prd, in_full=True).count("\n- ") == len(MANY)
    assert alone.count("\n- ") == len(MANY)
    assert alone.count("\n## ") == 1


def test_a_section_that_there_is_not_is_refused_with_those_that_there_are():
    with pytest.raises(typer.BadParameter, match="functional_requirements"):
        select_section(shown_of(*MANY), "requirements")


def drafts(atoms):
    return [atom.model_copy(update={"status": "draft"}) for atom in atoms]


def test_where_few_statements_rest_on_drafts_those_are_marked():
    shown = render_prd(shown_of(*drafts(MANY[:1]), *MANY[1:]), in_full=True)

    assert f"- {MANY[0].title}. (provisional)" in shown
    assert "_(provisional): rests on drafts alone; nobody has confirmed it._" in shown
    assert shown.count("(provisional)") == 2
    assert "(confirmed)" not in shown


def test_where_most_rest_on_drafts_the_others_are_marked():
    shown = render_prd(shown_of(*drafts(MANY[1:]), MANY[0]), in_full=True)

    assert f"- {MANY[0].title}. (confirmed)" in shown
    assert "_Most statements rest on drafts alone. Those marked (confirmed) do not:" in shown
    assert shown.count("(confirmed)") == 2
    assert "(provisional)" not in shown


@pytest.mark.parametrize(
    ("lane", "blocked_by", "told"),
    [
        ("preview", [], ""),
        (
            "deep",
            [],
            "_Everything is read; it is not final because no quality gate has passed it._",
        ),
        ("deep", ["ctr_1"], "it is not final because a severe contradiction is open._"),
    ],
)
def test_a_prd_that_is_not_final_says_why_once_everything_is_read(lane, blocked_by, told):
    given = {"artifact_state": "preview_stable", "lane": lane, "blocked_by": blocked_by}
    shown = render_prd(shown_of(*MANY).model_copy(update=given), in_full=False)

    assert "usable, not final" in shown.splitlines()[0]
    assert told in shown
    assert ("Everything is read" in shown) is bool(told)
