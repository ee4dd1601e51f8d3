"""Chains of stages: issue, design, specification and code, each from what the one before it has
come to, and only from what was approved there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from infra.platform.errors import Invalid
from infra.platform.settings import Settings
from infra.service.development.starting import (
    BegunWorkflow,
    WorkflowRequest,
    enqueue_run,
    make_input,
    start_workflow,
)
from infra.service.development.workflow_events import read_workflow_events
from infra.service.foundation.database import wait_until_shown
from projections.read import workflows as read
from projections.read.session import Conn
from projections.read.workflows import WorkflowArtifact
from schemas.envelope import SERVICE_WIDE
from schemas.events.workflow import WorkflowStarted, WorkflowType
from schemas.ids import chain_id, workflow_id

STAGES: tuple[WorkflowType, ...] = (
    "issue",
    "requirements",
    "implementation_spec",
    "tdd_implementation",
)


async def start_chain(
    settings: Settings,
    request: WorkflowRequest,
    *,
    actor: str,
    until: WorkflowType = STAGES[-1],
) -> BegunWorkflow:
    """Begin the first stage of a chain that goes from ``request.workflow_type`` to ``until``.

    Raises what `start_workflow` raises.
    """
    stages = _stages_between(request.workflow_type, until)
    chain = chain_id(request.project or SERVICE_WIDE, request.key)
    first = replace(request, chain_id=chain, next_types=stages[1:])
    return await start_workflow(settings, first, actor=actor)


async def begin_next_stage(
    settings: Settings, project_id: str, workflow: str
) -> BegunWorkflow | None:
    """The stage of the chain that follows a completed run is in the queue, once; None where none
    follows. Raises Conflict where the artifact is not the one that was approved.
    """
    events = await read_workflow_events(settings, workflow, waits=True)
    started = events[0].event
    assert isinstance(started, WorkflowStarted)
    if not started.next_types:
        return None
    look = partial(_find_approved, workflow)
    artifact = await wait_until_shown(settings, look, "The artifact", workflow_id=workflow)
    stage, *rest = started.next_types
    key = f"{started.chain_id}|{stage}"
    fields = dict(started) | {
        "workflow_id": workflow_id(project_id, key),
        "workflow_type": stage,
        "next_types": rest,
        "settings": started.settings.model_copy(update={"is_reviewed": True}),
        "input": make_input(artifact, workflow),
    }
    return await enqueue_run(settings, project_id, WorkflowStarted.model_validate(fields), key)


def _find_approved(workflow: str, tables: Conn) -> WorkflowArtifact | None:
    return read.find_approved_artifact(tables, workflow)


def _stages_between(first: WorkflowType, last: WorkflowType) -> Sequence[WorkflowType]:
    """Raises Invalid where ``last`` does not follow ``first``."""
    if first in STAGES and last in STAGES and STAGES.index(first) <= STAGES.index(last):
        return STAGES[STAGES.index(first) : STAGES.index(last) + 1]
    raise Invalid(
        f"A chain goes through {', '.join(STAGES)} in this order, not from {first} to {last}.",
        code="chain_invalid",
    )
