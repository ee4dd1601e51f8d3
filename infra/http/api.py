"""What all routes share while a server runs: settings, tables, callers."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, cast

from fastapi import Depends
from starlette.requests import Request
from starlette.types import Scope

from infra.http.auth import Callers, caller_of
from infra.http.problems import Unauthenticated
from infra.platform.errors import NotFound
from infra.platform.settings import Settings
from infra.service.access.oidc_sign_in import SignIn
from infra.service.access.sessions import Sessions
from infra.service.access.stream_tokens import StreamTokens
from infra.service.connecting.received_webhooks import Deliveries
from infra.service.foundation.connections import Tables
from infra.service.reading.live_streams import Hub
from infra.service.upkeep.lag import Lag
from infra.store.tokens import Caller
from projections.read.projects import list_project_ids

KNOWN_FOR_S = 2.0


@dataclass(slots=True)
class Api:
    settings: Settings
    tables: Tables
    callers: Callers
    answers: Counter[tuple[str, int]]  # by operation and status
    hub: Hub
    stream_tokens: StreamTokens
    sessions: Sessions
    sign_in: SignIn | None  # with an issuer
    deliveries: Deliveries
    lag: Lag
    environ: Mapping[str, str]  # where secrets of connectors are looked up
    _projects: dict[str, float] = field(default_factory=dict)  # until when each counts as there

    async def check_project(self, project_id: str, caller: Caller) -> None:
        """Raises NotFound, in the same words, for a project that is not there or not theirs."""
        if caller.may_see(project_id) and await self.is_there(project_id):
            return
        raise NotFound(f"There is no project {project_id}.", code="unknown_project")

    async def is_there(self, project_id: str) -> bool:
        """Whether the project exists; one that was deleted elsewhere does not 2 s later."""
        now_s = time.monotonic()
        if self._projects.get(project_id, 0.0) > now_s:
            return True
        if project_id in await self.tables.ask(list_project_ids, project_id):
            self._projects[project_id] = now_s + KNOWN_FOR_S
            return True
        self.forget_project(project_id)
        return False

    def forget_project(self, project_id: str) -> None:
        """The project was deleted here."""
        self._projects.pop(project_id, None)


def api_of(request: Request) -> Api:
    return cast(Api, request.app.state.api)


def operation_of(scope: Scope) -> str:
    """The operation of the route that answers; empty before one was found."""
    return str(scope.get("state", {}).get("operation", ""))


# FastAPI runs a dependency that is no coroutine in a thread, which costs more than most answers.
async def _api(request: Request) -> Api:
    return api_of(request)


async def known_caller(request: Request) -> Caller:
    """The caller of a route that needs one. Raises Unauthenticated."""
    caller = caller_of(request.scope)
    if caller is None:
        raise Unauthenticated("Send a valid token.")
    return caller


@dataclass(frozen=True, slots=True)
class Write:
    """A write under way. ``repeated``: its key was there before, and it has no answer yet."""

    key: str
    repeated: bool


async def write_of(request: Request) -> Write:
    return Write(request.state.key, request.state.repeated)


ApiDep = Annotated[Api, Depends(_api)]
CallerDep = Annotated[Caller, Depends(known_caller)]
WriteDep = Annotated[Write, Depends(write_of)]
