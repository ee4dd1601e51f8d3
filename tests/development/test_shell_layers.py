"""Four layers look at a command, in this order, and say why it is refused."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.development.errors import SecurityError
from agents.development.shell.layers import (
    check_command,
    find_blocked,
    find_metacharacters,
    find_pattern,
    find_unlisted,
    list_allowed,
)
from agents.development.shell.words import METACHARACTERS, split_words


def layer_of(command: str, allowlist: list[str] | None = None) -> str | None:
    try:
        check_command(command, allowlist)
    except SecurityError as error:
        return error.layer
    return None


@pytest.mark.parametrize("sign", sorted(METACHARACTERS - {"\0"}))
def test_a_metacharacter_is_refused_outside_of_quotes_and_allowed_inside(sign: str):
    assert layer_of(f"grep a{sign}b file") == "metacharacters"
    assert layer_of(f"grep a\\{sign}b file") == "metacharacters"
    assert check_command(f"grep 'a{sign}b' file") == ("grep", f"a{sign}b", "file")
    assert check_command(f'grep "a{sign}b" file') == ("grep", f"a{sign}b", "file")


@pytest.mark.parametrize(
    "command", ["", "  ", "ls 'open", 'ls "open', "ls \\", "ls a\0b", "x" * 5000]
)
def test_what_is_no_command_is_refused_by_the_first_layer(command: str):
    assert layer_of(command) == "metacharacters"


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "git status --short",
        "git diff HEAD -- src/a.py",
        "git log --oneline -5",
        "git commit -m 'Add a fork; use | and > in text'",
        "git config user.name",
        "pytest -q tests/test_a.py::test_b -x",
        "python -m pytest -q",
        "python -c 'print(1)'",
        "python setup.py build",
        "grep -rn 'os.system' src",
        "find . -name '*.py' -not -path './build/*'",
        "sed -n '1,40p' src/a.py",
        "sed -n '/def e/,/return/p' src/a.py",
        "make test",
        "npm test",
        "npm run lint",
        "go test ./...",
        "cargo test --all",
        "rm -rf build",
        "rm src/old.py",
        "chmod 755 run.sh",
        "chmod +x run.sh",
        "cat .github/workflows/ci.yml",
        "cat .env.example.md",
        "mkdir -p src/new",
        "head -n 20 README.md",
    ],
)
def test_what_a_developer_needs_is_allowed(command: str):
    assert check_command(command) == tuple(shlex.split(command))


def test_the_layers_are_asked_in_their_order():
    everything = "sudo rm -rf / ; nope"
    assert layer_of(everything) == "metacharacters"
    assert layer_of("sudo rm -rf /") == "blocklist"
    assert layer_of("rm -rf /", []) == "patterns"
    assert layer_of("nope") == "allowlist"


def test_each_layer_is_a_function_of_its_own():
    assert find_metacharacters("a | b")
    assert find_blocked(["sudo", "x"])
    assert find_pattern(["rm", "-rf", "/"])
    assert find_unlisted(["nope"], ["ls"])
    assert not any((find_metacharacters("ls"), find_blocked(["ls"]), find_pattern(["ls"])))
    assert find_unlisted(["ls"], ["ls"]) is None


def test_a_profile_has_its_own_list():
    assert check_command("terraform plan", ["terraform plan"]) == ("terraform", "plan")
    assert layer_of("terraform apply", ["terraform plan"]) == "allowlist"
    assert layer_of("ls", ["terraform plan"]) == "allowlist"
    assert layer_of("sudo ls", ["sudo"]) == "blocklist"


def test_a_program_is_named_and_never_given_by_its_path():
    assert layer_of("./ls") == "allowlist"
    assert layer_of("/bin/ls") == "allowlist"
    assert layer_of("/usr/bin/sudo ls") == "blocklist"


def test_a_refusal_says_what_and_why():
    with pytest.raises(SecurityError) as refusal:
        check_command("cat a | wc")
    assert str(refusal.value) == (
        "Layer metacharacters: `|` stands outside of quotes. No shell is used: call one program at"
        " a time, and put text into quotes."
    )
    with pytest.raises(SecurityError, match="`sudo` may not be run: it changes who the command"):
        check_command("sudo ls")


@given(st.text(max_size=200))
def test_any_text_is_allowed_or_refused_by_a_layer(text: str):
    assert layer_of(text) in (None, "metacharacters", "blocklist", "patterns", "allowlist")


@given(st.lists(st.text(max_size=20).filter(lambda text: "\0" not in text), min_size=1, max_size=6))
def test_quoted_words_come_back_as_they_were(words: list[str]):
    split = split_words(shlex.join(words))
    assert (split.argv, split.problem) == (tuple(words), None)


def test_the_usual_list_is_the_one_of_the_specification():
    wanted = {"git", "pytest", "python", "ls", "cat", "grep", "find", "sed -n", "make"}
    assert wanted | {"npm test", "go test", "cargo test"} <= set(list_allowed())
    assert not {"pip", "sh", "bash", "sed", "npm", "go", "cargo"} & set(list_allowed())
