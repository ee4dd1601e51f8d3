"""Deep dives: what is still unread around an open contradiction of high severity is read first.

The ledger's change sets tell which contradictions are high and open, on which chunks both sides
rest and which entities they share. All of it is kept by ledger sequence, so that a batch sees what
was known at its basis and nothing later. A contradiction belongs to the request whose turn changed
it last; one that a person changed between two runs gets a run of its own.

Decided against: reading chunks again that some run has read. The reader would say the
same; only what nobody has read can add something.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from schemas.events.ingestion import DeepDiveQueued, RunStarted
from schemas.events.ledger import LedgerChanged
from schemas.fingerprint import norm_text
from schemas.ids import run_id as derive_run_id
from streams.cause import Cause
from streams.hygiene.chunk import word_hashes
from streams.run_control.rows import Contradiction
from streams.run_control.run_view import Candidate, RunView
from streams.run_control.scope import ProjectScope, RunScope
from streams.run_control.views import drop_read, is_ready, widen
from streams.scoped_table import ScopedTable
from streams.stage import Decision

AROUND = 2  # chunks before and behind one that is evidence
MAX_CHUNKS = 20
MAX_PLACES = 20  # chunks kept of one atom
MAX_NAMES = 12  # entities kept of one atom
NEVER_CONTRADICTED = frozenset({"entity", "unknown", "action_item"})


def take_changes(project: ProjectScope, event: LedgerChanged, owner: str, cause: Cause) -> None:
    """Fold what a change set says of evidence, entities and contradictions.

    ``owner`` is the run it belongs to, empty when it came between two runs.
    """
    passed_over = {atom.atom_id for atom in event.atoms if atom.kind in NEVER_CONTRADICTED}
    for row in event.evidence:
        if row.atom_id not in passed_over:
            place = f"{row.source_id}|{row.chunk_id}"
            _append(project.places_of, row.atom_id, place, MAX_PLACES)
    for mention in event.mentions:
        key, name = mention.atom_id, f"{mention.entity_atom_id}|{mention.mention}"
        if mention.active:
            _append(project.names_of, key, name, MAX_NAMES)
        else:
            project.names_of[key] = [
                known for known in project.names_of.get(key, []) if known != name
            ]
    for record in sorted(event.contradictions, key=lambda each: each.contradiction_id):
        now = record.contradiction_id
        if known := project.open_contradictions.get(now):
            ended = project.contradictions[known].model_copy(
                update={"closed_seq": event.ledger_seq}
            )
            project.put_contradiction(known, ended)
            del project.open_contradictions[now]
        if record.severity == "high" and record.status == "open":
            key = f"{event.ledger_seq:012d}|{record.contradiction_id}"
            sides = (record.atom_a_id, record.atom_b_id)
            contradiction = Contradiction(
                contradiction_id=record.contradiction_id,
                updated_seq=event.ledger_seq,
                owner=owner,
                places=sorted({p for side in sides for p in project.places_of.get(side, [])}),
                names=_find_shared_names(*(project.names_of.get(side, []) for side in sides)),
                cause=cause,
            )
            project.put_contradiction(key, contradiction)
            project.open_contradictions[now] = key


def next_dive(scope: RunScope, view: RunView, seq: int, *, last: bool) -> DeepDiveQueued | None:
    """The next contradiction as of ``seq`` whose context this run has to read.

    It looks no further than the batch before was chosen from, or as far as ``reach_context`` went.
    ``last``: the run is about to end with its target covered, so one without anything unread is
    told, too. All sources within the run's reach must be ready, see ``reach_context``.
    """
    due = list(_find_due(scope, seq))
    if not due:
        return None
    behind = len(view.sources) > scope.started.source_count
    sources = set(view.sources if behind or last else view.sources[: view.planned_end])
    for contradiction in due:
        within = (c for c in view.candidates.values() if c.source.source.source_id in sources)
        chunks = find_context(scope.project, contradiction, within)
        if chunks or last:
            return DeepDiveQueued(
                contradiction_id=contradiction.contradiction_id,
                updated_seq=contradiction.updated_seq,
                run_id=scope.run_id,
                batch_no=scope.run.planned,
                basis_seq=seq,
                chunk_ids=chunks,
            )
    return None


def reach_context(scope: RunScope, view: RunView, seq: int, *, last: bool) -> bool:
    """Take in all that a deep dive could reach, if one is due; False while not all is ready.

    A run with a target looks behind it, as far as its horizon: the context of a contradiction is
    seldom mandatory.
    """
    end = len(view.sources)
    if end == scope.started.source_count and not last:
        return True
    if next(_find_due(scope, seq), None) is None:
        return True
    if not is_ready(scope, view, end):
        return False
    widen(scope, view, end)
    drop_read(scope, view)
    return True


def start_dive(project: ProjectScope) -> Decision | None:
    """A run for a contradiction that a person changed while no run was under way."""
    model = max(project.runs.values(), key=lambda run: run.started.basis_seq, default=None)
    for contradiction in project.known_contradictions() if model else ():
        key = dive_trigger_key(contradiction)
        if (
            contradiction.owner
            or contradiction.closed_seq
            or _find_queued(project, "", contradiction)
        ):
            continue
        run_id = derive_run_id(project.id, key, "deep")
        if run_id in project.runs:
            continue
        sources = _find_sources_around(project, contradiction)
        if not sources:
            deep_dive_queued = DeepDiveQueued(
                contradiction_id=contradiction.contradiction_id,
                updated_seq=contradiction.updated_seq,
                run_id="",
                batch_no=0,
                basis_seq=contradiction.updated_seq,
            )
            return Decision((contradiction.cause.caused(deep_dive_queued, lane="deep", run_id=""),))
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
            basis_seq=contradiction.updated_seq,
            source_count=0,
            source_ids=sources,
        )
        return Decision((contradiction.cause.caused(started, lane="deep", run_id=run_id),))
    return None


def dive_trigger_key(contradiction: Contradiction) -> str:
    return f"deep_dive|{contradiction.contradiction_id}|{contradiction.updated_seq}"


def find_context(
    project: ProjectScope, contradiction: Contradiction, unread: Iterable[Candidate]
) -> list[str]:
    """The unread chunks around a contradiction: beside its evidence, then by a shared entity."""
    beside = _find_beside(project, contradiction)
    names = [set(word_hashes(name)) for name in contradiction.names]
    near: list[Candidate] = []
    named: list[Candidate] = []
    for candidate in unread:
        if candidate.ref.chunk_id in beside:
            near.append(candidate)
        elif any(words and words.issubset(candidate.ref.words) for words in names):
            named.append(candidate)
    chosen = [*sorted(near, key=_place), *sorted(named, key=_place)]
    return [candidate.ref.chunk_id for candidate in chosen[:MAX_CHUNKS]]


def _find_due(scope: RunScope, seq: int) -> Iterator[Contradiction]:
    """High contradictions open at ``seq`` that belong to the run's request and are not queued."""
    mine = scope.started.trigger_key
    sharing = [
        other.started.run_id
        for other in scope.project.runs.values()
        if other.started.trigger_key == mine
    ]
    for contradiction in scope.project.known_contradictions():
        if contradiction.updated_seq > seq:
            return
        if contradiction.closed_seq and contradiction.closed_seq <= seq:
            continue
        if contradiction.owner not in sharing and dive_trigger_key(contradiction) != mine:
            continue
        told = [_find_queued(scope.project, run_id, contradiction) for run_id in sharing]
        if not any(dive and (dive.chunk_ids or dive.run_id == scope.run_id) for dive in told):
            yield contradiction


