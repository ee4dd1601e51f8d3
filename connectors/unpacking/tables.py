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

from schemas import decoding

SEPARATORS = ",;\t|"
MAX_FIELD_CHARS = 4 * 1024 * 1024
HEADS_CHARS = 1024 * 1024
ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "windows-1252")
_NAMED_SEPARATOR = re.compile(r"\s*sep=(.)\s*\r?\n", re.IGNORECASE)
_SIGN_IN_WORD = re.compile(r"(?<=[^\W\d_])[¹³¿¯¼¾¥£¦±](?=[^\W\d_])")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


class NoExport(Exception):
    """The file is something else."""


def decode(content: bytes) -> str:
    """The text of UTF-8, UTF-16 or Windows-1252; of a mixture each line by itself.

    Raises NoExport for another encoding, also for one that Windows-1252 would show as signs within
    words.
    """
    text, encoding = decoding.decode(content) or ("", "")
    signs, letters = len(_SIGN_IN_WORD.findall(text)), len(_NOT_ASCII.findall(text))
    if not encoding.endswith(ENCODINGS) or ("1252" in encoding and signs * 20 > letters):
        raise NoExport("its letters are in none of UTF-8, UTF-16 and Windows-1252")
    return text


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
