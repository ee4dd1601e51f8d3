"""The bench of the console opens every page of a server of its own."""

from __future__ import annotations

from infra.http.serve import serve
from infra.measure.benches.api import fill_more
from infra.measure.benches.console import fill_chunks, measure
from infra.measure.benches.reads import fill
from tests.projections.conftest import ReadModel


def test_every_page_is_measured_beside_one_that_asks_nothing(model: ReadModel):
    fill(model.conninfo, 300)
    fill_more(model.conninfo)
    fill_chunks(model.conninfo, 300)
    figures = measure(model.conninfo, serve, 300, runs=1)
    measured = [each for each in figures.values() if isinstance(each, dict)]
    assert len(measured) == 22
    assert all(each["p95_ms"] > 0 and each["ratio"] > 0 for each in measured)
