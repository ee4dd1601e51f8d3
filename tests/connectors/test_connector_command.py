"""`cairn connector add` refuses what it can refuse before anything is asked or written."""

from __future__ import annotations

import pytest

from tests.runtime.test_command_line import refused

TOKEN = "ghp_" + "0123456789abcdef" * 3
RIGHT = ("--credential", "token=env:GH_TOKEN")


def refused_to_add(*arguments: str) -> str:
    return refused("connector", "add", *arguments, "--project", "Shop")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("gitlab", "a/b", *RIGHT), "There is no service 'gitlab'"),
        (("github", "shop", *RIGHT), "is not a repository"),
        (("github", "../etc", *RIGHT), "is not a repository"),
        (("github", "a/b", *RIGHT, "--stream", "wikis"), "has no stream 'wikis'"),
        (("github", "a/b", "--credential", "key=env:K"), "token or app-id and app-key"),
        (("github", "a/b", *RIGHT, "--option", "x"), "NAME=VALUE"),
    ],
)
def test_what_cannot_be_connected_is_named(arguments: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused_to_add(*arguments)


@pytest.mark.parametrize("credential", [f"token={TOKEN}", TOKEN, f"token=env {TOKEN}"])
def test_a_secret_given_itself_is_refused_and_not_repeated(credential: str) -> None:
    assert TOKEN not in refused_to_add("github", "a/b", "--credential", credential)
