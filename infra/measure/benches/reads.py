"""How long a page takes in a project of 100,000 atoms, on a database of its own.

The rows are made up and copied into the projection's tables: no log is folded. Each question is
asked once before it is timed; what stands beside the figures are the indexes that answered.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

from psycopg import sql
from psycopg.types.json import Jsonb
from pydantic_core import to_jsonable_python

from infra.platform import postgres
from infra.platform.settings import Settings
from infra.runtime.local.postgres import EmbeddedPostgres
from infra.runtime.local.runtime import await_server, stop
from projections.fold.ledger import atom_columns
from projections.read.atoms import list_atoms, list_atoms_as_of
from projections.read.changes import LARGEST_WINDOW, list_changes
from projections.read.search import search_ledger
from projections.read.session import Conn, reading
from schemas.areas import AREAS
from schemas.events.atom import KINDS, Provenance
from schemas.events.ledger import AtomRecord, AtomStatus
from schemas.worth import worth

ATOMS, SOURCES, QUOTES_PER_ATOM, PAGE = 100_000, 2_000, 2, 20
SKIPPED_SOURCES = 400  # more than those that were read
AT_ONCE = 5_000  # atoms in memory
TARGET_MS = 200.0
PROJECT, RUN = "prj_bench", "run_bench"
STATUSES: list[AtomStatus] = ["active", "active", "active", "draft", "superseded"]
KIND_SHARES = {"claim": 0.6, "requirement": 0.2, "decision": 0.06, "entity": 0.05}
OTHER_KINDS = 1 - sum(KIND_SHARES.values())  # they share it
REVISED_EVERY = 5  # so many atoms for one that a later change set revised
AT = datetime(2026, 1, 1, tzinfo=UTC)
LENGTHS_SPREAD = 0.45  # sigma of the logarithm: one text in twenty is twice the median
BETWEEN = timedelta(minutes=5)  # two change sets
QUERY = "How are w42 and w7 stored?"
QUESTION = "Which w0 of w3 and w19 has w120, when w800 is w2500 and how much w4400?"
TABLES = ("ledger_atoms", "ledger_atom_history", "ledger_evidence", "passages")
ANSWERED_BY = """
    SELECT indexrelname, idx_scan FROM pg_stat_user_indexes
    WHERE schemaname = 'cairn' AND relname = ANY(%s) AND idx_scan > 0 ORDER BY indexrelname
"""
SCANNED = """
    SELECT coalesce(sum(seq_scan), 0) FROM pg_stat_user_tables
    WHERE schemaname = 'cairn' AND relname = ANY(%s)
"""


def reads(migrations: Path, runs: int) -> dict[str, Any]:
    """Median and slowest of ``runs`` of each question, in milliseconds."""
    with database(migrations) as conninfo:
        fill(conninfo, ATOMS)
        with reading(conninfo) as connection:
            stated = {"atoms": ATOMS, "page": PAGE, "target_ms": TARGET_MS}
            return stated | measure(connection, ATOMS, runs)


def measure(connection: Conn, count: int, runs: int) -> dict[str, Any]:
    """The figures of a project with ``count`` atoms."""
    now = partial(list_atoms, connection, PROJECT, limit=PAGE)
    kind = partial(now, kind="risk")
    past = partial(list_atoms_as_of, connection, PROJECT, count, limit=PAGE)
    search = partial(search_ledger, connection, PROJECT, limit=PAGE)
    questions: dict[str, Callable[[], object]] = {
        "first_page": now,
        "middle_page": partial(now, cursor=cursor_at(connection, count // 2)),
        "first_page_of_a_kind": kind,
        "first_page_by_age": partial(now, order="age"),
        "first_page_as_of": past,
        "page_of_changes": partial(
            list_changes, connection, PROJECT, 0, LARGEST_WINDOW, limit=PAGE
        ),
        "search_words": partial(search, QUERY),
        "search_question": partial(search, QUESTION),
        "search_entity": partial(search, "What is Service 77 for?"),
    }
    for ask in questions.values():
        ask()
    before = scans(connection)
    figures = {f"{name}_ms": time_questions(ask, runs) for name, ask in questions.items()}
    return figures | {
        "sequential_scans": scans(connection) - before,
        "indexes": ", ".join(name for name, _ in connection.execute(ANSWERED_BY, ([*TABLES],))),
    }


def time_questions(ask: Callable[[], object], runs: int) -> dict[str, float]:
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        ask()
        times.append((time.perf_counter() - began) * 1_000)
    return {"median": round(statistics.median(times), 1), "slowest": round(max(times), 1)}


def cursor_at(connection: Conn, place: int) -> str:
    """The cursor of the page that begins there."""
    size = min(1_000, place)
    page = list_atoms(connection, PROJECT, limit=size)
    for _ in range(place // size - 1):
        page = list_atoms(connection, PROJECT, limit=size, cursor=page.next_cursor)
    assert page.next_cursor
    return page.next_cursor


def scans(connection: Conn) -> int:
    """How often a table of atoms was read from end to end so far."""
    connection.execute("SELECT pg_stat_force_next_flush()")
    found = connection.execute(SCANNED, ([*TABLES],)).fetchone()
    return int(found[0]) if found else 0


@contextmanager
def database(migrations: Path) -> Iterator[str]:
    """A migrated database in a server of its own, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="cairn-bench-", ignore_cleanup_errors=True) as home:
        server = EmbeddedPostgres(Settings(home=Path(home)), partial(print, file=sys.stderr))
        server.prepare()
        child = server.spawn()
        try:
            await_server(server, child)
            postgres.migrate(server.address, migrations)
            yield server.address
        finally:
            stop(child, server.stop_signal)


