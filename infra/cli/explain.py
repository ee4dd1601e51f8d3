"""`cairn explain`: what became of every sentence of a document, and why."""

import re
from collections import Counter

import typer

from infra.cli.context import JSON_OPTION, PROJECT_OPTION, connect
from infra.cli.output import answer, as_lines, cell, table

PLACE = typer.Argument(metavar="PATH[:LINE]", help="A source's path; ROOT:PATH where two have it.")
_PLACE = re.compile(r"(?P<path>.+?)(?::(?P<line>\d+))?")


def register(app: typer.Typer) -> None:
    @app.command()
    def explain(
        place: str = PLACE, project: str = PROJECT_OPTION, as_json: bool = JSON_OPTION
    ) -> None:
        """Show for each sentence of a document what became of it: an atom, refused, or left out.

        Each line says why: the rule that refused it, or what the reader took it for.
        """
        match = _PLACE.fullmatch(place)
        if match is None:
            raise typer.BadParameter("The place is empty: give the path of a source.")
        line = int(match["line"]) if match["line"] else None
        cairn = connect()
        found = cairn.explain(cairn.project_of(project), path=match["path"], line=line)
        if as_json:
            as_lines(
                {"path": found.path, "root": found.root} | it.model_dump() for it in found.sentences
            )
            return
        table(
            ("line", "sentence", "result", "because", "as"),
            (
                (
                    it.line_start,
                    cell(it.text),
                    it.result if it.result != "atom" else f"{it.status} {it.kind}",
                    it.because,
                    it.about,
                )
                for it in found.sentences
            ),
            f"Nothing of it was read ({found.because})." if found.because else "No sentence.",
        )
        if len(found.sentences) > 1:
            counts = Counter(it.result for it in found.sentences)
            told = ", ".join(f"{count} {result}" for result, count in counts.most_common())
            answer().print(f"{len(found.sentences)} sentences: {told}.")
