"""Every check takes any text; a mended draft stays as it is, with all its words."""

import re

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agents.development import checks
from agents.development.checks import RULES, DraftRules

PIECES = st.sampled_from(
    [
        *("# Title", "## Context", "#### Requirements", "##Design", "### Files to change"),
        *("Test plan\n---", "Title\n===", "## Risks", "#\tSummary", "## 目的", "### Task 1: a"),
        *("### Task 1.2: б", "## Phase 1: a", "**Goal:** x", "## Key files", "- `src/a.py` – x"),
        *("```", "```python", "~~~", "````markdown", "```markdown", "- ```", "<!--", "-->"),
        *("<!-- # Risks -->", "- REQ-1 do", "* **REQ-2**: do", "1. a", "1) b", "  3. c", "\t4. d"),
        *("| File | Change |", "|---|---|", "| `src/a.py` | modify", "| a |", "||", "|"),
        *("TODO <name>", "[a](src/a.py) [b](#risks) [c](../x)", "* * *", "+ a", "• b", "text  "),
        *("", "", "   ", "\t", "`unclosed", "Scenario: x", "@REQ-1", "--- a/x", "+++ b/x.py"),
        *("@@ -1,2 +1,3 @@", "+# ... existing code ...", "-# rest", "+// …"),
        *("**Location:** line 3",),
        *("**Current:**", "Tests: `tests/test_a.py`", "**Target signature:** `f()`"),
    ]
)
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\n\n", ""])
DRAFTS = st.lists(st.tuples(PIECES, ENDS), max_size=25).map(
    lambda parts: "".join(piece + end for piece, end in parts)
)
TEXTS = st.one_of(DRAFTS, st.text(max_size=300))
ANY_RULES = st.sampled_from(list(RULES.values()))
PATHS = ("src/a.py", "tests/test_a.py")


def words_of(text: str, rules: DraftRules) -> list[str]:
    """All words in their order, but for numbers of items and what headings may be added."""
    lines = [re.sub(r"^[ \t]*\d{1,9}(?=[.)][ \t])", "", it) for it in re.split(r"\r\n|\r|\n", text)]
    words = re.findall(r"\w+", "\n".join(lines).replace("_", " "))
    added = {
        word for it in rules.sections if it.may_be_empty for word in re.findall(r"\w+", it.title)
    }
    return [word for word in words if word not in added | {"markdown"}]


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS, ANY_RULES)
def test_each_check_answers_whatever_the_text(text: str, rules: DraftRules):
    lines = len(re.split(r"\r\n|\r|\n", text))
    problems = [
        *checks.validate_draft(text, rules, PATHS),
        *checks.validate_test_plan(text).problems,
        *checks.check_completeness(text, PATHS),
        *checks.validate_plan(text).problems,
    ]
    assert all(0 <= it.line <= lines and it.code and it.message for it in problems)
    assert all(it.line >= 0 for it in checks.find_elisions(text))


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS, ANY_RULES)
@example("Title\n---\n\n* a\n\n---", RULES["issue"])
def test_a_mended_draft_is_not_mended_again_and_keeps_its_words(text: str, rules: DraftRules):
    once = checks.repair_draft(text, rules)
    again = checks.repair_draft(once.text, rules)
    assert again.text == once.text
    assert again.repairs == ()
    assert words_of(once.text, rules) == words_of(text, rules)
    assert once.repairs or once.text in ("", text, text + "\n")


@given(TEXTS)
def test_nothing_is_a_pass_where_nothing_is_examined(text: str):
    plan, result = checks.validate_test_plan(text), checks.validate_plan(text)
    assert plan.problems or (plan.covered and plan.scenarios)
    assert not result.valid or (result.goal and result.key_files)
    assert checks.check_completeness(text, PATHS) or checks.read_files_table(text)
