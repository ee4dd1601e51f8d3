"""Chunking: the sanitized text as pieces with structural anchors.

Structure first, windows only where none is found. Code and entries are joined more eagerly than the
minimum asks for (below 200 tokens, up to the target): a class of a hundred lines is read in one to
three chunks, not in twenty, and a reader sees a method beside the fields it uses.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice
from string import ascii_lowercase
from typing import NamedTuple
from zlib import crc32

from schemas import ids
from schemas.areas import AREAS, area_counts
from schemas.events.hygiene import (
    Annotation,
    ChunkCreated,
    ChunkRef,
    DocumentDescribed,
    DocumentOption,
    DocumentStatus,
)
from schemas.events.source import SourceInfo
from schemas.readers import PROSE_TYPES
from schemas.source_kinds import language_of
from schemas.versions import CHUNK_VERSION
from streams.hygiene.boilerplate import licence_end, skip_chunk
from streams.hygiene.chunks import code, data, python
from streams.hygiene.chunks.conversation import RECORD_HEAD, records
from streams.hygiene.chunks.numbered_facts import has_newer_facts_last
from streams.hygiene.chunks.prose import headings_in
from streams.hygiene.chunks.prose import sections as sections_of
from streams.hygiene.chunks.units import (
    JOINED_BELOW_TOKENS,
    Piece,
    Unit,
    join,
    pieces_of,
    tokens_of,
    windows,
)
from streams.hygiene.documents.describe import describe_document
from streams.hygiene.documents.options import options_of
from streams.hygiene.documents.predecessors import predecessors_of
from streams.hygiene.documents.status import (
    SectionStatus,
    ToldStatus,
    status_within,
    statuses_of_sections,
    tell_status,
)
from streams.hygiene.documents.successor import successor_of
from streams.hygiene.documents.title import Title, title_of
from streams.hygiene.filter import REVERSIBLE, Skip

SECTIONED = frozenset(("markdown", "restructuredtext", "asciidoc", "org"))
RECORD_TYPES = frozenset(
    ["issue", "pull_request", "review_comment", "comment", "chat_thread", "interview"]
)
MOST_WORDS = 64
WORDS_OF_AN_AREA = 2
SHORTEST_CONTENT_WORD = 4
APART = bytes(at if chr(at) in ascii_lowercase else 32 for at in range(256))
FUNCTION_WORDS = frozenset(
    b"""
    this that with from have been will they them then than when what which where were your
    their there these those into also only such some more most very just each must should
    would could
    """.split()
)


@dataclass(frozen=True, slots=True)
class _Document:
    """What its text says of itself; ``over`` is the title, where it stands over all headings."""

    over: tuple[str, ...]
    sections: list[SectionStatus]  # of several records in one file
    told: ToldStatus
    described: DocumentDescribed | None
    successor: str | None
    supersedes: list[str]
    options: list[DocumentOption]
    newer_facts_last: bool

    def path_to(self, unit: Unit) -> list[str]:
        under = unit.path[:1] == self.over
        return list(unit.path if under else self.over + unit.path)

    def status_at(self, text: str, piece: Piece) -> DocumentStatus | None:
        return status_within(text, self.sections, piece.start, piece.end) or self.told.status


class Chunked(NamedTuple):
    """``refs`` are what run control must know of each chunk, ``described`` what the document is."""

    chunks: tuple[ChunkCreated, ...] = ()
    refs: tuple[ChunkRef, ...] = ()
    described: DocumentDescribed | None = None


def chunk(
    text: str,
    source: SourceInfo,
    sanitized_hash: str,
    annotations: tuple[Annotation, ...],
    line_starts: list[int],
    force_include: bool,
) -> Chunked:
    """The chunks in the order of the text."""
    language = source.language or language_of(source.path)
    pieces, fallback = split_into_pieces(text, source.source_type, language, line_starts)
    document = _describe(text, source, sanitized_hash, language, pieces, line_starts)
    chunks: list[ChunkCreated] = []
    for piece in pieces:
        unit, payload = piece.unit, text[piece.start : piece.end]
        skip = _skip_piece(piece, payload, source, force_include)
        chunks.append(
            ChunkCreated(
                chunk_id=ids.chunk_id(
                    source.source_id,
                    sanitized_hash,
                    unit.kind,
                    piece.start,
                    piece.end,
                    CHUNK_VERSION,
                ),
                source_id=source.source_id,
                path=source.path,
                title=source.title,
                source_type=source.source_type,
                priority_tier=source.priority_tier,
                language=language,
                sanitized_hash=sanitized_hash,
                anchor_type=unit.kind,
                anchor_start=piece.start,
                anchor_end=piece.end,
                chunk_version=CHUNK_VERSION,
                line_start=bisect_right(line_starts, piece.start),
                line_end=bisect_right(line_starts, piece.end - 1),
                structure_path=document.path_to(unit),
                structure_fallback=fallback,
                part_index=piece.part,
                part_count=piece.parts,
                text_payload=payload,
                text_hash=ids.sha256_hex(payload),
                token_estimate=tokens_of(payload),
                annotations=list_touching(annotations, piece.start, piece.end),
                document_status=document.status_at(text, piece),
                document_successor=document.successor,
                document_supersedes=document.supersedes,
                options=document.options,
                skip_reason=skip.reason if skip else None,
                skip_detail=skip.detail if skip else None,
                root=source.root,
                newer_facts_last=document.newer_facts_last,
            )
        )
    documented = (piece.unit.documented for piece in pieces)
    return Chunked(tuple(chunks), tuple(map(reference, chunks, documented)), document.described)


def _describe(
    text: str,
    source: SourceInfo,
    sanitized_hash: str,
    language: str | None,
    pieces: list[Piece],
    line_starts: list[int],
) -> _Document:
    is_talk = source.source_type in RECORD_TYPES
    is_document = language in SECTIONED and not is_talk
    tops = {piece.unit.path[0] for piece in pieces if piece.unit.path}
    called = title_of(text, language, tops) if is_document else Title()
    headings = list(headings_in(text, language)) if is_document else []
    sections = statuses_of_sections(text, headings)
    head = text[: sections[0].start] if sections else text
    told = tell_status(head, source.path, called.text) if is_document else ToldStatus()
    is_prose = source.source_type in PROSE_TYPES and not is_talk
    described = None
    if is_prose:
        described = describe_document(source, sanitized_hash, headings, told, line_starts)
    return _Document(
        over=(called.text,) if called.over else (),
        sections=sections,
        told=told,
        described=described,
        successor=successor_of(head, source.path) if told.status == "superseded" else None,
        supersedes=predecessors_of(text, source.path, told.status) if is_document else [],
        options=options_of(text, headings, called.text),
        newer_facts_last=is_prose and has_newer_facts_last(text),
    )


def _skip_piece(piece: Piece, payload: str, source: SourceInfo, force_include: bool) -> Skip | None:
    """Why the piece is not read; a reason that a person may overrule is none with force."""
    unit = piece.unit
    title = unit.path[-1] if unit.path else ""
    is_prose = source.source_type in PROSE_TYPES
    skip = skip_chunk(payload, source.path, title, unit.licence, is_prose)
    if unit.scope == RECORD_HEAD:
        skip = skip or Skip("boilerplate", "record head")
    return None if skip and force_include and skip.reason in REVERSIBLE else skip


def split_into_pieces(
    text: str, source_type: str, language: str | None, line_starts: list[int]
) -> tuple[list[Piece], bool]:
    """The pieces of a text, and whether windows stand in for a structure that did not parse."""
    if source_type in RECORD_TYPES:
        return list(pieces_of(text, records(text, source_type))), False
    units, has_structure = _recognise(text, language, line_starts)
    if units is None:
        end = 0 if language in SECTIONED else licence_end(text)
        licence = pieces_of(text, [Unit("module", 0, end, licence=True)]) if end else ()
        return [*licence, *windows(text, end)], has_structure
    return list(pieces_of(text, _with_licence(text, units))), False


def _recognise(
    text: str, language: str | None, line_starts: list[int]
) -> tuple[list[Unit] | None, bool]:
    """The units of a text, and whether its language has a structure to be recognised."""
    if language in SECTIONED or language is None:
        return sections_of(text, language) if language else None, False
    if language == "python":
        units = python.definitions(text, line_starts)
    elif language in code.BRACES or language == "ruby":
        units = code.definitions(text, language, line_starts)
    elif language in data.FINDERS:
        units = data.entries(text, language)
    else:
        return None, False
    if units is None:
        return None, True
    end = licence_end(text)
    inner = [it._replace(start=max(it.start, end)) for it in units if it.end > end]
    return join(text, inner, JOINED_BELOW_TOKENS), True


def _with_licence(text: str, units: list[Unit]) -> list[Unit]:
    """The licence comment that the units leave out at the top, as a unit of its own."""
    end = units[0].start if units else len(text)
    return [Unit("module", 0, end, licence=True), *units] if end else units


def list_touching(annotations: tuple[Annotation, ...], start: int, end: int) -> list[Annotation]:
    """The annotations that share a character with the span."""
    if not annotations:
        return []
    return [it for it in annotations if it.char_start < end and it.char_end > start]


def reference(made: ChunkCreated, documented: bool) -> ChunkRef:
    """What run control chooses a chunk by; what is skipped is never chosen and has no words."""
    lowered = made.text_payload.lower() if made.skip_reason is None else ""
    counts = area_counts(lowered)
    return ChunkRef(
        chunk_id=made.chunk_id,
        anchor_type=made.anchor_type,
        anchor_start=made.anchor_start,
        anchor_end=made.anchor_end,
        line_start=made.line_start,
        text_hash=made.text_hash,
        structure_path=made.structure_path,
        token_estimate=made.token_estimate,
        words=word_hashes(lowered),
        areas=[area for area in AREAS if counts.get(area, 0) >= WORDS_OF_AN_AREA] if counts else [],
        structured=documented or (made.anchor_type == "heading" and bool(made.structure_path)),
        document_status=made.document_status,
        document_supersedes=made.document_supersedes,
        options=made.options,
        skip_reason=made.skip_reason,
    )


def word_hashes(lowered: str) -> list[int]:
    """Sorted CRC-32 of the first distinct content words, which are letters of ASCII."""
    words = dict.fromkeys(lowered.encode("ascii", "replace").translate(APART).split())
    distinct = (it for it in words if len(it) >= SHORTEST_CONTENT_WORD and it not in FUNCTION_WORDS)
    return sorted(map(crc32, islice(distinct, MOST_WORDS)))
