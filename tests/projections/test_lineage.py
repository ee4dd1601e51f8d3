"""From any id down to the source and up to what cites it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.platform.errors import Refusal
from projections.read.lineage import TraceNode, trace
from tests.projections.builders import PROJECT
from tests.projections.conftest import ReadModel
from tests.projections.log import Story, a_whole_story
from tests.projections.test_folding import projected


def nodes(node: TraceNode) -> Iterator[TraceNode]:
    yield node
    for child in node.children:
        yield from nodes(child)


def kinds(node: TraceNode) -> set[str]:
    return {each.what for each in nodes(node)}


def events(node: TraceNode) -> set[str]:
    return {event.event_type for each in nodes(node) for event in each.events}


@pytest.fixture
def story() -> Story:
    return a_whole_story()


@pytest.fixture
def ledger(model: ReadModel, story: Story) -> ReadModel:
    return model.fold(projected(story))


def test_a_statement_leads_down_to_the_record_of_its_source(ledger: ReadModel):
    statement = ledger.value("SELECT min(statement_id) FROM artifact_citations")
    tree = trace(ledger.connection, PROJECT, statement)
    below = {"statement", "atom", "evidence", "chunk", "source revision", "run"}
    assert below <= kinds(tree)
    assert events(tree) == {
        "artifact.version_published",
        "ledger.changed",
        "atom.reflected",
        "chunk.created",
        "source.revised",
        "source.sanitized",
        "source.processed",
        "ingestion.run_started",
        "ingestion.batch_planned",
    }


def test_every_place_in_a_trace_is_the_place_of_that_record(ledger: ReadModel, story: Story):
    written = {(record.topic, record.partition, record.offset) for record in story.log.records}
    tree = trace(ledger.connection, PROJECT, ledger.value("SELECT min(atom_id) FROM ledger_atoms"))
    places = {
        (event.topic, event.partition, event.offset)
        for node in nodes(tree)
        for event in node.events
    }
    assert places
    assert places <= written


def test_an_atom_leads_up_to_the_statements_that_cite_it(ledger: ReadModel):
    atom = ledger.value("SELECT atom_id FROM ledger_atoms WHERE kind = 'claim'")
    cited = [
        node for node in nodes(trace(ledger.connection, PROJECT, atom)) if node.what == "cited by"
    ]
    assert [node.facts["text"] for node in cited] == ["Auth uses JWT tokens"]


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("SELECT min(artifact_id) FROM artifacts", "artifact"),
        ("SELECT min(evidence_id) FROM ledger_evidence", "evidence"),
        ("SELECT min(chunk_id) FROM chunks", "chunk"),
        ("SELECT min(source_id) FROM sources", "source revision"),
        ("SELECT min(run_id) FROM ingestion_runs", "run"),
    ],
)
def test_every_kind_of_id_can_be_traced(ledger: ReadModel, query: str, what: str):
    tree = trace(ledger.connection, PROJECT, ledger.value(query))
    assert tree.what == what
    assert events(tree)


def test_a_chunk_shows_its_exact_text(ledger: ReadModel, story: Story):
    for chunk in story.chunks.values():
        assert trace(ledger.connection, PROJECT, chunk.chunk_id).facts["text"] == chunk.text_payload


def test_an_unknown_id_is_refused_with_advice(ledger: ReadModel):
    with pytest.raises(Refusal, match="nothing called atm_nobody"):
        trace(ledger.connection, PROJECT, "atm_nobody")
