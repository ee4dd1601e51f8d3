"""`cairn assistant providers, check-provider`: which outside services the assistant may use."""

from __future__ import annotations

from pathlib import Path

import typer

from connectors.providers.files import read_definition
from infra.cli.context import JSON_OPTION, OPTIONAL_PROJECT, connect, say
from infra.cli.output import as_lines, cell, table

FILE = typer.Argument(help="A definition file (TOML); it is read here, and nothing is sent.")


def register(assistant: typer.Typer) -> None:
    @assistant.command()
    def providers(project: str | None = OPTIONAL_PROJECT, as_json: bool = JSON_OPTION) -> None:
        """List the outside services of the assistant; what one lacks is said.

        --json: with the tools of each and their arguments.
        """
        cairn = connect()
        listed = cairn.list_assistant_providers(
            project=cairn.project_of(project) if project else None
        )
        if as_json:
            as_lines(each.model_dump(mode="json") for each in listed.providers)
        else:
            rows = (
                [each.name, cell(each.title), len(each.tools), each.missing or "ready"]
                for each in listed.providers
            )
            table(("name", "service", "tools", "state"), rows, "No providers.")
        for problem in listed.problems:
            say(f"Not used: {problem.message}")

    @assistant.command("check-provider")
    def check_provider(file: Path = FILE, as_json: bool = JSON_OPTION) -> None:
        """Check a definition file for the folder `providers` of CAIRN_HOME (exit 1: it is unfit).

        Lists its tools, and which of them ask a person before each call.
        """
        definition = read_definition(file)
        if as_json:
            as_lines([definition.model_dump(mode="json")])
            return
        rows = (
            [
                tool.name,
                tool.method,
                tool.path,
                "yes" if tool.is_confirmed else "",
                tool.description,
            ]
            for tool in definition.tools
        )
        table(("name", "method", "path", "asks", "what it does"), rows, "No tools.")
        say(f"{file.name} is fit: the provider {definition.name}.")
