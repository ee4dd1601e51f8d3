"""The last status that the intake has published for each source, kept in one SQLite file.

The database follows the log a moment later and forgets deleted sources, but deliveries arrive in
any order and in bursts. With this file an item that is deleted right after it was created is
removed, and a late delivery about a deleted item does not bring it back.

What is below a deleted item (comments of an issue) is deleted with it, known or not: changes there
from before the deletion are ignored in any order of deliveries. So two times are kept, of the
latest life and of the latest deletion, and neither overwrites the other. An item that returns
brings what is said from then on; older comments come with a poll or a reconciliation, because no
delivery contains them. Decided against: forgetting the deletion when the item returns, because a
late comment would then appear or not depending on the order of two deliveries. If no deletion was
seen, nothing is ignored.

The file is a cache. A damaged one is set aside, and a new one is folded from the deliveries taken
before (``Intake.recall``); what is older than the topic is left to the next reconciliation.
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
from infra.platform.errors import Unavailable
from schemas.events.source import MARK_CHARS

AT_ONCE = 500  # parameters of one question
WHOLE = 1  # the file's version after ``mark_whole``
DAMAGED = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR))
COLUMNS = "source_id, above, path, mark, raw_sha256, title, gone"
BESIDE = ("", "-wal", "-shm")  # SQLite's file and its companions


class SourceStatuses:
    """The last status of each item, by source id. Not for two threads.

    Every call raises Unavailable if the file cannot be used. ``set_aside`` is where a damaged file
    was moved when this one replaced it.
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
        """Whether it contains what was published before it existed; see ``mark_whole``."""
        with self._file_errors():
            (version,) = self._file.execute("PRAGMA user_version").fetchone()
        return bool(version == WHOLE)

    def mark_whole(self) -> None:
        """Marks that everything published before has been recorded."""
        with self._file_errors():
            self._file.execute(f"PRAGMA user_version = {WHOLE}")

    def is_late(self, project_id: str, item: ServiceItem) -> bool:
        """Whether the item or its parent was deleted at or after its last change."""
        names = (source_id_of(project_id, item), _above(project_id, item))
        with self._file_errors():
            (gone,) = self._file.execute(
                "SELECT max(gone) FROM told WHERE source_id IN (?, ?)", names
            ).fetchone()
        return gone is not None and str(gone) >= mark_of(item.changed_at)

    def record(self, project_id: str, items: Iterable[ServiceItem | DeletedItem]) -> None:
        """Records published items; of several statuses of one item the latest counts."""
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
        """Root and path of everything recorded below a deleted item."""
        paths = set[tuple[str, str]]()
        for root in gone.cascade_roots:
            above = source_id_of(project_id, replace(gone, root=root))
            asked = "SELECT path FROM told WHERE above = ? AND mark > gone"
            with self._file_errors():
                paths |= {(root, path) for (path,) in self._file.execute(asked, (above,))}
        return paths

    def overlay(self, publisher: ItemPublisher) -> ItemPublisher:
        """``publisher`` whose ``find_stored`` also uses the statuses kept here, if newer."""

        async def find_stored(
            project_id: str, source_ids: Collection[str]
        ) -> Mapping[str, StoredSource]:
            stored = dict(await publisher.find_stored(project_id, source_ids))
            for source, mark, raw_sha256, title, gone in self._rows(list(source_ids)):
                shown = stored.get(source)
                if shown and shown.mark[:MARK_CHARS] > max(mark, gone):
                    continue
                if mark > gone:
                    stored[source] = StoredSource(raw_sha256, mark, title)
                elif shown:
                    stored[source] = replace(shown, gone=gone)
            return stored

        return replace(publisher, find_stored=find_stored)

    def _rows(self, source_ids: list[str]) -> Iterable[tuple[str, str, str, str, str]]:
        """For each source its last life, and the last deletion of it or its parent."""
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
                records = self._file.execute(asked, part).fetchall()
            yield from records

    def close(self) -> None:
        self._file.close()

    @contextmanager
    def _file_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise Unavailable(
                f"{self._name} cannot be used ({error}): check the disk and the owner of the file."
            ) from error


def _above(project_id: str, item: ServiceItem) -> str:
    """The source id, in its own root, of an item's parent; empty if it has none.

    At GitHub comments have a root of their own, where no source has that id.
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
        " gone TEXT NOT NULL)"  # mark and gone: times of the latest life and deletion, or empty
    )
    file.execute("CREATE INDEX IF NOT EXISTS told_above ON told (above)")
    return file


def _is_sound(path: Path) -> bool:
    """Whether the file, if it exists, is one that we wrote.

    Raises sqlite3.Error if that cannot be found out, for example without access.
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
    """Moves the file and its companions to another name; replaces an earlier one."""
    aside = path.with_name(f"{path.name}.damaged")
    for ending in BESIDE:
        Path(f"{aside}{ending}").unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            Path(f"{path}{ending}").rename(f"{aside}{ending}")
    return aside
