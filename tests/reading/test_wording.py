"""Plain wording: what a reader sees of marked-up text, in time that grows with its length."""

from __future__ import annotations

import pytest

from agents.rules.statements import classify
from agents.rules.wording import plain


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        ("The {mod}`contextvars` module", "The contextvars module"),
        ("Wrap {py:class}`BoundLogger <structlog.BoundLogger>`", "Wrap BoundLogger"),
        ("The :mod:`contextvars` module", "The contextvars module"),
        ("A {name} in braces with `code`", "A {name} in braces with code"),
    ],
)
def test_a_role_is_taken_off_its_text(raw, seen):
    assert plain(raw) == seen


@pytest.mark.parametrize("blank", [" ", "\t"])
def test_a_long_run_of_blanks_is_one_space(blank):
    run = blank * 400_000  # by the square of its length this would take minutes
    assert plain(f"The *tray*{run}must be red") == "The tray must be red"
    assert classify(run).label == "other"
