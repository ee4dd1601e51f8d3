"""What a format marks is no word of its author: tables, fences, blocks, drawers, marks of a merge.
Evidence stands where it stood.
"""

from __future__ import annotations

import pytest

from agents.offline.reader import extract
from schemas.conflicts import blank_conflict_marks, find_conflicts
from tests.reading.documents import a_chunk, told

MD = "# Depot\n\n## Requirements\n\n"
RST = "Depot\n=====\n\nRequirements\n------------\n\n"
ADOC = "= Depot\n\n== Requirements\n\n"
SIGN, PRINT = "The depot must sign each label", "The depot must print each label"
GRID = f"+-----+{'-' * 40}+\n"
HIDDEN = "The cellar must not be read at all."


def titles_of(text: str, path: str) -> list[str]:
    atoms = told(text, path)
    for atom in atoms:
        for row in atom.evidence:
            assert text[row.char_start - 1_000 : row.char_end - 1_000] == row.snippet
    return [it.title for it in atoms]


@pytest.mark.parametrize(
    ("cell", "title"),
    [
        (r"The depot must accept `a\|b` and no other word.", "accept a|b and no other word"),
        ("The depot must accept `a|b` and no other word.", "accept a|b and no other word"),
        (r"The depot must accept PDF \| ZPL and no other.", "accept PDF | ZPL and no other"),
        ("The depot must accept ``a|`b`` and no other word.", "and no other word"),
    ],
)
def test_a_bar_that_is_escaped_or_in_code_divides_no_cell(cell: str, title: str) -> None:
    (said,) = titles_of(f"{MD}| ID | Rule |\n|---|---|\n| 1 | {cell} |\n", "docs/a.md")
    assert said.endswith(title)


def test_a_table_without_outer_bars_is_one() -> None:
    text = f"{MD}ID | Rule\n---|---\n1 | {SIGN} at once\n2 | {PRINT} at once\n"
    assert titles_of(text, "docs/a.md") == [f"{SIGN} at once", f"{PRINT} at once"]


@pytest.mark.parametrize(
    "fence",
    [
        f"```js\n// text\n``` not closed\n{HIDDEN}\n```",
        f"~~~ ruby\n```\n{HIDDEN}\n```\n~~~",
        f"````md\n```\n{HIDDEN}\n```\n````",
        f"```\n{HIDDEN}\n`````   ",
        f"> ```\n> {HIDDEN}\n> ```",
        f"- Build:\n\n  ```sh\n  {HIDDEN}\n  ```",
    ],
)
def test_a_fence_ends_at_its_own_mark_alone(fence: str) -> None:
    assert titles_of(f"{MD}{fence}\n\n{SIGN}.\n", "docs/a.md") == [SIGN]


def test_code_in_one_line_opens_no_fence() -> None:
    assert titles_of(f"{MD}``` aa ```\n\n{SIGN}.\n", "docs/a.md") == [SIGN]


@pytest.mark.parametrize(
    "note",
    [
        f"> [!NOTE]\n> {SIGN}.",
        f"!!! warning\n    {SIGN}.",
        f"```{{note}}\n{SIGN}.\n```",
        f"<!-- remark --> {SIGN}.",
        f"<!--\n{HIDDEN}\n-->\n{SIGN}.",
    ],
)
def test_notes_of_markdown_are_read_and_comments_are_not(note: str) -> None:
    assert titles_of(f"{MD}{note}\n", "docs/a.md") == [SIGN]


@pytest.mark.parametrize(
    "block",
    [
        f".. note:: {SIGN}.",
        f".. warning::\n\n    {SIGN}.",
        f".. admonition:: Mind\n   :class: loud\n\n   {SIGN}.",
        f".. code-block:: python\n\n   # {HIDDEN}\n\n{SIGN}.",
        f".. deprecated:: 3.1\n   {HIDDEN}\n\n{SIGN}.",
        f".. list-table::\n   :header-rows: 1\n\n   * - ID\n     - Rule\n"
        f"   * - R-1\n     - {SIGN}.",
        f'.. csv-table::\n   :header-rows: 1\n\n   "ID", "Rule"\n   "R-1", "{SIGN}."',
        f"{GRID}| ID  | {'Rule':38} |\n{GRID.replace('-', '=')}| R-1 | {SIGN + '.':38} |\n{GRID}",
        f"===  {'=' * 40}\nID   Rule\n===  {'=' * 40}\nR-1  {SIGN}.\n===  {'=' * 40}",
        ".. |tool| replace:: The depot\n\n|tool| must sign each label.",
    ],
)
def test_blocks_of_restructuredtext(block: str) -> None:
    (title,) = titles_of(f"{RST}{block}\n", "docs/a.rst")
    assert title.lower().endswith("must sign each label")


