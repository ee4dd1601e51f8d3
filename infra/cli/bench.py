"""`cairn bench`: measures this machine against the targets, each figure beside its baseline."""

import os
import platform
import signal
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer

from infra.cli.context import JSON_OPTION
from infra.cli.output import as_lines, table
from infra.platform.errors import Refusal

Figures = dict[str, Any]
NAMES = (
    *("pipeline", "first-atom", "prd-v0", "hygiene", "reading"),
    *("dedupe", "reads", "api", "console", "streams", "model", "idle"),
)
OWN_REPOSITORY = Path(__file__).resolve().parents[2]


def register(app: typer.Typer) -> None:
    @app.command()
    def bench(
        name: str = typer.Argument(help=f"One of: {', '.join(NAMES)}."),
        source: str = typer.Argument(
            str(OWN_REPOSITORY), help="What to read.", show_default="Cairn itself"
        ),
        backlog: str | None = typer.Option(
            None, help="Read this in another project at the same time (first-atom, prd-v0)."
        ),
        runs: int = typer.Option(
            10, min=1, help="Number of runs (first-atom, prd-v0, reads, console)."
        ),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Measure speed, with the baseline in the same run.

        pipeline, first-atom and prd-v0 start an installation of their own, removed afterwards;
        hygiene, reading and dedupe measure functions and need no service; reads asks a database of
        its own that holds 100,000 atoms, and api asks it over HTTP, beside the bare SQL; console
        opens pages of it while rows of another project come in; streams has 500 and 1,000 clients
        follow one stream; model asks a stand-in for a model provider; idle weighs
        an installation of its own at rest, and its disk once the source is read.
        """
        need_measuring()
        measure = measures(source, backlog, runs).get(name)
        if measure is None:
            raise typer.BadParameter(f"there is no bench {name}: {', '.join(NAMES)}")
        # Asked to end it stops what it has started, as by Ctrl-C, also where that is ignored.
        for sign in (signal.SIGINT, signal.SIGTERM):
            signal.signal(sign, signal.default_int_handler)
        figures = {"bench": name, "machine": machine(), **measure()}
        if as_json:
            as_lines([figures])
        else:
            table(("figure", "value"), list(figures.items()))


def need_measuring() -> None:
    """An installed package holds no benches; a checkout does."""
    if find_spec("infra.measure") is None:
        raise Refusal(
            "The installed package holds no measurements: clone Cairn's repository, run"
            " `make venv` in it, then run `.venv/bin/cairn bench` or `.venv/bin/cairn eval` there."
        )


def measures(source: str, backlog: str | None, runs: int) -> dict[str, Callable[[], Figures]]:
    from infra.cli.ingest import first_of
    from infra.cli.processes import serve_api
    from infra.measure.benches import (
        api,
        console,
        dedupe,
        hygiene,
        idle,
        latency,
        model,
        pipeline,
        reading,
        reads,
        streams,
    )
    from infra.service.upkeep.setup import migrations_folder

    last_line = first_of("features_v0_ms")
    return {
        "pipeline": lambda: pipeline.pipeline(source),
        "first-atom": lambda: latency.first_atom(backlog, runs),
        "prd-v0": lambda: latency.prd_v0(source, backlog, runs, last_line),
        "hygiene": lambda: hygiene.hygiene(source),
        "reading": lambda: reading.reading(source),
        "dedupe": dedupe.dedupe,
        "reads": lambda: reads.reads(migrations_folder(), runs),
        "api": lambda: api.api(migrations_folder(), serve_api),
        "console": lambda: console.console(migrations_folder(), serve_api, runs),
        "model": model.model,
        "idle": lambda: idle.idle(source),
        "streams": lambda: streams.streams(migrations_folder(), serve_api),
    }


def machine() -> str:
    """What the figures were measured on."""
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
