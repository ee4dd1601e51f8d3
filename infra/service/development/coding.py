"""What agents that write code work with on this machine: files, walls, tests and a driver."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from agents.development.ports import Driver
from agents.development.profiles import Profile
from infra.platform.clock import SystemClock
from infra.service.development.api_models import ModelAccess, find_direct_access, is_served
from infra.service.development.containers.lines import Refusal
from infra.service.development.drivers import (
    DriverParts,
    DriverPlace,
    make_driver,
)
from infra.service.development.repositories import find_git_dir
from infra.service.development.roles import check_coder
from infra.service.development.run_tests import WalledTests
from infra.service.development.run_tools import NotedTools
from infra.service.development.run_trees import RunTrees, branch_of
from infra.service.development.sandbox import WallsRunner, layout_of, make_toolbox, open_walls
from infra.service.development.session_files import FileSessions
from infra.service.development.workflow_log import WorkflowLog, WorkflowPlace
from infra.service.development.workflow_ports import FOLDER
from infra.service.foundation.job_kind import Workplace
from infra.service.foundation.programs import MachinePrograms
from infra.service.models.file import read_price_table
from infra.service.models.models import open_watch
from infra.service.models.proxy import open_proxy
from schemas.events.workflow import AgentEventRecorded, WorkflowStarted

DEVELOPER = "developer"
TOKEN_S = 12 * 3_600.0  # a job of a run takes less


@dataclass(frozen=True, slots=True)
class CodingParts:
    """``tests`` runs the check of the profile; None: it has none."""

    driver: Driver
    trees: RunTrees
    tools: NotedTools
    tests: WalledTests | None


@asynccontextmanager
async def open_coding(
    place: Workplace,
    log: WorkflowLog,
    run: WorkflowPlace,
    started: WorkflowStarted,
    profile: Profile,
) -> AsyncIterator[CodingParts]:
    """Open for the block. Raises ConfigurationError, SandboxError."""
    settings, folder = place.settings, place.settings.home / FOLDER / run.workflow_id
    check_coder(profile, started.drafter_family, started.reviewer_family)
    workspace, git_dir = folder / "work", find_git_dir(started.repository)
    branch = branch_of(started.issue.number, run.workflow_id)
    trees = RunTrees(workspace, git_dir, branch, started.commit, SystemClock().now)
    workspace.mkdir(parents=True, exist_ok=True)
    box = await make_toolbox(settings, workspace, git_dir=git_dir, allowlist=profile.allowlist)
    tools = NotedTools(box)
    tests = None
    if profile.validator_argv:
        runner = WallsRunner(await open_walls(settings), workspace, git_dir)
        tests = WalledTests(runner, profile.validator_argv)
    async with AsyncExitStack() as stack:
        parts = DriverParts(
            prices=read_price_table(settings),
            programs=MachinePrograms(),
            layout=layout_of(settings),
            environ=place.environ,
            access=await _find_access(stack, place, run, profile),
            toolbox=tools,
            sessions=FileSessions(folder / "sessions"),
            record_refusal=partial(_note, tools),
        )
        number = 1 + sum(1 for _ in log.all_of(AgentEventRecorded))
        agent = DriverPlace(workspace, run.workflow_id, DEVELOPER, first_number=number)
        yield CodingParts(make_driver(profile, agent, parts), trees, tools, tests)


async def _find_access(
    stack: AsyncExitStack, place: Workplace, run: WorkflowPlace, profile: Profile
) -> ModelAccess | None:
    """The model proxy for a model of this installation, else what the environment opens; None: the
    profile's driver has a sign-in of its own, or nothing is there.
    """
    if profile.driver != "api":
        return None
    settings, model = place.settings, profile.model or ""
    if not is_served(settings, model):
        return find_direct_access(place.environ)
    watch = await stack.enter_async_context(open_watch(settings))
    opened = open_proxy(
        settings,
        watch,
        project_id=run.project_id,
        workflow_id=run.workflow_id,
        agent=DEVELOPER,
        models=[model],
        ttl_s=TOKEN_S,
        run_id=run.workflow_id,
    )
    proxy = await stack.enter_async_context(opened)
    return ModelAccess(proxy.base_url, proxy.token, proxy.socket)


async def _note(tools: NotedTools, refusal: Refusal) -> None:
    tools.note(refusal.layer, refusal.tool, "", refusal.reason)
