"""Insights, epics and features in the tables: what each cites, depends on, how it was judged."""

from __future__ import annotations

import pytest

from infra.cli.show import render_gone, render_item
from infra.client.models.shared import Item
from infra.client.models.views_parts import RemovedItem
from projections.checkpoint import Record
from projections.read import artifacts
from projections.read.lineage import trace
from schemas.envelope import Envelope
from streams.publishing import PUBLISH
from streams.reduce.writer import Reduce
from tests.projections.conftest import ReadModel
from tests.projections.log import Log
from tests.reduce.ledgers import PROJECT, Play, a_conflict
from tests.reduce.test_items import AUDIT, FULL, LIMIT, RETRY, SEALED, STUCK, WORLD
from tests.web import as_client


def records_of(play: Play, times: int = 1) -> list[Record]:
    """The change sets, the writer's log and what the publisher made of it, each ``times`` times."""
    log = Log()
    facts = [record.envelope for record in play.ledger]
    for record in play.written:
        answer: Envelope = record.envelope
        facts += [answer, *(answer.caused(event) for event in PUBLISH.handle(answer, None))]
    for fact in facts:
        for _ in range(times):
            log.write(fact)
    return log.records


def folded(model: ReadModel, play: Play) -> ReadModel:
    return model.fold(records_of(play))


@pytest.fixture
def play() -> Play:
    play = Play(Reduce(velocity=20)).given(WORLD, [a_conflict(RETRY, LIMIT)])
    play.ends()
    return play


def test_each_type_has_a_view_and_its_items_come_by_number(model: ReadModel, play: Play):
    folded(model, play)

    for kind in ("insight", "epic", "feature"):
        shown = artifacts.list_items(model.connection, PROJECT, kind).items
        assert shown
        assert [row.number for row in shown] == sorted(row.number for row in shown)
        assert model.value(f"SELECT count(*) FROM {kind}s") == len(shown)


def test_a_feature_shows_its_fields_and_its_plan(model: ReadModel, play: Play):
    folded(model, play)

    feature = artifacts.list_items(model.connection, PROJECT, "feature").items[0]

    assert set(feature.fields["risk_atom_ids"]) == {FULL.atom_id, STUCK.atom_id}
    assert feature.plan["start_date"] < feature.plan["end_date"]
    assert feature.blocked_by


def test_the_dependencies_of_a_section_are_its_atoms_and_its_open_contradictions(
    model: ReadModel, play: Play
):
    folded(model, play)

    found = model.rows(
        "SELECT DISTINCT depends_on_type, depends_on_id FROM artifact_dependencies"
        " JOIN features USING (artifact_id) WHERE section_id = 'open_questions'"
    )

    assert set(found) == {
        ("atom", RETRY.atom_id),
        ("atom", LIMIT.atom_id),
        ("contradiction", a_conflict(RETRY, LIMIT).contradiction_id),
    }


def test_the_gates_judgements_and_the_loops_are_kept(model: ReadModel, play: Play):
    folded(model, play)

    assert model.value("SELECT count(*) FROM quality_runs WHERE mode = 'full'") == 1
    assert model.value("SELECT count(*) FROM quality_runs WHERE mode = 'light'") == 2
    assert dict(model.rows("SELECT phase, items FROM generation_loops"))["feature_generation"] == 2


def test_an_item_whose_cluster_is_gone_is_no_longer_shown(model: ReadModel, play: Play):
    gone = [one.model_copy(update={"status": "dismissed", "revision": 2}) for one in WORLD[:7]]
    play.decided(gone)
    folded(model, play)

    assert len(artifacts.list_items(model.connection, PROJECT, "feature").items) == 1
    assert "dropped" in {
        row[0] for row in model.rows("SELECT fields->>'status' FROM features WHERE number = ''")
    }


def test_a_statement_of_a_feature_leads_to_its_atoms(model: ReadModel, play: Play):
    folded(model, play)

    (statement,) = model.rows(
        "SELECT statement_id FROM artifact_citations JOIN features USING (artifact_id)"
        " WHERE atom_id = %s",
        FULL.atom_id,
    )
    tree = trace(model.connection, PROJECT, statement[0])

    assert (tree.what, tree.facts["artifact_type"]) == ("statement", "feature")
    assert [child.id for child in tree.children if child.what == "atom"] == [FULL.atom_id]


def test_the_same_log_twice_leaves_the_same_tables(model: ReadModel, play: Play):
    once = folded(model, play).sums()
    twice = model.emptied().fold(records_of(play), batch=3).sums()

    assert once == twice


def test_an_item_is_told_with_its_facts_and_where_each_statement_comes_from(
    model: ReadModel, play: Play
):
    folded(model, play)

    (queue,) = [
        text
        for item in artifacts.list_items(model.connection, PROJECT, "feature").items
        if FULL.title in (text := render_item(as_client(Item, item)))
    ]

    assert queue.startswith("# feat-00")
    assert "priority should, effort points 8, start date 2026-01-" in queue
    assert f"({FULL.atom_id})" in queue, "no source is in this log: the atom stands for its place"


def test_what_is_no_longer_in_the_list_is_told_with_its_reason(model: ReadModel):
    play = Play().given(WORLD)
    play.ends("preview")
    again = [
        one.model_copy(
            update={"title": one.title.replace("audit log", "change list"), "revision": 2}
        )
        for one in (AUDIT, SEALED)
    ]
    play.given(again).ends()
    folded(model, play)

    gone = artifacts.list_gone_items(model.connection, PROJECT, "feature").items
    (shown,) = render_gone([as_client(RemovedItem, one) for one in gone])

    assert "Replaced by: " in shown
    assert not {row.artifact_id for row in gone} & {
        row.artifact_id for row in artifacts.list_items(model.connection, PROJECT, "feature").items
    }


def test_an_epic_is_shown_with_its_features(model: ReadModel, play: Play):
    folded(model, play)

    epic = artifacts.list_items(model.connection, PROJECT, "epic").items[0]
    features = artifacts.list_items(model.connection, PROJECT, "feature").items

    ids_of = epic.fields["feature_ids"]
    assert epic.features == [
        f"{row.number} {row.title}" for row in features if row.artifact_id in ids_of
    ]
    assert f"- {epic.features[0]}" in render_item(as_client(Item, epic))
    assert features[0].features == []
