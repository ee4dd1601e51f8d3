"""Files exported from Jira: issues as JSON (what its interface gives), or as CSV.

JSON says all that a pull would say, so its items are the same. CSV knows no ids of comments and
writes times without a zone: comments become remarks of their issue, which a later pull replaces,
and times are taken for UTC.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from connectors.connector import SourceRefused, SourceUnavailable
from connectors.jira.items import items_of, root_of
from connectors.jira.wiki import markdown
from connectors.outside import OutsideItem, Remark
from connectors.payloads import UnreadablePayload

MAX_FILE_BYTES = 256 * 1024 * 1024
MAX_FIELD_CHARS = 4 * 1024 * 1024
TIMES = (
    "%d/%b/%y %I:%M %p", "%d/%b/%Y %I:%M %p", "%d/%b/%y %H:%M", "%d/%b/%Y %H:%M",
    "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S",
)  # fmt: skip


def items_in(path: Path, site: str) -> list[OutsideItem]:
    """The items of an export file. Raises SourceUnavailable, SourceRefused."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise SourceRefused(f"{path.name} has more than {MAX_FILE_BYTES:,} bytes.")
        content = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceUnavailable(f"{path.name} cannot be read as text.") from error
    try:
        if content.lstrip()[:1] in ("{", "["):
            return [item for issue in _issues(content) for item in items_of(site, issue)]
        return [item for row in _rows(content) for item in _row_items(site, row)]
    except UnreadablePayload as error:
        raise SourceUnavailable(
            f"{path.name} holds an issue that cannot be read: {error}."
        ) from None
    except (ValueError, RecursionError, csv.Error) as error:
        raise SourceRefused(f"{path.name} is no export of Jira as JSON or CSV.") from error


def _issues(content: str) -> list[dict[str, Any]]:
    """One object with ``issues``, a list of issues, or an issue a line."""
    try:
        told = json.loads(content)
    except json.JSONDecodeError:
        told = [json.loads(line) for line in content.splitlines() if line.strip()]
    if isinstance(told, dict):
        told = told.get("issues", [told])
    if not isinstance(told, list) or not all(isinstance(it, dict) for it in told):
        raise ValueError("no issues")
    return told


def _rows(content: str) -> Iterator[dict[str, list[str]]]:
    """Each row as the values under each heading, for a heading stands there several times."""
    csv.field_size_limit(MAX_FIELD_CHARS)
    reader = csv.reader(io.StringIO(content, newline=""))
    heads = [head.strip().lower() for head in next(reader, [])]
    if "issue key" not in heads or "summary" not in heads:
        raise ValueError("no issues")
    for values in reader:
        row: dict[str, list[str]] = {}
        for head, value in zip(heads, values, strict=False):
            if value.strip():
                row.setdefault(head, []).append(value)
        if row:
            yield row


def _row_items(site: str, row: dict[str, list[str]]) -> Iterator[OutsideItem]:
    def first(head: str) -> str:
        return row.get(head, [""])[0].strip()

    key, created, updated = first("issue key"), _time(first("created")), _time(first("updated"))
    body = markdown(first("description"))
    remarks = [Remark("description", first("reporter") or "unknown", "reporter", created, body)]
    remarks += [it for written in row.get("comment", []) if (it := _comment(written))]
    state, resolution = first("status"), first("resolution")
    yield OutsideItem(
        service="jira",
        root=root_of(site, key),
        path=key,
        source_type="issue",
        title=f"{key}: {first('summary')}",
        remarks=tuple(remarks),
        changed_at=updated,
        revision_ref=f"{updated.isoformat()} csv",
        state=f"{state} ({resolution})" if state and resolution else state or None,
        labels=tuple(sorted(it.strip() for it in row.get("labels", []))),
    )


def _comment(written: str) -> Remark | None:
    """``time;author;text``; None where a cell is something else."""
    at, _, rest = written.partition(";")
    author, semicolon, body = rest.partition(";")
    if not semicolon:
        return None
    try:
        return Remark(at, author.strip() or "unknown", None, _time(at), markdown(body))
    except UnreadablePayload:
        return None


def _time(written: str) -> datetime:
    for form in TIMES:
        try:
            return datetime.strptime(written.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise UnreadablePayload("a time is in no form that is known")
