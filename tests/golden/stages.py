"""The corpus run through every stage: for each input a digest, and a digest of what came out.

A stage is compared on inputs that are still the same, so that a change of one stage is not taken
for a change of those behind it. Ids are numbered and versions left out, because ids contain
versions and a raised version alone is no other result.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_json

from agents.offline.reader import OfflineReader
from agents.reader import ReadRequest
from schemas import versions
from schemas.events.atom import CandidatesExtracted, Judged
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkCreated
from schemas.events.ledger import LedgerChanged
from schemas.events.source import SourceInfo
from schemas.ids import sha256_hex
from schemas.source_kinds import priority_tier_of
from streams.hygiene.stage import Cleaned, clean
from streams.memory import Driver
from streams.pipeline import pipeline
from streams.reflection import reflect
from tests.golden.corpus.statements import STATEMENTS
from tests.golden.corpus.talk import TYPES
from tests.golden.documents import projects
from tests.ledger.story import Chunk, Run, a_run, facts_of, judged, story
from tests.worlds import info, ingestion

STAGES = {
    "hygiene": "HYGIENE_VERSION",
    "redactor": "REDACTOR_VERSION",
    "annotator": "ANNOTATOR_VERSION",
    "chunk": "CHUNK_VERSION",
    "extractor": "EXTRACTOR_VERSION",
    "reflection": "REFLECTION_VERSION",
    "duplicates": "DUPLICATES_VERSION",
    "contradictions": "CONTRADICTIONS_VERSION",
    "ledger": "LEDGER_VERSION",
}
READER = OfflineReader()
LEFT_OUT = frozenset(
    ("versions", "chunk_version", "extractor_version", "reflection_version")
    + ("prev_hash", "caused_by_event_id")
)
ID = re.compile(r"\b([a-z]{3,4})_[0-9a-f]{32}\b")
NEGATION = re.compile(r"\b(?:not|never|cannot)\b")
DIGEST_CHARS = 12
Outputs = dict[str, dict[str, str]]  # by stage: digest of the input to digest of the output


def version_of(stage: str) -> str:
    return str(getattr(versions, STAGES[stage]))


def run_corpus() -> Outputs:
    """What every stage makes of the corpus today."""
    found: Outputs = defaultdict(dict)
    for stage, given, result in _run_all():
        found[stage][digest(given)] = digest(result)
    return dict(found)


def digest(value: Any) -> str:
    """The same for values that differ in nothing but versions and the ids made from them."""
    numbers: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        return numbers.setdefault(match[0], f"{match[1]}_{len(numbers)}")

    text = to_json(_without_versions(value)).decode()
    return sha256_hex(ID.sub(number, text))[:DIGEST_CHARS]


def _without_versions(value: Any) -> Any:
    match value:
        case BaseModel():
            return _without_versions(value.model_dump(mode="json"))
        case dict():
            return {key: _without_versions(it) for key, it in value.items() if key not in LEFT_OUT}
        case list() | tuple():
            return [_without_versions(item) for item in value]
        case _:
            return value


def _run_all() -> Iterator[tuple[str, Any, Any]]:
    for root, files in projects().items():
        for path, content in files.items():
            yield from _run_document(root, path, content)
        yield from _run_project(root, files)
    for statements in STATEMENTS.values():
        run = _run_of(statements)
        given = [it.envelope.event for it in facts_of(run)]
        yield from _ledger_parts(given, [it.envelope.event for it in story(run).log])


def _run_document(root: str, path: str, content: bytes) -> Iterator[tuple[str, Any, Any]]:
    source = _source(root, path)
    cleaned = clean(source, content)
    yield "hygiene", [source, content.hex()], _before_redacting(cleaned)
    normalised = [source, cleaned.raw_normalized_hash, cleaned.skip_reason]
    yield "redactor", normalised, [cleaned.text, cleaned.redactions]
    sanitized = [source, cleaned.text, cleaned.redactions]
    yield "annotator", sanitized, cleaned.annotations
    yield "chunk", [*sanitized, cleaned.annotations], [cleaned.chunks, cleaned.refs]
    for chunk in cleaned.chunks:
        read = READER.read(_request(chunk))
        yield "extractor", chunk, read
        yield "reflection", [chunk, read], reflect(read, chunk)


def _before_redacting(cleaned: Cleaned) -> list[Any]:
    return [
        *(cleaned.raw_normalized_hash, cleaned.encoding),
        *(cleaned.skip_reason, cleaned.skip_detail),
        cleaned.described and cleaned.described.model_dump(exclude={"sanitized_hash"}),
    ]


def _run_project(root: str, files: Mapping[str, bytes]) -> Iterator[tuple[str, Any, Any]]:
    driver = Driver(pipeline(_read), partitions=1)
    driver.publish(ingestion(dict(files), root=root))
    driver.run()
    topics = ("ingestion.v1", "atom.validated.v1")
    given = [it.envelope.event for topic in topics for it in driver.log.of(topic)]
    yield from _ledger_parts(given, [it.envelope.event for it in driver.log.of("ledger.v1")])


def _ledger_parts(given: Any, change_sets: list[Any]) -> Iterator[tuple[str, Any, Any]]:
    """What was merged, what contradicts, and all else, each after what it follows from."""
    sets: list[LedgerChanged] = change_sets
    merges = [
        [[op for op in it.merge_ops if op.op != "exact_upsert"], it.merge_candidates] for it in sets
    ]
    contradictions = [it.contradictions for it in sets]
    yield "duplicates", given, merges
    yield "contradictions", [given, merges], contradictions
    yield "ledger", [given, merges, contradictions], sets


def _run_of(statements: list[tuple[str, ...]]) -> Run:
    """Each statement in a chunk and a source of its own."""
    return a_run(
        *(
            Chunk(f"chk_{n}", [_judged(kind, *texts)], source_id=f"src_{n}")
            for n, (kind, *texts) in enumerate(statements)
        )
    )


def _judged(kind: str, *texts: str) -> Judged:
    polarity = "negate" if NEGATION.search(texts[-1]) else "affirm"
    return judged(*texts, kind=kind, confidence=0.9, polarity=polarity)


def _read(request: ExtractRequested, chunk: ChunkCreated) -> CandidatesExtracted:
    return READER.read(ReadRequest(request, chunk))


def _request(chunk: ChunkCreated) -> ReadRequest:
    asked = ExtractRequested(
        run_id="run_golden",
        batch_no=0,
        position=1,
        lane="deep",
        chunk_id=chunk.chunk_id,
        source_id=chunk.source_id,
    )
    return ReadRequest(asked, chunk)


def _source(root: str, path: str) -> SourceInfo:
    source = info(path, root)
    kind = TYPES.get(path, source.source_type)
    return source.model_copy(
        update={"source_type": kind, "priority_tier": priority_tier_of(kind), "connector": "upload"}
    )
