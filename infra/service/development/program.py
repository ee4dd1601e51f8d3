"""Goes through the graph of a governed workflow over the log of the run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from agents.development.errors import ConfigurationError
from agents.development.governed.run import STATE_TYPES, GovernedRun, run_workflow
from agents.development.workflow_ports import WorkflowPorts
from agents.models.call import ChatModel
from infra.platform.errors import Conflict
from infra.service.development.coding import CodingParts, open_coding
from infra.service.development.run_profile import read_run_profile
from infra.service.development.run_tests import WalledTests
from infra.service.development.sandbox import WallsRunner, open_walls
from infra.service.development.workflow_log import WorkflowLog, WorkflowPlace
from infra.service.development.workflow_ports import open_ports
from infra.service.foundation.job_kind import Workplace
from infra.service.runs.checkpoints import make_saver
from infra.service.runs.opening import open_run_model
from schemas.events.workflow import WorkflowStarted

if TYPE_CHECKING:
    from agents.development.workflow_ports import WorkflowEnd
    from agents.runs.saver import RunSaver

RESUME = "cairn workflow resume {workflow_id}"
WRITES_CODE = "tdd_implementation"
TESTS = ("python", "-m", "pytest", "-q")  # of a profile without a validator


async def run_governed(
    place: Workplace, log: WorkflowLog, run: WorkflowPlace, started: WorkflowStarted
) -> WorkflowEnd:
    """How the run ends. Raises Conflict for one that cannot begin, WaitsForConfirmation, and what
    its parts raise.
    """
    settings = place.settings

    def save(run_id: str) -> RunSaver:
        return make_saver(settings, log, run_id, STATE_TYPES)

    try:
        async with (
            open_run_model(settings, has_model=True, is_replay=False) as model,
            _open_ports(place, log, run, started, model) as ports,
        ):
            assert model is not None  # it began with one
            return await run_workflow(
                GovernedRun(
                    run_id=run.workflow_id,
                    project_id=run.project_id,
                    workflow_type=started.workflow_type,
                    issue=started.issue,
                    settings=started.settings,
                    model=model,
                    drafter_family=started.drafter_family,
                    reviewer_family=started.reviewer_family,
                    effects=log,
                    records=log,
                    ports=ports,
                    save=save,
                    decisions=log.list_decisions(),
                    input=started.input,
                    origin=started.origin,
                    resume_command=RESUME.format(workflow_id=run.workflow_id),
                )
            )
    except ConfigurationError as error:
        raise Conflict(str(error), code=error.kind) from error


@asynccontextmanager
async def _open_ports(
    place: Workplace,
    log: WorkflowLog,
    run: WorkflowPlace,
    started: WorkflowStarted,
    model: ChatModel | None,
) -> AsyncIterator[WorkflowPorts]:
    """What the run works with; where it writes code, with a workspace behind walls."""
    assert model is not None  # it began with one
    ports = open_ports(place.settings, run, started, model)
    if started.workflow_type != WRITES_CODE:
        yield ports
        return
    profile = await read_run_profile(place.settings, log, run, started)
    async with open_coding(place, log, run, started, profile) as parts:
        tests = parts.tests or await _make_tests(place, parts)
        yield replace(
            ports,
            trees=parts.trees,
            implementer=parts.driver,
            tests=tests,
            take_refused=parts.tools.take_refused,
        )


async def _make_tests(place: Workplace, parts: CodingParts) -> WalledTests:
    walls = await open_walls(place.settings)
    return WalledTests(WallsRunner(walls, parts.trees.workspace, parts.trees.git_dir), TESTS)
