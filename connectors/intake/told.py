"""What the intake itself has put on the log: newer than the tables, and longer than what is gone.

The tables follow a moment later, and of what was deleted they hold nothing; but deliveries come in
any order and in bursts. So the last word on each item is kept here too: an item deleted right after
it was made is removed, and a late word about one that is gone does not bring it back.

A cache in one file. One that is damaged is set aside, and a new one is folded from the deliveries
that were taken before (``Intake.recall``); what is older than the topic keeps them is the next
census's.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from connectors.outside import Gone, OutsideItem
from connectors.publishing import Held, Outlet, mark_of, prepare, source_id_of
from infra.errors import Unavailable
from schemas.events.source import MARK_CHARS

AT_ONCE = 500  # parameters of one question
WHOLE = 1  # the file's version once it holds what was told before it was made
DAMAGED = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR))
COLUMNS = "source_id, mark, raw_sha256, title"
BESIDE = ("", "-wal", "-shm")  # a file of SQLite's, and those it keeps next to it


class Told:
    """The last word on each item, by source id. Not for two threads.

    Every call raises Unavailable when the file cannot be used. ``set_aside`` is where a damaged one
    was put when this one was made in its place.
    """

    def __init__(self, path: Path | None = None) -> None:
        """``path`` None: in memory."""
        self._name = str(path or ":memory:")
        self.set_aside: Path | None = None
        with self._used():
            if path:
                path.parent.mkdir(parents=True, exist_ok=True)
                if not _is_sound(path):
                    self.set_aside = _put_aside(path)
            self._file = _opened(self._name)

    @property
    def whole(self) -> bool:
        """Whether it holds what was told before it was made; see ``settle``."""
        with self._used():
            (version,) = self._file.execute("PRAGMA user_version").fetchone()
        return bool(version == WHOLE)

    def settle(self) -> None:
        """All that was told before is put."""
        with self._used():
            self._file.execute(f"PRAGMA user_version = {WHOLE}")

    def is_late(self, project_id: str, item: OutsideItem) -> bool:
        """Whether the item was deleted when it had changed last, or later."""
        source = source_id_of(project_id, item)
        asked = "SELECT mark FROM told WHERE source_id = ? AND raw_sha256 IS NULL"
        with self._used():
            row = self._file.execute(asked, (source,)).fetchone()
        return row is not None and str(row[0]) >= mark_of(item.changed_at)

    def put(self, project_id: str, items: Iterable[OutsideItem | Gone]) -> None:
        """The items are on the log; of several words on one the latest counts."""
        for item in items:
            living = prepare(project_id, item) if isinstance(item, OutsideItem) else None
            with self._used():
                self._file.execute(
                    "INSERT INTO told VALUES (?, ?, ?, ?) ON CONFLICT (source_id) DO UPDATE SET"
                    " mark = excluded.mark, raw_sha256 = excluded.raw_sha256,"
                    " title = excluded.title WHERE excluded.mark >= mark",
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
            asked = f"SELECT {COLUMNS} FROM told WHERE source_id IN ({marks})"
            with self._used():
                found = self._file.execute(asked, part).fetchall()
            yield from found

    def close(self) -> None:
        self._file.close()

    @contextmanager
    def _used(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise Unavailable(
                f"{self._name} cannot be used ({error}): see the disk and who owns the file."
            ) from error


def _opened(name: str) -> sqlite3.Connection:
    file = sqlite3.connect(name, isolation_level=None)
    file.execute("PRAGMA journal_mode = WAL")
    file.execute("PRAGMA synchronous = NORMAL")
    file.execute(
        "CREATE TABLE IF NOT EXISTS told (source_id TEXT PRIMARY KEY, mark TEXT NOT NULL,"
        " raw_sha256 TEXT, title TEXT NOT NULL)"  # without a hash: gone
    )
    return file


def _is_sound(path: Path) -> bool:
    """Whether the file, if there is one, is what we wrote. Raises sqlite3.Error when none can say
    so, for want of rights for instance.
    """
    try:
        with closing(_opened(str(path))) as file:
            file.execute(f"SELECT {COLUMNS} FROM told LIMIT 0")
            (verdict,) = file.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF in DAMAGED:
            return False
        raise
    return bool(verdict == "ok")


def _put_aside(path: Path) -> Path:
    """The file stands under another name with all that belongs to it; an earlier one is gone."""
    aside = path.with_name(f"{path.name}.damaged")
    for ending in BESIDE:
        Path(f"{aside}{ending}").unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            Path(f"{path}{ending}").rename(f"{aside}{ending}")
    return aside
