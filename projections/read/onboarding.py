"""Onboarding pipelines as they are now, and the changes of one as the log tells them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from infra.platform.errors import NotFound
from projections.read.session import Conn, ReadModel, rows, select
from schemas.events.pipeline import PipelineRecord

NEWEST = """
    SELECT project_id, record FROM onboarding_pipelines
    WHERE project_id = %s ORDER BY created_at DESC, pipeline_id LIMIT %s
"""
ONE = "SELECT project_id, record FROM onboarding_pipelines WHERE pipeline_id = %s"
EVENTS = """
    SELECT seq, event, data, actor, occurred_at FROM onboarding_events
    WHERE pipeline_id = %s ORDER BY seq
"""
MOST_SHOWN = 100


class Pipeline(ReadModel):
    project_id: str
    record: PipelineRecord


class PipelineEvent(ReadModel):
    """One change; ``seq`` is the version that it led to."""

    seq: int
    event: str
    data: dict[str, Any]
    actor: str
    occurred_at: datetime


def list_pipelines(connection: Conn, project_id: str) -> list[Pipeline]:
    """The newest pipelines of a project, newest first."""
    return select(connection, Pipeline, NEWEST, project_id, MOST_SHOWN)


def read_pipeline(connection: Conn, pipeline_id: str) -> Pipeline:
    """One pipeline. Raises NotFound."""
    for row in rows(connection, ONE, pipeline_id):
        return Pipeline.model_validate(row)
    raise NotFound(
        f"There is no pipeline {pipeline_id}.",
        code="unknown_pipeline",
        detail={"pipeline_id": pipeline_id},
    )


def list_pipeline_events(connection: Conn, pipeline_id: str) -> list[PipelineEvent]:
    """All changes of a pipeline, oldest first, as far as the projector has read them."""
    return select(connection, PipelineEvent, EVENTS, pipeline_id)
