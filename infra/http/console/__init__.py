"""The console: pages for people, rendered here, over the use cases that the API calls too."""

from __future__ import annotations

from starlette.routing import BaseRoute, Mount, Route

from infra.http.auth import CONSOLE
from infra.http.console import (
    assistant,
    building,
    chat,
    deciding,
    documents,
    editing,
    finding,
    governing,
    history,
    items,
    ledger,
    memories,
    naming,
    onboarding,
    overview,
    preferences,
    proposing,
    signing_in,
    signing_in_with,
    sources,
    team,
    upkeep,
    webhooks,
    work,
)
from infra.http.console.assets import serve_asset
from infra.http.console.pages import go_home
from infra.http.console.reference import serve_reference

AREAS = (
    *(signing_in, signing_in_with, overview, ledger, sources, documents, editing, deciding),
    *(proposing, work, chat, onboarding, team, items, history, upkeep, webhooks, finding),
    *(preferences, assistant, memories, naming, building, governing),
)


def console_routes() -> list[BaseRoute]:
    """All addresses of the console, which are below one path, and the root, which leads there; and
    `/docs`.
    """
    inside: list[BaseRoute] = [Route("/static/{version}/{name}", serve_asset)]
    for area in AREAS:
        inside += area.pages.routes
    return [
        Route("/", go_home),
        Route("/docs", serve_reference),
        Route(CONSOLE, go_home),
        Mount(CONSOLE, routes=inside),
    ]
