"""One workflow or delivery: where it is, what it made, what reviewers say, and what people decide.

A page of a run that belongs to a project has the project in its address; one of the installation
has none.
"""

from __future__ import annotations

from typing import get_args

from starlette.responses import Response

from infra.http.access import LEADERS, READERS
from infra.http.console.building import IN_PROJECT, PLACE, place_of_run
from infra.http.console.drafts_shown import show_change
from infra.http.console.overview import follow_stream
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.http.console.workflow_parts import (
    choose_draft,
    find_open_gate,
    mark_nodes,
    show_tasks,
)
from infra.platform.errors import Invalid, NotFound
from infra.service.development import gates
from infra.service.development.gates import GateAnswer, GateReply
from infra.service.development.task_diffs import read_task_diff
from infra.service.development.workflow_nodes import list_nodes
from infra.store.workflow_jobs import list_jobs
from projections.read import workflows as read
from projections.read.streams import read_ends, read_stream
from projections.read.workflow_tasks import DeliveryDetail, read_delivery
from projections.read.workflows import Workflow
from schemas.envelope import SERVICE_WIDE

pages = Pages()
ONE, ONE_IN_PROJECT = f"{PLACE}/{{workflow}}", f"{IN_PROJECT}/{{workflow}}"
STEPS_SHOWN = 40  # of a trajectory, on one page
ANSWERS: tuple[GateAnswer, ...] = get_args(GateAnswer)
TOLD = {
    "approve": "Approved: the workflow goes on.",
    "reject": "Rejected: the workflow goes on with your feedback, or ends.",
    "waive": "Waived: the workflow goes on, and you answer for it.",
}


@pages.show(ONE, *READERS)
@pages.show(ONE_IN_PROJECT, *READERS)
async def show_workflow(visit: PageContext) -> Response:
    """How a workflow stands. ``draft`` in the address is the number of another draft."""
    after = await _find_place(visit)  # first: what comes meanwhile is news
    run = await _find_run(visit)
    given = run.workflow_id
    artifacts = await visit.ask(read.list_workflow_artifacts, given)
    verdicts = await visit.ask(read.list_workflow_verdicts, given)
    all_gates = await visit.ask(read.list_workflow_gates, given)
    halt = await visit.ask(read.find_last_halt, given)
    detail: DeliveryDetail = await visit.ask(read_delivery, given)
    steps = await visit.ask(read.list_workflow_steps, given)
    jobs = await visit.ask(list_jobs, given)
    return visit.show(
        "workflow.html",
        run=run,
        root=place_of_run(visit, run.project_id),
        nodes=mark_nodes(list_nodes(run.workflow_type), steps, run),
        shown=choose_draft(artifacts, verdicts, visit.asked_number("draft")),
        artifacts=artifacts,
        approved=next((it for it in reversed(artifacts) if it.kind == "approved"), None),
        verdicts=verdicts,
        at_gate=find_open_gate(all_gates, halt, jobs),
        decided=[it for it in all_gates if it.decision],
        halt=halt if run.status == "halted" else None,
        tasks=show_tasks(detail),
        stream_after=after if run.finished_at is None else None,
    )


@pages.show(ONE + "/live", *READERS, is_for_scripts=True)
@pages.show(ONE_IN_PROJECT + "/live", *READERS, is_for_scripts=True)
async def follow_run(visit: PageContext) -> Response:
    """The frames of a workflow as they come."""
    run = await _find_run(visit)
    return await follow_stream(visit, run.workflow_id)


@pages.act(ONE + "/gates/{gate}", *LEADERS, page=show_workflow)
@pages.act(ONE_IN_PROJECT + "/gates/{gate}", *LEADERS, page=show_workflow)
async def decide_at_gate(visit: PageContext) -> Response:
    """Approve, reject with feedback, or waive with a reason what the page has shown."""
    run = await _find_run(visit)
    sent = visit.form.get("decision", "")
    answer = next((it for it in ANSWERS if it == sent), None)
    if answer is None:
        raise Invalid("A gate is approved, rejected or waived.", code="invalid_request")
    reply = GateReply(
        run.workflow_id,
        visit.part("gate"),
        answer,
        visit.form.get("reason", ""),
        visit.form.get("artifact_hash", ""),
    )
    await gates.decide_gate(visit.api.settings, reply, actor=visit.caller.name)
    place = place_of_run(visit, run.project_id, run.workflow_id)
    return visit.go(*place, told=TOLD[answer])


@pages.act(ONE + "/cancel", *LEADERS, page=show_workflow)
@pages.act(ONE_IN_PROJECT + "/cancel", *LEADERS, page=show_workflow)
async def cancel_run(visit: PageContext) -> Response:
    """End a workflow for a reason, which stands in the audit log."""
    run = await _find_run(visit)
    visit.sent_reason()
    await gates.cancel_workflow(visit.api.settings, run.workflow_id, actor=visit.caller.name)
    place = place_of_run(visit, run.project_id, run.workflow_id)
    return visit.go(*place, told="The workflow ends: nothing more is asked or called in it.")


@pages.show(ONE + "/trajectory", *READERS)
@pages.show(ONE_IN_PROJECT + "/trajectory", *READERS)
async def show_trajectory(visit: PageContext) -> Response:
    """What the coding agents have thought, called and got back, in its order."""
    run = await _find_run(visit)
    listed = await visit.ask(
        read.list_trajectory,
        run.workflow_id,
        agent=visit.asked("agent"),
        cursor=visit.asked("cursor"),
        limit=STEPS_SHOWN,
    )
    place = place_of_run(visit, run.project_id, run.workflow_id)
    return visit.show(
        "trajectory.html", run=run, place=place, listed=listed, agent=visit.asked("agent")
    )


@pages.show(ONE + "/tasks/{task}", *READERS)
@pages.show(ONE_IN_PROJECT + "/tasks/{task}", *READERS)
async def show_task_diff(visit: PageContext) -> Response:
    """What the commit of a task has changed; tasks count from 1."""
    run = await _find_run(visit)
    detail: DeliveryDetail = await visit.ask(read_delivery, run.workflow_id)
    wanted = visit.part("task")
    task = next((it for it in detail.tasks if str(it.index + 1) == wanted), None)
    if task is None:
        raise NotFound(f"The workflow has no task {wanted}.", code="unknown_task")
    change = show_change(await read_task_diff(visit.api.settings, run, task))
    place = place_of_run(visit, run.project_id, run.workflow_id)
    return visit.show("task_diff.html", run=run, place=place, task=task, change=change)


async def _find_run(visit: PageContext) -> Workflow:
    """The run of the address, in the same words where it is not there or not theirs.

    Raises NotFound.
    """
    wanted = visit.part("workflow")
    project = str(visit.request.path_params.get("project", SERVICE_WIDE))
    run: Workflow = await visit.ask(gates.find_state, wanted)
    if run.project_id != project or not visit.caller.may_see(project):
        raise read.unknown_workflow(wanted)
    return run


async def _find_place(visit: PageContext) -> str | None:
    """Where the frames of the run stand; None: none will come."""
    wanted = visit.part("workflow")
    try:
        stream = await visit.ask(read_stream, wanted)
    except NotFound:
        return None
    ends = await visit.ask(read_ends, wanted)
    return f"{stream.epoch}-{ends.last}" if ends.last >= 0 else ""
