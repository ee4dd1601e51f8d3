"""`cairn mcp`: answers a coding assistant over standard input and output."""

from __future__ import annotations

import asyncio

import typer

from infra.cli import service
from infra.cli.atoms import PROJECT_OPTION
from infra.cli.context import connect
from infra.cli.project import quiet_clients
from infra.platform.settings import Settings


def register(app: typer.Typer) -> None:
    @app.command(name="mcp")
    def serve(project: str = PROJECT_OPTION) -> None:
        """Answer a coding assistant (MCP) about one project, on stdio.

        Put this into the assistant's configuration, with the path of the project's `cairn`:
        {"mcpServers": {"cairn": {"command": "cairn", "args": ["mcp", "--project", "NAME"]}}}
        """
        quiet_clients()
        asyncio.run(answer(connect(), project))


async def answer(settings: Settings, project: str) -> None:
    from infra.mcp.stdio import serve

    async with service.open_ledger_reader(settings, project) as reader:
        await serve(reader)
