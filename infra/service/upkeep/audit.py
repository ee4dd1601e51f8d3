"""Check the log and the tables, and fold the tables again from the log.

``tell`` is called now and then with the number of records that were read.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime

from infra.platform.findings import Finding, forget
from infra.platform.log_positions import accept_cuts
from infra.platform.settings import Settings
from infra.service.foundation.database import ask
from infra.service.foundation.progress import Tell
from projections import checksums, rebuild, replay
from projections.core import CORE
from projections.damage import damage
from projections.log_reader import ends_of, stretch
from projections.read import atoms, projects, session
from projections.read.session import Conn
from projections.rebuild import Rebuilt
from projections.replay import Difference
from projections.verify import Report, Verifier
from schemas.topics import TOPICS

REPLAY_SCHEMA = replay.SCHEMA


@dataclass(frozen=True, slots=True)
class ReplayedLedger:
    """A ledger as of a sequence number, and the rows that differ from ``head``, where it is now.

    ``findings`` are records that are in no ledger. ``has_moved``: the ledger changed meanwhile.
    """

    as_of_seq: int
    head: int
    has_moved: bool
    differences: tuple[Difference, ...]
    findings: tuple[Finding, ...]

    @property
    def is_wrong(self) -> bool:
        """Whether the tables differ from what the log says they should be."""
        return self.as_of_seq == self.head and bool(self.differences) and not self.has_moved


async def rebuild_tables(
    settings: Settings,
    table: str | None = None,
    *,
    accept_smaller: bool = False,
    tell: Tell[int] = lambda count: None,
) -> Rebuilt:
    """Fold the log again, compare every table, or the one named, and correct what differs.

    ``accept_smaller``: take what a damaged log still holds, though ledgers become smaller; stages
    then fold what is left. Raises Refusal when another rebuild runs, when there is no such table,
    or when a ledger would become smaller unasked.
    """
    rebuilt = await rebuild.rebuild(CORE, settings, table, tell, accept_smaller=accept_smaller)
    if accept_smaller:
        await accept_cuts(settings)
        forget(settings)
        for store in (settings.home / "state").glob("*/*.sqlite*"):
            store.unlink(missing_ok=True)
    return rebuilt


async def replay_ledger(
    settings: Settings,
    project: str,
    *,
    as_of_seq: int | None = None,
    as_of: datetime | None = None,
) -> ReplayedLedger:
    """Fold a project's ledger up to a moment, or its end, and compare it with the ledger now.

    The folded ledger stays in the schema REPLAY_SCHEMA until the next replay. Raises NotFound for
    the project, and Refusal when another rebuild or replay runs.
    """

    def moment(tables: Conn) -> tuple[str, int, int]:
        project_id = projects.find_project(tables, project)
        head = atoms.read_head(tables, project_id)
        if as_of is not None:
            return project_id, head, atoms.find_sequence_at(tables, project_id, as_of)
        return project_id, head, head if as_of_seq is None else as_of_seq

    project_id, head, at = await ask(settings, moment)
    replayed = await replay.replay(settings, project_id, at)
    now = await ask(settings, lambda tables: atoms.read_head(tables, project_id))
    return ReplayedLedger(
        at, head, now != head, tuple(replayed.differences), tuple(replayed.findings)
    )


async def hash_tables(settings: Settings, project: str) -> dict[str, str]:
    """SHA-256 of each table of a project, once the tables hold all that the log holds now.

    Raises NotFound, and Unavailable when the tables do not catch up in time.
    """
    project_id = await ask(settings, lambda tables: projects.find_project(tables, project))
    with session.reading(settings.conninfo) as connection:
        await checksums.caught_up(CORE, settings, connection)
    return await ask(settings, lambda tables: checksums.checksums(CORE, tables, project_id))


async def verify_log(settings: Settings, tell: Callable[[int], None]) -> Report:
    """Check every record that the topics hold now. A sound log clears what was remembered of it."""
    verifier = Verifier(settings.partitions)
    end = await _read_ends(settings)
    for finding in await damage([CORE], settings):
        verifier.add(finding)
    count = 0
    async with aclosing(stretch(settings, {}, end, verifier.add)) as batches:
        async for records in batches:
            for record in records:
                verifier.see(record)
            count += len(records)
            tell(count)
    report = verifier.finish(lambda each: each.of(settings))
    if not report.findings:
        forget(settings)
    return report


async def _read_ends(settings: Settings) -> dict[tuple[str, int], int]:
    """Where each topic ends; what follows from another topic's records is asked before that one.

    The log grows meanwhile, and a fact must not be judged without what it rests on: a citation
    needs its atoms, a change set its cause, a quote its text, a content its key.
    """
    waves: tuple[list[str], ...] = ([], ["ledger.v1"], [], ["hygiene.v1"], ["vault.key.v1"])
    placed = {name for wave in waves for name in wave}
    for topic in TOPICS:
        if topic.name not in placed:
            waves[0 if topic.name.startswith(("artifact.", "reduce.")) else 2].append(topic.name)
    ends: dict[tuple[str, int], int] = {}
    for wave in waves:
        ends |= await ends_of(settings, wave)
    return ends
