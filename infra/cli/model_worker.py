"""`cairn model-worker`: makes the calls of model providers until it is told to stop."""

from __future__ import annotations

import os
from functools import partial

import typer

from infra.cli.context import load
from infra.runtime.supervisor import named, tell_ready


def register(app: typer.Typer) -> None:
    @app.command("model-worker")
    def model_worker(
        recycle_after: int = typer.Option(
            5_000, min=1, help="Calls after which it loads itself anew, to give back memory."
        ),
    ) -> None:
        """Make the calls of model providers. `cairn up` starts it where one is configured."""
        from infra.service.models.worker import run_model_worker

        settings = load()
        with named(settings, os.environ, "model-worker"):
            ready = partial(tell_ready, settings, os.environ)
            run_model_worker(settings, os.environ, ready, recycle_after)
