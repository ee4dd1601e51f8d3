"""What the intake itself has put on the log: newer than the tables, and longer than what is gone.

The tables follow a moment later, and of what was deleted they hold nothing; but deliveries come in
any order and in bursts. So the last word on each item is kept here too: an item deleted right after
it was made is removed, and a late word about one that is gone does not bring it back.

What stood below a deleted item (comments of an issue) went with it, held or not yet heard of: what
was changed there before the deletion is gone for the intake, in whatever order the deliveries come.
So two latest times are kept, of life and of deletion, and neither undoes the other: an item that
comes back brings what is said of it from then on; what was said before is brought by a poll or a
census, for no delivery carries it. Decided against: forgetting the deletion with the item's return,
for then a late comment would stand or not by the order of two deliveries. Of an item never seen to
be deleted nothing is known, so what is said of it stands.

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

from connectors.connector import printable
from connectors.publishing import ItemPublisher, StoredSource, mark_of, prepare, source_id_of
from connectors.service_items import DeletedItem, ServiceItem
from infra.errors import Unavailable
from schemas.events.source import MARK_CHARS

AT_ONCE = 500  # parameters of one question
WHOLE = 1  # the file's version once it holds what was told before it was made
DAMAGED = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR))
COLUMNS = "source_id, above, path, mark, raw_sha256, title, gone"
BESIDE = ("", "-wal", "-shm")  # a file of SQLite's, and those it keeps next to it


class SourceStatuses:
    """The last word on each item, by source id. Not for two threads.

    Every call raises Unavailable when the file cannot be used. ``set_aside`` is where a damaged one
    was put when this one was made in its place.
    """

    def __init__(self, path: Path | None = None) -> None:
        """``path`` None: in memory."""
        self._name = str(path or ":memory:")
        self.set_aside: Path | None = None
        with self._file_errors():
            if path:
                path.parent.mkdir(parents=True, exist_ok=True)
                if not _is_sound(path):
                    self.set_aside = _set_aside(path)
            self._file = _open_file(self._name)

    @property
    def is_whole(self) -> bool:
        """Whether it holds what was told before it was made; see ``mark_whole``."""
        with self._file_errors():
            (version,) = self._file.execute("PRAGMA user_version").fetchone()
        return bool(version == WHOLE)

    def mark_whole(self) -> None:
        """All that was told before is put."""
        with self._file_errors():
            self._file.execute(f"PRAGMA user_version = {WHOLE}")

    def is_late(self, project_id: str, item: ServiceItem) -> bool:
        """Whether the item, or what it is below, was deleted when it had changed last, or later."""
        names = (source_id_of(project_id, item), _above(project_id, item))
        with self._file_errors():
            (gone,) = self._file.execute(
                "SELECT max(gone) FROM told WHERE source_id IN (?, ?)", names
            ).fetchone()
        return gone is not None and str(gone) >= mark_of(item.changed_at)

    def record(self, project_id: str, items: Iterable[ServiceItem | DeletedItem]) -> None:
        """The items are on the log; of several words on one the latest counts."""
        for item in items:
            if isinstance(item, ServiceItem):
                self._record_living(project_id, item)
            else:
                self._record_deleted(project_id, item)

    def _record_living(self, project_id: str, item: ServiceItem) -> None:
        living = prepare(project_id, item)
        with self._file_errors():
            self._file.execute(
                f"INSERT INTO told ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, '')"
                " ON CONFLICT (source_id) DO UPDATE SET mark = excluded.mark,"
                " above = excluded.above, path = excluded.path,"
                " raw_sha256 = excluded.raw_sha256, title = excluded.title"
                " WHERE excluded.mark >= mark",
                (
                    living.source_id,
                    _above(project_id, item),
                    printable(item.path),
                    mark_of(item.changed_at),
                    living.raw_sha256,
                    item.title,
                ),
            )

    def _record_deleted(self, project_id: str, gone: DeletedItem) -> None:
        places = {source_id_of(project_id, replace(gone, root=it)) for it in gone.cascade_roots}
        for source in sorted({source_id_of(project_id, gone)} | places):
            with self._file_errors():
                self._file.execute(
                    f"INSERT INTO told ({COLUMNS}) VALUES (?, '', '', '', NULL, '', ?)"
                    " ON CONFLICT (source_id) DO UPDATE SET gone = max(gone, excluded.gone)",
                    (source, mark_of(gone.changed_at)),
                )

    def paths_below(self, project_id: str, gone: DeletedItem) -> set[tuple[str, str]]:
        """Root and path of all that was told to stand below what goes."""
        found = set[tuple[str, str]]()
        for root in gone.cascade_roots:
            above = source_id_of(project_id, replace(gone, root=root))
            asked = "SELECT path FROM told WHERE above = ? AND mark > gone"
            with self._file_errors():
                found |= {(root, path) for (path,) in self._file.execute(asked, (above,))}
        return found

    def overlay(self, publisher: ItemPublisher) -> ItemPublisher:
        """``publisher`` whose tables know what is told here, where that is the later word."""

        async def find_stored(
            project_id: str, source_ids: Collection[str]
        ) -> Mapping[str, StoredSource]:
            found = dict(await publisher.find_stored(project_id, source_ids))
            for source, mark, raw_sha256, title, gone in self._rows(list(source_ids)):
                shown = found.get(source)
                if shown and shown.mark[:MARK_CHARS] > max(mark, gone):
                    continue
                if mark > gone:
                    found[source] = StoredSource(raw_sha256, mark, title)
                elif shown:
                    found[source] = replace(shown, gone=gone)
            return found

        return replace(publisher, find_stored=find_stored)

    def _rows(self, source_ids: list[str]) -> Iterable[tuple[str, str, str, str, str]]:
        """Of each its last life, and when it, or what it is below, was deleted last."""
        for start in range(0, len(source_ids), AT_ONCE):
            part = source_ids[start : start + AT_ONCE]
            marks = ",".join("?" * len(part))
            asked = (
                "SELECT told.source_id, told.mark, told.raw_sha256, told.title,"
                " max(told.gone, coalesce(higher.gone, ''))"
                " FROM told LEFT JOIN told AS higher ON higher.source_id = told.above"
                f" WHERE told.source_id IN ({marks})"
            )
            with self._file_errors():
                found = self._file.execute(asked, part).fetchall()
            yield from found

    def close(self) -> None:
        self._file.close()

    @contextmanager
    def _file_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise Unavailable(
                f"{self._name} cannot be used ({error}): see the disk and who owns the file."
            ) from error


def _above(project_id: str, item: ServiceItem) -> str:
    """The name, within its own root, of what an item is below; empty where it is below nothing.

    Comments have a root of their own at GitHub: there no source is of that name.
    """
    first, below, _ = item.path.partition("/")
    if not below:
        return ""
    return source_id_of(project_id, DeletedItem(item.service, item.root, first, item.changed_at))


def _open_file(name: str) -> sqlite3.Connection:
    file = sqlite3.connect(name, isolation_level=None)
    file.execute("PRAGMA journal_mode = WAL")
    file.execute("PRAGMA synchronous = NORMAL")
    file.execute(
        "CREATE TABLE IF NOT EXISTS told (source_id TEXT PRIMARY KEY, above TEXT NOT NULL,"
        " path TEXT NOT NULL, mark TEXT NOT NULL, raw_sha256 TEXT, title TEXT NOT NULL,"
        " gone TEXT NOT NULL)"  # two times: the latest life, the latest deletion; empty for none
    )
    file.execute("CREATE INDEX IF NOT EXISTS told_above ON told (above)")
    return file


def _is_sound(path: Path) -> bool:
    """Whether the file, if there is one, is what we wrote. Raises sqlite3.Error when none can say
    so, for want of rights for instance.
    """
    try:
        with closing(_open_file(str(path))) as file:
            file.execute(f"SELECT {COLUMNS} FROM told LIMIT 0")
            (verdict,) = file.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF in DAMAGED:
            return False
        raise
    return bool(verdict == "ok")


def _set_aside(path: Path) -> Path:
    """The file stands under another name with all that belongs to it; an earlier one is gone."""
    aside = path.with_name(f"{path.name}.damaged")
    for ending in BESIDE:
        Path(f"{aside}{ending}").unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            Path(f"{path}{ending}").rename(f"{aside}{ending}")
    return aside
