"""The bench of pages fills tables that the questions can read, and times each of them."""

from __future__ import annotations

from infra.measure.benches.reads import fill, measure
from projections.read.session import reading
from tests.projections.conftest import ReadModel


def test_every_question_is_timed(model: ReadModel):
    fill(model.conninfo, 300)
    with reading(model.conninfo) as connection:
        figures = measure(connection, 300, runs=2)
    times = {name: value for name, value in figures.items() if name.endswith("_ms")}
    assert len(times) == 9
    assert all(0 < value["median"] <= value["slowest"] for value in times.values())
