"""What the HTTP API costs: ten reads of a project of 100,000 atoms, beside their bare SQL.

Bare SQL is the statements that a read asks, with the same parameters, over connections of their
own; their rows are fetched and nothing is made of them. Both sides are asked by as many clients,
in turn and in the same run. The server is a process of its own over a database of its own; the
rows are those of the bench of reads, with a PRD and contradictions added.
"""

from __future__ import annotations

import socket
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import psycopg
from psycopg.types.json import Jsonb

from infra.measure.benches.reads import AT, ATOMS, PROJECT, QUERY, copy, database, fill
from infra.measure.benches.server import STARTS_WITHIN_S, Serve, serving
from infra.platform import postgres
from infra.platform.errors import Unavailable
from projections.read.artifact_list import read_artifact
from projections.read.atom_detail import read_atom
from projections.read.atoms import list_atoms
from projections.read.changes import WINDOW, list_changes
from projections.read.contradictions import list_contradictions
from projections.read.projects import list_projects
from projections.read.search import Filters, search_ledger
from projections.read.session import Conn, reading
from projections.read.source_list import list_sources

CLIENTS, ROUNDS, ROUND_S, PAGE = 4, 3, 2.0, 20
TARGET = 0.5  # of the requests a second of the bare SQL
STATEMENTS, CARDS = 60, 20
PRD = "art_bench"
VERSION_SAME = (
    *("artifact_id", "version", "project_id", "artifact_type", "content", "content_hash"),
    *("rendered_markdown", "lane", "engine", "run_id", "input_ledger_seq"),
)
Statement = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class Read:
    """A path of the API, and the question that its route asks the tables."""

    name: str
    path: str
    question: Callable[[Conn], object]


@dataclass(frozen=True, slots=True)
class Load:
    """What clients that ask without pause have got."""

    per_s: float
    p95_ms: float


def api(migrations: Path, serve: Serve) -> dict[str, Any]:
    """Requests a second and p95 of each read, and its ratio to the bare SQL."""
    with database(migrations) as conninfo:
        fill(conninfo, ATOMS)
        fill_more(conninfo)
        stated = {"atoms": ATOMS, "page": PAGE, "clients": CLIENTS, "target": TARGET}
        return stated | measure(conninfo, serve, ATOMS, ROUNDS, ROUND_S)


def measure(conninfo: str, serve: Serve, count: int, rounds: int, round_s: float) -> dict[str, Any]:
    """The figures of a filled database with ``count`` atoms."""
    figures: dict[str, Any] = {}
    with serving(conninfo, serve) as server:
        for read in reads_of(conninfo, count):
            asked = statements(conninfo, read.question)
            bare = partial(ask_bare, conninfo, asked)
            over_http = partial(ask_http, server.url, server.token, read.path)
            taken = [
                (load(bare, CLIENTS, round_s), load(over_http, CLIENTS, round_s))
                for _ in range(rounds)
            ]
            figures[read.name] = _figure([one for one, _ in taken], [two for _, two in taken])
    lowest = min(each["ratio"] for each in figures.values())
    reached = sum(each["ratio"] >= TARGET for each in figures.values())
    return figures | {"lowest_ratio": lowest, "reached": f"{reached} of {len(figures)}"}


