"""Serve one client over standard input and output, until it closes them."""

from __future__ import annotations

from mcp.server.stdio import stdio_server

from infra.mcp.server import Context, build_server
from infra.service.ledger_reader import LedgerReader


async def serve(reader: LedgerReader) -> None:
    async def always(_: Context) -> LedgerReader:
        return reader

    server = build_server(always)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
