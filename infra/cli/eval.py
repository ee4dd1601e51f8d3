"""`cairn eval`: a stage's functions over the rows of a file, for measuring."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from infra.cli.bench import machine, need_measuring
from infra.cli.context import locate
from infra.platform.errors import Refusal


def register(app: typer.Typer) -> None:
    @app.command("eval")
    def evaluate(
        task: str = typer.Argument(help="What to run, e.g. classify, extract, redact."),
        folder: Path | None = typer.Argument(None, help="recall: the project to read."),
        rows_file: Path | None = typer.Option(None, "--in", help="JSON lines to answer."),
        out_file: Path | None = typer.Option(None, "--out", help="Where the answers go."),
        form: str = typer.Option("json", "--format", help="extract: json, or spans."),
        pii: bool = typer.Option(False, "--pii", help="redact: personal data too."),
        engine: str = typer.Option("heuristic", help="heuristic, or model."),
        data: Path | None = typer.Option(None, help="all: the folder of labelled sets."),
        report: Path | None = typer.Option(None, help="all: where the table of figures goes."),
        gold: Path | None = typer.Option(None, help="recall: the folder of its lists."),
        misses: bool = typer.Option(False, "--misses", help="recall: print what was not found."),
    ) -> None:
        """Answer each row of a file as the pipeline would; needs no broker and no network.

        With --engine model it asks the configured provider, for which the service has to run.

        The task all measures every figure of the labelled sets in --data into --report; the task
        recall prints how much of the lists in --gold the atoms, PRD and features of FOLDER hold.
        """
        need_measuring()
        from infra.measure.by_model import check_task
        from infra.measure.rows import BadRow, Options, rows_of
        from infra.measure.tasks import answer, fields_of

        _check(form, engine)
        if task == "all":
            _measure(data, report)
            return
        if task == "recall":
            _measure_recall(folder, gold, misses)
            return
        try:
            fields = fields_of(task)
        except Refusal as error:
            raise typer.BadParameter(str(error)) from error
        by_model = engine == "model"
        if by_model:
            check_task(task)
        if rows_file is None or out_file is None:
            raise typer.BadParameter(f"cairn eval {task} needs --in and --out.")
        with _refusing_files(), rows_file.open("rb") as lines:
            read = list(rows_of(lines, fields))
        bad = [row for row in read if isinstance(row, BadRow)]
        for row in bad:
            print(f"{rows_file}, line {row.number}: {row.problem}.", file=sys.stderr)
        good = [row for row in read if not isinstance(row, BadRow)]
        options = Options(form, pii, engine)
        # A model may refuse: nobody's file is emptied before it has answered.
        found = _ask_model(task, good, options) if by_model else answer(task, good, options)
        with _refusing_files():
            out = out_file.open("w", encoding="utf-8")
        with out:
            for each in found:
                out.write(json.dumps(each, ensure_ascii=False) + "\n")
        if bad:
            raise typer.Exit(1)


def _check(form: str, engine: str) -> None:
    """Raises typer.BadParameter for an unknown option, Refusal for an engine that is missing."""
    if form not in ("json", "spans"):
        raise typer.BadParameter(f"There is no format {form}; there are json and spans.")
    if engine not in ("heuristic", "model"):
        raise typer.BadParameter(f"There is no engine {engine}; there are heuristic and model.")


@contextmanager
def _refusing_files() -> Iterator[None]:
    """Raises Refusal for a file that cannot be read or written."""
    try:
        yield
    except OSError as error:
        raise Refusal(f"{error.filename}: {error.strerror}.") from error


def _ask_model(task: str, rows: list[Any], options: Any) -> list[dict[str, Any]]:
    """The answers with the configured model. Raises Refusal where none is."""
    from infra.measure.by_model import answer_by_model
    from infra.platform import loop
    from infra.service.models.models import open_model

    async def collect() -> list[dict[str, Any]]:
        async with open_model(locate()) as model:
            if model is None:
                raise Refusal("No model provider is configured; the engine heuristic needs none.")
            return [each async for each in answer_by_model(task, rows, options, model)]

    return loop.run(collect())


def _measure(data: Path | None, report: Path | None) -> None:
    from infra.measure.figures import as_markdown, measure_all
    from infra.measure.measures import calibration, misses

    if data is None or report is None:
        raise typer.BadParameter("cairn eval all needs --data and --report.")
    found = measure_all(data)
    parts = (
        as_markdown((one for of_set in found for one in of_set.figures), machine()),
        calibration.as_markdown(of_set.calibration for of_set in found),
        misses.as_markdown([of_set.misses for of_set in found]),
    )
    report.write_text("\n".join(parts) + "\n", encoding="utf-8")


def _measure_recall(folder: Path | None, gold: Path | None, misses: bool) -> None:
    from infra.measure.recall import as_markdown, measure

    if folder is None or gold is None:
        raise typer.BadParameter("cairn eval recall needs FOLDER and --gold.")
    found = measure(gold, folder)
    print(as_markdown(found, machine()))
    if misses:
        print("", *(f"- {miss}" for miss in found.misses), sep="\n")
