"""Reports from artifacts as they are: stand-up, sprint, forecast, retrospective, management.

The figures of a report are its fields. Its lines cite the artifacts they are about and those
artifacts' atoms; what cites nothing is not written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from statistics import mean

from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_reports import ReportFields, SprintReport, SprintVelocity
from schemas.events.artifact_sections import ReviewFinding, Section, Statement
from schemas.events.team import ReportRequested, ReportType, Team
from schemas.ids import artifact_id as derive_artifact_id
from schemas.tasks import OVER
from streams.reduce.artifacts.items import PREFIXES, Settled, WrittenSections, blank, keep_words
from streams.reduce.artifacts.markdown import notes_of, render
from streams.reduce.artifacts.states import DerivedState, derive_dependent_state
from streams.reduce.artifacts.validator import Lane, errors, validate, validate_markdown
from streams.reduce.plan.commitments import list_added
from streams.reduce.plan.forecast import forecast
from streams.reduce.plan.sprint_plans import cite, text_of, write_lines
from streams.reduce.plan.user_edited_sprints import is_closed
from streams.reduce.plan.velocity import measure_history, tell_mean, tell_open
from streams.reduce.prd.edits import RefusedEdit
from streams.reduce.reports.report_lines import (
    add_note,
    id_of,
    list_all_cited,
    list_artifacts,
    move,
    plan_of,
    retell,
    say,
    statements_in,
    task_of,
    tell_counts,
    tell_risks,
    tell_tasks,
    tell_velocity,
)
from streams.reduce.reports.retrospective import NEW, span_of, tell_delta, tell_outcome
from streams.reduce.reports.standup import write_standup
from streams.reduce.texts.deltas import Changes
from streams.reduce.texts.inputs import Grounds, Pick
from streams.reduce.texts.wording import statement_of

MAX_LINES = 10
MAX_STATEMENTS = 3
TITLES = {
    "standup": "Stand-up",
    "sprint": "Sprint",
    "forecast": "Forecast",
    "management": "Report",
    "retro": "Retrospective",
}
NEWS = "New since the last report"
CAME = "Came in between"
NOTHING = ReviewFinding(code="nothing_cited", section_id="", statement_id="")


@dataclass(frozen=True, slots=True)
class ReportWriter:
    """Writes the reports of one position; ``items`` are its artifacts, ``prd`` among them.

    ``grounds`` hold the atoms that these were written from.
    """

    project: str
    team: Team
    items: Mapping[str, ArtifactSnapshot]
    prd: ArtifactSnapshot
    grounds: Grounds
    changes: Changes
    start: date

    def write(
        self, request: ReportRequested, at: Settled
    ) -> tuple[ArtifactSnapshot, DerivedState, WrittenSections]:
        """The report, its state, and what the validator objects to."""
        artifact_id = derive_artifact_id(self.project, "report", request.aggregate_id)
        notes: dict[str, str] = {}
        match request.report_type:
            case "standup":
                sprint, members = self._open(request.as_of), self.team.members
                fields, said = write_standup(
                    artifact_id, request.as_of, sprint, members, self.items
                )
            case "sprint":
                fields, said = self._sprint(artifact_id, request)
            case "forecast":
                fields, said, notes = self._forecast(artifact_id, request)
            case "management":
                fields, said, notes = self._management(artifact_id, request)
            case "retro":
                fields, said, notes = self._retro(artifact_id, request)
        sections = [
            write_lines(id_of(title), title, lines) for title, lines in said.items() if lines
        ]
        for title, note in notes.items():
            sections = add_note(sections, title, note)
        known = self.items.get(artifact_id)
        sections = keep_words(known, sections, self.all_grounds, at.lane)
        title = f"{TITLES[request.report_type]} {request.as_of}"
        cited = list_artifacts(sections)
        fresh = blank(artifact_id, "report", title, at, sections).model_copy(
            update={
                "number": f"{PREFIXES['report']}-{request.as_of}-{request.report_type}",
                "report": retell(fields, sections),
                "upstream_artifact_ids": cited,
            }
        )
        findings = errors(self._validate(title, sections, at.lane))
        if not cited:
            findings = [*findings, NOTHING]
        return fresh, self._derive_state(cited), WrittenSections(sections, [], findings)

    def reword(
        self, report: ArtifactSnapshot, at: Settled
    ) -> tuple[ArtifactSnapshot, DerivedState, WrittenSections]:
        """A report that there is in other words. Raises RefusedEdit."""
        assert report.report
        sections = report.sections
        if found := errors(self._validate(report.title, sections, at.lane)):
            raise RefusedEdit("not_valid", found)
        cited = list_artifacts(sections)
        told = {"report": retell(report.report, sections), "upstream_artifact_ids": cited}
        written = WrittenSections(sections, [], [])
        return report.model_copy(update=told), self._derive_state(cited), written

    def _derive_state(self, cited: Iterable[str]) -> DerivedState:
        return derive_dependent_state([self._known[one] for one in cited if one in self._known])

    def _validate(self, title: str, sections: list[Section], lane: Lane) -> list[ReviewFinding]:
        """What is wrong with it, also in its markdown form.

        An atom that was replaced may be cited: a line says what took its place.
        """
        grounds = self.all_grounds
        gone = frozenset(it for delta in self.changes.deltas for it in delta.replaced)
        text = render(title, "draft", 1, sections)
        return [
            *validate(sections, grounds, lane, gone),
            *validate_markdown(text, grounds, lane, notes=notes_of(sections), reincluded=gone),
        ]

    @property
    def _known(self) -> dict[str, ArtifactSnapshot]:
        return {**self.items, self.prd.artifact_id: self.prd}

    @property
    def all_grounds(self) -> Grounds:
        """All atoms and artifacts; what is open is told by the artifacts that a line cites."""
        told = (*self.changes.others, *self.changes.atoms)
        atoms = self.grounds.atoms | {atom.atom_id: atom for atom in told}
        return Grounds(atoms.values(), (), {key: text_of(one) for key, one in self._known.items()})

    def _tasks(self) -> list[ArtifactSnapshot]:
        return self._of_type("task")

    def _of_type(self, artifact_type: str) -> list[ArtifactSnapshot]:
        items = [item for item in self.items.values() if item.artifact_type == artifact_type]
        return sorted((item for item in items if item.number), key=lambda one: one.number)

    def _current(self, as_of: str) -> ArtifactSnapshot | None:
        """The sprint of a day: the one it is in, else the next, else the last."""
        sprints = self._of_type("sprint_plan")
        left = [sprint for sprint in sprints if plan_of(sprint).end_date >= as_of]
        return left[0] if left else sprints[-1] if sprints else None

    def _open(self, as_of: str) -> ArtifactSnapshot | None:
        """The sprint that is worked on, or comes next: none that was closed before its last day."""
        open_ones = [one for one in self._of_type("sprint_plan") if not is_closed(one)]
        left = [one for one in open_ones if plan_of(one).end_date >= as_of]
        return left[0] if left else self._current(as_of)

    def _sprint(
        self, artifact_id: str, request: ReportRequested
    ) -> tuple[ReportFields, dict[str, list[Statement]]]:
        sprint = self._current(request.as_of)
        if sprint is None:
            return ReportFields(report_type="sprint", as_of=request.as_of), {}
        report, said = self._look_at(artifact_id, sprint, request.as_of, ("Completed", "Open"))
        return ReportFields(report_type="sprint", as_of=request.as_of, sprint=report), said

    def _look_at(
        self, artifact_id: str, sprint: ArtifactSnapshot, as_of: str, titles: tuple[str, str]
    ) -> tuple[SprintReport, dict[str, list[Statement]]]:
        """The sprint in figures, and its lines; ``titles`` are those of what is done and is not."""
        plan = plan_of(sprint)
        held = [self.items[item.task_id] for item in plan.items]
        behind = [
            self.items[unplanned_task.task_id]
            for unplanned_task in plan.unplanned
            if is_closed(sprint) and unplanned_task.task_id in self.items
        ]
        tasks = [*held, *behind]
        done = [one for one in held if task_of(one).status in OVER]
        left = [task for task in tasks if task not in done]
        over = plan.end_date < as_of or is_closed(sprint)
        risks = tell_risks(artifact_id, tasks)
        added = list_added(plan, [task.artifact_id for task in tasks])
        came = [task for task in tasks if task.artifact_id in added]
        goal = cite(artifact_id, "goal", plan.goal, tasks[:1], [sprint.artifact_id])
        well, badly = titles
        said = {
            "Goal": [goal],
            well: tell_tasks(artifact_id, "done", done),
            badly: tell_tasks(artifact_id, "open", left),
            CAME: tell_tasks(artifact_id, "added", came),
            "Risks": risks,
        }
        report = SprintReport(
            sprint_id=sprint.artifact_id,
            goal=plan.goal,
            planned_points=sum(task_of(task).estimate_points for task in tasks),
            completed_points=sum(task_of(one).estimate_points for one in done),
            velocity=self._velocity(as_of),
            completed=[one.artifact_id for one in done],
            carried_over=[one.artifact_id for one in left] if over else [],
            added=added,
            risks=[risk.text for risk in risks],
            citations=list_all_cited(it for lines in said.values() for it in lines),
        )
        return report, said

    def _history(self, as_of: str) -> list[SprintVelocity]:
        return measure_history(self._of_type("sprint_plan"), as_of)

    def _velocity(self, as_of: str) -> int | None:
        """The mean of the sprints closed by then, else what was told."""
        points = [sprint_velocity.points for sprint_velocity in self._history(as_of)]
        return round(mean(points)) if points else self.team.velocity

    def _retro(
        self, artifact_id: str, request: ReportRequested
    ) -> tuple[ReportFields, dict[str, list[Statement]], dict[str, str]]:
        sprint = self._last_over(request.as_of)
        if sprint is None:
            return ReportFields(report_type="retro", as_of=request.as_of), {}, {}
        titles = ("Went well", "Not done")
        report, said = self._look_at(artifact_id, sprint, request.as_of, titles)
        span = span_of(sprint, request.as_of, self._last_report(artifact_id, "retro"))
        delta = tell_delta(artifact_id, self.changes, span)
        history = self._history(request.as_of)
        risks = said.pop("Risks")
        said |= delta.said
        said |= {"Velocity": tell_velocity(artifact_id, history, self.items), "Risks": risks}
        notes = {
            "Goal": tell_outcome(report),
            NEW: delta.note,
            "Velocity": tell_mean(history),
        }
        fields = ReportFields(
            report_type="retro",
            as_of=request.as_of,
            since_ledger_seq=span.after_seq,
            ledger_changes=delta.counts,
            sprint=report,
        )
        return fields, said, notes

    def _last_over(self, as_of: str) -> ArtifactSnapshot | None:
        """The last sprint that is closed or over by that day, else the one that is under way."""
        over = [
            one
            for one in self._of_type("sprint_plan")
            if plan_of(one).end_date < as_of
            or (is_closed(one) and plan_of(one).start_date <= as_of)
        ]
        return over[-1] if over else self._current(as_of)

    def _forecast(
        self, artifact_id: str, request: ReportRequested
    ) -> tuple[ReportFields, dict[str, list[Statement]], dict[str, str]]:
        left = [task for task in self._tasks() if task_of(task).status not in OVER]
        risks = tell_risks(artifact_id, left)
        ids = sorted({it for one in left for it in task_of(one).risk_atom_ids})
        points = sum(task_of(one).estimate_points for one in left)
        history = self._history(request.as_of)
        day = date.fromisoformat(request.as_of)
        told = forecast(points, self.team, self.start, day, ids, history)
        fields = ReportFields(report_type="forecast", as_of=request.as_of, forecast=told)
        said = {
            "Velocity": tell_velocity(artifact_id, history, self.items),
            "Open work": tell_tasks(artifact_id, "open", left),
            "Risks": risks,
        }
        open_ones = tell_open(self._of_type("sprint_plan"), request.as_of)
        note = " ".join(one for one in (told.confidence_reason, open_ones) if one)
        return fields, said, {"Velocity": note}

    def _management(
        self, artifact_id: str, request: ReportRequested
    ) -> tuple[ReportFields, dict[str, list[Statement]], dict[str, str]]:
        since = self._last_report(artifact_id, "management")
        counts, added = self.changes.since(since)
        news = [
            statement
            for atom in added[:MAX_LINES]
            if (statement := statement_of(artifact_id, "changes", Pick(atoms=[atom])))
        ]
        features = [
            one for one in self._of_type("feature") if one.feature and one.feature.status != "done"
        ][:MAX_STATEMENTS]
        sprints = [
            say(artifact_id, "plan", plan_of(one).goal, one)
            for one in self._of_type("sprint_plan")[:MAX_STATEMENTS]
        ]
        said = {
            "Goals": self._of_prd(artifact_id, "goals") or self._of_prd(artifact_id, "problem"),
            NEWS: news,
            "In preparation": [
                moved
                for feature in features
                for moved in move(artifact_id, "features", feature, statements_in(feature)[:1])
            ],
            "Sprints": sprints,
            "Risks": self._of_prd(artifact_id, "risks"),
            "Open questions": self._of_prd(artifact_id, "open_questions"),
        }
        fields = ReportFields(
            report_type="management",
            as_of=request.as_of,
            since_ledger_seq=since,
            ledger_changes=counts,
        )
        return fields, said, {NEWS: tell_counts(counts)}

    def _last_report(self, artifact_id: str, report_type: ReportType) -> int:
        """The position of such a report before; one written again tells the same time."""
        known = self.items.get(artifact_id)
        if known and known.report and known.report.since_ledger_seq is not None:
            return known.report.since_ledger_seq
        seqs = [
            one.input_ledger_seq
            for one in self._of_type("report")
            if one.report and one.report.report_type == report_type
        ]
        return max(seqs, default=0)

    def _of_prd(self, artifact_id: str, section_id: str) -> list[Statement]:
        statements = [
            statement
            for section in self.prd.sections
            if section.section_id == section_id
            for statement in section.statements
        ]
        return move(artifact_id, section_id, self.prd, statements[:MAX_STATEMENTS])
