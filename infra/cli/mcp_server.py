"""`cairn mcp`: a bridge between an assistant on standard input and output and `/mcp`."""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import IO, Any

import typer

from infra.cli.calls import Cairn
from infra.cli.context import PROJECT_OPTION, connect
from infra.platform.errors import Refusal, Unavailable

PARSE_ERROR, INVALID_REQUEST, INTERNAL_ERROR = -32700, -32600, -32603


def register(app: typer.Typer) -> None:
    @app.command(name="mcp")
    def serve(project: str = PROJECT_OPTION) -> None:
        """Answer a coding assistant (MCP) about one project, on stdio.

        Put this into the assistant's configuration, with the path of the project's `cairn`:
        {"mcpServers": {"cairn": {"command": "cairn", "args": ["mcp", "--project", "NAME"]}}}
        """
        cairn = connect()
        answer(cairn, cairn.project_of(project))


def answer(cairn: Cairn, project_id: str) -> None:
    """Pass on what is asked until the assistant closes either side, or SIGTERM."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    source, sink = os.fdopen(os.dup(sys.stdin.fileno()), "rb"), sys.stdout
    try:
        for line in source:
            if said := _answer_line(cairn, project_id, line):
                print(said, file=sink, flush=True)
    except (BrokenPipeError, KeyboardInterrupt):
        _leave(sink)  # both are ordinary ends


def _answer_line(cairn: Cairn, project_id: str, line: bytes) -> str:
    """The answer of the service to a message; nothing where it wants none."""
    text = line.decode("utf-8", "replace")
    if not text.strip():
        return ""
    try:
        message: Any = json.loads(text)
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "The line is no JSON: send one message a line.")
    asked = message.get("id") if isinstance(message, dict) else None
    try:
        content = json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        is_sendable = isinstance(asked, int) or (isinstance(asked, str) and asked.isprintable())
        told = "A text holds half of a surrogate pair."
        return _error(asked if is_sendable else None, INVALID_REQUEST, told)
    try:
        return cairn.pass_mcp_on(project_id, content)
    except (Unavailable, Refusal) as error:
        return "" if asked is None else _error(asked, INTERNAL_ERROR, str(error))


def _error(request_id: Any, code: int, message: str) -> str:
    told = {"code": code, "message": message}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": told})


def _leave(sink: IO[str]) -> None:
    """Nothing is flushed at the end to where nobody reads."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sink.fileno())
