"""`cairn undo`: take back one decision."""

import typer

from infra.cli.calls import Cairn
from infra.cli.deciding import Deciding, by_person
from infra.client.models.decisions import Reasons


def register(app: typer.Typer) -> None:
    @app.command()
    @by_person
    def undo(
        decision: str = typer.Argument(help="Id of the decision, see a decision's `--json`."),
    ) -> Deciding:
        """Take back a decision, unless another one followed it."""
        return Deciding(decision, Cairn.undo_decision, Reasons())
