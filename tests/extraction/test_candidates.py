"""An answer becomes candidates: within limits, with spans that reflection accepts."""

import jsonschema
import pytest

from agents.extraction.answer import ANSWER_SCHEMA, Answer
from agents.extraction.candidates import make_candidates
from agents.extraction.prompt import prepare
from schemas.events.atom import BEYOND_LIMIT, CandidatesExtracted, Reading
from schemas.versions import MODEL_EXTRACTOR_VERSION
from streams.reflection import reflect
from tests.reading.documents import a_chunk

TEXT = (
    "The queue must keep every order for a day. Orders are counted for the bill, so none may be"
    " lost. A full disk may cause an outage of the shop."
)
CHUNK = a_chunk(TEXT)


def an_atom(**fields):
    return {
        "kind": "requirement",
        "title": "The queue keeps every order for a day",
        "body": "The queue keeps every order for a day.",
        "evidence": [
            {"sentences": [1], "anchor": "must keep every order"},
            {"sentences": [2], "anchor": "none may be lost"},
        ],
        "polarity": "affirm",
        "severity": None,
        "impact": None,
        "area": "non_functional",
        "confidence": 0.9,
        "tags": [],
        "entities": [],
        "attributes": [],
    } | fields


def candidates(*atoms, most=25):
    data = {"chunks": [{"chunk": 1, "atoms": list(atoms), "gaps": []}]}
    jsonschema.validate(data, ANSWER_SCHEMA)
    read = Answer.model_validate(data).chunks[0].atoms
    return make_candidates(CHUNK, prepare(CHUNK), "run_1", read, most)


def reflected(*atoms):
    reading = Reading(
        run_id="run_1",
        batch_no=0,
        position=1,
        lane="deep",
        chunk_id="chk_1",
        source_id="src_1",
        sanitized_hash="hash_1",
        outcome="extracted",
        engine="model",
        extractor_version=MODEL_EXTRACTOR_VERSION,
    )
    return reflect(CandidatesExtracted(reading=reading, candidates=candidates(*atoms)), CHUNK)


def test_spans_are_of_the_payload_and_stand_as_quoted():
    (one,) = reflected(an_atom()).accepted
    assert one.status == "active"
    assert [row.evidence_type for row in one.rows] == ["direct", "direct"]
    assert not any(row.anchor_corrected for row in one.rows)
    first = one.rows[0]
    assert (first.char_start, first.char_end) == (1_000, 1_042)
    assert first.snippet == TEXT[:42]
    assert (first.line_start, first.line_end) == (40, 40)


def test_a_made_up_quote_leaves_the_candidate_without_evidence():
    made_up = an_atom(evidence=[{"sentences": [1], "anchor": "orders are kept for seven years"}])
    (one,) = reflected(made_up).rejected
    assert "below_evidence_floor" in [finding.code for finding in one.findings]


def test_a_risk_needs_a_quote_that_shows_its_impact():
    risk = {
        "kind": "risk",
        "title": "A full disk may stop the shop",
        "body": "A full disk may cause an outage of the shop.",
        "severity": "high",
        "impact": "An outage of the shop.",
        "evidence": [{"sentences": [3], "anchor": "A full disk may cause an outage"}],
    }
    assert len(reflected(an_atom(**risk)).accepted) == 1
    alike = [{"sentences": [3], "anchor": "a full disk might cause an outage of the shop"}]
    (one,) = reflected(an_atom(**risk | {"evidence": alike})).rejected
    assert "risk_without_direct_impact" in [finding.code for finding in one.findings]


def test_what_is_beyond_the_limit_is_marked_from_the_end():
    many = [an_atom(title=f"Statement {number}") for number in range(5)]
    marked = [BEYOND_LIMIT in it.attributes for it in candidates(*many, most=2)]
    assert marked == [False, False, True, True, True]


def test_texts_are_cut_at_a_word_and_names_are_there_once():
    (one,) = candidates(an_atom(title="word " * 60, tags=["Queue", " queue ", "", "bill"]))
    assert len(one.title) <= 160
    assert one.title.endswith("word…")
    assert one.tags == ["Queue", "bill"]


def test_attributes_are_those_of_the_kind_with_values_that_it_knows():
    (one,) = candidates(
        an_atom(
            attributes=[
                {"name": "priority", "value": "must"},
                {"name": "requirement_type", "value": "whatever"},
                {"name": "owner_hint", "value": "ana"},
            ]
        )
    )
    assert {"priority": "must"}.items() <= one.attributes.items()
    assert not {"requirement_type", "owner_hint"} & one.attributes.keys()


def test_an_answer_cannot_name_a_field_of_ours():
    data = {"chunks": [{"chunk": 1, "gaps": [], "atoms": [an_atom(document_status="accepted")]}]}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, ANSWER_SCHEMA)
