"""`cairn webhooks`: takes deliveries of services over HTTP until it is told to stop."""

from __future__ import annotations

import asyncio
import os

import typer
from pydantic import TypeAdapter, ValidationError

from infra import service
from infra.cli.context import connect
from infra.cli.project import quiet_clients
from infra.errors import Refusal
from infra.settings import WANTED, Listening
from infra.supervisor import named


def register(app: typer.Typer) -> None:
    @app.command()
    def webhooks(
        listen: str | None = typer.Option(
            None, "--listen", help="host:port (default: CAIRN_WEBHOOKS)."
        ),
    ) -> None:
        """Accept webhooks of services. `cairn up` starts it when CAIRN_WEBHOOKS is set."""
        settings = connect(start=False)
        address = check_address(listen) if listen else settings.webhooks
        if address is None:
            raise Refusal("No address to listen at: give --listen host:port or CAIRN_WEBHOOKS.")
        quiet_clients()
        with named(settings, os.environ, "webhooks"):
            asyncio.run(service.run_webhooks(settings, address, os.environ))


def check_address(written: str) -> str:
    """``written`` if it is host:port, as the setting has to be. Raises typer.BadParameter."""
    try:
        return TypeAdapter(Listening).validate_python(written)
    except ValidationError:
        raise typer.BadParameter(f"{written!r} is no address: {WANTED['webhooks']}.") from None
