"""Resources, prompts, and what a client hears when something is wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from infra.mcp.server import FAILED, Context, build_server
from infra.platform.errors import DatabaseUnavailable
from infra.service.foundation.connections import ProjectTables
from tests.mcp.conftest import ERAS, Assistant

Ask = Callable[[Client], Coroutine[Any, Any, Any]]


@pytest.mark.parametrize("era", ERAS)
def test_atoms_are_resources_and_two_questions_are_prompts(assistant: Assistant, era: str):
    async def talk(client: Client) -> None:
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "cairn://atom/{id}"
        first = await client.list_resources()
        more = await client.list_resources(cursor=first.next_cursor)
        listed = [each.uri for each in (*first.resources, *more.resources)]
        assert len(listed) == len(set(listed)) > 20
        assert more.next_cursor  # there is a third page, but clients read all pages at once:
        later = (first.next_cursor or "").replace("2.", "5.", 1)
        last = await client.list_resources(cursor=later)
        assert last.resources == more.resources and last.next_cursor is None
        (atom,) = (await client.read_resource(listed[0])).contents
        assert listed[0].removeprefix("cairn://atom/") in str(atom)

        prompts = {each.name: each for each in (await client.list_prompts()).prompts}
        assert set(prompts) == {"what_did_we_decide", "what_contradicts"}
        for prompt in prompts.values():
            arguments = {each.name: "the event log" for each in prompt.arguments or ()}
            asked = await client.get_prompt(prompt.name, arguments)
            assert "the event log" in str(asked.messages[0].content)

    assistant.talk(talk, era)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda client: client.read_resource("cairn://atom/atm_1"), "There is no atom atm_1."),
        (
            lambda client: client.read_resource("file:///etc/passwd"),
            "A resource of this server is called cairn://atom/ and the id of an atom.",
        ),
        (
            lambda client: client.get_prompt("what_contradicts", {}),
            "what_contradicts cannot be asked so: statement is missing.",
        ),
        (
            lambda client: client.call_tool("delete_atom", {}),
            "There is no such tool: there are search, get_atom, trace, contradictions, artifact,"
            " coverage, changes_since.",
        ),
    ],
)
def test_what_is_not_there_is_an_error_of_one_sentence(
    assistant: Assistant, era: str, ask: Ask, sentence: str
):
    assert assistant.talk(lambda client: refusal_of(client, ask), era) == sentence


async def refusal_of(client: Client, ask: Ask) -> str:
    with pytest.raises(MCPError) as refused:
        await ask(client)
    return refused.value.message


@pytest.mark.parametrize("era", ERAS)
def test_an_outage_is_told_and_a_bug_only_to_the_log(era: str):
    async def talk(error: Exception, talk: Ask) -> Any:
        async def fail(_: Context) -> ProjectTables:
            raise error

        async with Client(build_server(fail), mode=era) as client:
            return await talk(client)

    def call(client: Client) -> Coroutine[Any, Any, Any]:
        return client.call_tool("coverage", {})

    told = asyncio.run(talk(DatabaseUnavailable("The database does not answer."), call))
    assert (told.is_error, told.content[0].text) == (True, "The database does not answer.")
    bug = RuntimeError("password=hunter2")
    assert asyncio.run(talk(bug, lambda client: refusal_of(client, call))) == FAILED
