"""`cairn connector add` refuses what it can refuse before anything is asked or written."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from infra.cli import build

TOKEN = "ghp_" + "0123456789abcdef" * 3
RIGHT = ("--credential", "token=env:GH_TOKEN")


def refused(*arguments: str) -> str:
    told = CliRunner().invoke(build(), ["connector", "add", *arguments, "--project", "Shop"])
    assert told.exit_code == 2, told.output
    return " ".join(told.output.replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("gitlab", "a/b", *RIGHT), "There is no service 'gitlab'"),
        (("github", "shop", *RIGHT), "names no repository"),
        (("github", "../etc", *RIGHT), "names no repository"),
        (("github", "a/b", *RIGHT, "--stream", "wikis"), "has no stream 'wikis'"),
        (("github", "a/b", "--credential", "key=env:K"), "token or app-id and app-key"),
        (("github", "a/b", *RIGHT, "--option", "x"), "NAME=VALUE"),
    ],
)
def test_what_cannot_be_connected_is_named(arguments: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused(*arguments)


@pytest.mark.parametrize("credential", [f"token={TOKEN}", TOKEN, f"token=env {TOKEN}"])
def test_a_secret_given_itself_is_refused_and_not_repeated(credential: str) -> None:
    assert TOKEN not in refused("github", "a/b", "--credential", credential)
