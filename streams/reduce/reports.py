"""Reports: stand-up, sprint, forecast and for the management, from artifacts as they are.

The figures of a report are its fields. Its lines cite the artifacts they are about and those
artifacts' atoms; what cites nothing is not written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from schemas.events.artifact_parts import (
    ArtifactSnapshot,
    MemberStandup,
    ReportFields,
    ReviewFinding,
    Section,
    SprintPlanFields,
    SprintReport,
    StandupSummary,
    Statement,
    TaskFields,
)
from schemas.events.team import ReportRequested, Team
from schemas.ids import artifact_id as derive_artifact_id
from schemas.ids import derive_id
from schemas.tasks import OVER
from streams.reduce.deltas import Changes
from streams.reduce.edits import RefusedEdit
from streams.reduce.forecast import forecast
from streams.reduce.inputs import Grounds, Pick
from streams.reduce.items import (
    PREFIXES,
    Settled,
    WrittenSections,
    blank,
    keep_words,
    text_of_section,
)
from streams.reduce.markdown import notes_of, render
from streams.reduce.owned_sprints import is_closed
from streams.reduce.sprint_plans import cite, text_of, write_lines
from streams.reduce.states import DerivedState, derive_dependent_state
from streams.reduce.validator import Lane, errors, validate, validate_markdown
from streams.reduce.wording import statement_of

MAX_LINES = 10
MAX_RISKS = 5
MAX_STATEMENTS = 3
TITLES = {"standup": "Stand-up", "sprint": "Sprint", "forecast": "Forecast", "management": "Report"}
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
        match request.report_type:
            case "standup":
                fields, said = self._standup(artifact_id, request)
            case "sprint":
                fields, said = self._sprint(artifact_id, request)
            case "forecast":
                fields, said = self._forecast(artifact_id, request)
            case "management":
                fields, said = self._management(artifact_id, request)
        sections = [
            write_lines(_id_of(title), title, lines) for title, lines in said.items() if lines
        ]
        sections = _note_counts(sections, fields, self.changes)
        known = self.items.get(artifact_id)
        sections = keep_words(known, sections, self.all_grounds, at.lane)
        title = f"{TITLES[request.report_type]} {request.as_of}"
        cited = _list_artifacts(sections)
        fresh = blank(artifact_id, "report", title, at, sections).model_copy(
            update={
                "number": f"{PREFIXES['report']}-{request.as_of}-{request.report_type}",
                "report": _retell(fields, sections),
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
        cited = _list_artifacts(sections)
        told = {"report": _retell(report.report, sections), "upstream_artifact_ids": cited}
        written = WrittenSections(sections, [], [])
        return report.model_copy(update=told), self._derive_state(cited), written

    def _derive_state(self, cited: Iterable[str]) -> DerivedState:
        return derive_dependent_state([self._known[one] for one in cited if one in self._known])

    def _validate(self, title: str, sections: list[Section], lane: Lane) -> list[ReviewFinding]:
        """What is wrong with it, also in its markdown form."""
        grounds = self.all_grounds
        text = render(title, "draft", 1, sections)
        return [
            *validate(sections, grounds, lane),
            *validate_markdown(text, grounds, lane, notes=notes_of(sections)),
        ]

    @property
    def _known(self) -> dict[str, ArtifactSnapshot]:
        return {**self.items, self.prd.artifact_id: self.prd}

    @property
    def all_grounds(self) -> Grounds:
        """All atoms and artifacts; what is open is told by the artifacts that a line cites."""
        atoms = self.grounds.atoms | {atom.atom_id: atom for atom in self.changes.atoms}
        return Grounds(atoms.values(), (), {key: text_of(one) for key, one in self._known.items()})

    def _tasks(self) -> list[ArtifactSnapshot]:
        return self._of_type("task")

    def _of_type(self, artifact_type: str) -> list[ArtifactSnapshot]:
        found = [one for one in self.items.values() if one.artifact_type == artifact_type]
        return sorted((one for one in found if one.number), key=lambda one: one.number)

    def _current(self, as_of: str) -> ArtifactSnapshot | None:
        """The sprint of a day: the one it is in, else the next, else the last."""
        sprints = self._of_type("sprint_plan")
        left = [one for one in sprints if _plan(one).end_date >= as_of]
        return left[0] if left else sprints[-1] if sprints else None

    def _open(self, as_of: str) -> ArtifactSnapshot | None:
        """The sprint that is worked on, or comes next: none that was closed before its last day."""
        open_ones = [one for one in self._of_type("sprint_plan") if not is_closed(one)]
        left = [one for one in open_ones if _plan(one).end_date >= as_of]
        return left[0] if left else self._current(as_of)

    def _standup(
        self, artifact_id: str, request: ReportRequested
    ) -> tuple[ReportFields, dict[str, list[Statement]]]:
        sprint = self._open(request.as_of)
        names = {one.member_id: one.name for one in self.team.members}
        own: dict[str, list[ArtifactSnapshot]] = {member_id: [] for member_id in names}
        for item in _plan(sprint).items if sprint else ():
            own.setdefault(item.assignee_id, []).append(self.items[item.task_id])
        lines = [
            self._say(
                artifact_id, "members", f"{names[who]}, {self._stage(task)}: {task.title}.", task
            )
            for who, tasks in own.items()
            for task in tasks
        ]
        tasks = [task for each in own.values() for task in each]
        risks = _risks_in(artifact_id, tasks)
        next_up = [one for one in lines if ", next:" in one.text]
        summary = StandupSummary(
            date=request.as_of,
            per_member=[
                MemberStandup(
                    member_id=who,
                    done=[one.artifact_id for one in tasks if self._stage(one) == "done"],
                    doing=[one.artifact_id for one in tasks if self._stage(one) == "doing"],
                    blocked=[one.artifact_id for one in tasks if self._stage(one) == "waiting"],
                )
                for who, tasks in own.items()
            ],
            highlights=[one.text for one in next_up],
            risks=[one.text for one in risks],
            citations=_cited([*lines, *risks]),
        )
        fields = ReportFields(report_type="standup", as_of=request.as_of, standup=summary)
        return fields, {"Members": lines, "Risks": risks}

    def _stage(self, task: ArtifactSnapshot) -> str:
        """What becomes of a task in one word: done, doing, waiting for another, or next."""
        fields = _task(task)
        if fields.status in OVER:
            return "done"
        if fields.status in ("in_progress", "in_review"):
            return "doing"
        needs = [self.items[one] for one in fields.depends_on if one in self.items]
        open_needs = any(_task(one).status not in OVER for one in needs)
        return "waiting" if fields.status == "blocked" or open_needs else "next"

    def _sprint(
        self, artifact_id: str, request: ReportRequested
    ) -> tuple[ReportFields, dict[str, list[Statement]]]:
        sprint = self._current(request.as_of)
        if sprint is None:
            return ReportFields(report_type="sprint", as_of=request.as_of), {}
        plan = _plan(sprint)
        held = [self.items[one.task_id] for one in plan.items]
        behind = [
            self.items[one.task_id]
            for one in plan.unplanned
            if is_closed(sprint) and one.task_id in self.items
        ]
        tasks = [*held, *behind]
        done = [one for one in held if _task(one).status in OVER]
        left = [one for one in tasks if one not in done]
        over = plan.end_date < request.as_of or is_closed(sprint)
        risks = _risks_in(artifact_id, tasks)
        goal = cite(artifact_id, "goal", plan.goal, tasks[:1], [sprint.artifact_id])
        said = {
            "Goal": [goal],
            "Completed": [self._say(artifact_id, "done", _line(one), one) for one in done],
            "Open": [self._say(artifact_id, "open", _line(one), one) for one in left],
            "Risks": risks,
        }
        report = SprintReport(
            sprint_id=sprint.artifact_id,
            goal=plan.goal,
            planned_points=sum(_task(one).estimate_points for one in tasks),
            completed_points=sum(_task(one).estimate_points for one in done),
            velocity=self.team.velocity,
            completed=[one.artifact_id for one in done],
            carried_over=[one.artifact_id for one in left] if over else [],
            risks=[one.text for one in risks],
            citations=_cited(it for lines in said.values() for it in lines),
        )
        return ReportFields(report_type="sprint", as_of=request.as_of, sprint=report), said

    def _forecast(
        self, artifact_id: str, request: ReportRequested
    ) -> tuple[ReportFields, dict[str, list[Statement]]]:
        left = [one for one in self._tasks() if _task(one).status not in OVER]
        risks = _risks_in(artifact_id, left)
        ids = sorted({it for one in left for it in _task(one).risk_atom_ids})
        points = sum(_task(one).estimate_points for one in left)
        told = forecast(points, self.team, self.start, date.fromisoformat(request.as_of), ids)
        lines = [self._say(artifact_id, "open", _line(one), one) for one in left]
        fields = ReportFields(report_type="forecast", as_of=request.as_of, forecast=told)
        return fields, {"Open work": lines, "Risks": risks}

    def _management(
        self, artifact_id: str, request: ReportRequested
    ) -> tuple[ReportFields, dict[str, list[Statement]]]:
        since = self._last_report(artifact_id)
        _, added = self.changes.since(since)
        news = [
            one
            for atom in added[:MAX_LINES]
            if (one := statement_of(artifact_id, "changes", Pick(atoms=[atom])))
        ]
        features = [
            one for one in self._of_type("feature") if one.feature and one.feature.status != "done"
        ][:MAX_STATEMENTS]
        sprints = [
            self._say(artifact_id, "plan", _plan(one).goal, one)
            for one in self._of_type("sprint_plan")[:MAX_STATEMENTS]
        ]
        said = {
            "Goals": self._of_prd(artifact_id, "goals") or self._of_prd(artifact_id, "problem"),
            "New since the last report": news,
            "In preparation": [
                moved
                for one in features
                for moved in _move(artifact_id, "features", one, _first(one)[:1])
            ],
            "Sprints": sprints,
            "Risks": self._of_prd(artifact_id, "risks"),
            "Open questions": self._of_prd(artifact_id, "open_questions"),
        }
        fields = ReportFields(report_type="management", as_of=request.as_of, since_ledger_seq=since)
        return fields, said

    def _last_report(self, artifact_id: str) -> int:
        """The position of the management report before; one written again tells the same time."""
        known = self.items.get(artifact_id)
        if known and known.report and known.report.since_ledger_seq is not None:
            return known.report.since_ledger_seq
        seqs = [
            one.input_ledger_seq
            for one in self._of_type("report")
            if one.report and one.report.report_type == "management"
        ]
        return max(seqs, default=0)

    def _of_prd(self, artifact_id: str, section_id: str) -> list[Statement]:
        said = [
            it for one in self.prd.sections if one.section_id == section_id for it in one.statements
        ]
        return _move(artifact_id, section_id, self.prd, said[:MAX_STATEMENTS])

    def _say(
        self, artifact_id: str, section_id: str, text: str, item: ArtifactSnapshot
    ) -> Statement:
        return cite(artifact_id, section_id, text, [item], [item.artifact_id])


def _note_counts(sections: list[Section], fields: ReportFields, changes: Changes) -> list[Section]:
    """A management report with how much changed, below the new statements."""
    if fields.since_ledger_seq is None:
        return sections
    counts, _ = changes.since(fields.since_ledger_seq)
    told = ", ".join(f"{number:,} {what}" for what, number in sorted(counts.items()))
    note = f"Changes of the ledger: {told or 'none'}."
    if not any(one.section_id == "new_since_the_last_report" for one in sections):
        title = "New since the last report"
        sections = [*sections, write_lines(_id_of(title), title, [])]
    return [
        one.model_copy(update={"gap": note})
        if one.section_id == "new_since_the_last_report"
        else one
        for one in sections
    ]


def _id_of(title: str) -> str:
    return title.lower().replace(" ", "_")


def _move(
    artifact_id: str, section_id: str, item: ArtifactSnapshot, said: Iterable[Statement]
) -> list[Statement]:
    """Statements of another artifact as lines that cite it."""
    return [
        one.model_copy(
            update={
                "statement_id": derive_id("stm", artifact_id, section_id, one.text),
                "artifact_ids": [item.artifact_id],
            }
        )
        for one in said
    ]


def _first(item: ArtifactSnapshot) -> list[Statement]:
    return [it for one in item.sections for it in one.statements]


def _risks_in(artifact_id: str, tasks: Iterable[ArtifactSnapshot]) -> list[Statement]:
    found: dict[str, Statement] = {}
    for task in tasks:
        for section in task.sections:
            said = section.statements if section.section_id == "risks" else []
            for one in _move(artifact_id, "risks", task, said):
                found.setdefault(one.text, one)
    return list(found.values())[:MAX_RISKS]


def _line(task: ArtifactSnapshot) -> str:
    return f"{task.title} ({_task(task).estimate_points} points)."


def _list_artifacts(sections: Iterable[Section]) -> list[str]:
    """The artifacts that the lines cite, each once."""
    lines = (one for section in sections for one in section.statements)
    return list(dict.fromkeys(it for one in lines for it in one.artifact_ids))


def _retell(fields: ReportFields, sections: Sequence[Section]) -> ReportFields:
    """The fields of a report with what its sections say, whoever has worded them."""
    told: dict[str, object] = {
        "risks": text_of_section(sections, "risks"),
        "citations": _cited(one for section in sections for one in section.statements),
    }
    if fields.standup:
        return fields.model_copy(update={"standup": fields.standup.model_copy(update=told)})
    if fields.sprint:
        told["goal"] = " ".join(text_of_section(sections, "goal"))
        return fields.model_copy(update={"sprint": fields.sprint.model_copy(update=told)})
    return fields


def _cited(lines: Iterable[Statement]) -> list[str]:
    """The artifacts and atoms of the lines, each once."""
    found = [
        it for one in lines for it in (*one.artifact_ids, *(at.atom_id for at in one.citations))
    ]
    return list(dict.fromkeys(found))


def _task(item: ArtifactSnapshot) -> TaskFields:
    assert item.task
    return item.task


def _plan(item: ArtifactSnapshot | None) -> SprintPlanFields:
    assert item and item.sprint_plan
    return item.sprint_plan
