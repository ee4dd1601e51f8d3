"""What is different at the sources since the ledger was told of them (spec 06 §2–3, 01 §7).

A listing is held against what the ledger knew when the run began, not against the trigger before:
a change that an earlier run was cut off from telling is told by the next one that sees the source.
Of each source the ledger holds one payload; that is the one it was told of last or, as long as it
was told nothing, the first one that was read.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, KeysView
from dataclasses import dataclass, field

from schemas.events.hygiene import ChunkRef, SourceProcessed
from schemas.events.ingestion import Reanchored, SourceChange
from streams.run_control.state import RunControlState, RunRow, Told

REMOVAL_BRAKE_PERCENT = 15
MAX_CHANGES = 64  # told in one turn; with the chunks they touch this keeps a change set small
MAX_CHUNKS_TOUCHED = 256
Likeness = tuple[str, str, tuple[str, ...], str | None, bool]


@dataclass(slots=True)
class Departures:
    """The sources of a root that a listing leaves out.

    ``known`` are the sources that the root had; ``gone`` names for each that goes its content (see
    ``content_of``); ``rows_of`` lists by content those with rows in the ledger. ``awaited`` were
    said to be gone before stage 0 has answered for them even once: the run waits for the answer,
    after which they would be held.
    """

    known: frozenset[str] = frozenset()
    awaited: frozenset[str] = frozenset()
    gone: dict[str, str] = field(default_factory=dict)
    rows_of: dict[str, deque[str]] = field(default_factory=dict)

    def claim(self, content: str) -> str | None:
        """A gone source whose rows another one with its content takes over; each only once."""
        waiting = self.rows_of.get(content)
        return waiting.popleft() if waiting else None


def departures(state: RunControlState, project: str, run: RunRow) -> Departures:
    """What goes with the run's trigger, as the ledger knew the root when the run began."""
    listing = state.listing(project, run.started.trigger_key)
    if listing is None or not (listing.complete or listing.removed):
        return Departures()
    named = _named_before(state, project, run)
    known = [
        source
        for source in named
        if f"{project}|{source}" in state.sources and not is_gone(state, project, run, source)
    ]
    listed = {source.source_id for source in listing.sources}
    removed = set(listing.removed)
    gone = {
        source: content_of(state.sources[f"{project}|{source}"])
        for source in known
        if source in removed or (listing.complete and source not in listed)
    }
    rows_of: defaultdict[str, deque[str]] = defaultdict(deque)
    for source, content in gone.items():
        if told_payload(state, project, run, source):
            rows_of[content].append(source)
    awaited = {source for source in removed & named if f"{project}|{source}" not in state.sources}
    return Departures(frozenset(known), frozenset(awaited), gone, dict(rows_of))


def content_of(processed: SourceProcessed) -> str:
    """What two sources have in common that are the same; bytes where no text was made of them."""
    return processed.raw_normalized_hash or processed.raw_sha256


def changes_of(
    state: RunControlState,
    project: str,
    run: RunRow,
    leaving: Departures,
    processed: SourceProcessed,
) -> list[SourceChange]:
    """What the ledger has to know of a source that is the one to hold its content."""
    source = processed.source.source_id
    before = told_payload(state, project, run, source)
    is_new = before is processed or _same_payload(before, processed)
    if is_new and (source in leaving.known or told_of(state, project, run, source)):
        return []
    if before is None or is_new:
        left = leaving.claim(content_of(processed))
        origin = told_payload(state, project, run, left) if left else None
        if left and origin:
            pairs = _reanchored(state, project, run, origin, processed)
            return _sliced("renamed", source, left, origin, processed, pairs)
    if is_new:
        return []
    pairs = _reanchored(state, project, run, before, processed)
    return _sliced("revised", source, None, before, processed, pairs)


def emptied(
    state: RunControlState, project: str, run: RunRow, processed: SourceProcessed | None
) -> list[SourceChange]:
    """A source that is not read any more takes its rows back; one that failed keeps them."""
    if processed is None or processed.skip_reason == "poison":
        return []
    before = told_payload(state, project, run, processed.source.source_id)
    if before is None:
        return []
    return [
        SourceChange(
            kind="revised",
            source_id=processed.source.source_id,
            old_hash=before.sanitized_hash,
        )
    ]


