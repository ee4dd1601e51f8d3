"""The application: middleware from the outside in, then the routes.

Routes are checked before anything of a request is parsed (`access.py`). No request
leaves a task behind: what takes long is a job or a run, and is answered when it is recorded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from types import MappingProxyType
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from infra.http.api import Api, operation_of
from infra.http.auth import Authenticate, Callers, is_of_console
from infra.http.bodies import MAX_BODY_BYTES
from infra.http.console import console_routes
from infra.http.console.pages import ProblemPages, show_problem
from infra.http.hosts import CheckHost, CheckOrigin, host_of
from infra.http.openapi import describe
from infra.http.problems import Correlate, respond
from infra.http.rates import LimitOpen, LimitRate
from infra.http.receiving import Linger, ReceiveBodies, Receptions
from infra.http.routes import AREAS, mcp_endpoint
from infra.http.transfer import AnswerHead
from infra.platform.background import in_background
from infra.platform.errors import Refusal
from infra.platform.machine_paths import hide_paths_of
from infra.platform.settings import Settings
from infra.service.access.oidc import Issuer
from infra.service.access.oidc_sign_in import SignIn
from infra.service.access.sessions import Sessions
from infra.service.access.stream_tokens import StreamTokens
from infra.service.connecting.received_webhooks import Deliveries
from infra.service.foundation.connections import Tables
from infra.service.foundation.publishing import share_producer
from infra.service.reading.live_streams import Hub
from infra.service.upkeep.cleanup import keep_up
from infra.service.upkeep.lag import Lag

METHODS = ("DELETE", "GET", "PATCH", "POST", "PUT")
NO_SECRETS: Mapping[str, str] = MappingProxyType({})


def create_app(settings: Settings, environ: Mapping[str, str] = NO_SECRETS) -> FastAPI:
    """The API over the servers that ``settings`` name; it connects when it is first asked.

    Secrets of connectors are looked up in ``environ``.
    """
    api = _connect(settings, environ)
    app = FastAPI(
        title="Cairn",
        version="1",
        openapi_url=None,  # a route of our own, which says who may read it
        docs_url=None,
        redoc_url=None,
        lifespan=partial(_serving, api),
        max_body_size=MAX_BODY_BYTES,
        generate_unique_id_function=_operation_id,
        separate_input_output_schemas=False,
        redirect_slashes=False,
        middleware=_middleware(api),
        exception_handlers={
            kind: _answer for kind in (Refusal, RequestValidationError, HTTPException)
        },
    )
    app.state.hide = partial(hide_paths_of, settings)
    app.state.api = api
    _add_routes(app)
    describe(app)
    return app


def _connect(settings: Settings, environ: Mapping[str, str]) -> Api:
    tables = Tables(settings)
    issuer = Issuer(settings) if settings.oidc_issuer else None
    return Api(
        settings=settings,
        tables=tables,
        callers=Callers(settings, tables, issuer),
        answers=Counter(),
        hub=Hub(settings, tables),
        stream_tokens=StreamTokens(settings),
        sessions=Sessions(settings),
        sign_in=SignIn(settings, issuer) if issuer and settings.oidc_client_id else None,
        deliveries=Deliveries(settings, environ),
        lag=Lag(settings),
        environ=environ,
    )


@asynccontextmanager
async def _serving(api: Api, app: FastAPI) -> AsyncIterator[None]:
    """What runs beside the requests from start to stop."""
    async with (
        mcp_endpoint.serving_mcp() as app.state.mcp,
        api.hub.running(),
        api.deliveries.running(),
        share_producer(api.settings),
        in_background(keep_up(api.settings, api.tables)),
        in_background(api.lag.keep_asking()),
    ):
        yield
    api.tables.close()


def _middleware(api: Api) -> list[Middleware]:
    """From the outside in."""
    settings = api.settings
    return [
        Middleware(ProxyHeadersMiddleware, trusted_hosts=settings.http_proxies or ""),
        Middleware(Linger),
        Middleware(Correlate),
        Middleware(AnswerHead),
        Middleware(CountAnswers, answers=api.answers),
        Middleware(CheckHost, hosts=_hosts(settings)),
        Middleware(ProblemPages),
        Middleware(CheckOrigin),
        Middleware(
            Authenticate,
            callers=api.callers,
            stream_tokens=api.stream_tokens,
            sessions=api.sessions,
        ),
        Middleware(LimitRate, per_s=settings.http_rate),
        Middleware(LimitOpen, per_s=settings.http_rate),
        Middleware(ReceiveBodies, receptions=Receptions()),
    ]


def _add_routes(app: FastAPI) -> None:
    for area in AREAS:
        app.include_router(area)
    app.state.areas = tuple(sorted({str(tag) for area in AREAS for tag in area.tags}))
    app.router.routes.extend(console_routes())
    app.include_router(mcp_endpoint.router)  # a protocol of its own: the document has no word of it


class CountAnswers:
    """Counts the answers by operation and status, for `/metrics`.

    What no route has answered (an unknown path or host, a rate) has an empty operation.
    """

    def __init__(self, app: ASGIApp, answers: Counter[tuple[str, int]]) -> None:
        self.app = app
        self.answers = answers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.answers[operation_of(scope), message["status"]] += 1
            await send(message)

        await self.app(scope, receive, tell)


async def _answer(request: Any, error: Exception) -> Any:
    if isinstance(error, HTTPException) and error.status_code == 405:
        error = HTTPException(405, headers={"Allow": ", ".join(_methods_at(request))})
    return (show_problem if is_of_console(request.scope) else respond)(request, error)


def _methods_at(request: Request) -> list[str]:
    """All methods of a path; each of its routes knows its own alone."""
    routes = request.app.router.routes
    found = [
        method
        for method in METHODS
        if any(
            route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes
        )
    ]
    return sorted([*found, "HEAD"]) if "GET" in found else found


def _operation_id(route: APIRoute) -> str:
    return route.name


def _hosts(settings: Settings) -> set[str]:
    named = {host.strip() for host in (settings.http_hosts or "").split(",")}
    return named | ({host_of(settings.http)} if settings.http else set())
