"""`cairn quality`: judge the PRD or a feature, list the judgements, show what one found missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import typer

from infra.cli.calls import unchecked
from infra.cli.context import JSON_OPTION, KEY_OPTION, PROJECT_OPTION, asking, connect
from infra.cli.output import answer as standard_output
from infra.cli.output import as_lines, table
from infra.client.models.quality import QualityRunRequest
from infra.platform.errors import NotFound
from schemas.quality_gate import REMOVALS

if TYPE_CHECKING:
    from infra.cli.calls import Cairn
    from infra.client.models.quality import QualityRunRow
    from infra.client.models.quality_parts import QualityRunEvent

Mode = Literal["full", "light"]
OUTCOMES = {
    "passed": "Passed.",
    "needs_attention": "Needs attention.",
    "cancelled": "Cancelled.",
    "failed": "Failed.",
    "running": "Still running.",
}


def register(app: typer.Typer) -> None:
    quality = typer.Typer(help="Judge the PRD or a feature; list and show judgements.")
    app.add_typer(quality, name="quality")

    @quality.command()
    def run(
        artifact: str = typer.Argument("prd", help="`prd`, or number or id of a feature."),
        project: str = PROJECT_OPTION,
        mode: Mode | None = typer.Option(None, help="Default: full for the PRD, else light."),
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Judge an artifact by dimension, and revise what fails as far as the mode allows."""
        cairn = connect()
        with asking(idempotency_key) as key:
            known, body = cairn.project_of(project), QualityRunRequest(artifact=artifact, mode=mode)
            job = cairn.await_job(cairn.start_quality_run(known, body, key=key).job_id)
            judged = str((job.result or {})["quality_run_id"])
            show_run(cairn.read_quality_run(known, judged).run, as_json=as_json)

    @quality.command(name="list")
    def list_runs(
        project: str = PROJECT_OPTION,
        artifact: str | None = typer.Option(None, help="Only those of this artifact."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List judgements, oldest first."""
        cairn = connect()
        found = cairn.list_quality_runs(cairn.project_of(project))
        chosen = [each for each in found if artifact in (None, *_names_of(each))]
        show_runs(chosen, as_json=as_json)

    @quality.command()
    def show(
        run: str | None = typer.Argument(None, help="Id of the run (default: the PRD's latest)."),
        project: str = PROJECT_OPTION,
        events: bool = typer.Option(False, "--events", help="Show its events, one a line."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Show the scores of a judgement and what each failing section lacks."""
        cairn = connect()
        known = cairn.project_of(project)
        judged = cairn.read_quality_run(known, run or _find_latest(cairn, known))
        if events:
            show_events(judged.events, as_json=as_json)
        else:
            show_run(judged.run, as_json=as_json)


def _names_of(run: QualityRunRow) -> tuple[str | None, ...]:
    """What its artifact may be called."""
    return run.artifact_id, run.number, "prd" if run.artifact_type == "prd" else None


def _find_latest(cairn: Cairn, project_id: str) -> str:
    """The latest run over the PRD. Raises NotFound."""
    over_prd = [
        each.quality_run_id
        for each in cairn.list_quality_runs(project_id)
        if each.artifact_type == "prd"
    ]
    if not over_prd:
        raise NotFound("No quality run over a PRD yet.", code="unknown_quality_run")
    return over_prd[-1]


def show_run(run: QualityRunRow, *, as_json: bool) -> None:
    if as_json:
        as_lines([run.model_dump()])
        return
    out = standard_output()
    about = f"{run.number or run.artifact_id} version {run.artifact_version}"
    tier = f" Tier: {run.final_tier}." if run.final_tier else ""
    out.print(f"{about}: {OUTCOMES[run.status]}{tier} {run.error}".rstrip(), markup=False)
    out.print(
        f"{run.mode} mode, {run.iteration} of at most {run.max_iterations} evaluations;"
        f" sections revised: {', '.join(run.revised_sections) or 'none'}",
        markup=False,
    )
    columns = ("dimension", "tier", "completeness", "consistency", "evidence", "clarity")
    scores = (
        (
            *(one.name, one.tier, one.completeness, one.consistency),
            *(one.evidence_coverage, one.clarity),
        )
        for one in run.dimensions
    )
    table(columns, scores, "No scores.")
    for section_id, critique in _list_critiques(run):
        out.print(f"  {section_id}: {critique}", markup=False)
    if run.removed:
        out.print("Taken out, while the atoms stay in the ledger:", markup=False)
    for one in run.removed:
        why = dict(REMOVALS)[unchecked(one.reason)]
        out.print(f"  {one.section_id}: {one.text} ({why})", markup=False)


def _list_critiques(run: QualityRunRow) -> list[tuple[str, str]]:
    """What each failing section lacks, as the first dimension says that it fails."""
    said: dict[str, str] = {}
    for each in run.dimensions:
        for one in each.critiques:
            said.setdefault(one.section_id, one.critique)
    return list(said.items())


def show_runs(runs: list[QualityRunRow], *, as_json: bool) -> None:
    if as_json:
        as_lines(run.model_dump() for run in runs)
        return
    columns = (
        *("number", "artifact_version", "mode", "status", "final_tier", "iteration"),
        *("started_at", "quality_run_id"),
    )
    table(columns, ([getattr(run, name) for name in columns] for run in runs), "No run yet.")


def show_events(events: list[QualityRunEvent], *, as_json: bool) -> None:
    if as_json:
        as_lines(event.model_dump() for event in events)
        return
    rows = ((event.seq, event.event_type, event.occurred_at) for event in events)
    table(("seq", "event", "at"), rows, "No event.")
