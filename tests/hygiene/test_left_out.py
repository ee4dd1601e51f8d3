"""A text that takes too long is read without the parts that are to blame, and they are told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from schemas.events.source import SourceInfo
from schemas.ids import sha256_hex
from streams.hygiene.left_out import (
    MOST_FAILURES,
    Span,
    clean_without,
    describe_lines,
    find_left_out,
    parts_of,
)
from streams.hygiene.stage import Cleaned, clean
from tests.hygiene.builders import a_source

KEY = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----"
LINES = [f"The depot number {at} must keep a lane free for lorries." for at in range(200)]
WHY = "the job worked longer than 6 s"


def found(parts: list[Span], can_clean_without: Callable[[list[Span]], bool]) -> list[Span]:
    search = find_left_out(parts)
    try:
        asked = next(search)
        while True:
            asked = search.send(can_clean_without(asked))
    except StopIteration as end:
        left_out: list[Span] = end.value
        return left_out


@pytest.mark.parametrize("slow", [{0}, {199}, {17, 18, 140}, set(range(0, 200, 60)), set()])
def test_the_parts_that_are_to_blame_are_found_and_no_others(slow: set[int]) -> None:
    parts = [(at, at + 1) for at in range(200)]
    blamed = [(at, at + 1) for at in slow]
    assert found(parts, lambda out: set(blamed) <= set(out)) == sorted(blamed)


def test_two_parts_that_are_slow_together_only_lose_one_of_them() -> None:
    parts = [(at, at + 1) for at in range(50)]
    assert found(parts, lambda out: (3, 4) in out or (30, 31) in out) == [(30, 31)]


def test_the_search_for_slow_spans_is_bounded() -> None:
    tries: list[list[Span]] = []
    parts = [(at, at + 1) for at in range(5_000)]

    def fails(out: list[Span]) -> bool:
        tries.append(out)
        return False

    assert found(parts, fails) == parts
    assert len(tries) <= MOST_FAILURES


def read_without(text: str, marks: list[str], source: SourceInfo) -> Cleaned:
    content = text.encode()
    parts = [
        (low, high)
        for low, high in parts_of(source, content)
        if any(mark in text[low:high] for mark in marks)
    ]
    return clean_without(parts, WHY, clean, source, content, False)


def test_the_rest_is_read_as_it_stands_and_the_left_out_lines_are_told() -> None:
    source = a_source("docs/depots.md")
    text = "# Depots\n\n" + "\n\n".join(LINES) + "\n"
    cleaned = read_without(text, ["number 7 ", "number 8 ", "number 150 "], source)

    whole = clean(source, text.encode())
    assert (cleaned.line_count, cleaned.char_count) == (whole.line_count, whole.char_count)
    assert cleaned.raw_sha256 == sha256_hex(text)
    assert cleaned.raw_normalized_hash == whole.raw_normalized_hash
    assert cleaned.sanitized_hash == sha256_hex(cleaned.text) != whole.sanitized_hash
    read = " ".join(each.text_payload for each in cleaned.chunks if not each.skip_reason)
    assert [line for line in LINES if line not in read] == [LINES[7], LINES[8], LINES[150]]
    told = [it for it in cleaned.chunks if it.skip_reason == "poison"]
    assert [it.skip_detail for it in told] == [f"lines 17 to 19: {WHY}", f"line 303: {WHY}"]
    assert [(it.line_start, it.line_end) for it in told] == [(17, 19), (303, 303)]
    assert [it.chunk_id for it in cleaned.chunks] == [it.chunk_id for it in cleaned.refs]
    assert len({it.chunk_id for it in cleaned.chunks}) == len(cleaned.chunks)
    starts = [it.anchor_start for it in cleaned.chunks]
    assert starts == sorted(starts)


def test_places_are_right_behind_what_was_redacted() -> None:
    """Each line of a key becomes another of another length."""
    text = f"# Depots\n\n{KEY}\n\n{LINES[0]}\n\n{LINES[1]}\n\n{KEY}\n\n{LINES[2]}\n"
    cleaned = read_without(text, ["number 1 ", "number 2 "], a_source("docs/depots.md"))
    assert "MII" not in cleaned.text and cleaned.redactions
    told = [it for it in cleaned.chunks if it.skip_reason == "poison"]
    assert [it.skip_detail for it in told] == [f"line 9: {WHY}", f"line 15: {WHY}"]
    for each, line in zip(told, (LINES[1], LINES[2]), strict=True):
        assert cleaned.text[each.anchor_start : each.anchor_end] == " " * len(line)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_what_is_left_out_is_found_in_any_encoding(encoding: str) -> None:
    source = a_source("docs/depots.md")
    text = f"# Dépôts\n\n{LINES[0]}\n\nLe dépôt à éviter.\n\n{LINES[1]}\n"
    content = text.encode(encoding)
    [part] = [each for each in parts_of(source, content) if "éviter" in text[slice(*each)]]
    cleaned = clean_without([part], WHY, clean, source, content, False)
    assert cleaned.encoding == clean(source, content).encoding
    assert LINES[1] in cleaned.text and "éviter" not in cleaned.text
    assert describe_lines(source, content, [part]) == "line 5"


def test_a_long_paragraph_loses_a_line_and_a_long_line_a_part() -> None:
    source = a_source("docs/depots.md")
    text = "# Depots\n\n" + "\n".join(LINES) + "\n\n" + " ".join(LINES) + "\n"
    parts = parts_of(source, text.encode())
    assert "".join(text[slice(*each)] for each in parts) == text
    assert max(high - low for low, high in parts) <= 3_200


def test_bytes_that_are_no_text_have_no_parts() -> None:
    assert parts_of(a_source("docs/a.md"), b"\x00\x01" * 50) == []
    assert found([], lambda out: False) == []
