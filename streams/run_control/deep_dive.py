"""Deep dives: what is still unread around an open contradiction of high severity is read first.

Spec 06 §7.4. The ledger's change sets tell which contradictions are high and open, on which chunks
both sides rest and which entities they share; all of it is kept by ledger sequence, so that a batch
sees what stood at its basis and nothing later. A contradiction belongs to the request whose turn
changed it last; one that a person changed between two runs gets a run of its own.

Decided against: reading chunks again that some run has read. The reader would say the same; what is
new stands in what nobody has read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from schemas.events.ingestion import DeepDiveQueued, RunStarted
from schemas.events.ledger import LedgerChanged
from schemas.fingerprint import norm_text
from schemas.ids import run_id as derive_run_id
from streams.cause import Cause
from streams.hygiene.chunk import word_hashes
from streams.run_control.state import Dispute, RunControlState, RunRow
from streams.run_control.views import Candidate, RunView, drop_read, ready, widen
from streams.stage import Decision, Table

AROUND = 2  # chunks before and behind one that is evidence
MAX_CHUNKS = 20
MAX_PLACES = 20  # chunks kept of one atom
MAX_NAMES = 12  # entities kept of one atom
UNDISPUTED = frozenset({"entity", "unknown", "action_item"})


def take_changes(
    state: RunControlState, project: str, event: LedgerChanged, owner: str, cause: Cause
) -> None:
    """Fold what a change set says of evidence, entities and contradictions.

    ``owner`` is the run it belongs to, empty when it came between two runs.
    """
    passed_over = {atom.atom_id for atom in event.atoms if atom.kind in UNDISPUTED}
    for row in event.evidence:
        if row.atom_id not in passed_over:
            place = f"{row.source_id}|{row.chunk_id}"
            _append(state.places_of, f"{project}|{row.atom_id}", place, MAX_PLACES)
    for mention in event.mentions:
        key, name = f"{project}|{mention.atom_id}", f"{mention.entity_atom_id}|{mention.mention}"
        if mention.active:
            _append(state.names_of, key, name, MAX_NAMES)
        else:
            state.names_of[key] = [known for known in state.names_of.get(key, []) if known != name]
    for record in sorted(event.contradictions, key=lambda each: each.contradiction_id):
        now = f"{project}|{record.contradiction_id}"
        if known := state.dispute_now.get(now):
            ended = state.disputes[known].model_copy(update={"closed_seq": event.ledger_seq})
            state.put_dispute(project, known, ended)
            del state.dispute_now[now]
        if record.severity == "high" and record.status == "open":
            key = f"{project}|{event.ledger_seq:012d}|{record.contradiction_id}"
            sides = (f"{project}|{record.atom_a_id}", f"{project}|{record.atom_b_id}")
            dispute = Dispute(
                contradiction_id=record.contradiction_id,
                updated_seq=event.ledger_seq,
                owner=owner,
                places=sorted({p for side in sides for p in state.places_of.get(side, [])}),
                names=_shared(*(state.names_of.get(side, []) for side in sides)),
                cause=cause,
            )
            state.put_dispute(project, key, dispute)
            state.dispute_now[now] = key


def next_dive(
    state: RunControlState, project: str, run: RunRow, view: RunView, seq: int, *, last: bool
) -> DeepDiveQueued | None:
    """The next contradiction as of ``seq`` whose context this run has to read.

    It looks no further than the batch before was chosen from, or as far as ``in_reach`` has gone.
    ``last``: the run is about to end with its target covered, so also one without anything unread
    is told. All sources within the run's reach must be ready, see ``in_reach``.
    """
    due = list(_due(state, project, run, seq))
    if not due:
        return None
    behind = len(view.sources) > run.started.source_count
    known = set(view.sources if behind or last else view.sources[: view.planned_end])
    for dispute in due:
        within = (c for c in view.candidates.values() if c.source.source.source_id in known)
        chunks = context(state, project, dispute, within)
        if chunks or last:
            return DeepDiveQueued(
                contradiction_id=dispute.contradiction_id,
                updated_seq=dispute.updated_seq,
                run_id=run.started.run_id,
                batch_no=run.planned,
                basis_seq=seq,
                chunk_ids=chunks,
            )
    return None


def in_reach(
    state: RunControlState, project: str, run: RunRow, view: RunView, seq: int, *, last: bool
) -> bool:
    """Whether all that a deep dive could reach is at hand; nothing is asked when none is due.

    A run with a target looks behind it, as far as its horizon: the context of a contradiction is
    seldom mandatory.
    """
    end = len(view.sources)
    if end == run.started.source_count and not last:
        return True
    if next(_due(state, project, run, seq), None) is None:
        return True
    if not ready(state, project, run, view, end):
        return False
    widen(state, project, run, view, end)
    drop_read(state, project, run, view)
    return True


def start_dive(state: RunControlState, project: str) -> Decision | None:
    """A run for a contradiction that a person changed while no run was under way."""
    model = max(state.project_runs(project), key=lambda run: run.started.basis_seq, default=None)
    for dispute in state.disputes_of(project) if model else ():
        key = trigger_key(dispute)
        if dispute.owner or dispute.closed_seq or _told(state, project, "", dispute):
            continue
        run_id = derive_run_id(project, key, "deep")
        if f"{project}|{run_id}" in state.runs:
            continue
        sources = _sources_around(state, project, dispute)
        if not sources:
            told = DeepDiveQueued(
                contradiction_id=dispute.contradiction_id,
                updated_seq=dispute.updated_seq,
                run_id="",
                batch_no=0,
                basis_seq=dispute.updated_seq,
            )
            return Decision((dispute.cause.caused(told, lane="deep", run_id=""),))
        assert model is not None
        started = RunStarted(
            run_id=run_id,
            trigger_key=key,
            root="",
            lane="deep",
            trigger="contradiction_deep_dive",
            coverage_target="best_effort",
            engine=model.started.engine,
            limits=model.started.limits,
            versions=model.started.versions,
            basis_seq=dispute.updated_seq,
            source_count=0,
            source_ids=sources,
        )
        return Decision((dispute.cause.caused(started, lane="deep", run_id=run_id),))
    return None


def trigger_key(dispute: Dispute) -> str:
    return f"deep_dive|{dispute.contradiction_id}|{dispute.updated_seq}"


def context(
    state: RunControlState, project: str, dispute: Dispute, unread: Iterable[Candidate]
) -> list[str]:
    """The unread chunks around a contradiction: beside its evidence, then by a shared entity."""
    beside = _beside(state, project, dispute)
    names = [set(word_hashes(name)) for name in dispute.names]
    near: list[Candidate] = []
    named: list[Candidate] = []
    for candidate in unread:
        if candidate.ref.chunk_id in beside:
            near.append(candidate)
        elif any(words and words.issubset(candidate.ref.words) for words in names):
            named.append(candidate)
    chosen = [*sorted(near, key=_place), *sorted(named, key=_place)]
    return [candidate.ref.chunk_id for candidate in chosen[:MAX_CHUNKS]]


def _due(state: RunControlState, project: str, run: RunRow, seq: int) -> Iterator[Dispute]:
    """High contradictions open at ``seq`` that belong to the run's request and are not queued."""
    mine = run.started.trigger_key
    sharing = [
        other.started.run_id
        for other in state.project_runs(project)
        if other.started.trigger_key == mine
    ]
    for dispute in state.disputes_of(project):
        if dispute.updated_seq > seq:
            return
        if dispute.closed_seq and dispute.closed_seq <= seq:
            continue
        if dispute.owner not in sharing and trigger_key(dispute) != mine:
            continue
        told = [_told(state, project, run_id, dispute) for run_id in sharing]
        if not any(dive and (dive.chunk_ids or dive.run_id == run.started.run_id) for dive in told):
            yield dispute


