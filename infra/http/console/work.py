"""What runs, what it costs, who decided what, and who asked for which write."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.responses import Response

from infra.http.access import LEADERS, MOVERS, OBSERVERS, OWNERS, READERS
from infra.http.console.charts import draw_bars
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.http.console.rendering import minute
from infra.platform.errors import Invalid, NotFound
from infra.service.ingesting import runs
from infra.service.ingesting.runs import RunRequest
from infra.service.jobs import jobs
from infra.service.models import costs
from infra.store.requests import list_audit
from projections.read import dead_letters, decision_list, throughput
from projections.read import runs as runs_read
from projections.read.batches import list_batches, list_last_batches, read_batch
from projections.read.costs import read_costs
from projections.read.jobs import list_jobs, read_job
from projections.read.runs import list_phases
from schemas.events.project import BUDGET_SCOPES
from schemas.model_reading import describe_owed

pages = Pages()
THROUGHPUT = (
    ("revisions", "Source revisions cleaned"),
    ("chunks", "Chunks read"),
    ("change_sets", "Change sets of the ledger"),
    ("versions", "Versions written"),
)
LISTS = ("runs", "jobs", "letters")
SHOWN = 50
LINES_DRAWN, DAYS_DRAWN = 20, 60  # bars of a chart; the table has all
OF_EACH = 25  # of the three lists of a page
Move = Callable[..., Awaitable[RunRequest]]


@pages.show("/projects/{project}/runs", *OBSERVERS)
async def list_runs(visit: PageContext) -> Response:
    """Runs and jobs, newest first, and dead letters; each list has its own pages."""
    project, cursors = visit.project_id, {name: visit.asked(name) for name in LISTS}
    spans = await visit.ask(throughput.read_throughput, project)
    return visit.show(
        "runs.html",
        runs=await visit.ask(
            runs_read.list_runs, project, newest_first=True, cursor=cursors["runs"], limit=OF_EACH
        ),
        jobs=await visit.ask(list_jobs, project, cursor=cursors["jobs"], limit=OF_EACH),
        letters=await visit.ask(
            dead_letters.list_dead_letters, only=[project], cursor=cursors["letters"], limit=OF_EACH
        ),
        cursors=cursors,
        spans=spans,
        charts=[
            (name, title, draw_bars([(minute(it.begins_at), getattr(it, name)) for it in spans]))
            for name, title in THROUGHPUT
        ],
    )


@pages.show("/projects/{project}/runs/{run}", *OBSERVERS)
async def show_run(visit: PageContext) -> Response:
    """A run: its phases, and why its batches hold what they hold."""
    run_id = visit.part("run")
    found = await visit.ask(runs_read.list_runs, visit.project_id, run_id=run_id, limit=1)
    if not found.items:
        raise NotFound(f"There is no run {run_id}.", code="unknown_run")
    phases = await visit.ask(list_phases, visit.project_id, run_id)
    batches = await visit.ask(
        list_batches,
        visit.project_id,
        run_id,
        newest_first=True,
        cursor=visit.asked("cursor"),
        limit=SHOWN,
    )
    wanted = visit.asked_number("batch")
    if wanted is None:
        hints = await visit.ask(list_last_batches, visit.project_id, run_id=run_id)
    else:
        hints = [await visit.ask(read_batch, visit.project_id, run_id, wanted)]
    return visit.show(
        "run.html",
        run=found.items[0],
        phases=phases.get(run_id, []),
        batches=batches,
        chosen=hints[0] if hints else None,
        is_last=wanted is None,
        can_move=visit.caller.role in MOVERS,
    )


@pages.act("/projects/{project}/runs/{run}/cancel", *MOVERS, page=show_run)
async def cancel_run(visit: PageContext) -> Response:
    """End a run at its next batch border, for a reason."""
    return await _move(visit, runs.cancel_run, "The run ends.", reason=visit.sent_reason())


@pages.act("/projects/{project}/runs/{run}/resume", *MOVERS, page=show_run)
async def resume_run(visit: PageContext) -> Response:
    """Begin a new run over what an ended run left, with what it gave up where that is wanted."""
    retry = visit.form.get("retry_poison") == "yes"
    told = "A new run reads the rest."
    return await _move(visit, runs.resume_run, told, retry_poison=retry)


@pages.act("/projects/{project}/runs/{run}/accept-removals", *LEADERS, page=show_run)
async def accept_removals(visit: PageContext) -> Response:
    """Remove the sources that the run holds back, for a reason."""
    visit.sent_reason()
    await runs.accept_removals(
        visit.api.settings, visit.project_id, visit.part("run"), actor=visit.caller.name
    )
    return _show_run(visit, "The sources are removed.")


async def _move(visit: PageContext, move: Move, told: str, **more: str | bool) -> Response:
    """Ask for something of a run of the project."""
    run_id = visit.part("run")
    found = await visit.ask(runs_read.list_runs, visit.project_id, run_id=run_id, limit=1)
    if not found.items:
        raise NotFound(f"There is no run {run_id}.", code="unknown_run")
    await move(visit.api.settings, run_id, actor=visit.caller.name, key=visit.form["key"], **more)
    return _show_run(visit, told)


def _show_run(visit: PageContext, told: str) -> Response:
    return visit.go("projects", visit.project_id, "runs", visit.part("run"), told=told)


@pages.act("/projects/{project}/jobs/{job}/decide", *LEADERS)
async def decide_job(visit: PageContext) -> Response:
    """Cancel a job, or try it again."""
    job_id = visit.part("job")
    job = await visit.ask(read_job, job_id)
    if job.project_id != visit.project_id:
        raise NotFound(f"There is no job {job_id}.", code="unknown_job")
    match visit.form.get("decision"):
        case "cancel":
            await jobs.cancel_job(visit.api.settings, job_id, actor=visit.caller.name)
            told = "The job is cancelled."
        case "retry":
            await jobs.retry_job(visit.api.settings, job_id, actor=visit.caller.name)
            told = "The job is queued again."
        case _:
            raise Invalid("Say what is to be done with the job.", code="invalid_request")
    return visit.go("projects", visit.project_id, "runs", told=told)


@pages.show("/projects/{project}/costs", *OBSERVERS)
async def show_costs(visit: PageContext) -> Response:
    """What models have cost, by what is asked for, and the budgets."""
    group = costs.check_group(visit.asked("by") or "agent")
    found = await visit.ask(read_costs, visit.project_id, group)
    drawn = found.lines[-DAYS_DRAWN:] if group == "day" else found.lines[:LINES_DRAWN]
    return visit.show(
        "costs.html",
        costs=found,
        owed=describe_owed(found.by_rules),
        drawn=drawn,
        chart=draw_bars([(it.key, it.cost_usd) for it in drawn]),
        budgets=await visit.ask(costs.list_budget_states, visit.project_id),
        group=group,
        scopes=BUDGET_SCOPES,
        can_lead=visit.leads,
    )


@pages.show("/projects/{project}/decisions", *READERS)
async def list_decisions(visit: PageContext) -> Response:
    """What people decided, and what the ledger answered, newest first."""
    listed = await visit.ask(
        decision_list.list_decisions,
        visit.project_id,
        newest_first=True,
        cursor=visit.asked("cursor"),
        limit=SHOWN,
    )
    return visit.show("decisions.html", listed=listed)


@pages.show("/projects/{project}/audit", *OWNERS)
async def list_writes(visit: PageContext) -> Response:
    """Every write that was asked for over HTTP, newest first."""
    listed = await visit.ask(
        list_audit,
        visit.project_id,
        newest_first=True,
        cursor=visit.asked("cursor"),
        limit=SHOWN,
    )
    return visit.show("audit.html", listed=listed)
