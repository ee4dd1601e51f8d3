"""`cairn onboard`: a project from its sources to a planned sprint, as one pipeline."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import typer

from infra.cli import service
from infra.cli.context import JSON_OPTION, connect, explain_wrong_use, login_name, resumable
from infra.cli.output import as_lines, cell, table
from infra.cli.project import KEY_OPTION, PROJECT_OPTION, quiet_clients

if TYPE_CHECKING:
    from projections.read.onboarding import PipelineEvent
    from schemas.events.pipeline import PipelineRecord

PIPELINE = typer.Argument(metavar="ID", help="Id of the pipeline.")
VERSION = typer.Option(None, help="Refuse when the pipeline is at another version.")


def register(app: typer.Typer) -> None:
    onboard = typer.Typer(
        no_args_is_help=True, help="Lead a project from its sources to a planned sprint."
    )
    app.add_typer(onboard, name="onboard")

    @onboard.command()
    def start(
        sources: list[str] = typer.Argument(None, help="Sources to read; none: what it has."),
        project: str = PROJECT_OPTION,
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Start a pipeline, and print its id. The same key again is the same pipeline."""
        settings = connect()
        quiet_clients()
        with resumable(idempotency_key) as key, explain_wrong_use():
            work = service.start_onboarding(
                settings, project, sources or (), actor=login_name(), key=key
            )
            started = asyncio.run(work)
        if as_json:
            as_lines([started.record.model_dump() | {"is_new": started.is_new}])
        else:
            print(started.record.pipeline_id)

    @onboard.command("list")
    def list_(project: str = PROJECT_OPTION, as_json: bool = JSON_OPTION) -> None:
        """List a project's pipelines, newest first."""
        found = asyncio.run(service.list_onboarding(connect(), project))
        if as_json:
            as_lines(each.record.model_dump() for each in found)
        else:
            columns = ("status", "current_stage", "version", "updated_at", "pipeline_id")
            rows = ([cell(str(getattr(each.record, name))) for name in columns] for each in found)
            table(columns, rows, "No pipelines.")

    @onboard.command()
    def show(pipeline_id: str = PIPELINE, as_json: bool = JSON_OPTION) -> None:
        """Show a pipeline, its stages and what has happened to it."""
        settings = connect()
        record = asyncio.run(service.read_onboarding(settings, pipeline_id)).record
        events = asyncio.run(service.read_onboarding_events(settings, pipeline_id))
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
        work = service.resume_onboarding(
            connect(), pipeline_id, actor=login_name(), expected_version=expected_version
        )
        _tell(asyncio.run(work), as_json=as_json)

    @onboard.command()
    def accept(
        pipeline_id: str = PIPELINE,
        expected_version: int | None = VERSION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Take the PRD as it is, although the quality gate has not passed it."""
        work = service.accept_onboarding(
            connect(), pipeline_id, actor=login_name(), expected_version=expected_version
        )
        _tell(asyncio.run(work), as_json=as_json)

    @onboard.command()
    def skip(
        pipeline_id: str = PIPELINE,
        reason: str = typer.Option(..., help="Why the stage is left out."),
        expected_version: int | None = VERSION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Leave out the stage that waits, where that is possible."""
        work = service.skip_onboarding_stage(
            connect(), pipeline_id, reason, actor=login_name(), expected_version=expected_version
        )
        _tell(asyncio.run(work), as_json=as_json)

    @onboard.command()
    def cancel(
        pipeline_id: str = PIPELINE,
        expected_version: int | None = VERSION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """End the pipeline; what it has made stays."""
        work = service.cancel_onboarding(
            connect(), pipeline_id, actor=login_name(), expected_version=expected_version
        )
        _tell(asyncio.run(work), as_json=as_json)


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
