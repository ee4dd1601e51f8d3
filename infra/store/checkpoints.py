"""The last state of each run of agents that is under way: a cache of the run's log."""

from __future__ import annotations

from projections.read.session import Conn, ReadModel, select

COLUMNS = "position, kind, state, seal"
FORGET = "DELETE FROM checkpoints WHERE kept_at < now() - interval '1 day' * %s"


class CheckpointRow(ReadModel):
    """``position`` is the number of events in the log when the state was kept."""

    position: int
    kind: str
    state: bytes
    seal: str


def find_checkpoint(connection: Conn, run_id: str) -> CheckpointRow | None:
    query = f"SELECT {COLUMNS} FROM checkpoints WHERE run_id = %s"
    return next(iter(select(connection, CheckpointRow, query, run_id)), None)


def keep_checkpoint(connection: Conn, run_id: str, row: CheckpointRow) -> None:
    """In the place of the one before."""
    connection.execute(
        f"INSERT INTO checkpoints (run_id, {COLUMNS}) VALUES (%s, %s, %s, %s, %s)"
        " ON CONFLICT (run_id) DO UPDATE SET (position, kind, state, seal, kept_at)"
        " = (excluded.position, excluded.kind, excluded.state, excluded.seal, now())",
        (run_id, row.position, row.kind, row.state, row.seal),
    )


def drop_checkpoint(connection: Conn, run_id: str) -> None:
    """With those of the work that agents have handed over in the run."""
    connection.execute(
        "DELETE FROM checkpoints WHERE run_id = %s OR starts_with(run_id, %s)",
        (run_id, f"{run_id}."),
    )


def forget_checkpoints(connection: Conn, days: int) -> int:
    """Remove states that were kept so long ago; how many."""
    return connection.execute(FORGET, (days,)).rowcount
