"""The single writer of artifacts: one ``artifact.changed`` for every settled position of a project.

What is published for a position is a function of the ledger at exactly that ``ledger_seq`` (spec 04
§9), yet a writer that catches up folds far beyond it before it decides. So the fold itself, when it
meets the end of a run, sets aside the atoms chosen for each section and item (``DuePosition``,
small), and deciding only turns them into text. A position leaves the table when its own answer is
folded, and never enters it when that came first. Decided against: keeping the ledger's past to look
back into.

Settled are the ends of runs and, while no run is under way, every change set without a turn: a
person's decision. During a run the end of the run answers for it.

Speculation is left out: nothing is published between settled positions.
"""

from __future__ import annotations

from datetime import date

from schemas.envelope import Part
from schemas.events.artifact import ArtifactChanged, ArtifactSnapshot, QualityRun
from schemas.events.ledger import LIVE, AtomRecord, LedgerChanged
from schemas.ids import artifact_id as derive_artifact_id
from streams.cause import Cause
from streams.ledger.fold import LedgerView
from streams.reduce.clusters import Material, feature_clusters
from streams.reduce.findings import insight_clusters
from streams.reduce.inputs import DuePosition
from streams.reduce.items import Settled, Synthesise
from streams.reduce.lists import Lists
from streams.reduce.prd import PrdAnswer, write_prd
from streams.reduce.selection import Atoms, ProjectShortlist, select
from streams.reduce.topics import ProjectTopics
from streams.reduce.validator import Lane
from streams.reduce.wording import write_section
from streams.stage import Decision, Record, Table, Tables


class Written(Part):
    """The artifact log of a project so far: its last number, position and PRD.

    ``run_id`` and ``lane`` are those of the last run that ended; plans count from ``plan_from``,
    the day of the first settled position.
    """

    artifact_seq: int = 0
    ledger_seq: int = 0
    prd: ArtifactSnapshot | None = None
    run_id: str = ""
    lane: Lane = "preview"
    plan_from: str = ""


class ReduceState:
    """The tables of one partition; ``shortlists`` and ``topics`` are derived from the ledger's."""

    def __init__(self, tables: Tables) -> None:
        self.ledger = LedgerView(tables)
        self.written: Table[Written] = tables.table("written", Written)
        self.items: Table[ArtifactSnapshot] = tables.table("items", ArtifactSnapshot)
        self.due: Table[DuePosition] = tables.table("due", DuePosition)
        self.shortlists: dict[str, ProjectShortlist] = {}
        self.topics: dict[str, ProjectTopics] = {}
        for key, atom in self.ledger.atoms.items():
            self.list_atom(key.split("|", 1)[0], atom)
        for key, one in self.ledger.contradictions.items():
            self.shortlist(key.split("|", 1)[0]).put_conflict(one)

    def shortlist(self, project: str) -> ProjectShortlist:
        return self.shortlists.setdefault(project, ProjectShortlist())

    def list_atom(self, project: str, atom: AtomRecord) -> None:
        live = atom.status in LIVE
        rows = self.ledger.evidence_of(project, atom.atom_id) if live else []
        names = self.ledger.mentions_of(project, atom.atom_id) if live else []
        self.shortlist(project).put(atom, rows)
        topics = self.topics.setdefault(project, ProjectTopics())
        topics.put(atom, [one.mention for one in names])

    def written_of(self, project: str) -> Written:
        return self.written.get(project, Written())

    def items_of(self, project: str) -> dict[str, ArtifactSnapshot]:
        """Insights, epics and features by artifact id."""
        return {item.artifact_id: item for _, item in self.items.with_prefix(f"{project}|")}

    def is_running(self, project: str) -> bool:
        """Whether a run has begun in the ledger and has not ended."""
        runs = self.ledger.progress.with_prefix(f"{project}|")
        return any(not progress.ended for _, progress in runs)


