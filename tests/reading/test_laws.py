"""What holds of every reading: exact quotes, repeatable results, no failure."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.offline.reader import OfflineReader, extract
from agents.reader import ReadRequest
from schemas.events.atom import KINDS, MAX_BODY, MAX_TITLE, CandidatesExtracted
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkCreated
from schemas.versions import EXTRACTOR_VERSION
from streams.reflection import reflect
from tests.reading.documents import a_chunk

LINES = st.sampled_from(
    [
        "# Decision",
        "## Risks",
        "### Open questions",
        "We will use `Kafka` as **the** log. This ensures that order is kept.",
        "- The [worker](http://x) must commit its offset after the output is acknowledged",
        "- [ ] write the runbook for the on-call team",
        "> The store may lose data when the disk is full!",
        "| The gateway must reject requests without a token | yes, it has to |",
        "```",
        "",
        "    indented",
        "Latency must stay below 20 ms, i.e. one frame. Is that enough for customers?",
        "* Ünïcode names such as Größe are stored by the `ServiceRegistry` in UTF-8.",
        "======",
        "<details>",
    ]
)
PROSE = st.one_of(st.lists(LINES, max_size=14).map("\n".join), st.text(max_size=400))
PATHS = st.sampled_from(
    [("a.md", "doc"), ("a.rst", "doc"), ("a.adoc", "doc"), ("a.py", "code"), ("A.java", "code")]
    + [("go.mod", "manifest"), ("package.json", "manifest"), ("c.yml", "config"), ("x", "other")]
)


@settings(max_examples=250)
@given(PROSE, PATHS, st.integers(0, 10_000))
def test_every_quote_stands_at_its_offsets_and_lines(text, place, start):
    chunk = a_chunk(text, place[0], source_type=place[1], start=start, line=7)
    for atom in extract(chunk):
        assert atom.kind in KINDS
        assert 0 < len(atom.title) <= MAX_TITLE
        assert 0 < len(atom.body) <= MAX_BODY
        assert atom.evidence
        for row in atom.evidence:
            begin, end = row.char_start - start, row.char_end - start
            assert 0 <= begin < end <= len(text)
            assert text[begin:end] == row.snippet
            assert row.line_start == 7 + text[:begin].count("\n")
            assert row.line_end == row.line_start + row.snippet.rstrip("\n").count("\n")


@settings(max_examples=100)
@given(PROSE)
def test_the_limit_keeps_the_strongest_in_the_order_of_the_text(text):
    chunk = a_chunk(text)
    everything = extract(chunk, max_atoms=1_000)
    kept = extract(chunk, max_atoms=2)
    places = [atom.evidence[0].char_start for atom in kept]
    assert places == sorted(places)
    strongest = sorted((atom.confidence for atom in everything), reverse=True)[:2]
    assert sorted((atom.confidence for atom in kept), reverse=True) == strongest


@pytest.mark.parametrize("length", [6_000, pytest.param(18_000, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("before", "piece"),
    [
        ("", piece)
        for piece in ("`", "[", "*", "_", "<", "(", "a ", "must ", "- ", "|", "\\", "\n>", "/*")
    ]
    + [
        ("", "if a, "),
        ("", "..."),
        ("", "hard user "),
        ("[a](", "{%a%}"),
    ],
)
def test_hostile_repetition_is_read_in_time_that_grows_with_its_length(before, piece, length):
    line = before + piece * (length // len(piece))
    for text in (line, f"## {line}\n\nWe will use a log."):
        extract(a_chunk(text, "docs/adr/7-lanes.md"))
    extract(a_chunk(line, "a.java", source_type="code"))
    extract(a_chunk(line, "a.py", source_type="code"))


DOCUMENT = (
    "# Decision\n\nWe will use Kafka instead of Redis because order matters.\n\n"
    "# Risks\n\nThe Broker may lose data. Customers have asked for exports.\n"
)


def test_the_result_does_not_depend_on_the_hash_seed():
    program = (
        "from tests.reading.documents import a_chunk\n"
        "from agents.offline.reader import extract\n"
        f"print([a.model_dump_json() for a in extract(a_chunk({DOCUMENT!r}))])"
    )

    def run(seed: str) -> bytes:
        environment = os.environ | {"PYTHONHASHSEED": seed}
        return subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, check=True
        ).stdout

    assert run("0") == run("1") == run("4242")


def a_request(chunk: ChunkCreated, limit: int = 25) -> ReadRequest:
    asked = ExtractRequested(
        run_id="run_1",
        batch_no=2,
        position=5,
        lane="deep",
        chunk_id=chunk.chunk_id,
        source_id=chunk.source_id,
        chunk_partition=3,
        chunk_offset=99,
        max_atoms_per_chunk=limit,
    )
    return ReadRequest(asked, chunk)


def test_a_reading_answers_its_turn_and_names_its_engine():
    chunk = a_chunk(DOCUMENT, headings=("Log",))
    result = OfflineReader().read(a_request(chunk))
    reading = result.reading
    assert (reading.run_id, reading.batch_no, reading.position) == ("run_1", 2, 5)
    assert (reading.engine, reading.extractor_version, reading.outcome) == (
        "heuristic",
        EXTRACTOR_VERSION,
        "extracted",
    )
    assert (result.chunk_partition, result.chunk_offset) == (3, 99)
    assert reading.input_tokens == chunk.token_estimate
    assert (reading.sanitized_hash, reading.structure_path) == ("hash_1", ["Log"])


def test_atoms_beyond_the_limit_are_counted_and_refused_with_their_reason():
    chunk = a_chunk(DOCUMENT)
    result = OfflineReader().read(a_request(chunk, limit=0))
    assert result.reading.truncated_atoms == len(result.candidates) > 0
    refused = reflect(result, chunk).rejected
    assert len(refused) == len(result.candidates)
    assert all(it.findings[0].code == "beyond_chunk_limit" for it in refused)


@pytest.mark.parametrize("count", [26, 60, 150])
def test_a_long_list_is_read_to_its_end(count):
    lines = [f"- The conveyor must pass inspection {number:03}." for number in range(count)]
    result = OfflineReader().read(a_request(a_chunk("\n".join(lines), headings=("Needs",))))
    assert len(result.candidates) == count
    assert result.reading.truncated_atoms == 0


def test_a_request_survives_the_way_into_a_child_process():
    request = a_request(a_chunk(DOCUMENT))
    again: ReadRequest = pickle.loads(pickle.dumps(request))
    assert OfflineReader().read(again) == OfflineReader().read(request)


def test_candidate_ids_are_derived_from_chunk_run_and_place():
    first: CandidatesExtracted = OfflineReader().read(a_request(a_chunk(DOCUMENT)))
    ids = [candidate.candidate_id for candidate in first.candidates]
    assert len(set(ids)) == len(ids) > 1
    assert all(one.startswith("cnd_") for one in ids)


def test_a_skipped_chunk_has_no_candidates():
    skipped = a_chunk(DOCUMENT).model_copy(update={"skip_reason": "boilerplate"})
    assert extract(skipped) == []
