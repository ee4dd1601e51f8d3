"""What has changed at the sources since the ledger was last told of them.

A listing is compared with what the ledger knew when the run began, not with the trigger before: so
a change that an earlier run was cut off from telling is told by the next one that sees the source.
Of each source the ledger holds one payload: the one it was told of last or, as long as it was told
nothing, the first one that was read.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, KeysView

from schemas.events.hygiene import ChunkRef, SourceProcessed
from schemas.events.ingestion import Reanchored, SourceChange
from streams.run_control.rows import LedgerSource, RunRow
from streams.run_control.run_view import RemovedSources
from streams.run_control.scope import ProjectScope, RunScope

REMOVAL_THRESHOLD_PERCENT = 15  # of a root: a person must accept the removal of more
MAX_CHANGES = 64  # told in one turn; with the chunks they touch this keeps a change set small
MAX_CHUNKS_TOUCHED = 256
Likeness = tuple[
    str, str, tuple[str, ...], tuple[str | None, ...], tuple[tuple[str, str], ...], bool
]


def find_removed(scope: RunScope) -> RemovedSources:
    """The sources that the run's listing leaves out, as the ledger knew them when it began."""
    listing = scope.listing()
    if listing is None or not (listing.complete or listing.removed):
        return RemovedSources()
    named = _list_named_before(scope)
    sources = [
        source
        for source in named
        if source in scope.project.sources and not _is_gone(scope, source)
    ]
    listed = {source.source_id for source in listing.sources}
    removed = set(listing.removed)
    gone = {
        source: content_of(scope.project.sources[source])
        for source in sources
        if source in removed or (listing.complete and source not in listed)
    }
    rows_of: defaultdict[str, deque[str]] = defaultdict(deque)
    for source, content in gone.items():
        if ledger_payload(scope, source):
            rows_of[content].append(source)
    awaited = {source for source in removed & named if source not in scope.project.sources}
    return RemovedSources(frozenset(sources), frozenset(awaited), gone, dict(rows_of))


def content_of(processed: SourceProcessed) -> str:
    """What two sources have in common that are the same; bytes where no text was made of them."""
    return processed.raw_normalized_hash or processed.raw_sha256


def derive_changes(
    scope: RunScope,
    removed: RemovedSources,
    processed: SourceProcessed,
) -> list[SourceChange]:
    """What the ledger has to know of a source that is the one to hold its content."""
    source = processed.source.source_id
    before = ledger_payload(scope, source)
    is_new = before is processed or _has_same_payload(before, processed)
    if is_new and (source in removed.known or ledger_source(scope, source)):
        return []
    if before is None or is_new:
        left = removed.claim(content_of(processed))
        origin = ledger_payload(scope, left) if left else None
        if left and origin:
            pairs = _match_chunks(scope, origin, processed)
            return _slice("renamed", source, left, origin, processed, pairs)
    if is_new:
        return []
    pairs = _match_chunks(scope, before, processed)
    return _slice("revised", source, None, before, processed, pairs)


def withdraw_rows(scope: RunScope, processed: SourceProcessed | None) -> list[SourceChange]:
    """A source that is not read any more takes its rows back; one that failed keeps them."""
    if processed is None or processed.skip_reason == "poison":
        return []
    before = ledger_payload(scope, processed.source.source_id)
    if before is None:
        return []
    return [
        SourceChange(
            kind="revised",
            source_id=processed.source.source_id,
            old_hash=before.sanitized_hash,
        )
    ]


def derive_duplicate(scope: RunScope, source: str, original: str) -> list[SourceChange]:
    """A source that repeats another; nothing when the ledger knows."""
    told = ledger_source(scope, source)
    if told and told.duplicate_of == original:
        return []
    before = ledger_payload(scope, source) if told or _was_read(scope, source) else None
    return [
        SourceChange(
            kind="duplicate",
            source_id=source,
            other_source_id=original,
            old_hash=before.sanitized_hash if before else None,
        )
    ]


def find_duplicates(scope: RunScope) -> dict[str, str]:
    """Every source that the ledger knew to repeat another when the run began."""
    last: dict[str, str] = {}
    for key, told in scope.project.told.items():
        if told.seq <= scope.started.basis_seq:
            last[key.split("|", 1)[0]] = told.duplicate_of
    return {source: original for source, original in last.items() if original}


def derive_removals(
    scope: RunScope, removed: RemovedSources, present: set[str]
) -> tuple[list[SourceChange], list[str]]:
    """The removals that the end of the trigger's last run tells, and the sources it blocked.

    More than the threshold are blocked until a person accepts them. ``present`` contents are
    still somewhere, so they do not count as lost. A source that a later listing names stays.
    """
    if not removed.contents:
        return [], []
    trigger = scope.trigger()
    back = _list_named_after(scope)
    gone = [source for source in removed.contents if source not in back]
    lost = [source for source in gone if removed.contents[source] not in present]
    too_many = len(lost) * 100 > REMOVAL_THRESHOLD_PERCENT * len(removed.known)
    held = lost if too_many and trigger and not trigger.requested.accept_removals else []
    return [_removal(scope, source) for source in gone if source not in held], held


def _removal(scope: RunScope, source: str) -> SourceChange:
    before = ledger_payload(scope, source)
    old = before.sanitized_hash if before else None
    return SourceChange(kind="removed", source_id=source, old_hash=old)


def count_for_one_turn(project: ProjectScope, changes: list[SourceChange]) -> int:
    """How many of the changes go into one turn, so that its change set stays small."""
    touched = 0
    for count, change in enumerate(changes):
        origin = change.other_source_id if change.kind == "renamed" else change.source_id
        touched += len(change.reanchored) or _chunk_count(project, origin, change.old_hash)
        if count and (count >= MAX_CHANGES or touched > MAX_CHUNKS_TOUCHED):
            return count
    return len(changes)


