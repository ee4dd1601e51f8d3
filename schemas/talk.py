"""The text form of sources that are talk: an issue, a comment, a chat thread.

Connectors write the form, chunking cuts at it, readers take speaker, role and time from it. A body
cannot imitate it: ``escape_heads`` puts a backslash in front of a line that looks like a head.

    # Exports time out                       the record's head, up to the first remark:
                                             title, state, labels
    State: open. Labels: export.

    ## kim (member), 2026-11-02T09:14:05Z    a remark's head, then what was said

    The export of a large project times out.

A remark whose time is unknown says ``time unknown`` in its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

TIME_UNKNOWN = "time unknown"
_HEAD = re.compile(
    r"^## (?P<speaker>[^\n]{1,120}?)(?: \((?P<role>[^()\n]{1,40})\))?,"
    r" (?:(?P<at>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)(?:, edited (?P<edited>[\dT:-]{19}Z))?"
    rf"|{TIME_UNKNOWN})$",
    re.MULTILINE,
)
_LIKE_A_HEAD = re.compile(rf"^(?=\\*## [^\n]*(?:Z|{TIME_UNKNOWN})$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RemarkSpan:
    """One remark of a text: ``[start, end)`` with its head, what was said begins at ``body``.

    ``at`` is aware, in UTC, to the second; None where the time is unknown.
    """

    start: int
    body: int
    end: int
    speaker: str
    role: str | None
    at: datetime | None


def head_of(
    speaker: str, role: str | None, at: datetime | None, edited_at: datetime | None = None
) -> str:
    """The line a remark begins with; ``speaker`` and ``role`` hold no line feed."""
    by = f"{speaker} ({role})" if role else speaker
    if at is None:
        return f"## {by}, {TIME_UNKNOWN}"
    edited = f", edited {_format_time(edited_at)}" if edited_at else ""
    return f"## {by}, {_format_time(at)}{edited}"


def escape_heads(body: str) -> str:
    """``body`` without a line that looks like the head of a remark."""
    return _LIKE_A_HEAD.sub(r"\\", body)


def remarks_in(text: str) -> list[RemarkSpan]:
    """The remarks of a text, in its order; what stands before the first is the record's head."""
    times = ((head, _parse_time(head["at"] or "")) for head in _HEAD.finditer(text))
    heads = [(head, at) for head, at in times if at or not head["at"]]
    ends = [*(head.start() for head, _ in heads), len(text)][1:]
    return [
        RemarkSpan(head.start(), head.end(), end, head["speaker"], head["role"], at)
        for (head, at), end in zip(heads, ends, strict=True)
    ]


def _format_time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _parse_time(written: str) -> datetime | None:
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        return None