def reads_of(conninfo: str, count: int) -> list[Read]:
    """The ten reads, with parameters that have something to answer."""
    with reading(conninfo) as connection:
        page = list_atoms(connection, PROJECT, limit=PAGE)
    atom_id, cursor = page.items[0].atom_id, page.next_cursor
    project = f"/v1/projects/{PROJECT}"
    since = max(0, count - PAGE)

    def read(name: str, path: str, question: Any, *args: Any, **parameters: Any) -> Read:
        query = f"?{urlencode(parameters)}" if parameters else ""
        return Read(name, project + path + query, lambda conn: question(conn, *args, **parameters))

    return [
        Read("project", project, lambda conn: list_projects(conn, only=[PROJECT])),
        read("first_atoms", "/atoms", list_atoms, PROJECT, limit=PAGE),
        read("next_atoms", "/atoms", list_atoms, PROJECT, cursor=cursor, limit=PAGE),
        read("atoms_of_a_kind", "/atoms", list_atoms, PROJECT, kind="risk", limit=PAGE),
        read("atom", f"/atoms/{atom_id}", read_atom, PROJECT, atom_id),
        Read(
            "search",
            f"{project}/ledger/search?{urlencode({'q': QUERY})}",
            lambda conn: search_ledger(conn, PROJECT, QUERY, Filters(), 10),
        ),
        read("sources", "/sources", list_sources, PROJECT, limit=PAGE),
        Read(
            "contradictions",
            f"{project}/contradictions?limit={PAGE}",
            lambda conn: list_contradictions(conn, PROJECT, "open", limit=PAGE),
        ),
        read("artifact", f"/artifacts/{PRD}", read_artifact, PROJECT, PRD),
        Read(
            "changes",
            f"{project}/changes?since_seq={since}",
            lambda conn: list_changes(conn, PROJECT, since, WINDOW),
        ),
    ]


def statements(conninfo: str, question: Callable[[Conn], object]) -> list[Statement]:
    """What ``question`` asks the database, in order."""
    asked: list[Statement] = []

    class Noting(psycopg.Cursor[Any]):
        def execute(self, query: Any, params: Any = None, **options: Any) -> Noting:
            asked.append((query, params))
            super().execute(query, params, **options)
            return self

    with reading(conninfo) as connection:
        connection.cursor_factory = Noting
        question(connection)
    return asked


@contextmanager
def ask_bare(conninfo: str, asked: Sequence[Statement]) -> Iterator[Callable[[], None]]:
    with reading(conninfo) as connection:

        def once() -> None:
            for query, parameters in asked:
                cursor = connection.execute(query, parameters)
                if cursor.description:
                    cursor.fetchall()

        yield once


@contextmanager
def ask_http(url: str, token: str, path: str) -> Iterator[Callable[[], None]]:
    """Over one connection that stays open, by a client that costs next to nothing."""
    place = urlsplit(url)
    request = (
        f"GET {path} HTTP/1.1\r\nhost: {place.netloc}\r\nauthorization: Bearer {token}\r\n\r\n"
    ).encode()
    with socket.create_connection((place.hostname or "", place.port or 0)) as opened:

        def once() -> None:
            opened.sendall(request)
            head, _, body = _until(opened, b"", lambda got: b"\r\n\r\n" in got).partition(
                b"\r\n\r\n"
            )
            assert head.startswith(b"HTTP/1.1 200"), (head, body)
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            _until(opened, body, lambda got: len(got) >= length)

        yield once


def load(open_client: Callable[[], Any], clients: int, seconds: float) -> Load:
    """What ``clients`` get that ask without pause for so long, each at least once."""
    took: list[float] = []
    begin = threading.Barrier(clients + 1)

    def work() -> None:
        with open_client() as once:
            once()  # the first one prepares the statements and the connection
            begin.wait()
            ends = time.perf_counter() + seconds
            while True:
                began = time.perf_counter()
                once()
                took.append(time.perf_counter() - began)
                if time.perf_counter() >= ends:
                    return

    threads = [threading.Thread(target=work, daemon=True) for _ in range(clients)]
    for each in threads:
        each.start()
    begin.wait(STARTS_WITHIN_S)
    began = time.perf_counter()
    for each in threads:
        each.join()
    rate = len(took) / (time.perf_counter() - began)
    return Load(rate, sorted(took)[int(len(took) * 0.95)] * 1_000)


