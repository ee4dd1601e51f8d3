"""Drafts with what reviewers have against them, and changes: what a page of them shows."""

from __future__ import annotations

import pytest

from infra.http.console.drafts_shown import (
    MOST_BYTES,
    ReviewedDraft,
    review_draft,
    show_change,
)

DRAFT = "# Brief 🚚\n\n- R-1: Exports are signed.\n- R-2: Imports are not.\n\nThe end."


def about(quote: str, text: str = "It is vague.") -> dict[str, str]:
    return {"severity": "major", "section": "", "quote": quote, "text": text, "suggestion": ""}


def marked(draft: ReviewedDraft) -> list[str]:
    lines = [line for part in draft.parts for line in part.lines]
    return [piece.text for line in lines for piece in line.pieces if piece.marked]


def whole(draft: ReviewedDraft) -> str:
    lines = [line for part in draft.parts for line in part.lines]
    return "\n".join("".join(piece.text for piece in line.pieces) for line in lines)


def places(draft: ReviewedDraft) -> list[tuple[int, int]]:
    """The line behind which findings stand, and how many."""
    return [(part.lines[-1].number, len(part.findings)) for part in draft.parts if part.findings]


def test_each_finding_stands_behind_the_line_that_it_quotes():
    findings = [about("Imports are not"), about("- R-1: Exports are signed."), about("R-2")]
    draft = review_draft(DRAFT, findings)

    assert places(draft) == [(3, 1), (4, 2)]
    assert marked(draft) == ["- R-1: Exports are signed.", "R-2", "Imports are not"]
    assert whole(draft) == DRAFT
    assert (draft.apart, draft.shown, draft.total) == ((), 6, 6)


@pytest.mark.parametrize("quote", ["", "  ", "Exports are not signed.", "exports are signed"])
def test_what_the_draft_does_not_say_is_marked_nowhere(quote: str):
    draft = review_draft(DRAFT, [about(quote)])

    assert marked(draft) == []
    assert draft.apart == (about(quote),)
    assert whole(draft) == DRAFT


def test_quotes_over_lines_and_over_each_other_are_marked_once():
    findings = [about("signed.\n- R-2: Imports"), about("Imports are"), about("are signed.")]
    draft = review_draft(DRAFT, findings)

    assert marked(draft) == ["are signed.", "- R-2: Imports are"]
    assert places(draft) == [(3, 1), (4, 2)]


def test_a_draft_that_is_too_long_is_cut_at_a_line_and_its_findings_stay():
    text = "\n".join(["A line of the draft."] * 20_000 + ["The last one."])
    draft = review_draft(text, [about("The last one.")])

    assert draft.total == 20_001
    assert 0 < draft.shown < 2_000
    assert len(whole(draft).encode()) < MOST_BYTES
    assert draft.apart == (about("The last one."),)
    assert review_draft("", []).total == 1


def test_a_change_says_what_came_and_went_in_which_file():
    diff = (
        "diff --git a/app/a b.py b/app/a b.py\nindex 1..2 100644\n--- a/app/a b.py\n"
        "+++ b/app/a b.py\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n--- not a header\n"
        "diff --git a/logo.png b/logo.png\nnew file mode 100644\nBinary files differ\n"
    )
    change = show_change(diff)

    assert [(line.kind, line.text) for line in change.lines] == [
        ("file", "app/a b.py"),
        ("place", "@@ -1,2 +1,2 @@"),
        ("same", " same"),
        ("went", "-old"),
        ("came", "+new"),
        ("went", "--- not a header"),
        ("file", "logo.png"),
        ("place", "new file mode 100644"),
        ("place", "Binary files differ"),
    ]
    assert show_change("").lines == ()


def test_a_change_that_is_too_long_says_so():
    change = show_change("diff --git a/a b/a\n@@ -0,0 +1 @@\n" + "+x\n" * 50_000)

    assert len(change.lines) < 1_000
    assert change.lines[-1].text == "The rest is too long for this page."