class Reduce:
    """See ``streams.stage.Writer``. ``synthesise`` writes a section; the default is by rule."""

    name = "reduce"
    inputs = ("ledger.v1",)
    output = "reduce.v1"

    def __init__(self, synthesise: Synthesise = write_section) -> None:
        self._synthesise = synthesise

    def open(self, tables: Tables) -> ReduceState:
        return ReduceState(tables)

    def evolve(self, state: ReduceState, record: Record) -> None:
        project = record.envelope.project_id
        match record.envelope.event:
            case LedgerChanged() as changed if state.ledger.fold(record):
                _list(state, project, changed)
                ends = changed.turn and changed.turn.kind == "run_end"
                decided = changed.turn is None and not state.is_running(project)
                if ends or decided:
                    self._settle(state, record, changed)
            case ArtifactChanged() as answer:
                written = state.written_of(project)
                if answer.artifact_seq == written.artifact_seq + 1:
                    state.written[project] = _after(written, record, answer)
                    for change in answer.items:
                        if change.snapshot.version:
                            key = f"{project}|{change.snapshot.artifact_id}"
                            state.items[key] = change.snapshot
                    state.due.pop(_due_key(project, answer.input_ledger_seq), None)
            case _:
                pass

    def decide(self, state: ReduceState) -> Decision | None:
        """The answer to the earliest position that has none."""
        due = next((position for _, position in state.due.with_prefix("")), None)
        if due is None:
            return None
        project = due.cause.project_id
        written = state.written_of(project)
        at = _settled(written, due)
        answer = self._answer(written, state.items_of(project), due, at)
        return Decision((due.cause.caused(answer, lane=at.lane, run_id=at.run_id),))

    def _settle(self, state: ReduceState, record: Record, changed: LedgerChanged) -> None:
        """Set aside what this position is written from, unless it is written already."""
        project, turn = record.envelope.project_id, changed.turn
        if changed.ledger_seq <= state.written_of(project).ledger_seq:
            return
        atoms = Atoms(state.ledger.atoms, project)
        shortlist = state.shortlist(project)
        material = Material(shortlist, state.topics.setdefault(project, ProjectTopics()), atoms)
        state.due[_due_key(project, changed.ledger_seq)] = DuePosition(
            cause=Cause.of(record.envelope),
            ledger_seq=changed.ledger_seq,
            run_id=turn.run_id if turn else None,
            lane=turn.lane if turn else None,
            sections=select(shortlist, atoms),
            features=feature_clusters(material),
            insights=insight_clusters(material),
        )

    def _answer(
        self,
        written: Written,
        items: dict[str, ArtifactSnapshot],
        due: DuePosition,
        at: Settled,
    ) -> ArtifactChanged:
        """What the position means for every artifact of the project."""
        project, before = due.cause.project_id, written.prd
        prd_id = derive_artifact_id(project, "prd", "prd")
        prd = write_prd(prd_id, due.sections, before, at, self._synthesise)
        lists = Lists(project, at, items, self._synthesise)
        lists.insights(due.insights)
        lists.features(due.features, _plan_from(written, due), prd.snapshot)
        return ArtifactChanged(
            artifact_seq=written.artifact_seq + 1,
            caused_by_event_id=str(due.cause.event_id),
            input_ledger_seq=due.ledger_seq,
            settled_run_id=due.run_id,
            outcome=prd.outcome,
            snapshot=prd.snapshot,
            recomputed_sections=prd.recomputed_sections,
            reason=at.reason,
            state_before=before.artifact_state if before and before.version else None,
            reason_codes=prd.reason_codes,
            findings=prd.findings,
            items=lists.changes,
            loops=lists.loops,
            quality_runs=[*_runs(prd), *lists.quality_runs],
        )


def _list(state: ReduceState, project: str, changed: LedgerChanged) -> None:
    """The shortlists after a change set; an atom is listed anew when a name in it was found."""
    for atom in changed.atoms:
        state.list_atom(project, atom)
    for atom_id in dict.fromkeys(one.atom_id for one in changed.mentions):
        state.list_atom(project, state.ledger.atoms[f"{project}|{atom_id}"])
    for one in changed.contradictions:
        state.shortlist(project).put_conflict(one)


def _settled(written: Written, due: DuePosition) -> Settled:
    """A decision is written in the lane of the run that ended before it."""
    if due.run_id is None or due.lane is None:
        return Settled(due.ledger_seq, written.run_id, written.lane, "human_decision")
    return Settled(due.ledger_seq, due.run_id, due.lane, f"{due.lane}_run_ended")


def _after(written: Written, record: Record, answer: ArtifactChanged) -> Written:
    envelope = record.envelope
    return Written(
        artifact_seq=answer.artifact_seq,
        ledger_seq=answer.input_ledger_seq,
        prd=answer.snapshot,
        run_id=answer.settled_run_id or written.run_id,
        lane="deep" if envelope.lane == "deep" else "preview",
        plan_from=written.plan_from or envelope.occurred_at.date().isoformat(),
    )


def _plan_from(written: Written, due: DuePosition) -> date:
    known = written.plan_from
    return date.fromisoformat(known) if known else due.cause.occurred_at.date()


def _runs(prd: PrdAnswer) -> list[QualityRun]:
    return [prd.quality_run] if prd.quality_run else []


def _due_key(project: str, ledger_seq: int) -> str:
    return f"{project}|{ledger_seq:012d}"


REDUCE = Reduce()
