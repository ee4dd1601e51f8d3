"""`cairn web`: serves the HTTP API and takes webhooks until it is told to stop."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial

import typer
from pydantic import TypeAdapter, ValidationError

from infra.cli.context import locate
from infra.cli.project import quiet_clients
from infra.platform.settings import WANTED, Listening, Settings
from infra.runtime import supervisor
from infra.runtime.local.http_address import choose_address


def register(app: typer.Typer) -> None:
    @app.command()
    def web(
        listen: str | None = typer.Option(
            None, "--listen", help="host:port (default: CAIRN_HTTP, or a free loopback port)."
        ),
    ) -> None:
        """Serve the HTTP API and webhooks. `cairn up` starts it by itself."""
        settings = locate()
        address = check_address(listen) if listen else choose_address(settings)
        quiet_clients()
        with supervisor.named(settings, os.environ, "web"):
            tell_ready = partial(supervisor.tell_ready, settings, os.environ)
            serve_api(settings, os.environ, address, tell_ready)


def serve_api(
    settings: Settings,
    environ: Mapping[str, str],
    address: str,
    tell_ready: Callable[[], None],
) -> None:
    """Serve at ``address`` until told to stop; also for a process of the bench."""
    from infra.http.serve import serve

    serve(settings, environ, address, tell_ready)


def check_address(written: str) -> str:
    """``written`` if it is host:port, as the setting has to be. Raises typer.BadParameter."""
    try:
        return TypeAdapter(Listening).validate_python(written)
    except ValidationError:
        raise typer.BadParameter(f"{written!r} is no address: {WANTED['http']}.") from None
