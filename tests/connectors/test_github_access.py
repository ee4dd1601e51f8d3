"""Who we are at GitHub: a token, or an App; and what is named when a permission is missing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from connectors.connector import SourceRefused, UnknownSource
from connectors.definitions import Definition, check_credential, secret_at
from connectors.github.service import GITHUB
from connectors.rate_limits import Budget
from connectors.service import Capability, ServiceContext
from connectors.transport import AccessLost, Secret
from schemas.events.connector import ConnectorAdded
from tests.connectors.stand_ins.github import APP_TOKEN, TOKEN, GitHubServer


def checked(secrets: dict[str, Secret], server: GitHubServer) -> list[Capability]:
    async def none(root: str, paths: object) -> dict[str, str]:
        return {}

    async def run() -> list[Capability]:
        async with server.running():
            server.add("acme/shop").open_issue("One", "It is one.")
            added = ConnectorAdded(
                connector_id="con_1",
                request_key="k",
                service="github",
                target="acme/shop",
                base_url=server.url,
            )
            opening = ServiceContext(Definition("prj_1", added), secrets, Budget(), none)
            async with GITHUB.open(opening) as opened:
                found = await opened.check()
                return found + await opened.check()

    return asyncio.run(run())


def a_key() -> Secret:
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    return Secret(pem.decode())


def test_every_stream_that_cannot_be_read_is_named_with_what_it_lacks() -> None:
    server = GitHubServer()
    server.denied = {"actions": 403, "pulls/comments": 404}
    found = checked({"token": Secret(TOKEN)}, server)
    missing = {each.stream: each.missing for each in found if not each.granted}
    assert set(missing) == {"runs", "review-comments"}
    assert "Actions: read" in missing["runs"]
    assert "Pull requests: read" in missing["review-comments"]
    assert {each.stream for each in found} == set(GITHUB.streams)


def test_a_wrong_token_is_told_before_anything_else() -> None:
    with pytest.raises(AccessLost) as caught:
        checked({"token": Secret("wrong")}, GitHubServer())
    assert caught.value.reason == "unauthorised"


def test_an_app_reads_with_the_token_of_its_installation_asked_for_once() -> None:
    server = GitHubServer()
    found = checked({"app-id": Secret("7"), "app-key": a_key()}, server)
    assert all(each.granted for each in found)
    assert server.tokens == 1
    lists = {each.token for each in server.asked if each.path.startswith("/repos/acme/shop/issues")}
    assert lists == {APP_TOKEN}


def test_a_key_that_is_none_is_told_without_showing_it() -> None:
    with pytest.raises(AccessLost) as caught:
        checked({"app-id": Secret("7"), "app-key": Secret("hunter2")}, GitHubServer())
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("written", ["ghp_123456", "env:", "value:abc", ""])
def test_a_credential_itself_is_not_taken(written: str) -> None:
    with pytest.raises(UnknownSource) as caught:
        check_credential(written)
    assert "ghp_123456" not in str(caught.value)


def test_a_secret_is_found_at_its_place(tmp_path: Path) -> None:

    file = tmp_path / "key"
    file.write_text("  s3cret\n")
    assert secret_at(f"file:{file}", {}).reveal() == "s3cret"
    assert secret_at("env:TOKEN", {"TOKEN": "t0ken\n"}).reveal() == "t0ken"
    for place in ("env:OTHER", f"file:{file}.gone"):
        with pytest.raises(SourceRefused):
            secret_at(place, {"TOKEN": "t0ken"})
