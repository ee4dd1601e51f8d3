"""Results change only together with the version of the rules that make them."""

import pytest

from tests.golden.record import (
    Record,
    Recorded,
    find_outdated,
    find_unraised,
    read_record,
    record_of,
)
from tests.golden.stages import STAGES, digest, run_corpus

BEFORE: Record = {"extractor": Recorded("h2", {"a": "1", "b": "2"})}


@pytest.fixture(scope="module")
def now() -> Record:
    return record_of(run_corpus())


def test_no_stage_gives_other_results_under_the_version_it_had(now: Record):
    unraised = find_unraised(read_record(), now)
    assert not unraised, "\n".join(unraised)


def test_the_record_is_of_todays_versions_and_results(now: Record):
    outdated = find_outdated(read_record(), now)
    assert not outdated, "\n".join(outdated)


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_has_many_inputs_of_which_some_give_different_results(now: Record, stage: str):
    outputs = now[stage].outputs
    assert len(outputs) >= 8
    assert len(set(outputs.values())) >= 4


def test_another_result_under_the_same_version_names_the_stage_and_what_to_do():
    (told,) = find_unraised(BEFORE, {"extractor": Recorded("h2", {"a": "1", "b": "3"})})
    assert told == (
        "The stage extractor gives other results for 1 of 2 inputs, but its version is still h2:"
        " raise EXTRACTOR_VERSION in schemas/versions.py,"
        " then run `python -m tests.golden` to record anew."
    )


@pytest.mark.parametrize(
    "now",
    [
        pytest.param({"extractor": Recorded("h3", {"a": "1", "b": "3"})}, id="a raised version"),
        pytest.param({"extractor": Recorded("h2", {"a": "1", "c": "3"})}, id="another input"),
    ],
)
def test_a_raised_version_or_another_input_only_has_to_be_recorded(now: Record):
    assert find_unraised(BEFORE, now) == []
    assert len(find_outdated(BEFORE, now)) == 1


def test_ids_and_versions_alone_are_no_other_result():
    one, other = "cnd_" + "0" * 32, "cnd_" + "1" * 32
    assert digest([one, other, one]) == digest([other, one, other]) != digest([one, one, one])
    assert digest({"extractor_version": "h1", "x": 1}) == digest(
        {"extractor_version": "h2", "x": 1}
    )
