"""`cairn dlq`: records that could not be processed, and another try."""

import typer

from infra.cli.context import JSON_OPTION, connect, say
from infra.cli.output import as_lines, cell, table

MOST = 100  # the newest


def register(app: typer.Typer) -> None:
    letters = typer.Typer(
        no_args_is_help=True, help="List or retry records that could not be processed."
    )
    app.add_typer(letters, name="dlq")

    @letters.command("list")
    def list_(
        settled: bool = typer.Option(
            False, "--settled", help="Also list those that were decided after all."
        ),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List dead letters with place and reason."""
        found = list(connect().list_dead_letters(settled=settled).take(MOST))
        if as_json:
            as_lines(letter.model_dump() for letter in found)
            return
        table(
            ("id", "stage", "record", "reason"),
            (
                (
                    letter.dead_letter_id,
                    letter.stage,
                    f"{letter.origin_topic}/{letter.origin_partition}@{letter.origin_offset}",
                    cell(f"{letter.error_class}: {letter.error}"),
                )
                for letter in found
            ),
            "No dead letters.",
        )

    @letters.command()
    def retry(dead_letter_id: str = typer.Argument(metavar="ID")) -> None:
        """Have what the dead letter is about decided once more."""
        retried = connect().retry_dead_letter_once(dead_letter_id)
        say(
            f"What {retried.dead_letter_id} is about is decided once more: `cairn status` tells it"
            " as long as it cannot be."
        )
