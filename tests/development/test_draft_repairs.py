"""The form of a draft is mended without a model; its words, its code and its comments stay."""

import pytest

from agents.development.checks import LOW_LEVEL_DESIGN, repair_draft, validate_draft
from tests.development.drafts import DESIGN, PATHS


def repaired(text: str) -> str:
    return repair_draft(text, LOW_LEVEL_DESIGN).text


def test_a_sound_draft_stays_as_it_is():
    answer = repair_draft(DESIGN, LOW_LEVEL_DESIGN)
    assert (answer.text, answer.repairs) == (DESIGN, ())


@pytest.mark.parametrize(
    ("old", "new", "repair"),
    [
        ("## Design", "#### Design", "Levels of headings"),
        ("## Design", "##Design", "A blank behind the marks of headings"),
        ("## Design\n", "Design\n---\n", "Levels of headings"),
        ("2. **REQ-2**", "1. **REQ-2**", "Numbers of list items"),
        ("A check before the first byte is written.\n", "A check.  \t\n", "Blanks at the ends"),
        ("\n## Risks\n", "", "Headings of sections that may be empty"),
        ("|---|---|---|\n", "", "Form of tables"),
        ("| `src/limits.py` | new | the limit |", "| `src/limits.py` | new", "Form of tables"),
    ],
)
def test_a_defect_of_form_vanishes_and_is_told(old: str, new: str, repair: str):
    broken = DESIGN.replace(old, new)
    assert broken != DESIGN
    answer = repair_draft(broken, LOW_LEVEL_DESIGN)
    assert [it for it in answer.repairs if it.startswith(repair)]
    assert validate_draft(answer.text, LOW_LEVEL_DESIGN, PATHS) == ()


def test_an_answer_in_a_fence_is_taken_out_of_it():
    answer = repair_draft(f"\n```markdown\n{DESIGN}```\n\n", LOW_LEVEL_DESIGN)
    assert answer.text == DESIGN
    assert answer.repairs[0].startswith("A fence around the draft")


def test_a_cut_answer_stays_cut_and_its_open_fence_is_a_problem():
    cut = DESIGN[: DESIGN.index("LIMIT")]
    answer = repair_draft(cut, LOW_LEVEL_DESIGN)
    assert "open_fence" in [it.code for it in validate_draft(answer.text, LOW_LEVEL_DESIGN, PATHS)]


def test_line_ends_are_made_alike():
    assert repaired(DESIGN.replace("\n", "\r\n")) == DESIGN


def test_lists_get_hyphens_and_numbers_and_code_stays():
    text = "* a\n+ b\n\n3. c\n3. d\n   1. e\n   1. f\n9. g\n\n```\n* x  \n1. y\n1. z\n```\n\n***\n"
    assert repaired(text) == (
        "- a\n- b\n\n3. c\n4. d\n   1. e\n   2. f\n5. g\n\n```\n* x  \n1. y\n1. z\n```\n\n***\n"
    )


def test_subsections_move_with_their_section():
    text = "# Context\n\na\n\n## Details\n\nb\n\n# Requirements\n\n- REQ-1 c\n"
    assert repaired(text).startswith(
        "## Context\n\na\n\n### Details\n\nb\n\n## Requirements\n\n- REQ-1 c\n"
    )


def test_comments_and_titles_of_other_scripts_stay():
    text = "# Лимит\n\n<!--\n* a  \n##Design\n-->\n\n### 背景\n\nх\n"
    assert repaired(text) == text


def test_a_missing_section_that_needs_text_is_not_made_up():
    text = DESIGN.replace("## Design\n", "")
    assert "## Design" not in repaired(text)
