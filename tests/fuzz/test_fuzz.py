"""A short campaign of a fixed seed; the long one is ``python -m tests.fuzz``."""

from __future__ import annotations

import pytest

from tests.fuzz.campaign import run
from tests.fuzz.inputs import TARGETS

INPUTS = 10  # for each target


@pytest.mark.slow
def test_hostile_inputs_are_read_or_refused_and_nothing_else() -> None:
    report = run(27, inputs=INPUTS)
    assert report.findings == []
    assert {name: sum(counts.values()) for name, counts in report.counts.items()} == {
        name: INPUTS for name in TARGETS
    }
