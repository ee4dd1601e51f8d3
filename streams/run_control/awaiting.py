"""The requests that an open batch waits for, to be sent again as they were (spec 06 §6.2).

Results are not seen here, only the ledger's turns. So what is missed is what no turn of the project
came for while its ledger stood still: a run that waits for another one's batch misses nothing. All
behind the last applied turn is asked for again; what has an answer already is answered once more,
and the ledger hears the first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from schemas.envelope import Envelope
from schemas.events.hygiene import ChunkRef
from streams.run_control.planning import request_of
from streams.run_control.state import Commit, RunControlState, RunRow, batch_key


def awaited(state: RunControlState) -> Iterator[str]:
    """The chunks of each run's first batch that is not committed, at the ledger's place."""
    for run_key, run in state.runs.items():
        if not run.stopped:
            project = run_key.split("|", 1)[0]
            at = f"{run_key}|{state.place(project).seq}"
            yield from (f"{at}|{chunk_id}" for chunk_id in _waiting(state, project, run))


def asked(state: RunControlState, keys: Collection[str]) -> list[Envelope]:
    """The requests of these keys that still wait."""
    found: list[Envelope] = []
    for run_key in sorted({key.rsplit("|", 2)[0] for key in keys}):
        project, run = run_key.split("|", 1)[0], state.runs[run_key]
        place = state.place(project)
        positions = {
            chunk_id: position
            for chunk_id, position in _waiting(state, project, run).items()
            if f"{run_key}|{place.seq}|{chunk_id}" in keys
        }
        for ref, source_id in _chunks(state, project) if positions else ():
            if position := positions.pop(ref.chunk_id, 0):
                request = request_of(run, run.committed, position, ref, source_id, place)
                found.append(run.caused(run.cause, request))
    return found


def _waiting(state: RunControlState, project: str, run: RunRow) -> dict[str, int]:
    """The chunks behind the last one applied, each with its position."""
    key = batch_key(project, run.started.run_id, run.committed)
    planned = state.batches.get(key)
    if planned is None:
        return {}
    positions = {chunk_id: at for at, chunk_id in enumerate(planned.chunk_ids, start=1)}
    last = positions.get(state.commits.get(key, Commit()).last_chunk_id or "", 0)
    return {chunk_id: at for chunk_id, at in positions.items() if at > last}


def _chunks(state: RunControlState, project: str) -> Iterator[tuple[ChunkRef, str]]:
    for table in (state.sources, state.earlier):
        for _, processed in table.with_prefix(f"{project}|"):
            for ref in processed.chunks:
                yield ref, processed.source.source_id
