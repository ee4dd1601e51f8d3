"""`cairn intake`: what webhooks delivered becomes sources, testimony and deltas."""

from __future__ import annotations

import asyncio
import os

import typer

from infra.cli.context import locate
from infra.cli.project import quiet_clients
from infra.runtime.supervisor import named


def register(app: typer.Typer) -> None:
    @app.command()
    def intake() -> None:
        """Process delivered webhooks. `cairn up` starts it by itself."""
        from infra.service.connecting.intake import run_intake

        settings = locate()
        quiet_clients()
        with named(settings, os.environ, "intake"):
            asyncio.run(run_intake(settings, os.environ))