def _told(
    state: RunControlState, project: str, run_id: str, dispute: Dispute
) -> DeepDiveQueued | None:
    key = dive_key(project, run_id, dispute.contradiction_id, dispute.updated_seq)
    return state.dives.get(key)


def dive_key(project: str, run_id: str, contradiction_id: str, seq: int) -> str:
    return f"{project}|{run_id}|{seq:012d}|{contradiction_id}"


def _beside(state: RunControlState, project: str, dispute: Dispute) -> set[str]:
    """The chunks at most two places away from the evidence, in today's revisions."""
    found: set[str] = set()
    for place in dispute.places:
        source_id, chunk_id = place.split("|")
        processed = state.sources.get(f"{project}|{source_id}")
        ids = [ref.chunk_id for ref in processed.chunks] if processed else []
        if chunk_id in ids:
            at = ids.index(chunk_id)
            found.update(ids[max(0, at - AROUND) : at + AROUND + 1])
    return found


def _sources_around(state: RunControlState, project: str, dispute: Dispute) -> list[str]:
    """The sources of the unread context in the whole project, by path."""
    unread = [
        Candidate(ref, processed, changed=False)
        for _, processed in state.sources.with_prefix(f"{project}|")
        if processed.outcome != "skipped"
        for ref in processed.chunks
        if not ref.skip_reason and f"{project}|{ref.chunk_id}" not in state.read
    ]
    chosen = set(context(state, project, dispute, unread))
    sources = {
        c.source.source.source_id: c.source.source.path for c in unread if c.ref.chunk_id in chosen
    }
    return sorted(sources, key=lambda source: (sources[source], source))


def _shared(one: list[str], other: list[str]) -> list[str]:
    """The names under which both sides speak of the same entities."""
    common = {name.split("|", 1)[0] for name in one} & {name.split("|", 1)[0] for name in other}
    named = (name.split("|", 1) for name in (*one, *other))
    return sorted({norm_text(name) for entity, name in named if entity in common})


def _append(table: Table[list[str]], key: str, value: str, most: int) -> None:
    known = table.get(key, [])
    if value not in known and len(known) < most:
        table[key] = [*known, value]


def _place(candidate: Candidate) -> tuple[str, int, str]:
    ref = candidate.ref
    return candidate.source.source.path, ref.anchor_start, ref.chunk_id
