"""Chunks for the readers' tests, and what is read in them; a test states only its text and what it
is about.
"""

from __future__ import annotations

from agents.offline.reader import extract
from agents.offline.recognise.cues import LIKELY
from schemas.events.atom import Candidate
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
        chunk_version="c1",
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


def read(text: str, path: str = "docs/depot.md", **given: object) -> list[tuple[str, str]]:
    """The kinds and titles of what a rule or weights read of ``text``, entities aside."""
    return [(atom.kind, atom.title) for atom in sure(a_chunk(text, path, **given))]  # type: ignore[arg-type]


def stated(text: str, path: str = "docs/depot.md", **given: object) -> list[tuple[str, str]]:
    """The kinds and titles of what only states something."""
    atoms = extract(a_chunk(text, path, **given))  # type: ignore[arg-type]
    return [(atom.kind, atom.title) for atom in atoms if atom.confidence == LIKELY]


def sure(chunk: ChunkCreated) -> list[Candidate]:
    """What a rule or weights read, entities aside."""
    return [it for it in extract(chunk) if it.kind != "entity" and it.confidence != LIKELY]


def kinds(text: str, path: str) -> list[str]:
    return [kind for kind, _ in read(text, path)]


def surest(text: str, path: str = "docs/depot.md", **given: object) -> list[tuple[str, bool]]:
    """The kinds read, each with whether it is more than a weak cue."""
    atoms = sure(a_chunk(text, path, **given))  # type: ignore[arg-type]
    return [(atom.kind, atom.confidence > 0.55) for atom in atoms]


def told(text: str, path: str, *headings: str) -> list[Candidate]:
    return sure(a_chunk(text, path, headings=headings))


def titles(text: str, path: str = "docs/filters.md", *headings: str) -> list[str]:
    return [it.title for it in told(text, path, *headings)]


def only(kind: str, atoms: list[Candidate]) -> list[Candidate]:
    """Those of ``kind``."""
    return [atom for atom in atoms if atom.kind == kind]