def _find_queued(
    project: ProjectScope, run_id: str, contradiction: Contradiction
) -> DeepDiveQueued | None:
    key = dive_key(run_id, contradiction.contradiction_id, contradiction.updated_seq)
    return project.dives.get(key)


def dive_key(run_id: str, contradiction_id: str, seq: int) -> str:
    return f"{run_id}|{seq:012d}|{contradiction_id}"


def _find_beside(project: ProjectScope, contradiction: Contradiction) -> set[str]:
    """The chunks at most two places away from the evidence, in today's revisions."""
    found: set[str] = set()
    for place in contradiction.places:
        source_id, chunk_id = place.split("|")
        processed = project.sources.get(source_id)
        ids = [ref.chunk_id for ref in processed.chunks] if processed else []
        if chunk_id in ids:
            at = ids.index(chunk_id)
            found.update(ids[max(0, at - AROUND) : at + AROUND + 1])
    return found


def _find_sources_around(project: ProjectScope, contradiction: Contradiction) -> list[str]:
    """The sources of the unread context in the whole project, by path."""
    unread = [
        Candidate(ref, processed, changed=False)
        for processed in project.sources.values()
        if processed.outcome != "skipped"
        for ref in processed.chunks
        if not ref.skip_reason and ref.chunk_id not in project.read
    ]
    chosen = set(find_context(project, contradiction, unread))
    sources = {
        c.source.source.source_id: c.source.source.path for c in unread if c.ref.chunk_id in chosen
    }
    return sorted(sources, key=lambda source: (sources[source], source))


def _find_shared_names(one: list[str], other: list[str]) -> list[str]:
    """The names under which both sides speak of the same entities."""
    common = {name.split("|", 1)[0] for name in one} & {name.split("|", 1)[0] for name in other}
    named = (name.split("|", 1) for name in (*one, *other))
    return sorted({norm_text(name) for entity, name in named if entity in common})


def _append(table: ScopedTable[list[str]], key: str, value: str, most: int) -> None:
    known = table.get(key, [])
    if value not in known and len(known) < most:
        table[key] = [*known, value]


def _place(candidate: Candidate) -> tuple[str, int, str]:
    ref = candidate.ref
    return candidate.source.source.path, ref.anchor_start, ref.chunk_id