def duplicated(
    state: RunControlState, project: str, run: RunRow, source: str, original: str
) -> list[SourceChange]:
    """A source that repeats another; nothing when the ledger knows."""
    told = told_of(state, project, run, source)
    if told and told.duplicate_of == original:
        return []
    before = (
        told_payload(state, project, run, source)
        if told or _was_read(state, project, run, source)
        else None
    )
    return [
        SourceChange(
            kind="duplicate",
            source_id=source,
            other_source_id=original,
            old_hash=before.sanitized_hash if before else None,
        )
    ]


def duplicates_of(state: RunControlState, project: str, run: RunRow) -> dict[str, str]:
    """Every source that the ledger knew to repeat another when the run began."""
    last: dict[str, str] = {}
    for key, told in state.told.with_prefix(f"{project}|"):
        if told.seq <= run.started.basis_seq:
            last[key.split("|")[1]] = told.duplicate_of
    return {source: original for source, original in last.items() if original}


def removals(
    state: RunControlState, project: str, run: RunRow, leaving: Departures, present: set[str]
) -> tuple[list[SourceChange], list[str]]:
    """What goes with the end of the trigger's last run, and what the brake holds back.

    ``present`` contents stand elsewhere, so they do not count as lost. A source that a later
    listing names again stays.
    """
    if not leaving.gone:
        return [], []
    trigger = state.trigger(project, run.started.trigger_key)
    back = _listed_after(state, project, run)
    gone = [source for source in leaving.gone if source not in back]
    lost = [source for source in gone if leaving.gone[source] not in present]
    brakes = len(lost) * 100 > REMOVAL_BRAKE_PERCENT * len(leaving.known)
    held = lost if brakes and trigger and not trigger.requested.accept_removals else []
    told = []
    for source in gone:
        if source not in held:
            before = told_payload(state, project, run, source)
            old = before.sanitized_hash if before else None
            told.append(SourceChange(kind="removed", source_id=source, old_hash=old))
    return told, held


def told_together(state: RunControlState, project: str, changes: list[SourceChange]) -> int:
    """How many of the changes go into one turn, so that its change set stays small."""
    touched = 0
    for count, change in enumerate(changes):
        origin = change.other_source_id if change.kind == "renamed" else change.source_id
        touched += len(change.reanchored) or _chunk_count(state, project, origin, change.old_hash)
        if count and (count >= MAX_CHANGES or touched > MAX_CHUNKS_TOUCHED):
            return count
    return len(changes)


def told_payload(
    state: RunControlState, project: str, run: RunRow, source: str
) -> SourceProcessed | None:
    """The revision whose payload the ledger held when the run began; None without any."""
    revisions = [each for each in _revisions(state, project, source) if each.sanitized_hash]
    told = told_of(state, project, run, source)
    if told is None:
        return revisions[0] if revisions else None
    return next((each for each in reversed(revisions) if each.sanitized_hash == told.payload), None)


def is_gone(state: RunControlState, project: str, run: RunRow, source: str) -> bool:
    """Whether the ledger had been told that the source is gone when the run began."""
    told = told_of(state, project, run, source)
    return told is not None and told.gone


def _same_payload(one: SourceProcessed | None, other: SourceProcessed) -> bool:
    return one is not None and one.sanitized_hash == other.sanitized_hash


def _revisions(
    state: RunControlState, project: str, source: str | None
) -> Iterator[SourceProcessed]:
    """All revisions that stage 0 has answered for, oldest first."""
    for _, revision in state.earlier.with_prefix(f"{project}|{source}|"):
        yield revision
    if current := state.sources.get(f"{project}|{source}"):
        yield current


def told_of(state: RunControlState, project: str, run: RunRow, source: str) -> Told | None:
    """What the ledger was told of the source last when the run began."""
    last = None
    for _, told in state.told.with_prefix(f"{project}|{source}|"):
        if told.seq <= run.started.basis_seq:
            last = told
    return last


def _named_before(state: RunControlState, project: str, run: RunRow) -> KeysView[str]:
    """The sources that earlier triggers have named of the root, in that order."""
    named: dict[str, None] = {}
    for trigger in state.project_triggers(project):
        if trigger.requested.trigger_key == run.started.trigger_key:
            break
        listing = state.listing(project, trigger.requested.trigger_key)
        if listing and trigger.requested.root == run.started.root:
            named |= dict.fromkeys(each.source_id for each in listing.sources)
    return named.keys()


