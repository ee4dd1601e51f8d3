"""Tables of text as programs write them: any of the usual separators and encodings.

Jira writes commas and UTF-8. What people have went through a spreadsheet, which writes what its
locale says: semicolons or tabs, Windows-1252 or UTF-16, and a line ``sep=;`` before the table.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

SEPARATORS = ",;\t|"
MAX_FIELD_CHARS = 4 * 1024 * 1024
HEADS_CHARS = 1024 * 1024
SAMPLE = 4096  # bytes that show whether every second one is 0
_NAMED_SEPARATOR = re.compile(r"\s*sep=(.)\s*\r?\n", re.IGNORECASE)
_RUNS = re.compile(rb"[\x80-\xff]+")
_SIGN_IN_WORD = re.compile(r"(?<=[^\W\d_])[¹³¿¯¼¾¥£¦±](?=[^\W\d_])")
LONGEST_RUN = 2  # letters with marks that follow each other in a language written in Windows-1252


class NoExport(Exception):
    """The file is something else."""


def decode(content: bytes) -> str:
    """The text of UTF-8, UTF-16 or Windows-1252; of a mixture each line by itself.

    Raises NoExport for another encoding.
    """
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace")
    sample = content[:SAMPLE]
    for codec, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        if len(zeros) > 1 and zeros.count(0) * 2 > len(zeros):
            return content.decode(codec, "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        return "\n".join(map(_decode_line, _check_western(lines)))


def _check_western(lines: list[bytes]) -> list[bytes]:
    """The lines, unless their other letters look like none of a western language.

    Those of another script stand in runs. Those of another Latin alphabet look like signs that
    never stand inside a word.
    """
    others = [line for line in lines if not _is_utf8(line)]
    runs = [len(run) for line in others for run in _RUNS.findall(line)]
    inside = sum(len(_SIGN_IN_WORD.findall(line.decode("cp1252", "replace"))) for line in others)
    if sum(length > LONGEST_RUN for length in runs) * 2 > len(runs) or inside * 20 > len(runs):
        raise NoExport("its letters are in none of UTF-8, UTF-16 and Windows-1252")
    return lines


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _decode_line(line: bytes) -> str:
    return line.decode("utf-8") if _is_utf8(line) else line.decode("cp1252", "replace")


def read_table(content: str) -> tuple[list[str], Iterator[dict[str, Any]]]:
    """The headings, and each row as its line, its values per column, and how many are too many.

    Raises NoExport where no line has two columns.
    """
    csv.field_size_limit(MAX_FIELD_CHARS)
    if named := _NAMED_SEPARATOR.match(content):
        separator, content = named[1], content[named.end() :]
    else:
        content = content.lstrip("\r\n")
        separator = max(SEPARATORS, key=lambda each: len(_first_row(content, each)))
    heads = [head.strip() for head in _first_row(content, separator)]
    if len(heads) < 2:
        raise NoExport("no table")
    return heads, _rows(content, separator, len(heads))


def _first_row(content: str, separator: str) -> list[str]:
    reader = csv.reader(io.StringIO(content[:HEADS_CHARS], newline=""), delimiter=separator)
    return next(reader, [])


def _rows(content: str, separator: str, width: int) -> Iterator[dict[str, Any]]:
    """Cells as ``[column, value]``, because a heading may occur several times; empty ones not."""
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=separator)
    next(reader)
    line = reader.line_num + 1
    for values in reader:
        cells = [(place, value) for place, value in enumerate(values) if value.strip()]
        if cells:
            inside = [cell for cell in cells if cell[0] < width]
            yield {"line": line, "cells": inside, "extra": len(cells) - len(inside)}
        line = reader.line_num + 1
