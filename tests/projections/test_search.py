"""Retrieval says by its coverage how good its ground is."""

from __future__ import annotations

import pytest

from projections.read.search import Filters, search_ledger
from tests.projections.builders import PROJECT, an_atom
from tests.projections.conftest import ReadModel
from tests.projections.log import Story, a_whole_story
from tests.projections.test_folding import projected

PASSAGES = ["Callers are known.", "Auth uses JWT tokens, signed anew.", "Sessions end at night."]


@pytest.fixture
def ledger(model: ReadModel) -> ReadModel:
    return model.fold(projected(a_whole_story()))


@pytest.mark.parametrize(
    ("query", "coverage", "first"),
    [
        ("What does the gateway do?", "entity", "Gateway"),
        ("Which decisions were taken?", "metadata", "Auth uses session cookies"),
        ("How are callers authenticated?", "fulltext", "Auth uses JWT tokens"),
    ],
)
def test_the_coverage_names_the_step_that_found_something(
    ledger: ReadModel, query: str, coverage: str, first: str
):
    answer = search_ledger(ledger.connection, PROJECT, query, limit=1)
    assert answer.coverage == coverage
    assert answer.hits[0].title == first


def test_an_entity_brings_the_atoms_that_mention_it(ledger: ReadModel):
    answer = search_ledger(ledger.connection, PROJECT, "gateway", limit=2)
    assert answer.coverage == "entity"
    assert {hit.title for hit in answer.hits} == {"Gateway", "Auth uses JWT tokens"}


def test_a_kind_in_the_query_narrows_to_it(ledger: ReadModel):
    answer = search_ledger(ledger.connection, PROJECT, "decisions", limit=1)
    assert answer.coverage == "metadata"
    assert answer.hits[0].kind == "decision"


def test_words_of_the_evidence_are_found_too(ledger: ReadModel):
    answer = search_ledger(ledger.connection, PROJECT, "public entrance")
    assert answer.coverage == "fulltext"
    (row,) = answer.hits[0].evidence
    assert (row.path, row.line_start) == ("README.md", 1)


def test_nothing_found_is_a_normal_answer(ledger: ReadModel):
    answer = search_ledger(ledger.connection, PROJECT, "zeppelin maintenance")
    assert (answer.coverage, answer.hits) == ("none", [])


def test_filters_hold_in_every_step(ledger: ReadModel):
    for query in ("gateway", "auth", "decisions"):
        answer = search_ledger(ledger.connection, PROJECT, query, Filters(kinds=("claim",)))
        assert {hit.kind for hit in answer.hits} <= {"claim"}


def test_only_live_atoms_are_found_unless_asked(ledger: ReadModel):
    ledger.connection.execute("UPDATE ledger_atoms SET status = 'dismissed' WHERE kind = 'claim'")
    assert "claim" not in {
        hit.kind for hit in search_ledger(ledger.connection, PROJECT, "JWT tokens").hits
    }
    dismissed = Filters(statuses=("dismissed",))
    found = search_ledger(ledger.connection, PROJECT, "JWT tokens", dismissed)
    assert [hit.kind for hit in found.hits] == ["claim"]


def test_a_hit_names_its_open_contradictions(ledger: ReadModel):
    answer = search_ledger(ledger.connection, PROJECT, "session cookies")
    assert len(answer.hits[0].open_contradictions) == 1


def test_the_passage_that_says_what_the_title_says_comes_first(model: ReadModel):
    story = Story()
    story.project()
    story.requested(["README.md"])
    chunks = story.source("README.md", "\n\n".join(PASSAGES))
    story.run_started()
    story.planned(chunks)
    said = an_atom(chunks[0], story.run, "Auth uses JWT tokens")
    story.read(chunks[0], said)
    for chunk in chunks[1:]:
        story.read(chunk, said)
    story.committed()
    model.fold(projected(story))
    (hit,) = search_ledger(model.connection, PROJECT, "auth").hits
    assert len(hit.evidence) == len(PASSAGES)
    assert hit.evidence[0].snippet == PASSAGES[1]
