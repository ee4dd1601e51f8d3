"""Where deliveries are taken: an address that can be one, or a sentence that says why not."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import typer

from infra.cli.webhooks import check_address
from infra.errors import Refusal
from infra.service.webhooks import open_server
from tests.connectors.webhooks.doors import a_door


@pytest.mark.parametrize("written", ["127.0.0.1:8787", "[::1]:0", "hooks.example.org:443"])
def test_host_and_port_are_taken_as_they_are(written):
    assert check_address(written) == written


@pytest.mark.parametrize("written", ["8787", ":8787", "localhost", "localhost:http", "a:1,b:2"])
def test_what_is_no_host_and_port_is_refused_before_anything_listens(written):
    with pytest.raises(typer.BadParameter, match="host:port"):
        check_address(written)


def test_an_address_that_is_taken_or_cannot_be_is_told(tmp_path: Path):
    async def run() -> None:
        async with a_door(tmp_path) as door, AsyncExitStack() as stack:
            assert door.server
            taken = door.address.removeprefix("http://")
            for address in (taken, "127.0.0.1:99999"):
                with pytest.raises(Refusal, match=f"listen at {address}"):
                    await open_server(stack, door.server, address)

    asyncio.run(run())
