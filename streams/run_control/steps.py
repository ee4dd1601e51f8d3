"""What run control asks itself, in this order, until one has a decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from streams.run_control.deep_dive import start_dive
from streams.run_control.planning import plan
from streams.run_control.rereading import start_reread
from streams.run_control.scope import ProjectScope, RunScope
from streams.run_control.starting import start
from streams.run_control.stops import commit, stop
from streams.stage import Decision

OfProject = Callable[[ProjectScope], Decision | None]
OfRun = Callable[[RunScope], Decision | None]
StepName = Literal["commit", "start", "start_dive", "start_reread", "plan", "stop"]


@dataclass(frozen=True, slots=True)
class Question:
    """One step about a project, or about one run of it."""

    step: StepName
    ask: Callable[[], Decision | None]
    run: RunScope | None = None


@dataclass(frozen=True, slots=True)
class Steps:
    commit: OfRun = commit
    start: OfProject = start
    start_dive: OfProject = start_dive
    start_reread: OfProject = start_reread
    plan: OfRun = plan
    stop: OfRun = stop

    def questions(self, project: ProjectScope) -> Iterator[Question]:
        """All that may be decided for the project, the first one first."""
        yield from _of_runs(project, "commit", self.commit)
        yield Question("start", lambda: self.start(project))
        yield Question("start_dive", lambda: self.start_dive(project))
        yield Question("start_reread", lambda: self.start_reread(project))
        yield from _of_runs(project, "plan", self.plan)
        yield from _of_runs(project, "stop", self.stop)


def _of_runs(project: ProjectScope, step: StepName, ask: OfRun) -> Iterator[Question]:
    for run in project.runs_at_hand():
        yield Question(step, lambda run=run: ask(run), run)  # type: ignore[misc]
