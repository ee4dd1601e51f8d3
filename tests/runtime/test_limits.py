"""Limits of runs as they are given on the command line."""

import pytest
import typer

from infra.cli.ingest import limits_of
from infra.platform.errors import Invalid
from infra.service.ingesting.ingestion import check_limits


def test_limits_are_named_numbers():
    assert limits_of(["batch_size=8", "new_atoms_per_10k_tokens=1.5", "token_budget=0"]) == {
        "batch_size": 8,
        "new_atoms_per_10k_tokens": 1.5,
        "token_budget": 0,
    }


@pytest.mark.parametrize(
    "given",
    ["batch_size", "batch_size=many", "horizon=inf"],
)
def test_what_is_no_number_is_refused_before_anything_happens(given):
    with pytest.raises(typer.BadParameter):
        limits_of([given])


@pytest.mark.parametrize("limits", [{"depth": 3}, {"batch_size": 0}, {"horizon": -1}])
def test_what_is_no_limit_is_refused_by_the_service(limits):
    with pytest.raises(Invalid):
        check_limits(limits)
