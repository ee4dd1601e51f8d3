"""A stand-in for any provider of the assistant: it records requests and answers from a table."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from agents.assistant.providers import Provider
from agents.tools.box import call_tool
from agents.tools.tool import Tool, ToolContext, ToolResult, ToolRole
from infra.platform.settings import Settings
from infra.service.assistant.providers import list_providers
from tests.connectors.stand_ins.server import Asked, Server, reply

TOKEN = "stand-in-token-0815"
KEY = "eff_0123456789abcdef"
NOTES = """
name = "notes"
title = "Notes of Acme"
base_url = "{url}"
prompt = "You work with notes."

[credential]
place = "env:NOTES_TOKEN"
header = "X-Notes-Key"
prefix = ""

[[tools]]
name = "notes_search"
description = "Search notes."
method = "POST"
path = "/search"
reads = true
body = {{ words = "{{words}}" }}
show = {{ items = "notes", fields = ["id", "title"] }}
[tools.arguments]
words = {{ required = true, description = "Words." }}

[[tools]]
name = "notes_read"
description = "Read a note."
method = "GET"
path = "/notes/{{note_id}}"
query = {{ version = "{{version}}" }}
[tools.arguments]
note_id = {{ required = true, description = "Its id." }}
version = {{ type = "integer", description = "Which version." }}

[[tools]]
name = "notes_write"
description = "Write a note."
method = "PUT"
path = "/notes/{{note_id}}"
body = {{ text = "{{text}}", tags = "{{tags}}" }}
[tools.arguments]
note_id = {{ required = true, description = "Its id." }}
text = {{ required = true, description = "Its text." }}
tags = {{ type = "list of strings", description = "Its tags." }}
"""


@dataclass
class ProviderServer(Server):
    """``answers``: what is answered, by method and path; all else is answered with an empty
    object.
    """

    answers: dict[tuple[str, str], Any] = field(default_factory=dict)

    async def route(self, asked: Asked, body: dict[str, Any]) -> web.Response:
        answer = self.answers.get((asked.method, asked.path), {})
        return answer if isinstance(answer, web.Response) else reply(answer)

    def write_file(self, home: Path, name: str, text: str) -> None:
        """Puts a definition file into ``home``, with the address of this server as {url}."""
        folder = home / "providers"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.toml").write_text(text.replace("{url}", self.url.rstrip("/")))

    def add_notes(self, home: Path) -> None:
        """A provider that no file of Cairn knows."""
        self.write_file(home, "notes", NOTES.format(url=self.url.rstrip("/")))

    def replace_built_in(self, home: Path, name: str) -> None:
        """Lets a provider of Cairn ask this server."""
        self.write_file(home, name, f'extends = "{name}"\nbase_url = "{{url}}"\n')


def environment(**more: str) -> dict[str, str]:
    names = ("GMAIL", "CALENDAR", "NOTION", "TWITTER", "GITHUB", "SLACK", "JIRA")
    tokens = {f"ASSISTANT_{name}_TOKEN": TOKEN for name in names}
    return {**tokens, "ASSISTANT_JIRA_EMAIL": "ana@example.org", "NOTES_TOKEN": TOKEN, **more}


async def providers_of(home: Path, environ: Mapping[str, str] | None = None) -> dict[str, Provider]:
    settings = Settings(home=home)
    listed = await list_providers(settings, environment() if environ is None else environ)
    return {provider.name: provider for provider in listed}


def tool_named(providers: Mapping[str, Provider], name: str) -> Tool:
    tools = {tool.name: tool for provider in providers.values() for tool in provider.tools}
    return tools[name]


def context(role: ToolRole = "member") -> ToolContext:
    return ToolContext("", "ana", role, KEY)


async def ask(home: Path, name: str, arguments: Any, role: ToolRole = "member") -> ToolResult:
    """The result of a tool, called as an agent calls it."""
    tool = tool_named(await providers_of(home), name)
    return await call_tool(tool, context(role), arguments)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def json_of(asked: Asked) -> Any:
    return json.loads(asked.body) if asked.body else None
