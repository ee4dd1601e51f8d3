"""Chunks for the readers' tests; a test states only its text and what it is about."""

from __future__ import annotations

from schemas.events.hygiene import AnchorType, Annotation, AnnotationType, ChunkCreated
from schemas.ids import sha256_hex


def a_chunk(
    text: str,
    path: str = "docs/notes.md",
    *,
    source_type: str = "doc",
    headings: tuple[str, ...] = (),
    anchor_type: AnchorType = "heading",
    start: int = 1_000,
    line: int = 40,
    annotations: tuple[Annotation, ...] = (),
    root: str = "",
) -> ChunkCreated:
    return ChunkCreated(
        chunk_id="chk_1",
        source_id="src_1",
        path=path,
        title=path,
        source_type=source_type,
        priority_tier=3,
        sanitized_hash="hash_1",
        anchor_type=anchor_type,
        anchor_start=start,
        anchor_end=start + len(text),
        line_start=line,
        line_end=line + text.count("\n"),
        structure_path=list(headings),
        text_payload=text,
        text_hash=sha256_hex(text),
        token_estimate=(len(text.encode()) + 3) // 4,
        annotations=list(annotations),
        root=root,
    )


def flagged(start: int, end: int, annotation_type: AnnotationType) -> Annotation:
    return Annotation(
        annotation_id=f"ann_{start}",
        annotation_type=annotation_type,
        rule_id="A-IGNORE",
        severity="high",
        char_start=start,
        char_end=end,
        line_start=40,
        line_end=40,
    )
