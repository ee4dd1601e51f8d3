"""What the intake itself has put on the log: newer than the tables, and longer than what is gone.

The tables follow a moment later, and of what was deleted they hold nothing; but deliveries come in
any order and in bursts. So the last word on each item is kept here too: an item deleted right after
it was made is removed, and a late word about one that is gone does not bring it back. A cache in
one file: when it is lost, the next census puts right what a late delivery has brought back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from connectors.outside import Gone, OutsideItem
from connectors.publishing import Held, Outlet, mark_of, prepare, source_id_of
from schemas.events.source import MARK_CHARS

AT_ONCE = 500  # parameters of one question


class Told:
    """The last word on each item, by source id. Not for two threads."""

    def __init__(self, path: Path | None = None) -> None:
        """``path`` None: in memory."""
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
        self._file = sqlite3.connect(path or ":memory:", isolation_level=None)
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = NORMAL")
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS told (source_id TEXT PRIMARY KEY, mark TEXT NOT NULL,"
            " raw_sha256 TEXT, title TEXT NOT NULL)"  # without a hash: gone
        )

    def is_late(self, project_id: str, item: OutsideItem) -> bool:
        """Whether the item was deleted when it had changed last, or later."""
        source = source_id_of(project_id, item)
        row = self._file.execute(
            "SELECT mark FROM told WHERE source_id = ? AND raw_sha256 IS NULL", (source,)
        ).fetchone()
        return row is not None and str(row[0]) >= mark_of(item.changed_at)

    def put(self, project_id: str, items: Iterable[OutsideItem | Gone]) -> None:
        """The items are on the log; of several words on one the latest counts."""
        for item in items:
            living = prepare(project_id, item) if isinstance(item, OutsideItem) else None
            self._file.execute(
                "INSERT INTO told VALUES (?, ?, ?, ?) ON CONFLICT (source_id) DO UPDATE SET"
                " mark = excluded.mark, raw_sha256 = excluded.raw_sha256, title = excluded.title"
                " WHERE excluded.mark >= mark",
                (
                    source_id_of(project_id, item),
                    mark_of(item.changed_at),
                    living.raw_sha256 if living else None,
                    living.item.title if living else "",
                ),
            )

    def over(self, outlet: Outlet) -> Outlet:
        """``outlet`` whose tables know what is told here, where that is the later word."""

        async def held(project_id: str, source_ids: Collection[str]) -> Mapping[str, Held]:
            found = dict(await outlet.held(project_id, source_ids))
            for source, mark, raw_sha256, title in self._rows(list(source_ids)):
                if source in found and found[source].mark[:MARK_CHARS] > mark:
                    continue
                if raw_sha256 is None:
                    found.pop(source, None)
                else:
                    found[source] = Held(raw_sha256, mark, title)
            return found

        return replace(outlet, held=held)

    def _rows(self, source_ids: list[str]) -> Iterable[tuple[str, str, str | None, str]]:
        for start in range(0, len(source_ids), AT_ONCE):
            part = source_ids[start : start + AT_ONCE]
            marks = ",".join("?" * len(part))
            yield from self._file.execute(
                f"SELECT source_id, mark, raw_sha256, title FROM told WHERE source_id IN ({marks})",
                part,
            )

    def close(self) -> None:
        self._file.close()
