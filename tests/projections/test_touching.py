"""What rests on a diff is told, that on changed lines first; text of sources does nothing."""

from __future__ import annotations

import pytest

from infra.cli.diffs import parse_diff
from infra.cli.pr_comment import render_comment
from infra.cli.touching import Touched, TouchedAtom, match_diff
from infra.client.models.ledger import Atom
from infra.platform.errors import Invalid
from projections.read import session
from projections.read.atoms import list_atoms
from tests.projections.builders import PROJECT, an_atom
from tests.projections.conftest import ReadModel
from tests.projections.log import Story
from tests.projections.test_folding import projected
from tests.web import as_client

GUIDE = "Intro.\n\nCallers use tokens.\n\nTokens may leak.\n\nOld text.\n\nThe server is fast.\n"
PLAIN = "--- a/docs/guide.md\n+++ b/docs/guide.md\n"


@pytest.fixture
def ledger(model: ReadModel) -> ReadModel:
    """Statements at the lines 1, 3, 5 and 9 of a guide, and one of another file."""
    story = Story()
    story.project()
    story.requested(["docs/guide.md", "other.md"])
    intro, tokens, leak, _, fast = story.source("docs/guide.md", GUIDE)
    (other,) = story.source("other.md", "Elsewhere it must be green.")
    story.run_started()
    story.planned([intro, tokens, leak, fast, other])
    for chunk, kind in (
        *((fast, "requirement"), (leak, "risk"), (tokens, "decision"), (intro, "claim")),
        (other, "requirement"),
    ):
        story.read(chunk, an_atom(chunk, story.run, kind=kind))
    story.committed()
    return model.fold(projected(story))


def touched(ledger: ReadModel, diff: str) -> Touched:
    with session.reading(ledger.conninfo) as connection:
        return match_diff(diff, lambda kind: found(connection, kind))


def found(connection: session.Conn, kind: str) -> list[Atom]:
    return [as_client(Atom, one) for one in list_atoms(connection, PROJECT, kind=kind).items]


def told(ledger: ReadModel, diff: str) -> list[tuple[str, int, bool]]:
    return [(it.kind, it.line, it.on_changed_lines) for it in touched(ledger, diff).atoms]


def test_what_rests_on_changed_lines_comes_first(ledger: ReadModel):
    diff = PLAIN + "@@ -4,3 +4,3 @@\n \n-Tokens may leak.\n+Tokens never leak.\n \n"
    assert told(ledger, diff) == [
        ("risk", 5, True),
        ("decision", 3, False),
        ("requirement", 9, False),
    ]
    comment = render_comment("shop", touched(ledger, diff))
    assert comment.startswith("**Cairn:** 3 statements rest on the 1 changed file in shop.")
    assert "- **risk** Tokens may leak. (`docs/guide.md:5`, `atm_" in comment


@pytest.mark.parametrize(
    ("hunk", "lines"),
    [
        ("@@ -9 +9 @@\n-The server is fast.\n+The server is slow.\n", {9}),
        ("@@ -3,0 +4,2 @@\n+More of it.\n+--- a/other.md\n", {3}),
        (
            "@@ -2,3 +2,2 @@\n \n-Callers use tokens.\n \n@@ -9,1 +8,0 @@\n-The server is fast.\n",
            {3, 9},
        ),
        ("@@ -7 +7 @@\n-Old text.\n+New text.\n\\ No newline at end of file\n", set()),
    ],
)
def test_lines_are_those_of_the_file_as_it_was(ledger: ReadModel, hunk: str, lines: set[int]):
    found = told(ledger, PLAIN + hunk)
    assert {line for _, line, on_lines in found if on_lines} == lines
    assert {line for _, line, _ in found} == {3, 5, 9}


@pytest.mark.parametrize(
    ("diff", "paths"),
    [
        ("--- a/x y.md\t2026-01-01\n+++ b/x y.md\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n", ["x y.md"]),
        ("--- c/x.md\r\n+++ i/x.md\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", ["x.md"]),
        ('--- "a/caf\\303\\251 \\"1\\".md"\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n', ['café "1".md']),
        ("diff --git a/old one.md b/new.md\nrename from old one.md\nrename to new.md\n"
         "--- a/old one.md\n+++ b/new.md\n@@ -1 +1 @@\n-a\n+b\n", ["old one.md", "new.md"]),
        ("diff --git a/a b.png b/a b.png\nBinary files a/a b.png and b/a b.png differ\n",
         ["a b.png"]),
        ("diff --git docs/x.md docs/x.md\n--- docs/x.md\n+++ docs/x.md\n@@ -1 +1 @@\n-a\n+b\n",
         ["docs/x.md"]),
        ("diff --cc x.md\n--- a/x.md\n+++ b/x.md\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n", ["x.md"]),
    ],
)  # fmt: skip
def test_paths_are_read_as_git_and_diff_write_them(diff: str, paths: list[str]):
    (file,) = parse_diff(diff)
    assert list(file.paths) == paths


def test_a_new_file_changes_no_lines_that_were_read():
    (file,) = parse_diff("--- /dev/null\n+++ b/docs/guide.md\n@@ -0,0 +1,1 @@\n+a\n")
    assert (file.paths, file.lines) == (("docs/guide.md",), [])


def test_a_copy_leaves_its_original_as_it_is(ledger: ReadModel):
    head = (
        "diff --git a/docs/guide.md b/docs/copy.md\ncopy from docs/guide.md\ncopy to docs/copy.md\n"
    )
    hunk = "--- a/docs/guide.md\n+++ b/docs/copy.md\n@@ -3 +3 @@\n-Callers use tokens.\n+Nobody.\n"
    for diff in (head, head + hunk):
        assert touched(ledger, diff) == Touched(1, ())
    (_, file) = parse_diff(head + hunk + PLAIN + "@@ -3 +3 @@\n-Callers use tokens.\n+Nobody.\n")
    assert (file.paths, file.lines) == (("docs/guide.md",), [(3, 3)])


def test_nothing_touched_is_said_and_no_diff_is_refused(ledger: ReadModel):
    for diff in ("", "--- a/new.md\n+++ b/new.md\n@@ -1 +1 @@\n-a\n+b\n"):
        comment = render_comment("shop", touched(ledger, diff))
        assert "no requirement, decision or risk of shop rests on" in comment
    with pytest.raises(Invalid, match="no unified diff"):
        touched(ledger, "Hello.")


def test_a_comment_is_short_and_does_what_no_source_wants():
    attack = "@team ![x](//e.test) <img src=x>\n# #12 `c` https://e.test www.e.test GH-7 \u202ex"
    many = [TouchedAtom(f"atm_{n}", "risk", attack, "a`b``c.md", n, n < 3) for n in range(40)]
    comment = render_comment("*shop*", Touched(1, tuple(many)))
    assert len(comment.splitlines()) <= 20
    assert comment.endswith("and 29 more.")
    line = next(each for each in comment.splitlines() if each.startswith("- "))
    assert line == (
        "- **risk** \\@\u2060team \\!\\[x\\]\\(//e.test\\) \\<img src=x\\> \\# \\#\u206012 \\`c\\`"
        " https\\://e.test www\\.e.test GH\u2060-7 x (``` a`b``c.md:0 ```, `atm_0`)"
    )
