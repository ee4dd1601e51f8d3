"""Projects, sources, their sanitized text and chunks."""

from __future__ import annotations

from typing import Any

from projections.fold.passages import numbered_passages_of, passages_of
from projections.rows import Rows
from schemas import ids
from schemas.envelope import Envelope, Event
from schemas.events.hygiene import (
    ChunkCreated,
    DocumentDescribed,
    SourceProcessed,
    SourceSanitized,
)
from schemas.events.project import ProjectCreated, ProjectDeleted, ProjectRenamed
from schemas.events.source import SourceRevised

# A revision makes the chunks of other hashes obsolete and those of a hash that came back live.
MARK_OBSOLETE = (
    "UPDATE {} SET obsolete = sanitized_hash IS DISTINCT FROM %s"
    " WHERE source_id = %s AND obsolete <> (sanitized_hash IS DISTINCT FROM %s)"
)


def project_created(rows: Rows, fact: Envelope, event: ProjectCreated) -> None:
    rows.add(
        fact,
        "projects",
        {
            "project_id": fact.project_id,
            "name": event.name,
            "description": event.description,
            "vision": event.vision,
            "timezone": event.timezone,
            "created_at": fact.occurred_at,
        },
    )


def project_renamed(rows: Rows, fact: Envelope, event: ProjectRenamed) -> None:
    rows.then(
        "UPDATE projects SET name = %s, updated_from_event_id = %s WHERE project_id = %s",
        (event.name, fact.event_id, fact.project_id),
    )


def project_deleted(rows: Rows, fact: Envelope, event: ProjectDeleted) -> None:
    """It is among the projects no more, so no question finds it; a note stays of its id."""
    rows.add(fact, "deleted_projects", {"deleted_at": fact.occurred_at})
    rows.then("DELETE FROM projects WHERE project_id = %s", (fact.project_id,))


def source_revised(rows: Rows, fact: Envelope, event: SourceRevised) -> None:
    """What a source is; its content stays encrypted on the topic."""
    source = event.source
    rows.add(
        fact,
        "sources",
        {
            "source_id": source.source_id,
            "connector": source.connector,
            "root": source.root,
            "external_ref": source.external_ref,
            "path": source.path,
            "title": source.title,
            "source_type": source.source_type,
            "priority_tier": source.priority_tier,
            "language": source.language,
            "mime": source.mime,
            "revised_at": fact.recorded_at,
        },
    )
    rows.add(
        fact,
        "trigger_stamps",
        {
            "project_id": fact.project_id,
            "trigger_key": event.trigger_key,
            "first_source_at": fact.recorded_at,
        },
    )


def source_sanitized(rows: Rows, fact: Envelope, event: SourceSanitized) -> None:
    place = {"source_id": event.source_id, "sanitized_hash": event.sanitized_hash}
    text = {"part_index": event.part_index, "part_count": event.part_count, "text": event.text}
    rows.add(fact, "source_texts", place | text)
    for finding in event.redactions:
        rows.add(fact, "redaction_findings", place | fields(finding))


def document_described(rows: Rows, fact: Envelope, event: DocumentDescribed) -> None:
    rows.add(
        fact,
        "document_descriptions",
        {
            "source_id": event.source_id,
            "sanitized_hash": event.sanitized_hash,
            "role": event.role,
            "role_reason": event.role_reason,
            "origin": event.origin,
            "status": event.status,
            "status_reason": event.status_reason,
            "headings": event.headings,
        },
    )


def chunk_created(rows: Rows, fact: Envelope, event: ChunkCreated) -> None:
    rows.add(
        fact,
        "chunks",
        {
            "chunk_id": event.chunk_id,
            "source_id": event.source_id,
            "path": event.path,
            "title": event.title,
            "source_type": event.source_type,
            "priority_tier": event.priority_tier,
            "language": event.language,
            "sanitized_hash": event.sanitized_hash,
            "anchor_type": event.anchor_type,
            "anchor_start": event.anchor_start,
            "anchor_end": event.anchor_end,
            "chunk_version": event.chunk_version,
            "line_start": event.line_start,
            "line_end": event.line_end,
            "structure_path": event.structure_path,
            "structure_fallback": event.structure_fallback,
            "part_index": event.part_index,
            "part_count": event.part_count,
            "text_hash": event.text_hash,
            "token_estimate": event.token_estimate,
            "annotation_ids": [annotation.annotation_id for annotation in event.annotations],
            "gate_skip_reason": event.skip_reason,
            "skip_detail": event.skip_detail,
            "obsolete": False,
            "created_event_id": fact.event_id,
        },
    )
    place = {
        "chunk_id": event.chunk_id,
        "source_id": event.source_id,
        "sanitized_hash": event.sanitized_hash,
    }
    for annotation in event.annotations:
        rows.add(fact, "chunk_annotations", place | fields(annotation))
    if event.skip_reason != "boilerplate":
        _add_passages(rows, fact, event)


