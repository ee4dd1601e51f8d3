"""Private keys between their border lines, and as far as they look like one without (R-PEM)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from streams.hygiene.secrets.finding import ORDER_PEM, Finding

PEM_BORDER = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
PEM_BODY = re.compile(r"[ \t\"'+>|*#]*+[A-Za-z0-9+/=\\:, -]*+[\"',+; \t]*+")
PEM_ESCAPED = re.compile(r"(?:\\{1,4}[nr][A-Za-z0-9+/=]*+)+")


def find_private_keys(text: str) -> Iterator[Finding]:
    """Each line from BEGIN to END; a key without END reaches as far as its lines look like one."""
    open_at: tuple[int, int] | None = None
    for match in PEM_BORDER.finditer(text):
        if match[1] == "BEGIN":
            if open_at:
                stop = min(_as_far_as_a_body(text, open_at[1]), match.start())
                yield Finding(open_at[0], stop, ORDER_PEM, "R-PEM", "PRIVATE_KEY")
            open_at = match.span()
        elif open_at:
            if match.start() > open_at[1]:
                yield Finding(open_at[0], match.end(), ORDER_PEM, "R-PEM", "PRIVATE_KEY")
            open_at = None
    if open_at:
        stop = _as_far_as_a_body(text, open_at[1])
        yield Finding(open_at[0], stop, ORDER_PEM, "R-PEM", "PRIVATE_KEY")


def _as_far_as_a_body(text: str, at: int) -> int:
    """The end of the last line after ``at`` that could belong to a key's text."""
    if escaped := PEM_ESCAPED.match(text, at):
        return escaped.end()
    stop = at
    while body := PEM_BODY.match(text, at):
        line_end = text.find("\n", at)
        if (at > stop and not body[0].strip()) or " " in body[0].strip() and ":" not in body[0]:
            return stop
        stop = body.end()
        if line_end < 0 or stop != line_end:
            return stop
        at = line_end + 1
    return stop
