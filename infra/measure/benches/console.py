"""What the console's pages cost in a project of 100,000 atoms, while rows of another come in.

The server is a process of its own over a database of its own, asked by one client, as a person
does. What stands beside each figure is the ratio to a page that asks the tables nothing, in the
same run. Another process meanwhile copies atoms into a second project; no log is folded.
"""

from __future__ import annotations

import gzip
import multiprocessing
import random
import re
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any

import httpx

from infra.measure.benches import say
from infra.measure.benches.api import PRD, fill_more
from infra.measure.benches.reads import (
    AT_ONCE,
    ATOMS,
    PROJECT,
    QUOTES_PER_ATOM,
    RUN,
    SOURCES,
    copy,
    cursor_at,
    database,
    fill,
    present_row,
    quote_row,
    random_record,
    source_of,
)
from infra.measure.benches.server import STARTS_WITHIN_S, Serve, Served, serving
from infra.platform import postgres
from infra.platform.errors import Unavailable
from projections.read.atoms import list_atoms
from projections.read.session import Conn, reading
from schemas.areas import AREAS

TARGET_MS, TARGET_KB = 200.0, 150
QUOTES, DEEP_PLACE = 100, 25_000  # the page 500 of 50 atoms begins behind this one
OTHER_PROJECT, BATCH = "prj_other", 200
FIELD = re.compile(r'name="(\w+)" value="([^"]*)"')


def console(migrations: Path, serve: Serve, runs: int) -> dict[str, Any]:
    """Median and p95 of each page, its compressed size, and its ratio to a page without rows.

    A p95 says something from 100 ``runs`` on.
    """
    with database(migrations) as conninfo:
        say("Filling the tables…")
        fill(conninfo, ATOMS)
        fill_more(conninfo)
        fill_chunks(conninfo, ATOMS)
        stated = {"atoms": ATOMS, "target_ms": TARGET_MS, "target_kb": TARGET_KB}
        return stated | measure(conninfo, serve, ATOMS, runs)


