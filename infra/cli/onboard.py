"""`cairn onboard`: a project from its sources to a planned sprint, as one pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from infra.cli.context import JSON_OPTION, KEY_OPTION, PROJECT_OPTION, asking, connect
from infra.cli.output import as_lines, cell, table
from infra.client.models.onboarding import ExpectedVersion, OnboardingRequest, SkipRequest

if TYPE_CHECKING:
    from infra.client.models.onboarding import PipelineEvent, PipelineRecord

PIPELINE = typer.Argument(metavar="ID", help="Id of the pipeline.")
VERSION = typer.Option(None, help="Refuse when the pipeline is at another version.")

onboard = typer.Typer(
    no_args_is_help=True, help="Lead a project from its sources to a planned sprint."
)


def register(app: typer.Typer) -> None:
    app.add_typer(onboard, name="onboard")


@onboard.command()
def start(
    sources: list[str] = typer.Argument(None, help="Sources to read; none: what it has."),
    project: str = PROJECT_OPTION,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Start a pipeline, and print its id. The same key again is the same pipeline."""
    cairn = connect()
    with asking(idempotency_key) as key:
        known = cairn.project_of(project)
        body = OnboardingRequest(sources=[cairn.place_of(each) for each in sources or ()])
        started = cairn.start_onboarding(known, body, key=key)
    if as_json:
        as_lines([started.model_dump() | {"is_new": not cairn.was_repeated}])
    else:
        print(started.pipeline_id)


@onboard.command("list")
def list_(project: str = PROJECT_OPTION, as_json: bool = JSON_OPTION) -> None:
    """List a project's pipelines, newest first."""
    cairn = connect()
    found = cairn.list_onboarding(cairn.project_of(project))
    if as_json:
        as_lines(each.model_dump() for each in found)
    else:
        columns = ("status", "current_stage", "version", "updated_at", "pipeline_id")
        rows = ([cell(str(getattr(each, name))) for name in columns] for each in found)
        table(columns, rows, "No pipelines.")


@onboard.command()
def show(pipeline_id: str = PIPELINE, as_json: bool = JSON_OPTION) -> None:
    """Show a pipeline, its stages and what has happened to it."""
    cairn = connect()
    known = cairn.project_with(pipeline_id)
    record = cairn.read_onboarding(known, pipeline_id)
    events = cairn.list_onboarding_events(known, pipeline_id)
    if as_json:
        history = [each.model_dump(exclude={"data"}) for each in events]
        as_lines([record.model_dump() | {"history": history}])
    else:
        print("\n".join(render(record, events)))


@onboard.command()
def resume(
    pipeline_id: str = PIPELINE,
    expected_version: int | None = VERSION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Go on where the pipeline waits or has failed."""
    cairn, body = connect(), ExpectedVersion(expected_version=expected_version)
    found = cairn.resume_onboarding(cairn.project_with(pipeline_id), pipeline_id, body)
    _tell(found, as_json=as_json)


@onboard.command()
def accept(
    pipeline_id: str = PIPELINE,
    expected_version: int | None = VERSION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Take the PRD as it is, although the quality gate has not passed it."""
    cairn, body = connect(), ExpectedVersion(expected_version=expected_version)
    found = cairn.accept_onboarding(cairn.project_with(pipeline_id), pipeline_id, body)
    _tell(found, as_json=as_json)


@onboard.command()
def skip(
    pipeline_id: str = PIPELINE,
    reason: str = typer.Option(..., help="Why the stage is left out."),
    expected_version: int | None = VERSION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Leave out the stage that waits, where that is possible."""
    cairn, body = connect(), SkipRequest(reason=reason, expected_version=expected_version)
    found = cairn.skip_onboarding_stage(cairn.project_with(pipeline_id), pipeline_id, body)
    _tell(found, as_json=as_json)


@onboard.command()
def cancel(
    pipeline_id: str = PIPELINE,
    expected_version: int | None = VERSION,
    as_json: bool = JSON_OPTION,
) -> None:
    """End the pipeline; what it has made stays."""
    cairn, body = connect(), ExpectedVersion(expected_version=expected_version)
    found = cairn.cancel_onboarding(cairn.project_with(pipeline_id), pipeline_id, body)
    _tell(found, as_json=as_json)


def _tell(record: PipelineRecord, *, as_json: bool) -> None:
    if as_json:
        as_lines([record.model_dump()])
    else:
        print("\n".join(render(record, [])))


def render(record: PipelineRecord, events: list[PipelineEvent]) -> list[str]:
    """A pipeline as people read it: its state, its stages, then its steps."""
    lines = [f"pipeline: {record.pipeline_id}", f"status: {record.status} (v{record.version})"]
    if record.actions:
        lines.append(f"you can: {', '.join(record.actions)}")
    for stage in record.stages:
        told = stage.error or stage.reason
        lines.append(f"  {stage.name}: {stage.status}{f' ({told})' if told else ''}")
    lines += [f"{each.artifact_type}: {len(each.artifact_ids)}" for each in record.artifacts]
    for event in events:
        waits = event.data.get("reason") or event.data.get("error") or event.data.get("after", "")
        stage = event.data.get("stage", "")
        told = " ".join(filter(None, (stage, waits)))
        lines.append(f"{event.occurred_at:%Y-%m-%d %H:%M:%S} {event.event} {told}".rstrip())
    return lines
