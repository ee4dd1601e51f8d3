"""The single writer of artifacts: one ``artifact.changed`` for every settled position of a project.

What is published for a position is a function of the ledger at exactly that ``ledger_seq``, yet a
writer that catches up folds far beyond it before it decides. So the fold itself, when it meets the
end of a run, sets aside the atoms chosen for each section and item (``DuePosition``, small), and
deciding only turns them into text. A position leaves the table when its own answer is folded, and
never enters it when that came first. Decided against: keeping the ledger's past to look back into.

Settled are the ends of runs and, while no run is under way, every change set without a turn: a
person's decision. During a run the end of the run answers for it. In between, at some commits of
batches, sections, features and epics are written ahead (``speculation.py``), with
``artifact.speculated``; what became of them is told after the next settled position.
"""

from __future__ import annotations

from schemas.envelope import Envelope
from schemas.events.artifact import ArtifactChanged, ArtifactSpeculated
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_quality import QualityRun
from schemas.events.change import ChangeRequested, GenerationRequested
from schemas.events.ledger import LedgerChanged
from schemas.events.team import ReportRequested, Team, TeamFact
from schemas.ids import artifact_id as derive_artifact_id
from streams.cause import Cause
from streams.reduce.artifacts.items import Settled, Synthesise
from streams.reduce.artifacts.validator import Lane
from streams.reduce.features.candidates import find_candidates
from streams.reduce.features.clusters import feature_clusters
from streams.reduce.features.findings import insight_clusters
from streams.reduce.features.material import Material
from streams.reduce.giving_up import give_up, pass_over, pass_over_position
from streams.reduce.plan.backlog import Backlog
from streams.reduce.plan.breakdown import break_down
from streams.reduce.plan.forecast import choose_velocity
from streams.reduce.prd.prd import PrdAnswer, write_prd
from streams.reduce.prd.selection import Atoms, select
from streams.reduce.request_answers import RequestAnswers
from streams.reduce.speculation import Begun, Guess, Speculation, is_worth_writing, note_progress
from streams.reduce.state import (
    PreviewClusters,
    ReduceState,
    Written,
    due_key,
    find_plan_start,
    settle,
    take_answer,
    take_speculation,
    update_shortlists,
)
from streams.reduce.texts.inputs import DuePosition, ListInput
from streams.reduce.texts.topics import ProjectTopics
from streams.reduce.texts.wording import write_section
from streams.stage import Decision, Record, Tables
from streams.undecidable import Trouble, settled_by


