"""Files exported from Jira: issues as JSON (as in its interface), or as CSV.

JSON contains what a poll reads, so its items are equal. CSV has no ids of comments and writes times
without a zone: comments become remarks of their issue, which a later poll replaces, and times are
read as UTC. A child process parses the format; the meaning is read here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path

from connectors.connector import SourceRefused, SourceUnavailable, printable
from connectors.jira.items import items_of, root_of
from connectors.jira.wiki import markdown
from connectors.payloads import UnreadablePayload
from connectors.sandbox import MIB, ReadingRefused, Sandbox, limits_of, open_regular
from connectors.service_items import Remark, ServiceItem
from connectors.unpacking.exports import JiraReader

MAX_FILE_BYTES = 256 * MIB
MEMORY_BYTES = 3 * 1024 * MIB  # parsed JSON takes about ten times its file's size
TIMES = (
    "%d/%b/%y %I:%M %p", "%d/%b/%Y %I:%M %p", "%d/%b/%y %H:%M", "%d/%b/%Y %H:%M",
    "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S",
)  # fmt: skip


def items_in(path: Path, site: str) -> list[ServiceItem]:
    """The items of an export file. Raises SourceUnavailable, SourceRefused."""
    name = printable(path.name)
    try:
        return list(_items(path, site))
    except OSError as error:
        raise SourceUnavailable(f"{name} cannot be read: give a file.") from error
    except UnreadablePayload as error:
        raise SourceUnavailable(f"{name} holds an issue that cannot be read: {error}.") from None
    except ReadingRefused as error:
        raise SourceRefused(f"{name} is refused ({error}): export fewer issues at once.") from error
    except Exception as error:  # any error while reading an untrusted issue
        raise SourceRefused(f"{name} is not a Jira export in JSON or CSV.") from error


def _items(path: Path, site: str) -> Iterator[ServiceItem]:
    with open_regular(path) as file, ExitStack() as ends:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_FILE_BYTES:
            raise ReadingRefused(f"more than {MAX_FILE_BYTES:,} bytes")
        child = Sandbox(JiraReader, file, limits_of(size, memory_bytes=MEMORY_BYTES), {})
        ends.callback(child.close)
        answers = ends.enter_context(closing(child.ask("issues")))
        form, _ = next(answers)
        meant = items_of if form["json"] else _row_items
        for objects, _ in answers:
            for each in objects:
                yield from meant(site, each)


def _row_items(site: str, row: dict[str, list[str]]) -> Iterator[ServiceItem]:
    def first(head: str) -> str:
        return row.get(head, [""])[0].strip()

    key, created, updated = first("issue key"), _time(first("created")), _time(first("updated"))
    body = markdown(first("description"))
    remarks = [Remark("description", first("reporter") or "unknown", "reporter", created, body)]
    remarks += [it for written in row.get("comment", []) if (it := _comment(written))]
    state, resolution = first("status"), first("resolution")
    yield ServiceItem(
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
    """``time;author;text``; None if a cell has another form."""
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
    raise UnreadablePayload("a time has an unknown format")
