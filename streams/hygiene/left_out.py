"""What becomes of a text that takes too long to clean: the rest of it is read.

Nothing in a text says which part of it is to blame, so parts are tried. What is left out is blank
then, line for line: it was not searched for secrets, so nobody may see it. Each such place is a
chunk that is skipped, with its lines and the reason.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import NamedTuple

from schemas import ids
from schemas.events.hygiene import ChunkCreated
from schemas.events.source import SourceInfo
from schemas.source_kinds import language_of
from schemas.versions import CHUNK_VERSION
from streams.hygiene.chunk import reference
from streams.hygiene.chunks.units import borders, tokens_of, trim
from streams.hygiene.normalise import normalise, starts_of_lines
from streams.hygiene.stage import Cleaned

Span = tuple[int, int]
Clean = Callable[[SourceInfo, bytes, bool], Cleaned]
MOST_FAILURES = 48  # of tries; a single place in the longest text that is read takes 15


def parts_of(source: SourceInfo, content: bytes) -> list[Span]:
    """The paragraphs of the normalised text, or what is small enough of them; none of no text."""
    text = normalise(content, source.declared_charset).text
    return list(borders(text, 0, len(text)))


def find_left_out(parts: Sequence[Span]) -> Generator[list[Span], bool, list[Span]]:
    """Which of ``parts`` to leave out, in their order.

    Yields what to leave out for a try, and is sent whether the rest could be cleaned. Where too
    many tries fail, what is left is left out untried.
    """
    left_out: list[Span] = []
    waiting = _halves(parts)[::-1]
    failures = 0
    while waiting:
        group = waiting.pop()
        behind = [span for later in reversed(waiting) for span in later]
        if failures < MOST_FAILURES and (yield left_out + behind):
            continue
        failures += 1
        if len(group) == 1 or failures >= MOST_FAILURES:
            left_out += group
        else:
            waiting += _halves(group)[::-1]
    return left_out


def _halves(parts: Sequence[Span]) -> list[Sequence[Span]]:
    middle = len(parts) // 2
    return [each for each in (parts[:middle], parts[middle:]) if each]


def clean_without(
    left_out: Sequence[Span],
    why: str,
    clean: Clean,
    source: SourceInfo,
    content: bytes,
    force_include: bool,
) -> Cleaned:
    """The text cleaned with blanks in place of what is ``left_out``, of which a chunk tells."""
    normal = normalise(content, source.declared_charset)
    declared = source.model_copy(update={"declared_charset": "utf-8"})
    cleaned = clean(declared, _blank(normal.text, left_out).encode(), force_include)
    if cleaned.skip_reason is None:
        cleaned = _tell(source, normal.text, left_out, why, cleaned)
    return replace(
        cleaned,
        raw_sha256=ids.sha256_hex(content),
        raw_normalized_hash=cleaned.raw_normalized_hash and ids.sha256_hex(normal.text),
        encoding=cleaned.encoding and normal.encoding,
    )


def describe_lines(source: SourceInfo, content: bytes, left_out: Sequence[Span]) -> str:
    """The lines that are left out, in words."""
    text = normalise(content, source.declared_charset).text
    return ", ".join(_words_of(each.lines) for each in _places(text, left_out))


def _blank(text: str, left_out: Sequence[Span]) -> str:
    made, end = [], 0
    for start, stop in sorted(left_out):
        lines = text[start:stop].split("\n")
        made += [text[end:start], "\n".join(" " * len(line) for line in lines)]
        end = stop
    return "".join(made) + text[end:]


class Place(NamedTuple):
    """Neighbours that are left out; ``lines`` are the first and the last one."""

    start: int
    end: int
    lines: Span


def _places(text: str, left_out: Sequence[Span]) -> list[Place]:
    starts = starts_of_lines(text)
    joined: list[Span] = []
    for start, end in sorted(left_out):
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    trimmed = [trim(text, *span) for span in joined]
    return [
        Place(start, end, (bisect_right(starts, start), bisect_right(starts, end - 1)))
        for start, end in trimmed
        if start < end
    ]


def _words_of(lines: Span) -> str:
    first, last = lines
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _tell(
    source: SourceInfo, text: str, left_out: Sequence[Span], why: str, cleaned: Cleaned
) -> Cleaned:
    """The result with a skipped chunk for each place."""
    find = _finder(_blank(text, left_out), cleaned)
    line_starts = starts_of_lines(cleaned.text)
    made = list(zip(cleaned.chunks, cleaned.refs, strict=True))
    for place in _places(text, left_out):
        start, end = find(place.start), find(place.end)
        detail = f"{_words_of(place.lines)}: {why}"
        skipped_chunk = _skipped_chunk(source, cleaned, (start, end), line_starts, detail)
        made.append((skipped_chunk, reference(skipped_chunk, documented=False)))
    made.sort(key=lambda each: each[0].anchor_start)
    return replace(
        cleaned, chunks=tuple(chunk for chunk, _ in made), refs=tuple(ref for _, ref in made)
    )


def _finder(blanked: str, cleaned: Cleaned) -> Callable[[int], int]:
    """Where a place of the blanked text is in the sanitized one, which differs by redactions."""
    kept, at, end = [], 0, 0
    for redaction in sorted(cleaned.redactions, key=lambda it: it.char_start):
        same = cleaned.text[end : redaction.char_start]
        at = max(at, blanked.find(same, at))
        kept.append((at, end))
        at, end = at + len(same), redaction.char_end
    at = max(at, blanked.find(cleaned.text[end:], at))
    kept.append((at, end))

    def find(place: int) -> int:
        start, moved_to = kept[max(0, bisect_right(kept, (place, len(blanked))) - 1)]
        return min(len(cleaned.text), moved_to + place - start)

    return find


def _skipped_chunk(
    source: SourceInfo, cleaned: Cleaned, span: Span, line_starts: list[int], detail: str
) -> ChunkCreated:
    start, end = span
    payload, sanitized_hash = cleaned.text[start:end], cleaned.sanitized_hash or ""
    return ChunkCreated(
        chunk_id=ids.chunk_id(
            source.source_id, sanitized_hash, "window", start, end, CHUNK_VERSION
        ),
        source_id=source.source_id,
        path=source.path,
        title=source.title,
        source_type=source.source_type,
        priority_tier=source.priority_tier,
        language=source.language or language_of(source.path),
        sanitized_hash=sanitized_hash,
        anchor_type="window",
        anchor_start=start,
        anchor_end=end,
        chunk_version=CHUNK_VERSION,
        line_start=bisect_right(line_starts, start),
        line_end=bisect_right(line_starts, max(start, end - 1)),
        text_payload=payload,
        text_hash=ids.sha256_hex(payload),
        token_estimate=tokens_of(payload),
        skip_reason="poison",
        skip_detail=detail,
        root=source.root,
    )
