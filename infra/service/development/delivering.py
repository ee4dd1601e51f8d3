"""Goes through the graph of a delivery over the log of the run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from agents.development.delivery.graph import run_delivery
from agents.development.delivery.run import DeliveryRun
from agents.development.errors import ConfigurationError
from infra.platform.errors import Conflict
from infra.service.development.codebase import CommittedCode
from infra.service.development.coding import open_coding
from infra.service.development.roles import find_coder_family
from infra.service.development.run_profile import read_run_profile
from infra.service.development.workflow_log import WorkflowLog, WorkflowPlace
from infra.service.foundation.job_kind import Workplace
from infra.service.foundation.publishing import redactor_of
from infra.service.planning.items import LONGEST_TITLE, ItemRequest, change_item
from infra.service.runs.checkpoints import make_saver
from infra.service.runs.opening import open_run_model
from schemas.envelope import SERVICE_WIDE
from schemas.events.workflow import WorkflowStarted
from schemas.shortening import shorten

if TYPE_CHECKING:
    from agents.development.workflow_ports import WorkflowEnd
    from agents.runs.saver import RunSaver

RESUME = "cairn workflow resume {workflow_id}"


async def deliver(
    place: Workplace, log: WorkflowLog, run: WorkflowPlace, started: WorkflowStarted
) -> WorkflowEnd:
    """How the delivery ends. Raises Conflict for one that cannot begin, WaitsForConfirmation, and
    what its parts raise.
    """
    settings = place.settings
    profile = await read_run_profile(settings, log, run, started)

    def save(run_id: str) -> RunSaver:
        return make_saver(settings, log, run_id, ())

    try:
        async with (
            open_run_model(settings, has_model=True, is_replay=False) as model,
            open_coding(place, log, run, started, profile) as parts,
        ):
            assert model is not None  # it began with one
            redact = redactor_of(settings).text
            is_design = bool(started.input.workflow_id)  # of an earlier stage; else a plan
            return await run_delivery(
                DeliveryRun(
                    run_id=run.workflow_id,
                    project_id=run.project_id,
                    issue={
                        "id": str(started.issue.number),
                        "title": started.issue.title,
                        "description": started.issue.text,
                    },
                    profile={
                        **profile.model_dump(mode="json"),
                        "max_review_iterations": started.settings.max_review_iterations,
                        "max_review_passes": started.settings.max_review_passes,
                    },
                    plan="" if is_design else started.input.text,
                    design=started.input.text if is_design else "",
                    driver=parts.driver,
                    coder_family=find_coder_family(profile, started.drafter_family),
                    reviewer=model,
                    trees=parts.trees,
                    codebase=CommittedCode(started.repository, started.commit, redact),
                    check=parts.tests,
                    follow_up=_follow_up(place, run),
                    take_refused=parts.tools.take_refused,
                    effects=log,
                    records=log,
                    save=save,
                    resume_command=RESUME.format(workflow_id=run.workflow_id),
                    origin=started.origin,
                    decisions=log.list_decisions(),
                )
            )
    except ConfigurationError as error:
        raise Conflict(str(error), code=error.kind) from error


def _follow_up(
    place: Workplace, run: WorkflowPlace
) -> Callable[[str, str, str], Awaitable[None]] | None:
    """What is put off becomes a task of the project; without one it stays in the log."""
    return None if run.project_id == SERVICE_WIDE else partial(_create_task, place, run)


async def _create_task(
    place: Workplace, run: WorkflowPlace, title: str, reason: str, key: str
) -> None:
    """A task of the project, made once for its key."""
    request = ItemRequest(
        project=run.project_id,
        kind="task",
        op="create",
        fields={"title": shorten(title, LONGEST_TITLE)},
        sections={"description": [f"Put off by {run.workflow_id}: {reason}"]},
        key=key,
    )
    await change_item(place.settings, request, actor=run.asked_by)
