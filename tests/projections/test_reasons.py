"""Why: every decision about an id is told with its rule or code, in the order it was taken."""

from __future__ import annotations

from itertools import pairwise

import pytest

from infra.platform.errors import Refusal
from projections.fold import PROJECTED_TOPICS
from projections.read.decisions import Reason
from projections.read.reasons import list_reasons
from tests.projections.conftest import ReadModel
from tests.projections.log import a_whole_story
from tests.projections.parcel_log import fact_at, records
from tests.projections.test_folding import projected


@pytest.fixture
def ledger(model: ReadModel) -> ReadModel:
    return model.fold(records(frozenset(PROJECTED_TOPICS)))


def asked(ledger: ReadModel, query: str) -> list[Reason]:
    return list_reasons(ledger.connection, ledger.value(query), fact_at)


def test_an_atom_was_chosen_then_judged_then_created(ledger: ReadModel):
    query = "SELECT min(atom_id) FROM ledger_atoms WHERE kind = 'requirement' AND status = 'draft'"
    reasons = asked(ledger, query)
    steps = [reason.step for reason in reasons]
    assert steps[0] == "chosen"
    assert steps.index("judged") < next(
        at for at, reason in enumerate(reasons) if reason.what == "atom_created"
    )
    assert any(reason.because == "R8 insufficient_evidence_draft" for reason in reasons)


def test_the_choice_names_its_rule_and_the_chunk_its_score(ledger: ReadModel):
    first = asked(ledger, "SELECT min(chunk_id) FROM chunks WHERE state = 'extracted'")[0]
    assert first.what == "chunk chosen"
    assert first.because in ("mandatory_set", "gap_fill", "best_effort")
    assert "score" in first.detail


def test_a_merge_names_both_sides_and_how_alike_they_are(ledger: ReadModel):
    (merge,) = asked(ledger, "SELECT min(merge_op_id) FROM ledger_merge_ops")
    assert merge.what in ("exact_upsert", "auto_merge", "supersede")
    assert "similarity" in merge.detail


def test_a_refused_candidate_names_the_rule(model: ReadModel):
    model.fold(projected(a_whole_story()))
    (reason,) = asked(model, "SELECT candidate_id FROM ledger_rejections")
    assert (reason.what, reason.because) == ("candidate refused", "F1 too_short")


def test_a_contradiction_tells_how_it_was_opened(ledger: ReadModel):
    reasons = asked(ledger, "SELECT min(contradiction_id) FROM ledger_contradictions")
    assert reasons[0].what == "contradiction_opened"
    assert reasons[0].detail


def test_a_run_tells_its_beginning_its_batches_and_its_end(ledger: ReadModel):
    reasons = asked(ledger, "SELECT min(run_id) FROM ingestion_runs")
    assert reasons[0].because == "manual"
    batches = [reason.batch_no for reason in reasons if reason.step == "chosen"]
    assert batches == list(range(len(batches)))
    assert batches
    stop_reason = ledger.value("SELECT stop_reason FROM ingestion_runs ORDER BY run_id LIMIT 1")
    assert reasons[-1].because == stop_reason


def test_an_artifact_tells_why_each_version_and_what_holds_it_back(ledger: ReadModel):
    reasons = asked(ledger, "SELECT min(artifact_id) FROM artifacts WHERE artifact_type = 'prd'")
    assert reasons[0].what == "version 1"
    assert reasons[0].because == "preview_run_ended"
    assert reasons[-1].what.startswith("state ")


def test_a_skipped_chunk_or_source_names_its_reason(ledger: ReadModel):
    query = "SELECT min(source_id) FROM source_revisions WHERE skip_reason = 'lockfile'"
    assert asked(ledger, query)[0].because == "lockfile"


def test_the_operations_stand_in_ledger_order(ledger: ReadModel):
    query = "SELECT atom_id FROM ledger_atoms ORDER BY revision DESC, atom_id LIMIT 1"
    places = [
        one.ledger_seq
        for one in asked(ledger, query)
        if one.ledger_seq and one.what.partition(" ")[0] != "contradiction"
    ]
    assert all(before <= after for before, after in pairwise(places))


def test_an_unknown_id_is_refused_with_what_can_be_asked(ledger: ReadModel):
    with pytest.raises(Refusal, match="Nothing was decided about atm_0"):
        list_reasons(ledger.connection, "atm_0", fact_at)