class Reduce:
    """See ``streams.stage.Writer``. ``synthesise`` writes a section; the default is by rule.

    ``velocity`` are the points a sprint of a project without a team; None: it has no plan.
    """

    name = "reduce"
    state_version = 8  # 8: the days of changes, what was replaced, contradictions opened and closed
    inputs = ("ledger.v1", "team.v1", "reduce.request.v1")
    output = "reduce.v1"

    def __init__(self, synthesise: Synthesise = write_section, velocity: int | None = None) -> None:
        self._synthesise = synthesise
        self._velocity = velocity

    def open(self, tables: Tables) -> ReduceState:
        return ReduceState(tables)

    def evolve(self, state: ReduceState, record: Record) -> None:
        project = record.envelope.project_id
        match record.envelope.event:
            case LedgerChanged() as changed if state.ledger.fold(record):
                day = record.envelope.occurred_at.date().isoformat()
                update_shortlists(state, project, changed, day)
                self._look(state, record, changed)
            case ArtifactSpeculated() as ahead:
                take_speculation(state, project, ahead)
                state.due_projects.had_its_turn(project)
            case ArtifactChanged() as answer:
                if answer.artifact_seq == state.written_of(project).artifact_seq + 1:
                    take_answer(state, record, answer)
                    state.due_projects.had_its_turn(project)
            case TeamFact() | ReportRequested() | ChangeRequested() | GenerationRequested():
                if state.requests.take(record):
                    state.due_projects.add(project)
            case _:
                pass

    def _look(self, state: ReduceState, record: Record, changed: LedgerChanged) -> None:
        """Set aside what is needed when the change set is a position to write at."""
        project, turn = record.envelope.project_id, changed.turn
        settled = turn.kind == "run_end" if turn else not state.is_running(project)
        if settled:
            state.close_delta(project, changed.ledger_seq)
        if not settled and not (turn and turn.last_in_batch):
            return
        before = state.begun.get(project, Begun())
        now = note_progress(before, state.shortlist(project))
        if settled or is_worth_writing(before, now):
            state.begun[project] = now
            self._set_aside(state, record, changed, speculative=not settled)
        if settled:
            state.withdrawals.pop(project, None)

    def decide(self, state: ReduceState) -> Decision | None:
        """What became of guesses that are settled, else the answer to the earliest position of the
        project whose turn it is.
        """
        for _, ended in state.ended.with_prefix(""):
            artifact_speculated = ArtifactSpeculated(
                caused_by_event_id=str(ended.cause.event_id),
                input_ledger_seq=ended.ledger_seq,
                settled=True,
                ended=ended.ends,
            )
            return Decision(
                (ended.cause.caused(artifact_speculated, lane=ended.lane, run_id=ended.run_id),)
            )
        while project := state.due_projects.first():
            if due := state.first_due(project):
                return self._due(state, project, due)
            if answer := self._answer_request(state, project):
                return answer
            state.due_projects.discard(project)
        return None

    def give_up(self, state: ReduceState, trouble: Trouble, *, whole: bool) -> Decision:
        """See ``giving_up``: an answer that cannot be made whole has no effect."""
        return give_up(state, trouble)

    def pass_over(self, state: ReduceState, record: Record, letter_id: str) -> Envelope | None:
        return pass_over(state, record, letter_id)

    def rest(self, state: ReduceState) -> None:
        if project := state.due_projects.first():
            state.due_projects.discard(project)

    def _due(self, state: ReduceState, project: str, due: DuePosition) -> Decision:
        written, items = state.written_of(project), state.items_of(project)
        if due.undecidable:
            return Decision((pass_over_position(state, due),))
        if due.speculative:
            ahead = self._ahead(written, items, state.guesses_of(project), due)
            lane: Lane = due.lane or written.lane
            return Decision((due.cause.caused(ahead, lane=lane, run_id=due.run_id),))
        at = settle(written, due)
        answer = self._answer(written, items, due, at)
        return Decision((due.cause.caused(answer, lane=at.lane, run_id=at.run_id),))

    def _set_aside(
        self, state: ReduceState, record: Record, changed: LedgerChanged, *, speculative: bool
    ) -> None:
        """Set aside what this position is written from, unless it is written already."""
        project, turn = record.envelope.project_id, changed.turn
        shown = state.standing.get(project, PreviewClusters())
        standing = frozenset(shown.keys)
        atoms = Atoms(state.ledger.atoms, project)
        shortlist = state.shortlist(project)
        material = Material(shortlist, state.topics.setdefault(project, ProjectTopics()), atoms)
        named = find_candidates(material)
        due = DuePosition(
            cause=Cause.of(record.envelope),
            ledger_seq=changed.ledger_seq,
            run_id=turn.run_id if turn else None,
            lane=turn.lane if turn else None,
            speculative=speculative,
            sections=select(shortlist, atoms),
            features=feature_clusters(material, named, standing),
            insights=ListInput() if speculative else insight_clusters(material, named, standing),
        )
        more: dict[str, object] = {
            "tasks": break_down(material, due.features, named),
            "backings": state.words_of(project).list_backings(shortlist, atoms),
            "withdrawn": state.withdrawn_of(project),
        }
        if not speculative:
            more["changes"] = state.changes_of(project)
        due = due.model_copy(update=more)
        if due.lane and not speculative and not shown.is_final:
            clusters = (*due.features.items, *due.insights.items)
            keys = [cluster.key for cluster in clusters] if due.lane == "preview" else shown.keys
            state.standing[project] = PreviewClusters(keys=keys, is_final=due.lane == "deep")
        written = state.written_of(project)
        if changed.ledger_seq == written.ledger_seq and not speculative:
            state.basis[project] = due
            state.due_projects.add(project)
        elif changed.ledger_seq > (written.ahead_seq if speculative else written.ledger_seq):
            state.due[due_key(project, changed.ledger_seq)] = due
            state.due_projects.add(project)

    def _ahead(
        self,
        written: Written,
        items: dict[str, ArtifactSnapshot],
        guesses: dict[str, Guess],
        due: DuePosition,
    ) -> ArtifactSpeculated:
        """What can be written ahead at a position inside a run."""
        project = due.cause.project_id
        prd_id = derive_artifact_id(project, "prd", "prd")
        known = items | ({prd_id: written.prd} if written.prd else {})
        speculation = Speculation(project, guesses)
        start = find_plan_start(Team(), written, due)
        speculation.write(due, prd_id, known, start, self._synthesise)
        return ArtifactSpeculated(
            caused_by_event_id=str(due.cause.event_id),
            input_ledger_seq=due.ledger_seq,
            changes=speculation.changes,
            ended=speculation.ended,
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
        prd = write_prd(
            prd_id,
            due.sections,
            before,
            at,
            self._synthesise,
            due.backings,
            withdrawn=due.withdrawn,
        )
        velocity = choose_velocity(written.team, self._velocity)
        lists = Backlog(project, at, items, self._synthesise, velocity, withdrawn=due.withdrawn)
        lists.insights(due.insights)
        start = find_plan_start(written.team, written, due)
        lists.features(due.features, start, prd.snapshot)
        lists.plan(due.tasks, written.team, start)
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

    def _answer_request(self, state: ReduceState, project: str) -> Decision | None:
        """The answer to the first request of a project, from what its last answer was made from.

        None as long as nothing is settled, or the ledger is not folded as far as that answer.
        """
        written, request = state.written_of(project), state.requests.first(project)
        basis = state.basis.get(project)
        if request is None or basis is None or basis.ledger_seq != written.ledger_seq:
            return None
        assert written.prd
        items = state.items_of(project)
        answers = RequestAnswers(
            written, written.prd, items, basis, self._synthesise, self._velocity
        )
        answer = answers.answer(request)
        last = request.cause.caused(answer, lane=written.lane, run_id=written.run_id or None)
        return Decision((*settled_by(request.cause, self.name), last))


def _runs(prd: PrdAnswer) -> list[QualityRun]:
    return [prd.quality_run] if prd.quality_run else []


REDUCE = Reduce()
