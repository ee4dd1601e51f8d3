"""Pipelines in the database: a change and its fact commit together, or neither does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import psycopg.types.json
from pydantic import BaseModel

from infra.platform import postgres
from infra.platform.errors import Conflict, NotFound
from infra.store.jobs.outbox import Conn, add_fact
from schemas import onboarding
from schemas.envelope import Actor
from schemas.events.pipeline import PipelineChanged, PipelineRecord
from schemas.ids import derive_id

Step = Callable[..., PipelineChanged]
"""Takes the pipeline and, as ``at``, the time of the change. Raises IllegalMove."""

CREATE = (
    "INSERT INTO onboarding_pipelines (pipeline_id, project_id, idempotency_key, version, status,"
    " record) VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"
)
CHANGE = (
    "UPDATE onboarding_pipelines SET version = %s, status = %s, record = %s, updated_at = now()"
    " WHERE pipeline_id = %s"
)
LOCK = (
    "SELECT project_id, record, now() FROM onboarding_pipelines WHERE pipeline_id = %s FOR UPDATE"
)


def create_pipeline(
    connection: Conn, project_id: str, key: str, sources: list[str], actor: Actor
) -> tuple[PipelineRecord, bool]:
    """The pipeline of this key, and whether it is new."""
    pipeline_id = derive_id("onb", project_id, key)
    with connection.transaction():
        at = postgres.read_time(connection)
        by = f"{actor.type}:{actor.id}"
        started = onboarding.start(pipeline_id, key, sources, created_by=by, at=at)
        new = started.pipeline
        values = (pipeline_id, project_id, key, new.version, new.status, _json(new))
        if connection.execute(CREATE.encode(), values).rowcount:
            _tell(connection, started, project_id, actor, at)
            return new, True
        return _locked(connection, pipeline_id)[1], False


def change_pipeline(
    connection: Conn,
    pipeline_id: str,
    steps: Sequence[Step],
    actor: Actor,
    expected_version: int | None = None,
) -> PipelineRecord:
    """The pipeline after all ``steps``, each of which has its own version and fact.

    Raises NotFound; Conflict when it is at another version than expected, with the pipeline as it
    is in its detail, or when a step is not legal now.
    """
    with connection.transaction():
        project_id, pipeline, at = _locked(connection, pipeline_id)
        if expected_version not in (None, pipeline.version):
            raise Conflict(
                f"The pipeline is at version {pipeline.version}, not at {expected_version}:"
                " look at it again.",
                code="stale_version",
                detail={"pipeline": pipeline.model_dump(mode="json")},
            )
        for step in steps:
            try:
                changed = step(pipeline, at=at)
            except onboarding.IllegalMove as error:
                raise Conflict(
                    str(error), code="illegal_move", detail={"pipeline_id": pipeline_id}
                ) from None
            pipeline = changed.pipeline
            connection.execute(
                CHANGE.encode(), (pipeline.version, pipeline.status, _json(pipeline), pipeline_id)
            )
            _tell(connection, changed, project_id, actor, at)
        return pipeline


def _locked(connection: Conn, pipeline_id: str) -> tuple[str, PipelineRecord, datetime]:
    row = connection.execute(LOCK.encode(), (pipeline_id,)).fetchone()
    if row is None:
        raise NotFound(
            f"There is no pipeline {pipeline_id}.",
            code="unknown_pipeline",
            detail={"pipeline_id": pipeline_id},
        )
    return row[0], PipelineRecord.model_validate(row[1]), row[2]


def _tell(
    connection: Conn, changed: PipelineChanged, project_id: str, actor: Actor, at: datetime
) -> None:
    add_fact(
        connection,
        changed,
        project_id=project_id,
        occurred_at=at,
        actor=actor,
        correlation_id=changed.aggregate_id,
    )


def _json(model: BaseModel) -> psycopg.types.json.Jsonb:
    return psycopg.types.json.Jsonb(model.model_dump(mode="json"))
