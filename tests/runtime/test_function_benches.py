"""The benches of functions: the same statements each time, baselines named or missed."""

import pytest

from infra.measure.benches.dedupe import dedupe, measure_pairs, statements
from infra.measure.benches.hygiene import hygiene
from infra.measure.benches.model import model
from infra.measure.benches.peers import missing
from infra.measure.benches.reading import reading
from streams.ledger.likeness.similarity import MERGE_REVIEW_THRESHOLD, similarity
from tests.parcel import write_to


def test_stage_0_is_measured_over_the_files_that_it_reads(tmp_path):
    folder = write_to(tmp_path / "parcel")
    (folder / "picture.png").write_bytes(b"\x89PNG" + bytes(100_000))
    figures = hygiene(str(folder))
    assert figures["mb_per_s"] > 0
    assert figures["chunks"] >= figures["files"]
    assert figures["bytes"] < 100_000  # the picture is skipped
    assert ("ratio" in figures) or figures["baseline"].startswith("not measured: pip install ")


def test_what_is_not_installed_is_named():
    assert missing(["no-such-distribution", "pytest"]) == (
        "not measured: pip install no-such-distribution"
    )


def test_every_fiftieth_statement_has_a_twin_to_be_found():
    made = statements(200)
    assert made == statements(200)
    assert len(set(made)) == 200
    for at in range(48, 200, 50):
        assert similarity(made[at], made[at + 1]) >= MERGE_REVIEW_THRESHOLD


def test_a_lookup_that_finds_nothing_has_no_f1():
    cost = measure_pairs(statements(200), lambda _: lambda _: [])
    assert cost.f1 == cost.reworded == 0.0


def test_lookups_find_all_twins_in_small_ledgers():
    figures = dedupe((200, 400))
    assert figures["200"]["f1"] == figures["400"]["f1"] == pytest.approx(1.0)
    assert figures["200"]["reworded"] == figures["400"]["reworded"] == pytest.approx(1.0)
    assert figures["growth"] > 0
    assert figures["lookup in a series of 200, ratio"] > 0


def test_the_reader_is_measured_with_its_slowest_file(tmp_path):
    folder = write_to(tmp_path / "parcel")
    figures = reading(str(folder))
    assert figures["atoms"] > 0
    assert figures["mb_per_s"] > 0
    assert (folder / figures["slowest_file"]["path"]).is_file()
    assert 0 < figures["peak_mib"]["after a third"] <= figures["peak_mib"]["at the end"]


@pytest.mark.slow
def test_the_model_layer_is_measured_against_the_limit_of_its_provider():
    figures = model(requests=16, latency_s=0.02)
    assert figures["limit_per_s"] == 400
    assert figures["share"] == pytest.approx(figures["requests_per_s"] / 400, abs=0.001)
    assert figures["share"] > 0
    assert figures["share_of_bare_http"] > 0
