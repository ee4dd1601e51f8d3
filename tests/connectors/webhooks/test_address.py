"""Where deliveries are taken: an address that can be one, or a sentence that says why not."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
import typer

from infra.cli.processes import check_address
from infra.http.serve import serve
from infra.platform.errors import Refusal
from infra.platform.settings import Settings


@pytest.mark.parametrize("written", ["127.0.0.1:8787", "[::1]:0", "hooks.example.org:443"])
def test_host_and_port_are_taken_as_they_are(written):
    assert check_address(written) == written


@pytest.mark.parametrize("written", ["8787", ":8787", "localhost", "localhost:http", "a:1,b:2"])
def test_what_is_no_host_and_port_is_refused_before_anything_listens(written):
    with pytest.raises(typer.BadParameter, match="host:port"):
        check_address(written)


def test_an_address_that_is_taken_or_cannot_be_is_told(tmp_path: Path):
    settings = Settings(home=tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for address in (f"127.0.0.1:{taken.getsockname()[1]}", "127.0.0.1:99999"):
            with pytest.raises(Refusal, match=f"listen at {address}"):
                serve(settings, {}, address, lambda: None)
