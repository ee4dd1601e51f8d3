"""A plan is read by its form: goal, key files, and tasks that can be handed over one by one."""

import pytest

from agents.development.checks import validate_plan
from tests.development.drafts import PLAN


def test_a_plan_says_goal_files_and_tasks():
    plan = validate_plan(PLAN)
    assert (plan.valid, plan.problems) == (True, ())
    assert plan.goal == "Refuse uploads above 10 MB."
    assert plan.key_files == ("src/store.py", "src/limits.py")
    assert plan.total_tasks == 3
    assert [(it.number, it.title) for it in plan.tasks] == [
        ("1.1", "Add the limit"),
        ("1.2", "Read it from the settings"),
        ("2.1", "Refuse"),
    ]


def test_a_task_can_be_handed_over_alone():
    first, second, third = validate_plan(PLAN).tasks
    assert first.text == (
        "**Goal:** Refuse uploads above 10 MB.\n\n## Phase 1: Limit\n\nFirst the number.\n\n"
        "### Task 1.1: Add the limit\n\nWrite `LIMIT = 10`.\n\n"
        "```markdown\n### Task 9: text in a fence\n```\n"
    )
    assert "Task 1.1" not in second.text
    assert "First the number." in second.text
    assert "Phase 1" not in third.text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("**Goal:** Refuse uploads\nabove 10 MB.", "## Goal\n\nRefuse uploads\nabove 10 MB."),
        ("**Goal:** Refuse", "**Goal**: Refuse"),
        ("## Key files\n\n", "**Key files:**\n\n"),
        ("## Key files\n\n", "Key files:\n\n"),
        ("## Key files\n\n- `src/store.py` – the check\n- Create: `src/limits.py`", ""),
        ("- `src/store.py` – the check", "1. [the store](src/store.py)"),
        ("- `src/store.py` – the check", "* src/store.py: the check"),
        ("### Task", "#### Task"),
        ("Task 1.1: Add", "Task 1.1 – Add"),
        ("Task 1.1: Add", "**Task 1.1**: Add"),
        ("\n", "\r\n"),
    ],
)
def test_a_plan_may_have_other_forms(old: str, new: str):
    text = PLAN.replace(old, new)
    assert text != PLAN
    if "Key files" not in text:
        text += "\n**Key files:** `src/store.py`, `src/limits.py`\n"
    plan = validate_plan(text)
    assert plan.valid
    assert plan.goal == "Refuse uploads above 10 MB."
    assert plan.key_files == ("src/store.py", "src/limits.py")
    assert plan.total_tasks == 3


def test_tasks_may_be_numbered_through_and_a_plan_may_have_none():
    through = "## Goal\n\nx\n\n## Key files\n\n- a.py\n\n### Task 1: a\n\nb\n\n### Task 2: c\n\nd\n"
    assert validate_plan(through).total_tasks == 2
    none = validate_plan("## Goal\n\nx\n\n## Key files\n\n- a.py\n\nDo it.\n")
    assert (none.valid, none.total_tasks, none.tasks) == (True, None, ())


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("**Goal:** Refuse uploads\nabove 10 MB.\n", "", "no_goal"),
        ("- `src/store.py` – the check\n- Create: `src/limits.py`\n", "", "no_files"),
        ("Task 1.2", "Task 1.1", "task_twice"),
        ("Task 1.2", "Task 1.3", "task_order"),
        ("Task 2.1", "Task 3.1", "task_phase"),
        (": Refuse\n", "\n", "task_untitled"),
        ("Raise `TooLarge`.\n", "", "task_empty"),
        ("in a fence\n```", "in a fence\n", "open_fence"),
    ],
)
def test_a_fault_of_a_plan_is_named(old: str, new: str, code: str):
    assert old in PLAN
    plan = validate_plan(PLAN.replace(old, new))
    assert not plan.valid
    assert code in [it.code for it in plan.problems]


@pytest.mark.parametrize("hidden", ["```\n{}\n```\n", "<!--\n{}\n-->\n"])
def test_what_is_hidden_is_no_plan(hidden: str):
    plan = validate_plan(hidden.replace("{}", PLAN.replace("```", "~~~")))
    assert (plan.goal, plan.key_files, plan.total_tasks) == ("", (), None)
    assert not plan.valid
