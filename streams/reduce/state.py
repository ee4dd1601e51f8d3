"""What the writer of artifacts remembers: the ledger, what stands, what is guessed, what is due.

Everything is folded from ``ledger.v1`` and the writer's own ``reduce.v1``, in any interleaving.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from schemas.envelope import Part
from schemas.events.artifact import ArtifactChanged, ArtifactSpeculated, SpeculationEnd
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_sections import Citation
from schemas.events.ledger import LIVE, AtomRecord, LedgerChanged
from schemas.events.team import Team
from streams.cause import Cause
from streams.due import DueProjects
from streams.ledger.turns.fold import LedgerView
from streams.reduce.artifacts.items import Settled
from streams.reduce.artifacts.validator import Lane
from streams.reduce.pending_requests import Requests
from streams.reduce.prd.owner_words import OwnerWords
from streams.reduce.prd.selection import ProjectShortlist
from streams.reduce.speculation import Begun, Guess, after_guessing, ends_of
from streams.reduce.texts.deltas import Changes, Delta, add_changes, gather_changes, join_old
from streams.reduce.texts.inputs import DuePosition, Withdrawn
from streams.reduce.texts.topics import ProjectTopics
from streams.stage import Record, Table, Tables


class Written(Part):
    """The artifact log of a project so far: its last number, position and PRD.

    ``run_id`` and ``lane`` are those of the last run that ended; plans count from ``plan_from``,
    the day of the first settled position, unless the team says otherwise. ``ahead_seq`` is the last
    position written ahead. ``team`` is the one that answers were written for, so that what is
    planned never depends on how far the team's topic is folded.
    """

    artifact_seq: int = 0
    ledger_seq: int = 0
    ahead_seq: int = 0
    prd: ArtifactSnapshot | None = None
    run_id: str = ""
    lane: Lane = "preview"
    plan_from: str = ""
    team: Team = Team()


class PreviewClusters(Part):
    """The keys of the clusters of features and insights at the end of the last preview run before
    the first deep one: what people were shown then stays. A later preview sees what deep runs have
    read, and would make an ingest and its revert end with other lists.
    """

    keys: list[str] = []
    is_final: bool = False


class Withdrawals(Part):
    """The atoms of a project that were live at its last settled position and are not any more."""

    atom_ids: list[str] = []


class Ended(Part):
    """What became of all that was written ahead of a settled position, still to be told."""

    cause: Cause
    ledger_seq: int
    lane: Lane
    run_id: str
    ends: list[SpeculationEnd]


class ReduceState:
    """The tables of one partition; ``shortlists``, ``topics`` and ``owner_words`` are derived from
    the ledger's.
    """

    def __init__(self, tables: Tables) -> None:
        self.ledger = LedgerView(tables)
        self.written: Table[Written] = tables.table("written", Written)
        self.items: Table[ArtifactSnapshot] = tables.table("items", ArtifactSnapshot)
        self.due: Table[DuePosition] = tables.table("due", DuePosition)
        self.standing: Table[PreviewClusters] = tables.table("standing", PreviewClusters)
        self.begun: Table[Begun] = tables.table("begun", Begun)
        self.guesses: Table[Guess] = tables.table("guesses", Guess)
        self.ended: Table[Ended] = tables.table("ended", Ended)
        self.delta: Table[Delta] = tables.table("delta", Delta)
        self.deltas: Table[Delta] = tables.table("deltas", Delta)
        self.withdrawals: Table[Withdrawals] = tables.table("withdrawals", Withdrawals)
        self.basis: Table[DuePosition] = tables.table("basis", DuePosition)
        self.requests = Requests(tables)
        waiting = {key.split("|", 1)[0] for key, _ in self.due.items()}
        self.due_projects = DueProjects(waiting | self.requests.projects())
        self.shortlists: dict[str, ProjectShortlist] = {}
        self.topics: dict[str, ProjectTopics] = {}
        self.owner_words: dict[str, OwnerWords] = {}
        for key, atom in self.ledger.atoms.items():
            self.list_atom(key.split("|", 1)[0], atom)
        for key, one in self.ledger.contradictions.items():
            self.shortlist(key.split("|", 1)[0]).put_contradiction(one)

    def shortlist(self, project: str) -> ProjectShortlist:
        return self.shortlists.setdefault(project, ProjectShortlist())

    def words_of(self, project: str) -> OwnerWords:
        return self.owner_words.setdefault(project, OwnerWords.of(project))

    def list_atom(self, project: str, atom: AtomRecord) -> None:
        live = atom.status in LIVE
        rows = self.ledger.evidence_of(project, atom.atom_id) if live else []
        self.words_of(project).put(atom, rows)
        names = self.ledger.mentions_of(project, atom.atom_id) if live else []
        self.shortlist(project).put(atom, rows)
        topics = self.topics.setdefault(project, ProjectTopics())
        topics.put(atom, [name.mention for name in names])

    def written_of(self, project: str) -> Written:
        return self.written.get(project, Written())

    def items_of(self, project: str) -> dict[str, ArtifactSnapshot]:
        """Insights, epics and features by artifact id."""
        return {item.artifact_id: item for _, item in self.items.with_prefix(f"{project}|")}

    def guesses_of(self, project: str) -> dict[str, Guess]:
        """What is written ahead and not settled yet, by artifact id."""
        guesses = self.guesses.with_prefix(f"{project}|")
        return {guess.snapshot.artifact_id: guess for _, guess in guesses}

    def put_guesses(self, project: str, guesses: Mapping[str, Guess]) -> None:
        """These guesses and no others."""
        for key in [key for key, _ in self.guesses.with_prefix(f"{project}|")]:
            if key.split("|", 1)[1] not in guesses:
                del self.guesses[key]
        for artifact_id, guess in guesses.items():
            self.guesses[f"{project}|{artifact_id}"] = guess

    def note_withdrawals(self, project: str, atoms: Iterable[AtomRecord]) -> None:
        """Take in which atoms a change set withdraws, and which it brings back."""
        live = self.shortlist(project).live
        withdrawn = dict.fromkeys(self.withdrawals.get(project, Withdrawals()).atom_ids)
        for atom in atoms:
            if atom.atom_id in live:
                withdrawn.pop(atom.atom_id, None)
            else:
                withdrawn[atom.atom_id] = None
        self.withdrawals[project] = Withdrawals(atom_ids=list(withdrawn))

    def withdrawn_of(self, project: str) -> dict[str, Withdrawn]:
        """What became of the atoms withdrawn since the last settled position."""
        atom_ids = self.withdrawals.get(project, Withdrawals()).atom_ids
        return {atom_id: self._describe_withdrawn(project, atom_id) for atom_id in atom_ids}

    def _describe_withdrawn(self, project: str, atom_id: str) -> Withdrawn:
        atom, passed, is_merged = self.ledger.atoms[f"{project}|{atom_id}"], {atom_id}, True
        live = self.shortlist(project).live
        while following := atom.merged_into or atom.superseded_by:
            is_merged = is_merged and bool(atom.merged_into)
            found = self.ledger.atoms.get(f"{project}|{following}")
            if found is None or following in passed:
                break
            if following in live:
                successor = Citation(atom_id=following, atom_revision=found.revision)
                return Withdrawn(successor=successor, is_merged=is_merged)
            atom = found
            passed.add(following)
        return Withdrawn()

    def close_delta(self, project: str, ledger_seq: int) -> None:
        """A settled position: what changed since the one before is told."""
        if delta := self.delta.pop(project, None):
            self.deltas[due_key(project, ledger_seq)] = delta

    def first_due(self, project: str) -> DuePosition | None:
        """The earliest position of the project to be written at."""
        return next((one for _, one in self.due.with_prefix(f"{project}|")), None)

    def changes_of(self, project: str) -> Changes:
        """The changes of the last settled positions, as the ledger is now; an atom that another
        contradicts is an open question, no news.
        """
        deltas = join_old([one for _, one in self.deltas.with_prefix(f"{project}|")])
        shortlist = self.shortlist(project)
        ids = {
            key
            for delta in deltas
            for key in delta.added
            if key in shortlist.live and not shortlist.contradictions_of(key)
        }
        live = {key: self.ledger.atoms[f"{project}|{key}"] for key in ids}
        pairs = {it for delta in deltas for it in (*delta.opened, *delta.closed)}
        contradictions = [
            found for key in pairs if (found := self.ledger.contradictions.get(f"{project}|{key}"))
        ]
        wanted = {
            it
            for contradiction in contradictions
            for it in (contradiction.atom_a_id, contradiction.atom_b_id)
        }
        wanted |= {it for delta in deltas for both in delta.replaced.items() for it in both}
        others = {
            key: atom
            for key in wanted
            if (atom := self.ledger.atoms.get(f"{project}|{key}")) and atom.ledger == "pkl"
        }
        return gather_changes(deltas, live, others, contradictions)

    def is_running(self, project: str) -> bool:
        """Whether a run has begun in the ledger and has not ended."""
        runs = self.ledger.progress.with_prefix(f"{project}|")
        return any(not progress.ended for _, progress in runs)


def update_shortlists(
    state: ReduceState, project: str, changed: LedgerChanged, day: str = ""
) -> None:
    """The shortlists after a change set; an atom is listed anew when a name in it was found.

    ``day`` is when that happened.
    """
    state.delta[project] = add_changes(state.delta.get(project, Delta()), changed, day)
    for atom in changed.atoms:
        state.list_atom(project, atom)
    for atom_id in dict.fromkeys(mention.atom_id for mention in changed.mentions):
        state.list_atom(project, state.ledger.atoms[f"{project}|{atom_id}"])
    for contradiction in changed.contradictions:
        state.shortlist(project).put_contradiction(contradiction)
    state.note_withdrawals(project, changed.atoms)


def take_speculation(state: ReduceState, project: str, ahead: ArtifactSpeculated) -> None:
    """The guesses after a position; for a settled one it has been told what became of them."""
    key = due_key(project, ahead.input_ledger_seq)
    if ahead.settled:
        state.ended.pop(key, None)
        return
    written = state.written_of(project)
    if ahead.input_ledger_seq > written.ahead_seq:
        guesses = after_guessing(state.guesses_of(project), ahead.changes, ahead.ended)
        state.put_guesses(project, guesses)
        update = {"ahead_seq": ahead.input_ledger_seq}
        state.written[project] = written.model_copy(update=update)
    state.due.pop(key, None)


def take_answer(state: ReduceState, record: Record, answer: ArtifactChanged) -> None:
    """What stands after a settled position; all that was written ahead of it comes to its end."""
    project = record.envelope.project_id
    answers_request = answer.input_ledger_seq == state.written_of(project).ledger_seq
    written = pass_over_answer(state, record, answer)
    last = due_key(project, answer.input_ledger_seq)
    if answers_request:
        return
    if guesses := state.guesses_of(project):
        state.ended[last] = Ended(
            cause=Cause.of(record.envelope),
            ledger_seq=answer.input_ledger_seq,
            lane=written.lane,
            run_id=written.run_id,
            ends=ends_of(guesses, answer, state.items_of(project)),
        )
        state.put_guesses(project, {})


def pass_over_answer(state: ReduceState, record: Record, answer: ArtifactChanged) -> Written:
    """What stands after an answer, and that what it answers waits no more."""
    project = record.envelope.project_id
    before = state.written_of(project)
    written = state.written[project] = _after(before, record, answer)
    for change in answer.items:
        if change.snapshot.version:
            state.items[f"{project}|{change.snapshot.artifact_id}"] = change.snapshot
    if answer.input_ledger_seq == before.ledger_seq:  # it answers a request
        state.requests.settle(project, answer.caused_by_event_id)
        return written
    last = due_key(project, answer.input_ledger_seq)
    if last in state.due:
        state.basis[project] = state.due[last]
    for key in [key for key, _ in state.due.with_prefix(f"{project}|") if key <= last]:
        del state.due[key]
    return written


def _after(written: Written, record: Record, answer: ArtifactChanged) -> Written:
    envelope = record.envelope
    return Written(
        artifact_seq=answer.artifact_seq,
        ledger_seq=answer.input_ledger_seq,
        ahead_seq=max(written.ahead_seq, answer.input_ledger_seq),
        prd=answer.snapshot,
        run_id=answer.settled_run_id or written.run_id,
        lane="deep" if envelope.lane == "deep" else "preview",
        plan_from=written.plan_from or envelope.occurred_at.date().isoformat(),
        team=answer.team or written.team,
    )


def settle(written: Written, due: DuePosition) -> Settled:
    """A decision is written in the lane of the run that ended before it."""
    day = due.cause.occurred_at.date().isoformat()
    if due.run_id is None or due.lane is None:
        return Settled(due.ledger_seq, written.run_id, written.lane, "human_decision", day)
    return Settled(due.ledger_seq, due.run_id, due.lane, f"{due.lane}_run_ended", day)


def find_plan_start(team: Team, written: Written, due: DuePosition) -> date:
    """The day that the plan of a team counts from."""
    day = team.plan_start or written.plan_from
    return date.fromisoformat(day) if day else due.cause.occurred_at.date()


def due_key(project: str, ledger_seq: int) -> str:
    return f"{project}|{ledger_seq:012d}"
