"""The requests that an open batch waits for, to be sent again as they were.

Results are not seen here, only the ledger's turns. So a request counts as missing when no turn of
the project came while its ledger stood still: a run that waits for another one's batch misses
nothing. All behind the last applied turn is asked for again; what has an answer already is answered
once more, and the ledger counts the first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from schemas.envelope import Envelope
from schemas.events.hygiene import ChunkRef
from streams.run_control.planning import request_of
from streams.run_control.rows import batch_key
from streams.run_control.scope import ProjectScope, RunScope
from streams.run_control.state import RunControlState


def find_awaited(state: RunControlState) -> Iterator[str]:
    """The chunks of each run's first batch that is not committed, at the ledger's sequence."""
    for scope in state.runs():
        if not scope.run.stopped:
            begin = _key_prefix(scope)
            yield from (f"{begin}{chunk_id}" for chunk_id in _find_waiting(scope))


def repeat_requests(state: RunControlState, keys: Collection[str]) -> list[Envelope]:
    """The requests of these keys that still wait."""
    envelopes: list[Envelope] = []
    for run_key in sorted({key.rsplit("|", 2)[0] for key in keys}):
        scope = state.run(*run_key.split("|", 1))
        begin, ledger = _key_prefix(scope), scope.project.position
        positions = {
            chunk_id: position
            for chunk_id, position in _find_waiting(scope).items()
            if f"{begin}{chunk_id}" in keys
        }
        for ref, source_id in _list_chunks(scope.project) if positions else ():
            if position := positions.pop(ref.chunk_id, 0):
                place = (scope.run.committed, position, _size_of_batch(scope))
                request = request_of(scope.run, place, ref, source_id, ledger)
                envelopes.append(scope.caused(request))
    return envelopes


def _key_prefix(scope: RunScope) -> str:
    """What the keys of all waiting chunks of the run begin with."""
    return f"{scope.project.id}|{scope.run_id}|{scope.project.position.seq}|"


def _size_of_batch(scope: RunScope) -> int:
    """How many chunks the first batch holds that is not committed."""
    planned = scope.project.batches.get(batch_key(scope.run_id, scope.run.committed))
    return len(planned.chunk_ids) if planned else 0


def _find_waiting(scope: RunScope) -> dict[str, int]:
    """The chunks behind the last one applied, each with its position."""
    planned = scope.project.batches.get(batch_key(scope.run_id, scope.run.committed))
    if planned is None:
        return {}
    positions = {chunk_id: at for at, chunk_id in enumerate(planned.chunk_ids, start=1)}
    commit = scope.commit(scope.run.committed)
    last = positions.get((commit and commit.last_chunk_id) or "", 0)
    return {chunk_id: at for chunk_id, at in positions.items() if at > last}


def _list_chunks(project: ProjectScope) -> Iterator[tuple[ChunkRef, str]]:
    for table in (project.sources, project.earlier):
        for processed in table.values():
            for ref in processed.chunks:
                yield ref, processed.source.source_id