def fill_more(conninfo: str) -> None:
    """A PRD of ``STATEMENTS`` statements with two citations each, and ``CARDS`` contradictions."""
    with postgres.connect(conninfo) as connection:
        page = list_atoms(connection, PROJECT, limit=2 * STATEMENTS)
        atoms = [atom.atom_id for atom in page.items]
        prd = _prd(atoms)
        copy(connection, "artifacts", [prd])
        copy(connection, "artifact_versions", [_version(prd)])
        copy(connection, "artifact_citations", _citations(atoms))
        pairs = zip(atoms[:CARDS], atoms[CARDS:], strict=False)
        copy(connection, "ledger_contradictions", (_card(*pair) for pair in pairs))
    with postgres.connect(conninfo, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def _prd(atoms: Sequence[str]) -> dict[str, Any]:
    texts = dict.fromkeys(("content_hash", "lane", "engine", "run_id", "rendered_markdown"), "b")
    empty: dict[str, Any] = dict.fromkeys(("blocked_by", "upstream_artifact_ids"), [])
    section = {
        "section_id": "scope",
        "title": "Scope",
        "state": "stated",
        "statements": [_statement(number, atoms) for number in range(STATEMENTS)],
        "gap": "",
        "content_hash": "b",
        "input_hash": "b",
    }
    return (
        texts
        | empty
        | {
            "artifact_id": PRD,
            "project_id": PROJECT,
            "artifact_type": "prd",
            "number": "",
            "title": "Bench",
            "version": 1,
            "artifact_state": "draft",
            "content": Jsonb([section]),
            "input_ledger_seq": 1,
            "updated_at": AT,
        }
    )


def _version(artifact: dict[str, Any]) -> dict[str, Any]:
    same = {name: artifact[name] for name in VERSION_SAME}
    texts = {"reason": "bench", "event_id": "00000000-0000-0000-0000-000000000002"}
    return same | texts | {"recomputed_sections": [], "published_at": AT}


def _statement(number: int, atoms: Sequence[str]) -> dict[str, Any]:
    return {
        "statement_id": f"sta_{number}",
        "text": f"Statement {number} of the bench says as much as a usual one does.",
        "citations": [
            {"atom_id": atom_id, "atom_revision": 1} for atom_id in _cited(number, atoms)
        ],
        "provisional": False,
        "confidence": 0.8,
        "contradiction_ids": [],
    }


def _cited(number: int, atoms: Sequence[str]) -> list[str]:
    return [atoms[(2 * number + each) % len(atoms)] for each in range(2)]


def _citations(atoms: Sequence[str]) -> Iterator[dict[str, Any]]:
    for number in range(STATEMENTS):
        for atom_id in _cited(number, atoms):
            yield {
                "artifact_id": PRD,
                "version": 1,
                "section_id": "scope",
                "statement_id": f"sta_{number}",
                "atom_id": atom_id,
                "atom_revision": 1,
                "project_id": PROJECT,
            }


def _card(a: str, b: str) -> dict[str, Any]:
    return {
        "contradiction_id": f"con_{a}",
        "project_id": PROJECT,
        "atom_a_id": a,
        "atom_b_id": b,
        "contradiction_type": "direct",
        "severity": "high",
        "status": "open",
        "explanation": "They do not hold together.",
        "detected_by": "bench",
        "opened_seq": 1,
        "updated_seq": 1,
        "reopened": False,
    }


def _until(opened: socket.socket, got: bytes, is_whole: Callable[[bytes], bool]) -> bytes:
    while not is_whole(got):
        if not (more := opened.recv(256 * 1024)):
            raise Unavailable("The API closed the connection.")
        got += more
    return got


def _figure(bare: Sequence[Load], over_http: Sequence[Load]) -> dict[str, float]:
    """The medians of the rounds; the ratio is that of neighbours in time."""
    ratios = [two.per_s / one.per_s for one, two in zip(bare, over_http, strict=True)]
    return {
        "per_s": round(statistics.median(each.per_s for each in over_http), 1),
        "p95_ms": round(statistics.median(each.p95_ms for each in over_http), 1),
        "sql_per_s": round(statistics.median(each.per_s for each in bare), 1),
        "sql_p95_ms": round(statistics.median(each.p95_ms for each in bare), 1),
        "ratio": round(statistics.median(ratios), 2),
    }
