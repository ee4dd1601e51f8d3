"""The bench of the API asks a server of its own, and the same statements without it."""

from __future__ import annotations

from infra.http.serve import serve
from infra.measure.benches.api import fill_more, measure, reads_of, statements
from infra.measure.benches.reads import fill
from tests.projections.conftest import ReadModel


def test_every_read_is_measured_beside_its_own_statements(model: ReadModel):
    fill(model.conninfo, 300)
    fill_more(model.conninfo)
    for read in reads_of(model.conninfo, 300):
        asked = statements(model.conninfo, read.question)
        assert asked, read.name
        assert all("SELECT" in str(query) for query, _ in asked)
    figures = measure(model.conninfo, serve, 300, rounds=1, round_s=0.0)
    measured = [each for each in figures.values() if isinstance(each, dict)]
    assert len(measured) == 10
    assert all(each["per_s"] > 0 and each["sql_per_s"] > 0 for each in measured)
