"""The ledger as of a sequence or a time equals what was projected when the log ended there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from infra.platform.errors import Refusal
from projections.fold import PROJECTED_TOPICS
from projections.read.artifact_list import list_artifacts
from projections.read.atoms import find_sequence_at, list_atoms, list_atoms_as_of
from projections.read.contradictions import list_contradictions
from projections.read.decision_list import list_decisions
from projections.read.merges import list_merges
from projections.read.page import take
from projections.read.rejections import list_rejections
from projections.read.source_list import list_sources
from schemas.codec import decode
from schemas.events.ledger import LedgerChanged
from tests.projections.builders import PROJECT as STORY
from tests.projections.conftest import ReadModel
from tests.projections.log import a_whole_story
from tests.projections.parcel_log import records
from tests.projections.test_folding import projected
from tests.worlds import PROJECT

TOPICS = frozenset(PROJECTED_TOPICS)


def up_to(seq: int):
    """The records of the log without the change sets after ``seq``."""
    for record in records(TOPICS):
        event = decode(record.value or b"").event
        if not isinstance(event, LedgerChanged) or event.ledger_seq <= seq:
            yield record


@pytest.mark.parametrize("share", [0.0, 0.3, 0.8, 1.0])
def test_the_past_is_what_stood_there(model: ReadModel, share: float):
    last = sum(record.topic == "ledger.v1" for record in records(TOPICS))
    seq = int(last * share)
    then = model.fold(list(up_to(seq)))
    stood = [
        (atom.atom_id, atom.status, atom.confidence, atom.revision)
        for atom in take(partial(list_atoms, then.connection, PROJECT))
    ]
    now = model.emptied().fold(records(TOPICS))
    past = take(partial(list_atoms_as_of, now.connection, PROJECT, seq))
    assert [(atom.atom_id, atom.status, atom.confidence, atom.revision) for atom in past] == stood
    assert bool(stood) == (seq > 0)


def test_a_time_names_the_last_change_set_before_it(model: ReadModel):
    model.fold(records(TOPICS))
    last = model.value("SELECT max(ledger_seq) FROM ledger_change_sets")
    end = datetime(9999, 1, 1, tzinfo=UTC)
    assert find_sequence_at(model.connection, PROJECT, end) == last
    assert find_sequence_at(model.connection, PROJECT, datetime(1970, 1, 1, tzinfo=UTC)) == 0


def test_what_has_changed_since_is_told_from_the_rest(model: ReadModel):
    model.fold(records(TOPICS))
    last = model.value("SELECT max(ledger_seq) FROM ledger_change_sets")
    every = take(partial(list_atoms, model.connection, PROJECT, status="all"))

    def since(place: int | datetime) -> set[str]:
        ask = partial(list_atoms, model.connection, PROJECT, status="all", updated_since=place)
        return {atom.atom_id for atom in take(ask)}

    assert since(0) == {atom.atom_id for atom in every}
    assert since(last) == since(datetime(9999, 1, 1, tzinfo=UTC)) == set()
    touched = model.connection.execute(
        "SELECT DISTINCT atom_id FROM ledger_atom_history WHERE ledger_seq > %s", (last // 2,)
    ).fetchall()
    assert since(last // 2) == {atom_id for (atom_id,) in touched} != set()

    slim = list_atoms(model.connection, PROJECT, is_slim=True).items
    whole = list_atoms(model.connection, PROJECT).items
    assert [atom.model_copy(update={"evidence": []}) for atom in whole] == slim
    assert any(atom.evidence for atom in whole)

    pairs = list(take(partial(list_contradictions, model.connection, PROJECT, None)))
    assert (
        list(take(partial(list_contradictions, model.connection, PROJECT, None, updated_since=0)))
        == pairs
    )
    assert (
        list(
            take(partial(list_contradictions, model.connection, PROJECT, None, updated_since=last))
        )
        == []
    )


@pytest.mark.parametrize(
    "ask", [list_sources, list_artifacts, list_merges, list_decisions, list_contradictions]
)
def test_each_list_tells_what_has_changed_since(model: ReadModel, ask: Any):
    model.fold(records(TOPICS))
    last = model.value("SELECT max(ledger_seq) FROM ledger_change_sets")
    about = (model.connection, PROJECT, *((None,) if ask is list_contradictions else ()))
    listed = list(take(partial(ask, *about)))
    always = list(take(partial(ask, *about, updated_since=0)))
    assert [it for it in always if it in listed] == listed
    late = datetime(9999, 1, 1, tzinfo=UTC)
    assert list(take(partial(ask, *about, updated_since=late))) == []
    part = list(take(partial(ask, *about, updated_since=last // 2)))
    assert [it for it in always if it in part] == part
    with pytest.raises(Refusal, match="there is no sequence"):
        ask(*about, updated_since=999_999)


def test_a_removed_source_is_told_to_who_follows(model: ReadModel):
    model.fold(records(TOPICS))
    (known, at) = model.rows("SELECT source_id, max(updated_at) FROM sources GROUP BY 1 LIMIT 1")[0]
    gone = "UPDATE sources SET removed_at = %s WHERE source_id = %s RETURNING 1"
    model.rows(gone, at + timedelta(days=1), known)
    states = partial(list_sources, model.connection, PROJECT)
    assert known not in {it.source_id for it in take(states)}
    since = take(partial(states, updated_since=at + timedelta(hours=1)))
    assert [(it.source_id, it.state) for it in since] == [(known, "removed")]


def test_slim_items_say_the_same_but_for_what_is_long(model: ReadModel):
    model.fold(records(TOPICS))
    about = (model.connection, PROJECT)
    expected = [
        it.model_copy(update={"body_a": None, "body_b": None})
        for it in take(partial(list_merges, *about))
    ]
    assert list(take(partial(list_merges, *about, is_slim=True))) == expected
    shown = partial(list_contradictions, model.connection, PROJECT, None)
    for whole_card, slim in zip(take(shown), take(partial(shown, is_slim=True)), strict=True):
        assert whole_card.a.evidence and not slim.a.evidence and not slim.affected_artifacts
        assert (slim.contradiction_id, slim.a.title, slim.b.body) == (
            whole_card.contradiction_id,
            whole_card.a.title,
            whole_card.b.body,
        )


def test_a_sequence_that_is_not_there_is_refused(model: ReadModel):
    model.fold(records(TOPICS))
    with pytest.raises(Refusal, match="there is no sequence"):
        list_atoms(model.connection, PROJECT, updated_since=999_999)
    with pytest.raises(Refusal, match="there is no sequence 999999"):
        list_atoms_as_of(model.connection, PROJECT, 999_999)


def test_rejections_are_found_by_rule_code_kind_and_path(model: ReadModel):
    model.fold(projected(a_whole_story()))
    (refused,) = list_rejections(model.connection, STORY).items
    for found in (
        list_rejections(model.connection, STORY, code="F1"),
        list_rejections(model.connection, STORY, code="too_short"),
        list_rejections(model.connection, STORY, kind="claim", source="READ*"),
    ):
        assert [row.candidate_id for row in found.items] == [refused.candidate_id]
    assert list_rejections(model.connection, STORY, code="low_confidence").items == []
    assert list_rejections(model.connection, STORY, source="docs/*").items == []
