"""One prompt with the driver of a profile, in a scratch workspace, for a person to watch."""

from __future__ import annotations

import asyncio
import itertools
import os
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Literal

from agents.development.drivers.failures import DriverFailed
from agents.development.errors import ConfigurationError, SandboxError
from agents.development.ports import Driver, Reply, Spent, StreamEvent, Toolbox
from agents.development.profiles import Profile
from agents.models.call import ModelAnswer, ModelRequest, Usage
from agents.models.prices import PriceTable
from agents.models.programs import Programs
from agents.models.watch import Attempt, Outcome
from infra.platform.clock import SystemClock
from infra.platform.errors import Conflict
from infra.platform.settings import Settings
from infra.service.development.api_models import (
    ModelAccess,
    find_direct_access,
    is_served,
    settle_model,
)
from infra.service.development.drivers import (
    DriverParts,
    DriverPlace,
    make_driver,
)
from infra.service.development.profiles import find_profile
from infra.service.development.sandbox import layout_of, make_toolbox
from infra.service.foundation.programs import MachinePrograms
from infra.service.models.file import read_price_table
from infra.service.models.proxy import open_proxy
from projections.read.session import ReadModel
from schemas.envelope import SERVICE_WIDE
from schemas.ids import workflow_id

TrialFailure = Literal["transient", "idle", "ceiling", "permanent", "sandbox"]
AGENT = "trial"
CEILING_S = 140.0  # shorter than a client waits
MOST_EVENTS = 500
MOST_FILES = 200
SYSTEM = (
    "You work in an empty folder that is thrown away afterwards. Do what is asked, and say briefly"
    " what you have done."
)


class ProfileTrial(ReadModel):
    """What a driver has done with one prompt. ``failure`` None: it has come to its end.

    ``events``: the first of them in order; ``left_out`` counts the rest. ``files``: paths that are
    in the workspace afterwards. ``cost_usd`` None: a price is not known.
    """

    profile: str
    driver: str
    sandbox: str
    events: list[StreamEvent]
    left_out: int
    text: str
    files: list[str]
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    is_estimated: bool
    failure: TrialFailure | None
    reason: str


async def try_profile(
    settings: Settings,
    environ: Mapping[str, str],
    name: str,
    prompt: str,
    *,
    key: str,
    programs: Programs | None = None,
) -> ProfileTrial:
    """Give the driver of a profile one prompt. A driver that fails is an answer.

    Raises NotFound, Invalid, Forbidden for the file of the profiles, Conflict for a profile that
    does not fit, Unavailable where it needs the model worker and none runs.
    """
    profile = settle_model(settings, find_profile(settings, name), environ)
    place = workflow_id(SERVICE_WIDE, key)
    with tempfile.TemporaryDirectory(prefix="cairn-trial-", ignore_cleanup_errors=True) as folder:
        workspace = Path(folder) / "workspace"
        workspace.mkdir()
        seen = _Seen()
        try:
            async with _open_access(settings, environ, profile, place) as access:
                parts = DriverParts(
                    prices=read_price_table(settings),
                    programs=programs or MachinePrograms(),
                    layout=layout_of(settings),
                    environ=environ,
                    access=access,
                    toolbox=await _make_toolbox(settings, profile, workspace),
                    ceiling_s=CEILING_S,
                )
                driver = make_driver(profile, DriverPlace(workspace, place, AGENT), parts)
                await _watch(driver, prompt, seen)
        except ConfigurationError as error:
            raise Conflict(str(error), code="profile_unfit") from error
        except DriverFailed as error:
            seen.failure, seen.reason, seen.spent = error.failure, str(error), error.spent
        except SandboxError as error:
            seen.failure, seen.reason = "sandbox", str(error)
        files = await asyncio.to_thread(_list_files, workspace)
    return seen.word(profile, files)


class _Seen:
    def __init__(self) -> None:
        self.events: list[StreamEvent] = []
        self.left_out = 0
        self.text = self.reason = ""
        self.spent = Spent()
        self.failure: TrialFailure | None = None

    def take(self, part: StreamEvent | Reply) -> None:
        if isinstance(part, Reply):
            self.text, self.spent = part.text, part.spent
        elif len(self.events) < MOST_EVENTS:
            self.events.append(part)
        else:
            self.left_out += 1

    def word(self, profile: Profile, files: list[str]) -> ProfileTrial:
        return ProfileTrial(
            profile=profile.name,
            driver=profile.driver,
            sandbox=profile.sandbox,
            events=self.events,
            left_out=self.left_out,
            text=self.text,
            files=files,
            input_tokens=self.spent.input_tokens,
            output_tokens=self.spent.output_tokens,
            cost_usd=self.spent.cost_usd,
            is_estimated=self.spent.is_estimated,
            failure=self.failure,
            reason=self.reason,
        )


async def _watch(driver: Driver, prompt: str, seen: _Seen) -> None:
    """Raises DriverFailed, SandboxError."""
    try:
        async with (
            asyncio.timeout(CEILING_S),
            aclosing(driver.prompt_agentic(prompt, SYSTEM)) as parts,
        ):
            async for part in parts:
                seen.take(part)
    except TimeoutError:
        message = f"{driver.name}: the trial took longer than {CEILING_S:g} s and was ended."
        raise DriverFailed("ceiling", message) from None


@asynccontextmanager
async def _open_access(
    settings: Settings, environ: Mapping[str, str], profile: Profile, place: str
) -> AsyncIterator[ModelAccess | None]:
    """The model proxy where a provider of the service has the model, else what the environment
    opens; None: not needed, or nothing is there.

    Raises Unavailable where no model worker runs, Invalid.
    """
    if profile.driver != "api" or not profile.model:
        yield None
    elif not is_served(settings, profile.model, environ):
        yield find_direct_access(environ)
    else:
        proxy = open_proxy(
            settings,
            _TrialWatch(read_price_table(settings)),
            project_id=SERVICE_WIDE,
            workflow_id=place,
            agent=AGENT,
            models=(profile.model,),
            ttl_s=2 * CEILING_S,
        )
        async with proxy as access:
            yield ModelAccess(access.base_url, access.token, access.socket)


class _TrialWatch:
    """A trial is of no project: nothing is set aside for it, and nobody's costs have it."""

    def __init__(self, prices: PriceTable) -> None:
        self._prices = prices
        self._calls = itertools.count(1)

    async def find(self, request: ModelRequest) -> ModelAnswer | None:
        return None

    async def reserve(self, attempt: Attempt, estimate: Usage) -> str:
        return f"trial-{next(self._calls)}"

    async def settle(self, call_id: str, attempt: Attempt, outcome: Outcome) -> float | None:
        model, today = outcome.served_model, SystemClock().now().date()
        return self._prices.cost_of(
            attempt.provider, model, outcome.usage, today, requested_model=attempt.model
        )

    async def record(self, request: ModelRequest, answer: ModelAnswer) -> None:
        pass


async def _make_toolbox(settings: Settings, profile: Profile, workspace: Path) -> Toolbox | None:
    """Raises SandboxError when there are no walls around commands."""
    if profile.driver != "api" or profile.sandbox != "none":
        return None
    return await make_toolbox(settings, workspace, allowlist=profile.allowlist)


def _list_files(workspace: Path) -> list[str]:
    paths = (
        str(Path(folder, name).relative_to(workspace))
        for folder, _, names in os.walk(workspace)
        for name in names
    )
    return sorted(paths)[:MOST_FILES]