def ledger_payload(scope: RunScope, source: str) -> SourceProcessed | None:
    """The revision whose payload the ledger had when the run began; None without any."""
    revisions = [each for each in _revisions(scope.project, source) if each.sanitized_hash]
    told = ledger_source(scope, source)
    if told is None:
        return revisions[0] if revisions else None
    return next((each for each in reversed(revisions) if each.sanitized_hash == told.payload), None)


def _is_gone(scope: RunScope, source: str) -> bool:
    """Whether the ledger knew of the source's removal when the run began."""
    told = ledger_source(scope, source)
    return told is not None and told.gone


def _has_same_payload(one: SourceProcessed | None, other: SourceProcessed) -> bool:
    return one is not None and one.sanitized_hash == other.sanitized_hash


def _revisions(project: ProjectScope, source: str) -> Iterator[SourceProcessed]:
    """All revisions that stage 0 has answered for, oldest first."""
    yield from project.earlier.under(source).values()
    if current := project.sources.get(source):
        yield current


def ledger_source(scope: RunScope, source: str) -> LedgerSource | None:
    """What the ledger knew of the source when the run began."""
    last = None
    for told in scope.project.told.under(source).values():
        if told.seq <= scope.started.basis_seq:
            last = told
    return last


def _list_named_before(scope: RunScope) -> KeysView[str]:
    """The sources that earlier triggers have named of the root, in that order."""
    named: dict[str, None] = {}
    for trigger in scope.project.triggers.values():
        if trigger.requested.trigger_key == scope.started.trigger_key:
            break
        listing = scope.project.listing(trigger.requested.trigger_key)
        if listing and trigger.requested.root == scope.started.root:
            named |= dict.fromkeys(each.source_id for each in listing.sources)
    return named.keys()


def _list_named_after(scope: RunScope) -> set[str]:
    """The sources that were named since the listing that the removals come from."""
    trigger = scope.trigger()
    held_by = scope.project.runs.get(trigger.accepts_run) if trigger else None
    origin = scope.project.trigger(held_by.started.trigger_key) if held_by else trigger
    listings = [
        scope.project.listing(later.requested.trigger_key)
        for later in scope.project.triggers.values()
        if origin and later.arrival > origin.arrival
    ]
    return {each.source_id for listing in listings if listing for each in listing.sources}


def _chunk_count(project: ProjectScope, source: str | None, payload: str | None) -> int:
    for revision in _revisions(project, source or ""):
        if payload and revision.sanitized_hash == payload:
            return len(revision.chunks)
    return 0


def _match_chunks(
    scope: RunScope,
    before: SourceProcessed | None,
    now: SourceProcessed,
) -> list[Reanchored]:
    """The chunks that need no reading: read under this very id before, or word for word in
    ``before``.
    """
    waiting: defaultdict[Likeness, deque[ChunkRef]] = defaultdict(deque)
    if before and _is_read_alike(before, now):
        for ref in before.chunks:
            if (
                not ref.skip_reason
                and ref.line_start >= 0
                and _was_chunk_read(scope, ref.chunk_id, same_version=True)
            ):
                waiting[_likeness(ref)].append(ref)
    pairs: list[Reanchored] = []
    for ref in now.chunks:
        if ref.skip_reason:
            continue
        if _was_chunk_read(scope, ref.chunk_id, same_version=False):
            pairs.append(_pair(ref, ref))
        elif ref.line_start >= 0 and (alike := waiting.get(_likeness(ref))):
            pairs.append(_pair(alike.popleft(), ref))
    return pairs


def _was_chunk_read(scope: RunScope, chunk_id: str, *, same_version: bool) -> bool:
    """Whether the chunk was read before the run began, and with ``same_version`` by this reader."""
    mark = scope.project.read.get(chunk_id)
    if mark is None or mark.poison or mark.seq > scope.started.basis_seq:
        return False
    if scope.reads_again(mark):
        return False
    reader = scope.project.runs.get(mark.run_id)
    return not same_version or (
        reader is not None and _reader_version(reader) == _reader_version(scope.run)
    )


def _was_read(scope: RunScope, source: str) -> bool:
    return any(
        _was_chunk_read(scope, ref.chunk_id, same_version=False)
        for revision in _revisions(scope.project, source)
        for ref in revision.chunks
    )


def _reader_version(run: RunRow) -> str:
    return run.started.versions.get("heuristics_version", "")


def _is_read_alike(before: SourceProcessed, now: SourceProcessed) -> bool:
    """Readers go by the kind of a source, so the same words elsewhere may say something else."""
    one, other = before.source, now.source
    return (one.source_type, one.language) == (other.source_type, other.language)


def _likeness(ref: ChunkRef) -> Likeness:
    """What must be equal; the beginning of a source is read as such, the rest as the rest."""
    path = tuple(ref.structure_path)
    options = tuple((f"{it.under}|{it.heading}", it.status) for it in ref.options)
    begins = ref.anchor_start == 0
    stands = (ref.document_status, *ref.document_supersedes)
    return ref.text_hash, ref.anchor_type, path, stands, options, begins


def _pair(before: ChunkRef, now: ChunkRef) -> Reanchored:
    return Reanchored(
        from_chunk_id=before.chunk_id,
        to_chunk_id=now.chunk_id,
        shift=now.anchor_start - before.anchor_start,
        line_shift=now.line_start - before.line_start,
    )


def _slice(
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
