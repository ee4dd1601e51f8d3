"""`cairn bench`: measures this machine against the targets, each figure beside its baseline."""

import os
import platform
from collections.abc import Callable
from typing import Any

import typer

from infra.cli.context import JSON_OPTION
from infra.cli.demo import OWN_REPOSITORY
from infra.cli.output import as_lines, table

NAMES = ("pipeline", "first-atom")


def register(app: typer.Typer) -> None:
    @app.command()
    def bench(
        name: str = typer.Argument(help=f"One of: {', '.join(NAMES)}."),
        source: str | None = typer.Argument(
            None, help="What to read; for first-atom the backlog to read beside it."
        ),
        runs: int = typer.Option(30, min=1, help="How often first-atom is measured."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Measure in an installation of its own: a fresh home, removed afterwards."""
        measure = measures(source, runs).get(name)
        if measure is None:
            raise typer.BadParameter(f"there is no bench {name}: {', '.join(NAMES)}")
        figures = {"bench": name, "machine": machine(), **measure()}
        if as_json:
            as_lines([figures])
        else:
            table(("figure", "value"), list(figures.items()))


def measures(source: str | None, runs: int) -> dict[str, Callable[[], dict[str, Any]]]:
    from infra.cli.benches import latency, pipeline

    return {
        "pipeline": lambda: pipeline.pipeline(source or str(OWN_REPOSITORY)),
        "first-atom": lambda: latency.first_atom(source, runs),
    }


def machine() -> str:
    """What the figures were measured on."""
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
