"""`cairn waiting`: what waits for a person."""

import typer

from infra.cli.context import JSON_OPTION, PROJECT_OPTION, connect, say
from infra.cli.output import as_lines, cell, table


def register(app: typer.Typer) -> None:
    @app.command()
    def waiting(project: str = PROJECT_OPTION, as_json: bool = JSON_OPTION) -> None:
        """List what needs a person's decision.

        Contradictions (most severe first) and merge reviews, both after the deep run; blocked
        removals; verified atoms without a source; gates at which workflows wait.
        """
        cairn = connect()
        found = list(cairn.list_waiting(cairn.project_of(project)))
        if as_json:
            as_lines(one.model_dump() for one in found)
            return
        table(
            ("what", "severity", "one says", "the other says", "they", "holds up", "id"),
            (
                (
                    one.kind.replace("_", " "),
                    one.severity or "",
                    cell(one.title_a or one.detail),
                    cell(one.title_b or (one.detail if one.title_a else "")),
                    cell(one.detail if one.title_b else ""),
                    len(one.blocks) or "",
                    one.target_id,
                )
                for one in found
            ),
            "Nothing waits for a person.",
        )
        for one in found:
            if one.workflow_id:
                say(f"Decide with `cairn workflow gate approve {one.workflow_id}`, or reject.")
