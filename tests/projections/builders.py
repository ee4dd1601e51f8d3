"""The parts of a tiny project: a test states only what it is about."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from schemas import ids
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_sections import Citation, Section, Statement
from schemas.events.atom import (
    Candidate,
    CandidateRow,
    Finding,
    Judged,
    Provenance,
)
from schemas.events.hygiene import (
    Annotation,
    ChunkCreated,
    ChunkRef,
)
from schemas.events.ledger import (
    AtomRecord,
    ContradictionRecord,
    EvidenceRow,
)
from schemas.events.source import SourceInfo
from schemas.fingerprint import atom_fingerprint

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
PROJECT = ids.project_id("demo")


def replace_part(part: Any, **changes: Any) -> Any:
    return type(part).model_validate(part.model_dump() | changes)


def source_of(path: str) -> SourceInfo:
    return SourceInfo(
        source_id=ids.source_id(PROJECT, "upload", f"demo@{path}"),
        root="demo",
        external_ref=f"demo@{path}",
        path=path,
        title=path.rpartition("/")[2],
        source_type="readme" if path.startswith("README") else "doc",
        priority_tier=1,
    )


def spans(text: str) -> list[tuple[int, int]]:
    """Half-open spans of the paragraphs of ``text``."""
    found, start = [], 0
    for paragraph in text.split("\n\n"):
        found.append((start, start + len(paragraph)))
        start += len(paragraph) + 2
    return found


def chunk_of(
    info: SourceInfo,
    digest: str,
    text: str,
    start: int,
    end: int,
    annotations: Sequence[Annotation] = (),
) -> ChunkCreated:
    return ChunkCreated(
        chunk_id=ids.chunk_id(info.source_id, digest, "heading", start, end, "c1"),
        source_id=info.source_id,
        path=info.path,
        title=info.title,
        source_type=info.source_type,
        priority_tier=info.priority_tier,
        sanitized_hash=digest,
        anchor_type="heading",
        anchor_start=start,
        anchor_end=end,
        chunk_version="c1",
        line_start=text.count("\n", 0, start) + 1,
        line_end=text.count("\n", 0, end) + 1,
        structure_path=["Top"],
        text_payload=text[start:end],
        text_hash=ids.sha256_hex(text[start:end]),
        token_estimate=(end - start) // 4,
        annotations=[
            each for each in annotations if each.char_start < end and start < each.char_end
        ],
    )


def ref_of(chunk: ChunkCreated) -> ChunkRef:
    return ChunkRef(
        chunk_id=chunk.chunk_id,
        anchor_type=chunk.anchor_type,
        anchor_start=chunk.anchor_start,
        anchor_end=chunk.anchor_end,
        text_hash=chunk.text_hash,
        token_estimate=chunk.token_estimate,
    )


def an_atom(chunk: ChunkCreated, run: str, title: str = "", **changes: Any) -> AtomRecord:
    """A claim that says what the chunk says."""
    kind = changes.pop("kind", "claim")
    title = title or chunk.text_payload[:60]
    body = changes.pop("body", chunk.text_payload)
    tags = changes.pop("tags", [])
    fingerprint = atom_fingerprint(kind, title, body, tags=tags)
    provenance = Provenance(
        source_id=chunk.source_id,
        sanitized_hash=chunk.sanitized_hash,
        chunk_id=chunk.chunk_id,
        run_id=run,
        lane="preview",
        engine="heuristic",
        extractor_version="h1",
    )
    return AtomRecord(
        **{
            "atom_id": ids.atom_id(PROJECT, kind, fingerprint),
            "kind": kind,
            "title": title,
            "body": body,
            "tags": tags,
            "area": "scope",
            "atom_fingerprint": fingerprint,
            "confidence": 0.8,
            "status": "active",
            "evidence_count": 1,
            "direct_evidence_count": 1,
            "source_count": 1,
            "first_run_id": run,
            "last_run_id": run,
            "first_seen_at": START,
            "last_seen_at": START,
            "first_provenance": provenance,
            "latest_provenance": provenance,
            "first_seq": 1,
        }
        | changes
    )


def evidence_of(atom: AtomRecord, chunk: ChunkCreated, run: str) -> EvidenceRow:
    start, end = chunk.anchor_start, chunk.anchor_end
    return EvidenceRow(
        evidence_id=ids.evidence_id(atom.atom_id, chunk.chunk_id, start, end),
        atom_id=atom.atom_id,
        source_id=chunk.source_id,
        sanitized_hash=chunk.sanitized_hash,
        chunk_id=chunk.chunk_id,
        structure_path=chunk.structure_path,
        char_start=start,
        char_end=end,
        line_start=chunk.line_start,
        line_end=chunk.line_end,
        snippet=chunk.text_payload,
        evidence_type="direct",
        run_id=run,
    )


def prd_of(atoms: Sequence[AtomRecord], *, version: int, run_id: str, seq: int) -> ArtifactSnapshot:
    statements = [
        Statement(
            statement_id=ids.derive_id("stm", "goals", atom.atom_id),
            text=atom.title,
            citations=[Citation(atom_id=atom.atom_id, atom_revision=atom.revision)],
            confidence=atom.confidence,
        )
        for atom in atoms
    ]
    section = Section(
        section_id="goals",
        title="Goals",
        state="generated",
        statements=statements,
        content_hash="c" * 64,
        input_hash="i" * 64,
    )
    markdown = "# PRD\n" + "".join(f"- {statement.text}\n" for statement in statements)
    return ArtifactSnapshot(
        artifact_id=ids.artifact_id(PROJECT, "prd", "prd"),
        artifact_type="prd",
        number="PRD-1",
        title="Demo",
        artifact_state="preview_stable",
        version=version,
        sections=[section],
        content_hash=ids.sha256_hex(markdown),
        rendered_markdown=markdown,
        lane="preview",
        engine="heuristic",
        run_id=run_id,
        input_ledger_seq=seq,
    )


def a_rejection(chunk: ChunkCreated) -> Judged:
    return Judged(
        candidate=Candidate(
            candidate_id=ids.derive_id("cnd", chunk.chunk_id, 1),
            kind="claim",
            title="Too short",
            body="x",
            confidence=0.3,
            evidence=[CandidateRow(char_start=0, char_end=1, snippet="x")],
        ),
        status="rejected",
        confidence_before=0.3,
        confidence_after=0.0,
        findings=[Finding(rule="F1", code="too_short")],
    )


def a_contradiction(a: AtomRecord, b: AtomRecord, seq: int) -> ContradictionRecord:
    first, second = sorted((a.atom_id, b.atom_id))
    return ContradictionRecord(
        contradiction_id=ids.pair_id("ctr", PROJECT, first, second),
        atom_a_id=first,
        atom_b_id=second,
        contradiction_type="body_conflict",
        severity="high",
        opened_seq=seq,
        updated_seq=seq,
    )
