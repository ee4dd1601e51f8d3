"""Stage 0 as a whole: what a revision's bytes become, and which facts that makes.

Two halves. ``clean`` is the heavy one: bytes to text, findings and chunks, without memory, so
that it can run in a child process. ``decide`` is the light one: it compares with the last answer
for the source. A skipped source has no sanitized text and so no sanitized hash: when a person
forces it in later, that is a change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from schemas.envelope import Event
from schemas.events.hygiene import (
    SANITIZED_PART_CHARS,
    VERSIONS,
    Annotation,
    ChunkCreated,
    ChunkRef,
    DocumentDescribed,
    Redaction,
    Severity,
    SkipReason,
    SourceProcessed,
    SourceSanitized,
)
from schemas.events.source import MARK_CHARS, SERVICES, SourceInfo, SourceRevised
from schemas.ids import sha256_hex
from schemas.source_kinds import language_of
from streams.hygiene.chunk import chunk
from streams.hygiene.documents.describe import describe_unread, is_prose
from streams.hygiene.filter import REVERSIBLE, Skip, skip_before_reading, skip_source
from streams.hygiene.normalise import Normalised, lower, normalise, starts_of_lines
from streams.hygiene.prompt_injection.annotate import annotate
from streams.hygiene.redaction.redact import redact

SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")


@dataclass(frozen=True, slots=True)
class Policy:
    """What a project's settings say to stage 0."""

    excluded_globs: tuple[str, ...] = ()