def _add_passages(rows: Rows, fact: Envelope, event: ChunkCreated) -> None:
    """What is too short to be read for atoms is found all the same; boilerplate is not.

    Each fact of a numbered list stands alone, since the next may say the contrary.
    """
    text = event.text_payload
    for passage in (numbered_passages_of if event.newer_facts_last else passages_of)(text):
        start, end = event.anchor_start + passage.start, event.anchor_start + passage.end
        rows.add(
            fact,
            "passages",
            {
                "passage_id": ids.derive_id("psg", event.chunk_id, start, end),
                "chunk_id": event.chunk_id,
                "source_id": event.source_id,
                "sanitized_hash": event.sanitized_hash,
                "path": event.path,
                "title": event.title,
                "structure_path": event.structure_path,
                "lead": passage.lead,
                "char_start": start,
                "char_end": end,
                "line_start": event.line_start + passage.line,
                "line_end": event.line_start + passage.line_end,
                "text": text[passage.start : passage.end],
                "obsolete": False,
            },
        )


def source_processed(rows: Rows, fact: Envelope, event: SourceProcessed) -> None:
    """Stage 0's answer: the state of the source, a revision, and an answer to its trigger."""
    source_id = event.source.source_id
    rows.add(fact, "sources", {"source_id": source_id} | _processed_columns(fact, event))
    rows.add(
        fact,
        "trigger_sources",
        {
            "project_id": fact.project_id,
            "trigger_key": event.trigger_key,
            "source_id": source_id,
            "outcome": event.outcome,
            "skip_reason": event.skip_reason,
            "sanitized_hash": event.sanitized_hash,
            "chunks_to_read": sum(chunk.skip_reason is None for chunk in event.chunks),
        },
    )
    if event.outcome != "unchanged":
        rows.add(fact, "source_revisions", _revision(fact, event))
        for chunk in event.chunks:
            rows.add(fact, "chunks", {"chunk_id": chunk.chunk_id, "areas": chunk.areas})
    if event.revision_seq > 1:
        hash_now = event.sanitized_hash
        for table in ("chunks", "passages"):
            rows.then(MARK_OBSOLETE.format(table), (hash_now, source_id, hash_now))


def _processed_columns(fact: Envelope, event: SourceProcessed) -> dict[str, Any]:
    return {
        "outcome": event.outcome,
        "revision_seq": event.revision_seq,
        "revision_ref": event.revision_ref,
        "occurred_at": event.source_time,
        "raw_sha256": event.raw_sha256,
        "raw_normalized_hash": event.raw_normalized_hash,
        "sanitized_hash": event.sanitized_hash,
        "encoding": event.encoding,
        "line_count": event.line_count,
        "char_count": event.char_count,
        "redaction_count": event.redaction_count,
        "annotation_count": event.annotation_count,
        "max_annotation_severity": event.max_annotation_severity,
        "chunk_count": len(event.chunks),
        "gate_skip_reason": event.skip_reason,
        "skip_detail": event.skip_detail,
        "hygiene_version": event.versions.hygiene,
        "redactor_version": event.versions.redactor,
        "annotator_version": event.versions.annotator,
        "chunk_version": event.versions.chunk,
        "last_trigger_key": event.trigger_key,
        "updated_at": fact.recorded_at,
    }


def _revision(fact: Envelope, event: SourceProcessed) -> dict[str, Any]:
    return {
        "source_id": event.source.source_id,
        "revision_seq": event.revision_seq,
        "trigger_key": event.trigger_key,
        "outcome": event.outcome,
        "revision_ref": event.revision_ref,
        "raw_sha256": event.raw_sha256,
        "raw_normalized_hash": event.raw_normalized_hash,
        "sanitized_hash": event.sanitized_hash,
        "skip_reason": event.skip_reason,
        "sanitized_at": fact.recorded_at,
        "revised_event_id": fact.causation_id,
    }


def fields(part: Any) -> dict[str, Any]:
    """A part's own fields as a row, when table and part share their names."""
    return {name: getattr(part, name) for name in type(part).model_fields}


FOLDS: dict[type[Event], Any] = {
    ProjectCreated: project_created,
    ProjectRenamed: project_renamed,
    ProjectDeleted: project_deleted,
    SourceRevised: source_revised,
    SourceSanitized: source_sanitized,
    DocumentDescribed: document_described,
    ChunkCreated: chunk_created,
    SourceProcessed: source_processed,
}
