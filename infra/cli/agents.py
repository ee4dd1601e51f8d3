"""`cairn agents`: how the agents are put together, what they can call, and what turns came to."""

from __future__ import annotations

import typer

from infra.cli import agent_turns
from infra.cli.context import JSON_OPTION, connect
from infra.cli.output import as_lines, cell, table


def register(app: typer.Typer) -> None:
    agents = typer.Typer(
        no_args_is_help=True,
        help="Graphs, tools and turns of the agents: replay, fork and compare turns.",
    )
    app.add_typer(agents, name="agents")
    agent_turns.register(agents)

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
