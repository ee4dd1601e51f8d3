"""`cairn sandbox`: run a command or a tool as agents that write code do, and check the walls."""

from __future__ import annotations

import json
import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from infra.cli.calls import told
from infra.cli.context import JSON_OPTION, connect, explain_wrong_use, say
from infra.cli.output import as_lines, table
from infra.client.models.development import SandboxCommand, SandboxToolCall

if TYPE_CHECKING:
    from infra.client.models.development_parts import SandboxRefusal

WORKSPACE = typer.Option(
    None, "--workspace", help="A folder of the service's machine. Without it: an empty one."
)
TOOL_WORKSPACE = typer.Option(..., "--workspace", help="A folder of the service's machine.")
COMMAND = typer.Argument(..., metavar="-- CMD…", help="The command; one argument: its whole line.")
TOOL = typer.Argument(..., metavar="NAME", help="read_file, write_file, edit_file, glob, …")
ARGUMENTS = typer.Argument(..., metavar="JSON", help="The arguments as a JSON object.")

sandbox = typer.Typer(
    no_args_is_help=True,
    help="Run a command or a tool as agents do, behind walls; check the walls.",
)


class Layers(StrEnum):
    on = "on"
    off = "off"


LAYERS = typer.Option(
    Layers.on, "--layers", help="off: no rule looks at the command, and a shell runs it."
)


def register(app: typer.Typer) -> None:
    app.add_typer(sandbox, name="sandbox")


@sandbox.command()
def run(
    command: list[str] = COMMAND,
    workspace: Path | None = WORKSPACE,
    layers: Layers = LAYERS,
    as_json: bool = JSON_OPTION,
) -> None:
    """Run a command behind walls, and exit with its exit code (1: it was refused)."""
    line = command[0] if len(command) == 1 else shlex.join(command)
    body = SandboxCommand.model_construct(
        **told(
            command=line,
            workspace=str(workspace.absolute()) if workspace else None,
            layers=layers is Layers.on,
        )
    )
    with explain_wrong_use():
        result = connect().run_in_sandbox(body)
    if as_json:
        as_lines([result.model_dump(mode="json")])
    elif result.refusal:
        _explain(result.refusal)
    else:
        print(result.output, end="")
        for name in result.removed:
            say(f"{name} was removed again: Cairn keeps git's directory outside of workspaces.")
        if result.limit:
            say(f"Ended at the limit of {result.limit}.")
    if result.refusal or result.limit or result.code:
        raise typer.Exit(result.code if result.code and not result.limit else 1)


@sandbox.command()
def check(as_json: bool = JSON_OPTION) -> None:
    """Try the walls of this machine from inside, a line for each check."""
    state = connect().check_sandbox()
    if as_json:
        as_lines([state.model_dump(mode="json")])
        return
    rows = ((it.name, "holds" if it.holds else "BROKEN", it.finding) for it in state.checks)
    table(("check", "result", "finding"), rows)
    say(f"Commands run behind {state.walls}.")


@sandbox.command()
def tool(
    name: str = TOOL,
    arguments: str = ARGUMENTS,
    workspace: Path = TOOL_WORKSPACE,
    as_json: bool = JSON_OPTION,
) -> None:
    """Call a tool of agents on a workspace (exit 1: it fails or is refused)."""
    body = SandboxToolCall.model_construct(
        workspace=str(workspace.absolute()), arguments=_parse(arguments)
    )
    with explain_wrong_use():
        result = connect().call_sandbox_tool(name, body)
    if as_json:
        as_lines([result.model_dump(mode="json")])
    elif result.refusal:
        _explain(result.refusal)
    else:
        print(result.text)
    if result.is_error:
        raise typer.Exit(1)


def _parse(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise typer.BadParameter(f"the arguments are no JSON: {error}") from error
    if not isinstance(value, dict):
        raise typer.BadParameter("the arguments are no JSON object")
    return value


def _explain(refusal: SandboxRefusal) -> None:
    reason = refusal.reason.removeprefix(f"Layer {refusal.layer}: ")
    say(f"Refused by layer {refusal.layer}: {reason}")