def fill(conninfo: str, count: int) -> None:
    """One project with sources, ``count`` atoms with two quotes each and their history, passages.

    There are as many passages and change sets as atoms: each change set is the reading of one
    chunk, makes one atom, and now and then revises another. Shares of kinds and areas, lengths
    of texts and how common words are stand near what the offline reader finds in Cairn's documents.
    """
    chance = random.Random(1)
    with postgres.connect(conninfo) as connection:
        copy(connection, "projects", [_project()])
        copy(
            connection, "sources", (_source(number) for number in range(SOURCES + SKIPPED_SOURCES))
        )
        for start in range(0, count, AT_ONCE):
            numbers = range(start, min(start + AT_ONCE, count))
            records = [random_record(number, chance) for number in numbers]
            history = [(one, one.first_seq) for one in records]
            for at in range(0, len(records) - 1, REVISED_EVERY):
                later = chance.randrange(at + 1, len(records))
                records[at] = _revised(records[at], chance)
                history.append((records[at], records[later].first_seq))
            quotes = (
                quote_row(one, number) for one in records for number in range(QUOTES_PER_ATOM)
            )
            copy(connection, "ledger_atoms", map(present_row, records))
            copy(connection, "ledger_change_sets", map(_change_set, records))
            copy(connection, "ledger_atom_history", (_past(*each) for each in history))
            copy(connection, "ledger_evidence", quotes)
            copy(connection, "passages", (_passage(number, chance) for number in numbers))
    with postgres.connect(conninfo, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def copy(connection: Conn, table: str, rows: Iterable[dict[str, Any]]) -> None:
    """The rows are in the table; all have the columns of the first."""
    left = iter(rows)
    for first in islice(left, 1):
        query = sql.SQL("COPY {} ({}) FROM STDIN").format(
            sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, first))
        )
        with connection.cursor() as cursor, cursor.copy(query) as writer:
            writer.write_row([*first.values()])
            for row in left:
                writer.write_row([*row.values()])


def _project() -> dict[str, Any]:
    texts = dict.fromkeys(("name", "description", "vision", "timezone"), "bench")
    return {"project_id": PROJECT, "created_at": AT, **texts}


def _source(number: int) -> dict[str, Any]:
    return {
        "source_id": f"src_{number}",
        "project_id": PROJECT,
        "path": f"docs/{number % 40}/{number}.md",
        "root": "bench",
        "title": f"{number}.md",
        "source_type": "doc",
        "outcome": "sanitized",
        "sanitized_hash": "h",
        "gate_skip_reason": "generated_file" if number >= SOURCES else None,
    }