DEFAULT_POLICY = Policy()


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A revision after all steps; without text, hashes and chunks when it is skipped."""

    raw_sha256: str
    raw_normalized_hash: str | None = None
    sanitized_hash: str | None = None
    text: str = ""
    encoding: str | None = None
    line_count: int = 0
    char_count: int = 0
    redactions: tuple[Redaction, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    chunks: tuple[ChunkCreated, ...] = ()
    refs: tuple[ChunkRef, ...] = ()
    described: DocumentDescribed | None = None
    skip_reason: SkipReason | None = None
    skip_detail: str | None = None


def clean(
    source: SourceInfo,
    content: bytes,
    force_include: bool = False,
    policy: Policy = DEFAULT_POLICY,
) -> Cleaned:
    """Normalised, filtered, redacted, annotated, chunked. No bytes make it raise."""
    raw_sha256 = sha256_hex(content)
    skip = skip_before_reading(source.path, policy.excluded_globs, len(content))
    if skip and not _is_forced(skip, force_include):
        return _skip(raw_sha256, skip)
    normal = normalise(content, source.declared_charset)
    if normal.refusal:
        return _skip(raw_sha256, Skip(normal.refusal, normal.detail or ""))
    skip = skip_source(source.path, source.source_type, normal.text)
    if skip and not _is_forced(skip, force_include):
        skipped = _skip(raw_sha256, skip, normal)
        return replace(skipped, described=describe_unread(source)) if is_prose(source) else skipped
    return _sanitize(source, raw_sha256, normal, force_include)


def _is_forced(skip: Skip, force_include: bool) -> bool:
    return force_include and skip.reason in REVERSIBLE


def _skip(raw_sha256: str, skip: Skip, normal: Normalised | None = None) -> Cleaned:
    if normal is None:
        return Cleaned(raw_sha256, skip_reason=skip.reason, skip_detail=skip.detail)
    return Cleaned(
        raw_sha256,
        raw_normalized_hash=sha256_hex(normal.text),
        encoding=normal.encoding,
        line_count=normal.text.count("\n"),
        char_count=len(normal.text),
        skip_reason=skip.reason,
        skip_detail=skip.detail,
    )


def _sanitize(
    source: SourceInfo, raw_sha256: str, normal: Normalised, force_include: bool
) -> Cleaned:
    raw_hash = sha256_hex(normal.text)
    language = source.language or language_of(source.path)
    text, redactions = redact(
        normal.text,
        lower(normal.text),
        source.source_id,
        language,
        personal=source.source_type == "chat_thread",
    )
    sanitized_hash = sha256_hex(text) if redactions else raw_hash
    line_starts = starts_of_lines(text)
    annotations = annotate(
        text,
        lower(text),
        source.source_id,
        source.source_type,
        sanitized_hash,
        redactions,
        line_starts,
    )
    pieces = chunk(text, source, sanitized_hash, annotations, line_starts, force_include)
    return Cleaned(
        raw_sha256=raw_sha256,
        raw_normalized_hash=raw_hash,
        sanitized_hash=sanitized_hash,
        text=text,
        encoding=normal.encoding,
        line_count=len(line_starts),
        char_count=len(text),
        redactions=redactions,
        annotations=annotations,
        chunks=pieces.chunks,
        refs=pieces.refs,
        described=pieces.described,
    )


def decide(
    previous: SourceProcessed | None, revised: SourceRevised, cleaned: Cleaned
) -> list[Event]:
    """The answer to a revision: its text and chunks, if any, and at the end the commit record."""
    if previous is not None and _is_late(previous, revised):
        return [_keep_as_it_is(previous, revised)]
    if revised.unread is not None:
        cleaned = Cleaned(
            revised.raw_sha256, skip_reason=revised.unread, skip_detail=revised.unread_detail
        )
    described = [cleaned.described] if cleaned.described else []
    if cleaned.skip_reason is not None:
        is_same = previous is not None and _is_of_same_bytes(previous, cleaned)
        skipped = _answer(previous, revised, cleaned, "skipped")
        return [skipped] if is_same else [*described, skipped]
    if (
        previous is not None
        and previous.sanitized_hash == cleaned.sanitized_hash
        and previous.versions == VERSIONS
    ):
        return [_answer_unchanged(previous, revised, cleaned)]
    commit_record = _answer(previous, revised, cleaned, "sanitized")
    texts = _texts(revised.source.source_id, cleaned)
    return [*texts, *described, *cleaned.chunks, commit_record]


def _is_of_same_bytes(previous: SourceProcessed, cleaned: Cleaned) -> bool:
    return previous.raw_sha256 == cleaned.raw_sha256 and previous.versions == VERSIONS


def give_up(previous: SourceProcessed | None, revised: SourceRevised, detail: str) -> list[Event]:
    """The answer to a revision that could not be processed after all tries."""
    failed = Cleaned(revised.raw_sha256, skip_reason="poison", skip_detail=detail)
    return [_answer(previous, revised, failed, "skipped")]


def _is_late(previous: SourceProcessed, revised: SourceRevised) -> bool:
    """Whether an item of a service was changed before the revision that is held.

    A sync and a webhook may meet on the log in the wrong order; only here is one writer a source.
    Their ``revision_ref`` begins with the time of change, so that it sorts.
    """
    if revised.source.connector not in SERVICES or previous.skip_reason == "poison":
        return False
    held, come = previous.revision_ref or "", revised.revision_ref or ""
    return come[:MARK_CHARS] < held[:MARK_CHARS]


def _keep_as_it_is(previous: SourceProcessed, revised: SourceRevised) -> SourceProcessed:
    """The answer to a revision that comes too late: all stays as it is, the trigger goes on."""
    outcome = "skipped" if previous.skip_reason else "unchanged"
    return previous.model_copy(update={"trigger_key": revised.trigger_key, "outcome": outcome})


def _texts(source_id: str, cleaned: Cleaned) -> Iterator[SourceSanitized]:
    count = max(1, -(-len(cleaned.text) // SANITIZED_PART_CHARS))
    for part in range(count):
        first = part == 0
        yield SourceSanitized(
            source_id=source_id,
            raw_normalized_hash=cleaned.raw_normalized_hash or "",
            sanitized_hash=cleaned.sanitized_hash or "",
            encoding=cleaned.encoding or "",
            line_count=cleaned.line_count,
            char_count=cleaned.char_count,
            part_index=part,
            part_count=count,
            text=cleaned.text[part * SANITIZED_PART_CHARS : (part + 1) * SANITIZED_PART_CHARS],
            redactions=list(cleaned.redactions) if first else [],
            annotations=list(cleaned.annotations) if first else [],
            versions=VERSIONS,
        )


def _answer(
    previous: SourceProcessed | None,
    revised: SourceRevised,
    cleaned: Cleaned,
    outcome: str,
) -> SourceProcessed:
    worst = {it.severity for it in cleaned.annotations}
    content: dict[str, Any] = {
        "outcome": outcome,
        "revision_seq": previous.revision_seq + 1 if previous else 1,
        "raw_sha256": cleaned.raw_sha256,
        "raw_normalized_hash": cleaned.raw_normalized_hash,
        "sanitized_hash": cleaned.sanitized_hash,
        "previous_sanitized_hash": previous.sanitized_hash if previous else None,
        "encoding": cleaned.encoding,
        "line_count": cleaned.line_count,
        "char_count": cleaned.char_count,
        "redaction_count": len(cleaned.redactions),
        "annotation_count": len(cleaned.annotations),
        "max_annotation_severity": next((it for it in SEVERITIES if it in worst), None),
        "skip_reason": cleaned.skip_reason,
        "skip_detail": cleaned.skip_detail,
        "chunks": list(cleaned.refs),
        "versions": VERSIONS,
    }
    return SourceProcessed(
        source=revised.source,
        trigger_key=revised.trigger_key,
        revision_ref=revised.revision_ref,
        source_time=revised.source_time,
        **content,
    )


def _answer_unchanged(
    previous: SourceProcessed, revised: SourceRevised, cleaned: Cleaned
) -> SourceProcessed:
    """The commit record of the revision before under the new trigger; the counter does not move."""
    return previous.model_copy(
        update={
            "source": revised.source,
            "trigger_key": revised.trigger_key,
            "outcome": "unchanged",
            "revision_ref": revised.revision_ref,
            "source_time": revised.source_time,
            "raw_sha256": cleaned.raw_sha256,
        }
    )
