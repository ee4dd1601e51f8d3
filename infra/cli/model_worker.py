"""`cairn model-worker`: makes the calls of model providers until it is told to stop."""

from __future__ import annotations

import os
from functools import partial

import typer

from infra.cli.context import load
from infra.supervisor import named, tell_ready


def register(app: typer.Typer) -> None:
    @app.command("model-worker")
    def model_worker() -> None:
        """Make the calls of model providers. `cairn up` starts it where one is configured."""
        from infra.service.model_worker import run_model_worker

        settings = load()
        with named(settings, os.environ, "model-worker"):
            run_model_worker(settings, os.environ, partial(tell_ready, settings, os.environ))
