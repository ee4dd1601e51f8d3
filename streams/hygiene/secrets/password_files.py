"""Files that are lists of passwords, a line each: of PostgreSQL, and of a machine's first start."""

# ruff: noqa: E501 (a pattern is read as one line)
from __future__ import annotations

import re
from collections.abc import Iterator

from streams.hygiene.secrets.values import is_no_placeholder

# host:port:database:user:password, behind comments and blank lines
PGPASS_LINE = (
    r"[\w.*-]{1,120}:(?:[0-9]{2,5}|\*):[\w*-]{1,60}:[\w.*-]{1,60}:(?P<password>[^\s]{4,200})"
)
PGPASS = re.compile(rf"(?:#[^\n]*\n|\n)*{PGPASS_LINE}(?=\n|\Z)")
PGPASS_LINES = re.compile(rf"(?m)^{PGPASS_LINE}$")
# user:password below a key that hands the list to chpasswd
FIRST_START = "chpasswd:"
LISTED = re.compile(r"[ \t]+(?:list|users):[ |>-]*\n(?=[ \t])")
ENTRY = re.compile(r"[ \t]+(?:- ?)?[\"']?[\w.-]{1,40}:(?P<password>[^\s:\"']{4,200})[\"']?[ \t]*\n")


def find_listed(text: str) -> Iterator[tuple[int, int]]:
    """Each password of such a list."""
    if PGPASS.match(text):
        yield from (it.span("password") for it in PGPASS_LINES.finditer(text))
    at = text.find(FIRST_START)
    while at >= 0:
        if head := LISTED.match(text, text.find("\n", at) + 1):
            yield from _entries(text, head.end())
        at = text.find(FIRST_START, at + 1)


def _entries(text: str, at: int) -> Iterator[tuple[int, int]]:
    while entry := ENTRY.match(text, at):
        if is_no_placeholder(entry["password"]):
            yield entry.span("password")
        at = entry.end()
