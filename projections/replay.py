"""Audit replay: a ledger as of a sequence number, folded from the log beside the live one.

The change sets up to that number go through the same folds into the schema ``cairn_replay``, which
stays for questions in SQL until the next replay. What differs between then and now is told table by
table and key by key. A replay to the ledger's head differs in nothing, or the tables are wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal

from psycopg import sql

from infra.platform.errors import Refusal
from infra.platform.findings import Finding
from infra.platform.kafka import partition_of
from infra.platform.settings import Settings
from projections.apply import apply_batch
from projections.checkpoint import Record, fact_in, read_checkpoint
from projections.checksums import columns_of
from projections.core import CORE
from projections.left_out import LeftOut
from projections.log_reader import Offsets, stretch
from projections.rebuild import Conn, Stretch, shadow_tables
from projections.tables import Table
from schemas.codec import InvalidRecord
from schemas.events.ledger import LedgerChanged

SCHEMA = f"{CORE.schema}_replay"
LEDGER = "ledger.v1"
COMPARED = (
    "ledger_atoms",
    "ledger_evidence",
    "ledger_links",
    "ledger_atom_entities",
    "ledger_contradictions",
    "ledger_merge_candidates",
    "ledger_merge_ops",
    "ledger_document_roles",
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that came, went or changed since; ``columns`` are those that differ."""

    table: str
    key: str
    since: Literal["added", "removed", "changed"]
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Replayed:
    """The differences between then and now, and what of the partition is in no ledger."""

    differences: list[Difference]
    findings: list[Finding]


async def replay(settings: Settings, project_id: str, ledger_seq: int) -> Replayed:
    """The differences between the ledger at ``ledger_seq`` and now.

    Raises Refusal for a sequence the log does not reach, or while a rebuild runs.
    """
    left_out = LeftOut()

    def read(start: Offsets, end: Offsets) -> Any:
        return stretch(settings, start, end, left_out.add)

    return await replay_from(
        settings.conninfo, read, settings.partitions, project_id, ledger_seq, left_out
    )


async def replay_from(
    conninfo: str,
    read: Stretch,
    partitions: int,
    project_id: str,
    ledger_seq: int,
    left_out: LeftOut | None = None,
) -> Replayed:
    """The same over any log that ``read`` gives stretches of."""
    left_out = left_out or LeftOut()
    own = (LEDGER, partition_of(project_id.encode(), partitions))
    async with shadow_tables(CORE, conninfo, SCHEMA, keep=True) as (live, shadow):
        ends = {own: read_checkpoint(live, CORE.name).get(own, 0)}
        read_checkpoint(shadow, CORE.name, ends)
        async with aclosing(read({}, ends)) as batches:
            async for records in batches:
                wanted = _up_to(records, project_id, ledger_seq, partitions, left_out)
                if wanted:
                    apply_batch(CORE, shadow, wanted, partitions, left_out)
        head = shadow.execute(
            "SELECT coalesce(max(ledger_seq), 0) FROM ledger_change_sets"
        ).fetchone()
        if head is None or head[0] < ledger_seq:
            raise Refusal(
                f"The ledger of {project_id} ends at {head[0] if head else 0}:"
                f" there is no sequence {ledger_seq}."
            )
        differences = [
            difference
            for name in COMPARED
            for difference in _differences(live, shadow, CORE.tables[name], project_id)
        ]
        return Replayed(differences, left_out.findings(shadow))


def _up_to(
    records: Sequence[Record],
    project_id: str,
    ledger_seq: int,
    partitions: int,
    left_out: LeftOut,
) -> list[Record]:
    """The project's change sets up to ``ledger_seq``; ``left_out`` is told what is no fact."""
    wanted = []
    for record in records:
        if record.key != project_id.encode():
            continue
        try:
            event = fact_in(record, partitions).event
        except InvalidRecord as error:
            left_out.unreadable(record, error)
            continue
        if isinstance(event, LedgerChanged) and event.ledger_seq <= ledger_seq:
            wanted.append(record)
    return wanted


def _differences(live: Conn, shadow: Conn, table: Table, project_id: str) -> list[Difference]:
    now, then = (_rows(connection, table, project_id) for connection in (live, shadow))
    differences = [Difference(table.name, key, "added") for key in now.keys() - then.keys()]
    differences += [Difference(table.name, key, "removed") for key in then.keys() - now.keys()]
    for key in now.keys() & then.keys():
        changed = tuple(name for name in now[key] if now[key][name] != then[key][name])
        if changed:
            differences.append(Difference(table.name, key, "changed", changed))
    return sorted(differences, key=lambda each: (each.since, each.key))


def _rows(connection: Conn, table: Table, project_id: str) -> dict[str, dict[str, Any]]:
    """A project's rows by key, without operational columns."""
    names = [name for name in columns_of(connection, table.name) if name not in table.left_out]
    query = sql.SQL("SELECT {} FROM {} WHERE project_id = {}").format(
        sql.SQL(", ").join(map(sql.Identifier, names)),
        sql.Identifier(table.name),
        sql.Literal(project_id),
    )
    rows = (dict(zip(names, row, strict=True)) for row in connection.execute(query))
    return {"|".join(str(row[part]) for part in table.key): row for row in rows}
