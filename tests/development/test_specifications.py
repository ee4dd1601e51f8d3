"""A specification says of each file where, what is there now, what will be, and what shows it."""

import pytest

from agents.development.checks import check_completeness
from tests.development.drafts import PATHS, SPECIFICATION


def codes(text: str) -> list[str]:
    return [it.code for it in check_completeness(text, PATHS)]


def test_a_complete_specification_has_no_problem():
    assert codes(SPECIFICATION) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("**Location:** `Upload.store`, line 12\n", "", "no_location"),
        ("**Location:** `Upload.store`, line 12\n", "**Location:** there\n", "no_location"),
        ("```python\ndef store(self, data: bytes) -> None:\n```\n", "the old one\n", "no_excerpt"),
        (
            "**Target signature:** `def store(self, data: bytes, limit: int) -> None`\n",
            "",
            "no_signature",
        ),
        (
            "**Target signature:** `LIMIT: int`\n",
            "**Target signature:** as before\n",
            "no_signature",
        ),
        ("**Tests:** `tests/test_store.py::test_large_uploads_are_refused`\n", "", "no_test"),
        ("**Tests:** `tests/test_store.py`\n", "**Tests:** `tests/test_gone.py`\n", "test_missing"),
        ("### `src/store.py`\n", "### The store\n", "no_instructions"),
        ("| `src/store.py` | modify |", "| `src/gone.py` | modify |", "file_missing"),
        ("| `src/store.py` | modify |\n| `src/limits.py` | new |\n", "", "no_files"),
    ],
)
def test_what_is_left_open_is_named(old: str, new: str, expected: str):
    assert old in SPECIFICATION
    assert expected in codes(SPECIFICATION.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("**Location:** ", "- Location: "),
        ("**Location:** `Upload.store`, line 12", "#### Location\n\nlines 12–14"),
        ("**Current:**", "#### Current excerpt"),
        ("**Current:**", "__Current code__:"),
        ("**Tests:** `tests/test_store.py`\n", "**Tests:** test_limit in the suite\n"),
        ("### `src/store.py`", "### 1. src/store.py: the check"),
        ("### `src/store.py`", "#### Change [src/store.py](src/store.py)"),
    ],
)
def test_labels_have_several_forms(old: str, new: str):
    assert old in SPECIFICATION
    assert codes(SPECIFICATION.replace(old, new)) == []


def test_a_file_that_is_deleted_needs_instructions_alone():
    text = SPECIFICATION.replace("| modify |", "| delete |")
    short = (
        text[: text.index("**Location")] + "Take it away.\n\n" + text[text.index("### `src/l") :]
    )
    assert codes(short) == []
    assert codes(short.replace("Take it away.\n", "")) == ["no_instructions"]
