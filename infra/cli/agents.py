"""`cairn agents`: how the agents are put together, what they can call, and what a turn came to."""

from __future__ import annotations

import typer

from infra.cli.context import JSON_OPTION, PROJECT_OPTION, connect
from infra.cli.output import as_lines, cell, table


def register(app: typer.Typer) -> None:
    agents = typer.Typer(no_args_is_help=True, help="Show graphs and tools of the agents.")
    app.add_typer(agents, name="agents")

    @agents.command()
    def graph(
        name: str = typer.Argument(help="`project` or `quality`."), as_json: bool = JSON_OPTION
    ) -> None:
        """Print a graph as a Mermaid text; --json: its nodes and edges."""
        drawn = connect().read_graph(name)
        if as_json:
            as_lines([drawn.model_dump()])
        else:
            print(drawn.mermaid.rstrip())

    @agents.command()
    def replay(
        turn: str = typer.Argument(help="The id of an answered turn."),
        project: str = PROJECT_OPTION,
    ) -> None:
        """Run a turn again from its records alone; its state at the end, as JSON."""
        cairn = connect(start=False)
        state = cairn.replay_turn(cairn.project_of(project), turn)
        as_lines([state.model_dump(mode="json")])

    @agents.command()
    def tools(as_json: bool = JSON_OPTION) -> None:
        """List the tools that the assistant may call."""
        found = connect().list_agent_tools()
        if as_json:
            as_lines(one.model_dump() for one in found)
            return
        columns = ("name", "role", "changes", "asks", "what it does")
        rows = (
            [one.name, one.role, _yes(one.mutating), _yes(one.confirm), cell(one.description)]
            for one in found
        )
        table(columns, rows, "No tools.")


def _yes(flag: bool) -> str:
    return "yes" if flag else ""