def random_record(number: int, chance: random.Random) -> AtomRecord:
    rest = OTHER_KINDS / (len(KINDS) - len(KIND_SHARES))
    kind = chance.choices(KINDS, [KIND_SHARES.get(name, rest) for name in KINDS])[0]
    seen = Provenance(
        source_id=f"src_{source_of(number)}",
        sanitized_hash="h",
        chunk_id=f"chk_{number}",
        run_id=RUN,
        lane="deep",
        engine="heuristic",
        extractor_version="bench",
    )
    title = f"Service {number % 500}" if kind == "entity" else f"The {_words(chance, 18)}."
    return AtomRecord(
        atom_id=f"atm_{chance.getrandbits(128):032x}",
        kind=kind,
        title=title,
        body=f"{title} {_words(chance, 10)}",
        tags=[f"tag{chance.randrange(200)}"],
        area=chance.choices(AREAS, [1 / place for place in range(1, len(AREAS) + 1)])[0],
        atom_fingerprint=str(number),
        confidence=round(chance.uniform(0.4, 0.95), 3),
        status=chance.choice(STATUSES),
        evidence_count=QUOTES_PER_ATOM,
        direct_evidence_count=1,
        source_count=chance.choice([1, 1, 1, 2, 3]),
        first_run_id=RUN,
        last_run_id=RUN,
        first_seen_at=AT,
        last_seen_at=AT,
        first_provenance=seen,
        latest_provenance=seen,
        first_seq=number + 1,
    )


def source_of(number: int) -> int:
    """Of chunk and atom ``number``; the first quarter of the sources has half of them."""
    return int(SOURCES * random.Random(number).random() ** 2)


def _revised(record: AtomRecord, chance: random.Random) -> AtomRecord:
    """The atom as a later change set left it."""
    status = chance.choice(STATUSES)
    confidence = round(chance.uniform(0.4, 0.95), 3)
    return record.model_copy(update={"status": status, "confidence": confidence, "revision": 2})


def _words(chance: random.Random, count: int) -> str:
    """About ``count`` of them; few are common and most are rare, as in a language."""
    length = max(2, round(chance.lognormvariate(math.log(count), LENGTHS_SPREAD)))
    return " ".join(f"w{int(5_000 * chance.random() ** 3)}" for _ in range(length))


def present_row(record: AtomRecord) -> dict[str, Any]:
    row = atom_columns(record) | {"project_id": PROJECT}
    for name in ("attributes", "resolution", "first_provenance", "latest_provenance"):
        row[name] = Jsonb(to_jsonable_python(row[name]))
    return row


def _past(record: AtomRecord, ledger_seq: int) -> dict[str, Any]:
    return {
        "project_id": PROJECT,
        "atom_id": record.atom_id,
        "ledger_seq": ledger_seq,
        "revision": record.revision,
        "record": Jsonb(record.model_dump(mode="json")),
        "worth": worth(record),
    }


def _change_set(record: AtomRecord) -> dict[str, Any]:
    """The one that made the atom."""
    at = AT + record.first_seq * BETWEEN
    event_id = UUID(int=record.first_seq)
    return {
        "project_id": PROJECT,
        "ledger_seq": record.first_seq,
        "event_id": event_id,
        "caused_by_event_id": str(event_id),
        "prev_hash": f"{record.first_seq:064x}",
        "run_id": RUN,
        "kind": "chunk",
        "lane": "deep",
        "chunk_id": record.first_provenance.chunk_id,
        "outcome": "extracted",
        "reason": "",
        "changes": Jsonb([{"op": "created", "atom_id": record.atom_id}]),
        "occurred_at": at,
        "recorded_at": at,
    }


def _passage(number: int, chance: random.Random) -> dict[str, Any]:
    source = source_of(number // 3)
    return {
        "passage_id": f"psg_{number}",
        "project_id": PROJECT,
        "chunk_id": f"chk_{number // 3}",
        "source_id": f"src_{source}",
        "sanitized_hash": "h",
        "path": f"docs/{source % 40}/{source}.md",
        "title": f"{source}.md",
        "structure_path": [f"{_words(chance, 3)}", f"{_words(chance, 3)}"],
        "lead": "",
        "char_start": number * 500,
        "char_end": number * 500 + 480,
        "line_start": number,
        "line_end": number + 5,
        "text": _words(chance, 80),
    }


def quote_row(record: AtomRecord, number: int) -> dict[str, Any]:
    at = source_of(record.first_seq * QUOTES_PER_ATOM + number)
    return {
        "evidence_id": f"evd_{record.first_seq}_{number}",
        "project_id": PROJECT,
        "atom_id": record.atom_id,
        "source_id": f"src_{at}",
        "sanitized_hash": "h",
        "chunk_id": f"chk_{at}",
        "structure_path": [],
        "char_start": 0,
        "char_end": len(record.body),
        "line_start": 1,
        "line_end": 2,
        "snippet": record.body,
        "evidence_type": "direct" if number == 0 else "inferred",
        "impact_indicator": False,
        "stale": False,
        "run_id": RUN,
    }