def test_a_drawn_cell_of_several_lines_is_told_whole() -> None:
    rows = f"| R-1 | {SIGN + ' within':38} |\n|     | {'two minutes.':38} |\n"
    text = f"{RST}{GRID}{rows}{GRID}"
    assert titles_of(text, "docs/a.rst") == [f"{SIGN} within two minutes"]


def test_underlines_of_tildes_open_no_code_in_restructuredtext() -> None:
    text = f"Depot\n=====\n\nRequirements\n~~~~~~~~~~~~\n\n{SIGN}.\n"
    assert titles_of(text, "docs/a.rst") == [SIGN]


@pytest.mark.parametrize(
    "block",
    [
        f"NOTE: {SIGN}.",
        f"[NOTE]\n====\n{SIGN}.\n====",
        f"****\n{SIGN}.\n****",
        f"[source,ruby]\n----\n{HIDDEN} <1>\n----\n<1> {HIDDEN}\n\n{SIGN}.",
        f"[listing]\n{HIDDEN}\n\n{SIGN}.",
        f"////\n{HIDDEN}\n////\n\n{SIGN}.",
        f"[quote, Acme]\n____\n{HIDDEN}\n____\n\n{SIGN}.",
        f"|===\n|ID |Rule\n\n|R-1 |{SIGN}.\n|===",
        f'[cols="1,3",options="header"]\n|===\n|ID\n|Rule\n\n|R-1\n|{SIGN}.\n|===',
        f"[.line-through]#{HIDDEN}#\n\n{SIGN}.",
    ],
)
def test_blocks_of_asciidoc(block: str) -> None:
    assert titles_of(f"{ADOC}{block}\n", "docs/a.adoc") == [SIGN]


def test_markup_of_org_is_no_wording() -> None:
    text = (
        "#+TITLE: Depot\n* Requirements\n:PROPERTIES:\n:ID: x\n:END:\n"
        f"** TODO [#A] {SIGN} :label:\n   DEADLINE: <2025-03-01 Sat>\n- {PRINT}.\n"
        f"#+BEGIN_SRC sh\n# {HIDDEN}\n#+END_SRC\n#+begin_quote\n{HIDDEN}\n#+end_quote\n"
        f"** CANCELLED {HIDDEN}\nThe cellar must be cleaned at night.\n"
        "| ID | Rule | Status |\n|---+---+---|\n| 1 | The depot must close at night | rejected |\n"
    )
    assert titles_of(text, "docs/notes.org") == [SIGN, PRINT]


CONFLICT = """- The depot must seal each parcel.
<<<<<<< HEAD
- The depot must keep labels for 5 days.
||||||| base
- The depot must keep labels for 7 days.
=======
- The depot must keep labels for 9 days.
>>>>>>> origin/main
- The depot must weigh each parcel.
"""


def test_both_sides_of_a_merge_are_drafts_that_name_their_side() -> None:
    atoms = extract(a_chunk(MD + CONFLICT, "docs/a.md"))
    assert [(it.title[10:], it.attributes.get("unmerged")) for it in atoms] == [
        ("must seal each parcel", None),
        ("must keep labels for 5 days", "HEAD"),
        ("must keep labels for 9 days", "origin/main"),
        ("must weigh each parcel", None),
    ]
    assert all(len(it.evidence) == 1 for it in atoms if "unmerged" in it.attributes)
    assert [it.proposed_status for it in atoms if "unmerged" in it.attributes] == ["draft", "draft"]


def test_a_conflict_that_a_piece_cuts_off_is_known_by_what_is_left() -> None:
    begin, end = CONFLICT.split("=======\n")
    (side,) = find_conflicts(begin).sides
    assert begin[side.start : side.end].strip() == "- The depot must keep labels for 5 days."
    assert ">>>>" not in blank_conflict_marks(end)
    assert blank_conflict_marks("Depot\n=======\n") == "Depot\n=======\n"
