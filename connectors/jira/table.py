"""Rows of an exported table as items: an issue with its comments as further remarks.

A row names neither zone nor format of its times. The order of day and month is the one in which
all times of the file can be read; where several are left, times are unknown and the text is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from connectors.jira.columns import field_name, meanings_of
from connectors.jira.fields import prose_of
from connectors.jira.items import RESTRICTED, root_of
from connectors.jira.markup import body_of
from connectors.jira.times import Order, order_of, time_written
from connectors.payloads import UnreadablePayload
from connectors.records import Records
from connectors.service_items import TIME_OF_NONE, Remark, ServiceItem

LEAST_WORDS_OF_A_SENTENCE = 6  # in a column whose heading does not say that it holds text
Cells = Sequence[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Table:
    """What the columns of one table mean, and how its times are written."""

    site: str
    heads: tuple[str, ...]
    meanings: tuple[str, ...]
    order: Order | None = None


def records_of_table(site: str, heads: Sequence[str], rows: Sequence[Any]) -> Records:
    """The issues of all rows. Raises UnreadablePayload where no column holds keys of issues."""
    cells: list[Cells] = [row["cells"] for row in rows if isinstance(row, Mapping)]
    meanings = meanings_of(heads, cells)
    if "key" not in meanings:
        raise UnreadablePayload("no column holds the keys of issues")
    read, table = Records(), Table(site, tuple(heads), tuple(meanings))
    pairs = ((_first(table, it, "created"), _first(table, it, "updated")) for it in cells)
    table = Table(site, table.heads, table.meanings, order_of(pairs))
    for number, row in enumerate(rows, start=1):
        if isinstance(row, str):
            read.tell(f"row {number}", row)
        else:
            _take(read, table, row)
    return _newest(read)


def _newest(read: Records) -> Records:
    """Of several rows with one key the newest, as in publishing; the others are named."""
    newest: dict[str, ServiceItem] = {}
    for item in read.items:
        before = newest.setdefault(item.path, item)
        if before.remarks != item.remarks or before.title != item.title:
            read.tell(item.path, "several rows have this key, of which the newest is read")
        if item.changed_at >= before.changed_at:
            newest[item.path] = item
    return Records(list(newest.values()), notices=read.notices)


def _take(read: Records, table: Table, row: Mapping[str, Any]) -> None:
    key = _first(table, row["cells"], "key")
    read.take(key or f"line {row['line']}", lambda: _item(table, row["cells"]))
    if row["extra"]:
        read.tell(key or f"line {row['line']}", "it has more cells than headings", is_lost=False)


def _item(table: Table, cells: Cells) -> ServiceItem:
    def first(meaning: str) -> str:
        return _first(table, cells, meaning)

    key, flaws = first("key"), list[str]()
    if not key:
        raise UnreadablePayload("it has no key")
    created = _time(table, cells, "created", flaws)
    updated = _time(table, cells, "updated", flaws)
    comments = [_comment(table, it) for it in _all(table, cells, "comment")]
    timestamps = [it.at for it in comments if it.at]
    changed_at = updated or max(
        [*timestamps, *([created] if created else [])], default=TIME_OF_NONE
    )
    role = ", ".join(["reporter", *([RESTRICTED] if first("security") else [])])
    body = "\n\n".join([body_of(first("description")).strip("\n"), *_sections(table, cells)])
    state, resolution, summary = first("status"), first("resolution"), first("summary")
    return ServiceItem(
        service="jira",
        root=root_of(table.site, key),
        path=key,
        source_type="issue",
        title=f"{key}: {summary}" if summary else key,
        remarks=(
            Remark("description", first("reporter") or "unknown", role, created, body),
            *comments,
        ),
        changed_at=changed_at,
        revision_ref=f"{changed_at.isoformat()} csv",
        state=f"{state} ({resolution})" if state and resolution else state or None,
        labels=tuple(sorted(it.strip() for it in _all(table, cells, "labels"))),
        restricted_to=first("security") or None,
        flaws=tuple(flaws),
    )


def _sections(table: Table, cells: Cells) -> list[str]:
    """The site's own fields with words, and other columns with sentences, each under its name."""
    texts: dict[str, list[str]] = {}
    for place, value in cells:
        if table.meanings[place] or not (prose := prose_of(value)):
            continue
        name = field_name(table.heads[place])
        if name or len(prose.split()) >= LEAST_WORDS_OF_A_SENTENCE:
            name = name or table.heads[place]
            texts.setdefault(name, []).append(prose)
    return [f"### {name}\n\n" + "\n\n".join(given) for name, given in texts.items()]


def _comment(table: Table, written: str) -> Remark:
    """``time;author;text``; in another form all of it is the text."""
    at, _, rest = written.partition(";")
    author, semicolon, body = rest.partition(";")
    said_at = time_written(at, table.order) or time_written(at)
    if not semicolon or (said_at is None and not _is_number(at)):
        return Remark("comment", "unknown", None, None, body_of(written))
    return Remark(at, author.strip() or "unknown", None, said_at, body_of(body))


def _is_number(at: str) -> bool:
    """Whether a cell begins as a time does, though in an order that is not known."""
    return any(it.isdigit() for it in at) and len(at) < 40 and "\n" not in at


def _time(table: Table, cells: Cells, meaning: str, flaws: list[str]) -> datetime | None:
    written = _first(table, cells, meaning)
    time = time_written(written, table.order) or time_written(written)
    if time is None:
        what = "is no time, or the order of its day and month is open" if written else "is missing"
        flaws.append(f"{meaning} {what}")
    return time


def _first(table: Table, cells: Cells, meaning: str) -> str:
    return next((it.strip() for it in _all(table, cells, meaning)), "")


def _all(table: Table, cells: Cells, meaning: str) -> list[str]:
    return [value for place, value in cells if table.meanings[place] == meaning]
