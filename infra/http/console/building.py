"""Workflows and deliveries: which there are, which wait for a person, and another one begun.

Those of a project are on its page. The page without a project has all that somebody may see, those
of the installation with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from starlette.responses import Response

from infra.http.access import READERS, WRITERS, check_at_home
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.http.console.rendering import sentence, words
from infra.platform.errors import Forbidden, Invalid
from infra.service.access.tokens import read_owner_token
from infra.service.development import chains, starting
from infra.service.development.blame import CodeLine, blame_line
from infra.service.development.profiles import list_profiles
from infra.service.development.starting import TAKES, WorkflowRequest
from infra.store.tokens import find_caller
from infra.store.workflow_jobs import list_queued
from projections.read import workflows as read
from projections.read.workflow_blame import list_stale_runs
from schemas.envelope import SERVICE_WIDE
from schemas.events.workflow import WorkflowSettings, WorkflowType

pages = Pages()
PLACE = "/build"
IN_PROJECT = "/projects/{project}/build"
SHOWN, GATES_SHOWN, STALE_SHOWN, INPUTS_SHOWN, QUEUED_SHOWN = 50, 20, 50, 40, 20
TYPES: tuple[WorkflowType, ...] = get_args(WorkflowType)
GATES = ("draft", "verdict")


def place_of_run(visit: PageContext, project_id: str, *parts: str) -> tuple[str, ...]:
    """The address of a page of a run: below its project, if it has one."""
    root = () if project_id == SERVICE_WIDE else ("projects", project_id)
    return (*root, "build", *parts)


@pages.show(PLACE, *READERS)
@pages.show(IN_PROJECT, *READERS)
async def show_build(visit: PageContext) -> Response:
    """The workflows, newest first, the gates that wait, and what is out of date."""
    only = await _projects_of(visit)
    wanted = visit.asked_one_of("type", TYPES)
    cursor = visit.asked("cursor")
    listed = await visit.ask(
        read.list_workflows, only, workflow_type=wanted, cursor=cursor, limit=SHOWN
    )
    queued = [] if cursor else await visit.ask(list_queued, only, QUEUED_SHOWN)
    runs = [it for it in queued if wanted in (None, it.workflow_type)] + listed.items
    gates = await visit.ask(read.list_open_gates, only, GATES_SHOWN)
    stale = await visit.ask(list_stale_runs, only, STALE_SHOWN)
    inputs = [
        it
        for it in listed.items
        if it.status == "completed" and any(it.workflow_type in each for each in TAKES.values())
    ]
    return visit.show(
        "build.html",
        root=_root(visit),
        place_of_run=lambda project_id, *parts: place_of_run(visit, project_id, *parts),
        runs=runs,
        following=listed.next_cursor,
        gates=gates,
        waiting={it.workflow_id: it.gate for it in reversed(gates)},
        stale=stale,
        inputs=inputs[:INPUTS_SHOWN],
        asked={"type": wanted, "of": visit.asked("of")},
        types=TYPES,
        stages=chains.STAGES,
        optional_gates=GATES,
        profiles=_list_profiles(visit),
        named={it.project_id: it.name for it in visit.projects},
        has_home=await _has_home(visit),
        is_live=any(it.finished_at is None for it in runs),
    )


@pages.act(PLACE + "/begin", *WRITERS, page=show_build)
@pages.act(IN_PROJECT + "/begin", *WRITERS, page=show_build)
async def begin_build(visit: PageContext) -> Response:
    """Begin a workflow, or the first stage of a chain that goes on up to ``until``."""
    project = str(visit.request.path_params.get("project", visit.form.get("project", "")))
    if project:
        await visit.api.check_project(project, visit.caller)
    elif not visit.caller.may_see(SERVICE_WIDE):
        raise starting.project_missing()
    repository = visit.form.get("repository", "").strip()
    if repository:
        await _check_home(visit)
    request = WorkflowRequest(
        workflow_type=_one_of(visit, "type", TYPES),
        issue_number=visit.sent_number("issue") or 0,
        title=visit.form.get("title", "").strip(),
        text=visit.form.get("text", ""),
        project=project or None,
        repository=repository,
        profile=visit.form.get("profile", ""),
        item=visit.form.get("item", "").strip(),
        input_workflow=visit.form.get("input", ""),
        settings=WorkflowSettings(
            gates=[gate for gate in GATES if visit.form.get(f"gate_{gate}") == "on"]
        ),
        key=visit.form["key"],
    )
    settings, by = visit.api.settings, visit.caller.name
    if visit.form.get("until"):
        until = _one_of(visit, "until", chains.STAGES)
        begun = await chains.start_chain(settings, request, actor=by, until=until)
    else:
        begun = await starting.start_workflow(settings, request, actor=by)
    place = place_of_run(visit, begun.project_id, begun.workflow_id)
    return visit.go(*place, told=f"{sentence(words(begun.workflow_type))} is in the queue.")


@pages.show(PLACE + "/blame", *READERS)
async def show_blame(visit: PageContext) -> Response:
    """What a line of code rests on: its commit, the workflows behind it, and their statements."""
    await _check_home(visit)
    asked = {name: visit.asked(name) or "" for name in ("repository", "path")}
    line, blame = visit.asked_number("line"), None
    if line and asked["repository"] and asked["path"]:
        where = CodeLine(asked["repository"], asked["path"], line)
        blame = await blame_line(visit.api.settings, where, None)
    return visit.show("blame.html", asked=asked, line=line, blame=blame)


async def _projects_of(visit: PageContext) -> list[str] | None:
    """Whose workflows the page has; None: all."""
    project = visit.request.path_params.get("project") or visit.asked("of")
    if project and project != SERVICE_WIDE:
        await visit.api.check_project(str(project), visit.caller)
    elif project and not visit.caller.may_see(SERVICE_WIDE):
        raise starting.project_missing()
    if project:
        return [str(project)]
    return None if visit.caller.projects is None else sorted(visit.caller.projects)


async def _has_home(visit: PageContext) -> bool:
    """Whether the session was begun with the owner's token of the installation."""
    owner = await visit.ask(find_caller, read_owner_token(visit.api.settings))
    return owner is not None and owner.token_id == visit.caller.token_id


async def _check_home(visit: PageContext) -> None:
    """Raises Forbidden for whoever may not name folders of this machine."""
    check_at_home(replace(visit.caller, has_home=await _has_home(visit)))


def _list_profiles(visit: PageContext) -> list[str]:
    """Names of profiles; none where the file of them is unfit."""
    try:
        return [it.profile.name for it in list_profiles(visit.api.settings)]
    except (Invalid, Forbidden):
        return []


def _root(visit: PageContext) -> tuple[str, ...]:
    return place_of_run(visit, str(visit.request.path_params.get("project", SERVICE_WIDE)))


def _one_of(visit: PageContext, name: str, known: Sequence[WorkflowType]) -> WorkflowType:
    """What was chosen. Raises Invalid."""
    sent = visit.form.get(name, "")
    for one in known:
        if one == sent:
            return one
    raise Invalid(f"There is no workflow {sent!r}: {', '.join(known)}.", code="invalid_request")
