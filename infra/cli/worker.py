"""`cairn worker`: runs stages of the stream until it is told to stop."""

import os

import typer

from infra.cli.context import locate
from infra.platform import loop
from infra.platform.findings import remember_damage
from infra.runtime.supervisor import named, tell_ready


def register(app: typer.Typer) -> None:
    @app.command()
    def worker(
        stages: str = typer.Option(
            "all", "--stages", help="`reading`, `deciding`, `all`, or names with commas between."
        ),
    ) -> None:
        """Run stages of the pipeline. `cairn up` starts workers by itself."""
        from infra.service.models.late_model import open_late_model
        from streams.app import run_worker, select

        settings = locate()
        name = os.environ.get("CAIRN_PROCESS_NAME") or None
        chosen = select([each.strip() for each in stages.split(",")], settings)

        async def run() -> None:
            async with open_late_model(settings) as model:
                await run_worker(
                    settings, chosen, name, lambda: tell_ready(settings, os.environ), model
                )

        with named(settings, os.environ), remember_damage(settings):
            loop.run(run())
