"""Ways in which the file of a store can be broken, each done to a real file at a real place."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

PAGE = 4_096


def page(number: int, filled: Callable[[int], bytes]) -> Callable[[Path], None]:
    """Page ``number`` (from the end when it is negative) holds something else."""

    def done(file: Path) -> None:
        held = bytearray(file.read_bytes())
        at = number % (len(held) // PAGE) * PAGE
        held[at : at + PAGE] = filled(PAGE)
        file.write_bytes(held)

    return done


def pages_but_the_first(file: Path) -> None:
    held = file.read_bytes()
    file.write_bytes(held[:PAGE] + noise(len(held) - PAGE))


def noise(size: int) -> bytes:
    return random.Random(size).randbytes(size)


def ones(size: int) -> bytes:
    return b"\xff" * size


def cut(file: Path, to: Callable[[int], int]) -> None:
    with file.open("r+b") as opened:
        opened.truncate(to(file.stat().st_size))


def executed(*statements: str) -> Callable[[Path], None]:
    """``statements``, with ``{table}`` for the table that has the most rows."""

    def done(file: Path) -> None:
        with sqlite3.connect(file) as database:
            names = database.execute(
                "SELECT name FROM sqlite_master WHERE name LIKE 't!_%' ESCAPE '!'"
            )
            sizes = {
                name: database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
                for (name,) in names.fetchall()
            }
            largest = max(sizes, key=lambda name: (sizes[name], name))
            for statement in statements:
                database.execute(statement.format(table=f'"{largest}"'))
        database.close()

    return done


def with_free_pages(file: Path) -> None:
    """The list of pages that were given back leads to nowhere."""
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE gone (x)")
        database.execute("INSERT INTO gone VALUES (zeroblob(40000))")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with database:
        database.execute("DROP TABLE gone")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    held = bytearray(file.read_bytes())
    trunk = int.from_bytes(held[32:36], "big")
    assert trunk, "there is no free page"
    held[(trunk - 1) * PAGE : (trunk - 1) * PAGE + 8] = ones(8)
    file.write_bytes(held)


def under_its_feet(file: Path) -> None:
    """What is on the disk of an open store, its journal too, is noise."""
    for each in (file, Path(f"{file}-wal")):
        held = each.read_bytes()
        with each.open("r+b") as opened:
            opened.write(held[:PAGE] + noise(max(0, len(held) - PAGE)))


def cut_under_its_feet(file: Path) -> None:
    for each in (file, Path(f"{file}-wal")):
        cut(each, lambda size: size // 8)


def no_database(file: Path) -> None:
    file.write_bytes(b"no database at all" * 1_000)


def a_journal_of_noise(file: Path) -> None:
    Path(f"{file}-wal").write_bytes(noise(50_000))


def made_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()
    (file / "inside").write_text("something")


def journals_made_folders(file: Path) -> None:
    for suffix in ("-wal", "-journal"):
        Path(f"{file}{suffix}").mkdir()


DAMAGES: dict[str, Callable[[Path], None]] = {
    "absent": Path.unlink,
    "empty": lambda file: cut(file, lambda size: 0),
    "no database": no_database,
    "header": page(0, noise),
    "interior page": page(3, noise),
    "leaf page": page(-2, ones),
    "last page": page(-1, noise),
    "zeroed page": page(-2, bytes),
    "all pages but the first": pages_but_the_first,
    "free pages": with_free_pages,
    "cut in the middle": lambda file: cut(file, lambda size: size // 2),
    "cut within a page": lambda file: cut(file, lambda size: size - PAGE // 3),
    "no tables": executed("DROP TABLE identity", "DROP TABLE cursor"),
    "no cursor": executed("DROP TABLE cursor"),
    "another schema": executed("ALTER TABLE {table} RENAME COLUMN value TO other"),
    "another's": executed("UPDATE identity SET value = 'x' WHERE name = 'cluster'"),
    "a cursor that is no offset": executed("UPDATE cursor SET next_offset = 'far'"),
    "a key that is no text": executed(
        "UPDATE {table} SET key = x'ff00'  WHERE key = (SELECT min(key) FROM {table})"
    ),
    "a value of another type": executed("UPDATE {table} SET value = 7"),
    "a value that is no JSON": executed("UPDATE {table} SET value = x'7b22ff'"),
    "a value that was changed": executed("UPDATE {table} SET value = CAST('1' AS BLOB)"),
    "a folder": made_a_folder,
    "journals that are folders": journals_made_folders,
    "a journal of noise": a_journal_of_noise,
}


def copied(file: Path, to: Path) -> Path:
    """A copy of the file with its journals."""
    to.mkdir(parents=True)
    for suffix in ("", "-wal"):
        if Path(f"{file}{suffix}").exists():
            shutil.copy(f"{file}{suffix}", to)
    return to / file.name