def measure(conninfo: str, serve: Serve, count: int, runs: int) -> dict[str, Any]:
    """The figures of a filled database with ``count`` atoms."""
    with postgres.connect(conninfo) as connection:
        atom_id = quote_often(connection)
    with reading(conninfo) as connection:
        cursor = cursor_at(connection, min(DEEP_PLACE, count // 2))
    pages = pages_of(atom_id, cursor, count)
    with serving(conninfo, serve) as served, ingesting(conninfo), signed_in(served) as client:
        figures = {name: _figure(client, path, runs) for name, path in pages.items()}
    least = figures["nothing"]["median_ms"]
    for each in figures.values():
        each["ratio"] = round(each["median_ms"] / least, 1)
    slow = sorted(name for name, each in figures.items() if each["p95_ms"] >= TARGET_MS)
    return figures | {"over_target": ", ".join(slow) or "none"}


def pages_of(atom_id: str, cursor: str, count: int) -> dict[str, str]:
    """The pages, and the same questions to the API; ``nothing`` asks the tables for no rows."""
    pages, api = f"/console/projects/{PROJECT}", f"/v1/projects/{PROJECT}"
    rare = f"kind=risk&status=superseded&area={AREAS[-1]}"
    since = max(0, count - 20)
    return {
        "nothing": "/console/sign-in?code=none",
        "overview": pages,
        "ledger_first": f"{pages}/ledger",
        "ledger_rare_filter": f"{pages}/ledger?{rare}",
        "ledger_of_a_path": f"{pages}/ledger?path=docs/7/7.md",
        "ledger_deep_cursor": f"{pages}/ledger?cursor={cursor}",
        "search_common": f"{pages}/ledger?q=w0+w1",
        "search_rare": f"{pages}/ledger?q=w4990",
        "search_of_a_kind": f"{pages}/ledger?q=w0+w1&kind=risk",
        "search_nothing": f"{pages}/ledger?q=absent",
        "atom": f"{pages}/atoms/{atom_id}",
        "contradictions": f"{pages}/contradictions",
        "changes": f"{pages}/changes?since={since}",
        "sources": f"{pages}/sources",
        "documents": f"{pages}/documents",
        "prd": f"{pages}/documents/{PRD}",
        "runs": f"{pages}/runs",
        "compare": f"{pages}/compare?from=2026-01-01T00:00:00&to=2100-01-01T00:00:00",
        "api_first": f"{api}/atoms?limit=50",
        "api_deep_cursor": f"{api}/atoms?limit=50&cursor={cursor}",
        "api_search": f"{api}/ledger/search?q=w0+w1",
        "api_atom": f"{api}/atoms/{atom_id}",
    }


@contextmanager
def signed_in(served: Served) -> Iterator[httpx.Client]:
    """A browser's session, and the token for the API. Raises Unavailable."""
    with httpx.Client(base_url=served.url, headers={"origin": served.url}, timeout=60) as client:
        form = FIELD.findall(client.get("/console/sign-in").text)
        fields = {name: unescape(value) for name, value in form}
        answer = client.post("/console/sign-in", data=fields | {"token": served.token})
        if answer.status_code != 303:
            raise Unavailable(f"The console answered the sign-in with {answer.status_code}.")
        client.headers["authorization"] = f"Bearer {served.token}"
        yield client


@contextmanager
def ingesting(conninfo: str) -> Iterator[None]:
    """Rows of another project come in for as long as the block lasts."""
    apart = multiprocessing.get_context("spawn")
    begun = apart.Event()
    process = apart.Process(target=_ingest, args=(conninfo, begun), daemon=True)
    process.start()
    try:
        if not begun.wait(STARTS_WITHIN_S):
            raise Unavailable("The other project's rows did not come in.")
        yield
    finally:
        process.terminate()
        process.join()


def _ingest(conninfo: str, begun: Any) -> None:
    chance = random.Random(2)
    with postgres.connect(conninfo, autocommit=True) as connection:
        number = 0
        while True:
            records = [random_record(number + each, chance) for each in range(BATCH)]
            other = {"project_id": OTHER_PROJECT}
            quotes = (quote_row(one, each) for one in records for each in range(QUOTES_PER_ATOM))
            with connection.transaction():
                copy(connection, "ledger_atoms", (present_row(one) | other for one in records))
                copy(
                    connection,
                    "ledger_evidence",
                    (
                        one | other | {"evidence_id": f"other_{one['evidence_id']}"}
                        for one in quotes
                    ),
                )
            number += BATCH
            begun.set()


def fill_chunks(conninfo: str, count: int) -> None:
    """The chunks that the atoms were read from, and half as many that are not read."""
    chance = random.Random(3)
    with postgres.connect(conninfo) as connection:
        every = count + count // 2
        for start in range(0, every, AT_ONCE):
            numbers = range(start, min(start + AT_ONCE, every))
            copy(
                connection, "chunks", (_chunk(number, number < count, chance) for number in numbers)
            )
    with postgres.connect(conninfo, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE chunks")


def quote_often(connection: Conn) -> str:
    """The first atom of the list, quoted ``QUOTES`` times more."""
    first = list_atoms(connection, PROJECT, limit=1).items[0]
    columns = {"project_id": PROJECT, "evidence_type": "direct", "impact_indicator": False}
    kept = first.evidence[0].model_dump(exclude={"path", "speaker", "speaker_role", "stated_at"})
    row = kept | columns | {"atom_id": first.atom_id, "run_id": RUN, "structure_path": []}
    often = (
        row | {"evidence_id": f"evd_often_{number}", "source_id": f"src_{number % SOURCES}"}
        for number in range(QUOTES)
    )
    copy(connection, "ledger_evidence", often)
    return first.atom_id


def _chunk(number: int, is_read: bool, chance: random.Random) -> dict[str, Any]:
    return {
        "chunk_id": f"chk_{number}",
        "project_id": PROJECT,
        "source_id": f"src_{source_of(number)}",
        "priority_tier": chance.choice((1, 2, 2, 3, 3, 3)),
        "areas": [area for area in AREAS[:5] if chance.random() < 0.2],
        "sanitized_hash": "h",
        "anchor_start": number,
        "read_outcome": "extracted" if is_read else None,
        "gate_skip_reason": None if is_read else chance.choice((None, "boilerplate")),
    }


def _figure(client: httpx.Client, path: str, runs: int) -> dict[str, float]:
    """The first answer is not timed. Raises Unavailable for one that is no page."""
    times, size = [], 0
    for _ in range(runs + 1):
        began = time.perf_counter()
        answer = client.get(path)
        times.append((time.perf_counter() - began) * 1_000)
        if answer.status_code != 200:
            raise Unavailable(f"{path} was answered with {answer.status_code}.")
        size = len(gzip.compress(answer.content))
    timed = sorted(times[1:])
    return {
        "median_ms": round(statistics.median(timed), 1),
        "p95_ms": round(timed[int(len(timed) * 0.95)], 1),
        "compressed_kb": round(size / 1_000, 1),
    }
