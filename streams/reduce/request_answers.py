"""The writer's answers to requests: changes, reports, lists made anew, facts about the team."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from schemas.envelope import Event
from schemas.events.artifact import ArtifactChanged
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.change import ChangeRequested, GenerationRequested
from schemas.events.team import ReportRequested, Team, TeamFact
from streams.reduce.artifacts.items import Settled, Synthesise
from streams.reduce.edit_answers import answer_edit, keep_prd, refuse_edit, settle_edit, tell_edit
from streams.reduce.features.user_edited_features import draft_feature
from streams.reduce.model_texts import draft
from streams.reduce.pending_requests import Request
from streams.reduce.plan.backlog import Backlog
from streams.reduce.plan.forecast import choose_velocity
from streams.reduce.plan.members import apply_fact
from streams.reduce.plan.user_edited_sprints import draft_sprint
from streams.reduce.plan.user_edited_tasks import draft_task
from streams.reduce.prd.edits import RefusedEdit
from streams.reduce.prd.prd import write_prd
from streams.reduce.reports.reports import ReportWriter
from streams.reduce.state import Written, find_plan_start
from streams.reduce.texts.inputs import DuePosition, Grounds


@dataclass(frozen=True, slots=True)
class RequestAnswers:
    """Answers the requests of a project from ``basis``, what its last answer was made from.

    ``prd`` and ``items`` are its artifacts after that answer; ``velocity`` as in ``Reduce``.
    """

    written: Written
    prd: ArtifactSnapshot
    items: Mapping[str, ArtifactSnapshot]
    basis: DuePosition
    synthesise: Synthesise
    velocity: int | None

    def answer(self, request: Request) -> ArtifactChanged:
        """What a person or the gate edits changes the PRD alone, what a model words any artifact:
        with its words in the place of the rules', the answer is the usual one.
        """
        asked = request.event
        if not isinstance(asked, ChangeRequested):
            return self._answer_plan_or_report(request, asked)
        if asked.op != "edit":
            return self._answer_item(request, asked)
        if asked.editor_kind != "model":
            return answer_edit(self.written, self.basis, request)
        if asked.loop and not asked.sections:
            return tell_edit(self.written, request, keep_prd(self.prd))
        return self._answer_model(request, asked)

    def _answer_model(self, request: Request, asked: ChangeRequested) -> ArtifactChanged:
        prd, at = self.prd, settle_edit(self.written, request)
        is_prd = asked.artifact_id == prd.artifact_id
        known = prd if is_prd else self.items.get(asked.artifact_id)
        lists = self._make_lists(at, self.written.team)
        reports = self._make_report_writer(self.written.team)
        is_document = known is not None and known.artifact_type in ("sprint_plan", "report")
        grounds = reports.all_grounds if is_document else Grounds.of(self.basis.inputs)
        try:
            drafted = draft(known, asked, grounds, at.lane, self.items.values())
            if drafted.artifact_type == "report":
                lists.take_written(reports.reword(drafted, at))
                return tell_edit(self.written, request, keep_prd(prd), lists)
        except RefusedEdit as refused:
            return refuse_edit(self.written, request, known, refused)
        if drafted.artifact_type == "prd":
            sections, backings = self.basis.sections, self.basis.backings
            answered = write_prd(
                prd.artifact_id, sections, prd, at, self.synthesise, backings, drafted
            )
            return tell_edit(self.written, request, answered)
        return self._tell_drafted(request, lists, drafted)

    def _answer_item(self, request: Request, asked: ChangeRequested) -> ArtifactChanged:
        """What a person says of a task, feature or sprint stands, and the plan follows it."""
        at, known = settle_edit(self.written, request), self.items.get(asked.artifact_id)
        grounds = Grounds.of(self.basis.inputs)
        try:
            if asked.changed_type == "sprint_plan":
                drafted = draft_sprint(known, asked, at)
            elif asked.changed_type == "feature":
                drafted = draft_feature(known, asked, grounds, at)
            else:
                drafted = draft_task(self.items, asked, grounds, at)
        except RefusedEdit as refused:
            return refuse_edit(self.written, request, known, refused)
        return self._tell_drafted(request, self._make_lists(at, self.written.team), drafted)

    def _tell_drafted(
        self, request: Request, lists: Backlog, drafted: ArtifactSnapshot
    ) -> ArtifactChanged:
        """The list of the drafted item again, with all that is made from it."""
        lists.drafts = {drafted.artifact_id: drafted}
        self._write_lists(lists, self.written.team, is_insights=drafted.artifact_type == "insight")
        return tell_edit(self.written, request, keep_prd(self.prd), lists)

    def _answer_plan_or_report(self, request: Request, asked: Event) -> ArtifactChanged:
        """A report, lists made anew, or the plan after a fact about the team."""
        written, before = self.written, self.written.team
        day = request.cause.occurred_at.date().isoformat()
        at = Settled(written.ledger_seq, written.run_id, written.lane, asked.type_name, day)
        team = apply_fact(before, asked) if isinstance(asked, TeamFact) else before
        lists = self._make_lists(at, team)
        if isinstance(asked, ReportRequested):
            lists.take_written(self._make_report_writer(team).write(asked, at))
        else:
            phase = asked.phase if isinstance(asked, GenerationRequested) else ""
            self._write_lists(lists, team, is_insights=phase == "insight_generation")
        return ArtifactChanged(
            artifact_seq=written.artifact_seq + 1,
            caused_by_event_id=str(request.cause.event_id),
            input_ledger_seq=written.ledger_seq,
            outcome="unchanged",
            snapshot=self.prd,
            reason=at.reason,
            items=lists.changes,
            loops=lists.loops,
            quality_runs=lists.quality_runs,
            team=team if team != before else None,
        )

    def _make_lists(self, at: Settled, team: Team) -> Backlog:
        velocity = choose_velocity(team, self.velocity)
        return Backlog(self.basis.cause.project_id, at, self.items, self.synthesise, velocity)

    def _write_lists(self, lists: Backlog, team: Team, *, is_insights: bool) -> None:
        if is_insights:
            lists.insights(self.basis.insights)
            return
        start = find_plan_start(team, self.written, self.basis)
        lists.features(self.basis.features, start, self.prd)
        lists.plan(self.basis.tasks, team, start)

    def _make_report_writer(self, team: Team) -> ReportWriter:
        basis = self.basis
        project, grounds = basis.cause.project_id, Grounds.of(basis.inputs)
        start = find_plan_start(team, self.written, basis)
        return ReportWriter(project, team, self.items, self.prd, grounds, basis.changes, start)