def _listed_after(state: RunControlState, project: str, run: RunRow) -> set[str]:
    """The sources that were named since the listing that the removals come from."""
    trigger = state.trigger(project, run.started.trigger_key)
    held_by = state.runs.get(f"{project}|{trigger.accepts_run}") if trigger else None
    origin = state.trigger(project, held_by.started.trigger_key) if held_by else trigger
    listings = [
        state.listing(project, later.requested.trigger_key)
        for later in state.project_triggers(project)
        if origin and later.arrival > origin.arrival
    ]
    return {each.source_id for listing in listings if listing for each in listing.sources}


def _chunk_count(
    state: RunControlState, project: str, source: str | None, payload: str | None
) -> int:
    for revision in _revisions(state, project, source):
        if payload and revision.sanitized_hash == payload:
            return len(revision.chunks)
    return 0


def _reanchored(
    state: RunControlState,
    project: str,
    run: RunRow,
    before: SourceProcessed | None,
    now: SourceProcessed,
) -> list[Reanchored]:
    """The chunks that need no reading: read under this very id before, or word for word in
    ``before``.
    """
    waiting: defaultdict[Likeness, deque[ChunkRef]] = defaultdict(deque)
    if before and _read_alike(before, now):
        for ref in before.chunks:
            if (
                not ref.skip_reason
                and ref.line_start >= 0
                and _read_before(state, project, run, ref.chunk_id, same_version=True)
            ):
                waiting[_likeness(ref)].append(ref)
    pairs: list[Reanchored] = []
    for ref in now.chunks:
        if ref.skip_reason:
            continue
        if _read_before(state, project, run, ref.chunk_id, same_version=False):
            pairs.append(_pair(ref, ref))
        elif ref.line_start >= 0 and (alike := waiting.get(_likeness(ref))):
            pairs.append(_pair(alike.popleft(), ref))
    return pairs


def _read_before(
    state: RunControlState, project: str, run: RunRow, chunk_id: str, *, same_version: bool
) -> bool:
    """Whether the chunk was really read before the run began, if asked by today's reader."""
    mark = state.read.get(f"{project}|{chunk_id}")
    if mark is None or mark.poison or mark.seq > run.started.basis_seq:
        return False
    reader = state.runs.get(f"{project}|{mark.run_id}")
    return not same_version or (
        reader is not None and _reader_version(reader) == _reader_version(run)
    )


def _was_read(state: RunControlState, project: str, run: RunRow, source: str) -> bool:
    return any(
        _read_before(state, project, run, ref.chunk_id, same_version=False)
        for revision in _revisions(state, project, source)
        for ref in revision.chunks
    )


def _reader_version(run: RunRow) -> str:
    return run.started.versions.get("heuristics_version", "")


def _read_alike(before: SourceProcessed, now: SourceProcessed) -> bool:
    """Readers go by the kind of a source, so the same words elsewhere may say something else."""
    one, other = before.source, now.source
    return (one.source_type, one.language) == (other.source_type, other.language)


def _likeness(ref: ChunkRef) -> Likeness:
    """What must be equal; the beginning of a source is read as such, what holds as what holds."""
    path = tuple(ref.structure_path)
    return ref.text_hash, ref.anchor_type, path, ref.document_status, ref.anchor_start == 0


def _pair(before: ChunkRef, now: ChunkRef) -> Reanchored:
    return Reanchored(
        from_chunk_id=before.chunk_id,
        to_chunk_id=now.chunk_id,
        shift=now.anchor_start - before.anchor_start,
        line_shift=now.line_start - before.line_start,
    )


def _sliced(
    kind: str,
    source: str,
    other: str | None,
    before: SourceProcessed | None,
    now: SourceProcessed,
    pairs: list[Reanchored],
) -> list[SourceChange]:
    """One change, or several where a long source keeps many chunks."""
    return [
        SourceChange(
            kind="renamed" if kind == "renamed" else "revised",
            source_id=source,
            other_source_id=other,
            old_hash=before.sanitized_hash if before else None,
            new_hash=now.sanitized_hash,
            reanchored=pairs[at : at + MAX_CHUNKS_TOUCHED],
        )
        for at in range(0, max(1, len(pairs)), MAX_CHUNKS_TOUCHED)
    ]
