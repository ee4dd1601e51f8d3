"""`cairn connector add` sends no secret and no half option to the service."""

from __future__ import annotations

import pytest

from tests.runtime.test_command_line import refused

TOKEN = "ghp_" + "0123456789abcdef" * 3
RIGHT = ("--credential", "token=env:GH_TOKEN")


def refused_to_add(*arguments: str) -> str:
    return refused("connector", "add", *arguments, "--project", "Shop")


def test_an_option_without_a_value_is_named() -> None:
    assert "NAME=VALUE" in refused_to_add("github", "a/b", *RIGHT, "--option", "x")


@pytest.mark.parametrize("credential", [f"token={TOKEN}", TOKEN, f"token=env {TOKEN}"])
def test_a_secret_given_itself_is_refused_and_not_repeated(credential: str) -> None:
    assert TOKEN not in refused_to_add("github", "a/b", "--credential", credential)
