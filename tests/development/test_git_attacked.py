"""Git on the host runs no program that the configuration of a repository names."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.development.errors import DevelopmentError
from infra.platform.errors import Refusal
from infra.runtime.walls.git import call_git
from infra.service.development.blame import CodeLine, _ask_git
from infra.service.development.git_files import open_committed_files
from infra.service.development.repositories import find_git_dir, read_head
from infra.service.development.run_trees import find_base

MISSING = "1" * 40
SIGNATURE = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n"
EVERYTHING = """
[filter "x"]
	clean = {evil}
	smudge = {evil}
	process = {evil}
	required = true
[filter "a.b=c d"]
	clean = {evil}
[diff "x"]
	textconv = {evil}
	command = {evil}
[log]
	showSignature = true
[gpg]
	program = {evil}
[core]
	fsmonitor = {evil}
	hooksPath = {folder}
	pager = {evil}
	alternateRefsCommand = {evil}
	sshCommand = {evil}
	gitProxy = {evil}
[alias]
	status = !{evil}
	blame = !{evil}
	show = !{evil}
"""
LAZY = """
[core]
	repositoryformatversion = 1
[extensions]
	partialClone = o
[remote "o"]
	url = {url}
	promisor = true
	uploadpack = {evil}
[protocol "file"]
	allow = always
[protocol "ext"]
	allow = always
"""


@dataclass
class Trap:
    """A repository, and a program that leaves a mark where it is run."""

    folder: Path

    @property
    def repository(self) -> Path:
        return self.folder / "repository"

    @property
    def is_sprung(self) -> bool:
        return (self.folder / "mark").exists()

    def git(self, *arguments: str, given: str = "") -> str:
        who = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")
        return subprocess.run(
            ("git", "-C", str(self.repository), *who, *arguments),
            env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"},
            input=given,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    def configure(self, text: str, url: str = "") -> None:
        with (self.repository / ".git/config").open("a") as file:
            values = {"evil": self.folder / "evil", "folder": self.folder, "url": url}
            file.write(text.format(**values))


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    made = Trap(tmp_path)
    for name in ("evil", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
        (tmp_path / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/mark\ncat\n")
        (tmp_path / name).chmod(0o755)
    made.repository.mkdir()
    made.git("init", "-q", "-b", "main")
    (made.repository / "a.txt").write_text("one\n")
    (made.repository / "b").write_text("one\n")
    (made.repository / ".gitattributes").write_text("*.txt filter=x diff=x\nb filter=a.b=c\n")
    made.git("add", "-A")
    made.git("commit", "-qm", "Begin")
    return made


def test_the_trap_springs_for_git_as_it_is(trap: Trap):
    trap.configure(EVERYTHING)
    os.utime(trap.repository / "a.txt", (1, 1))
    subprocess.run(("git", "-C", trap.repository, "diff"), capture_output=True, timeout=60)
    assert trap.is_sprung


@pytest.mark.parametrize("name", ["status", "blame", "head", "signed"])
def test_no_program_of_a_repositorys_configuration_is_run(trap: Trap, name: str):
    if name == "signed":
        head, _, message = trap.git("cat-file", "commit", "HEAD").partition("\n\n")
        text = f"{head}\n{SIGNATURE}\n{message}\n"
        commit = trap.git("hash-object", "-t", "commit", "-w", "--stdin", given=text)
        trap.git("update-ref", "refs/heads/main", commit)
    trap.configure(EVERYTHING)
    os.utime(trap.repository / "a.txt", (1, 1))
    os.utime(trap.repository / "b", (1, 1))
    where = CodeLine(str(trap.repository), "a.txt", 1)
    match name:
        case "status":
            assert find_base(trap.repository)[1] == read_head(str(trap.repository))[1]
        case "head":
            assert read_head(str(trap.repository))[0] == str(trap.repository)
        case _:
            assert _ask_git(str(trap.repository), where)[0] == "one"
    assert not trap.is_sprung


def test_a_submodule_runs_nothing_when_the_state_is_asked_for(trap: Trap):
    inner = Trap(trap.folder / "inner")
    inner.repository.mkdir(parents=True)
    inner.git("init", "-q", "-b", "main")
    (inner.repository / "a.txt").write_text("one\n")
    (inner.repository / ".gitattributes").write_text("* filter=x\n")
    inner.git("add", "-A")
    inner.git("commit", "-qm", "Begin")
    place = trap.repository / "module"
    inner.repository.rename(place)
    trap.git("add", "module")
    trap.git("commit", "-qm", "Add a module")
    with (place / ".git/config").open("a") as file:
        file.write(EVERYTHING.format(evil=trap.folder / "evil", folder=trap.folder))
    os.utime(place / "a.txt", (1, 1))
    find_base(trap.repository)
    assert not trap.is_sprung


def read_files(repository: Path) -> None:
    with open_committed_files(str(repository), MISSING, str) as files:
        files.list_paths()


@pytest.mark.parametrize("url", ["/nonexistent/of/nobody", "ext::sh -c %S"])
@pytest.mark.parametrize(
    "ask",
    [
        lambda it: read_head(str(it)),
        find_base,
        read_files,
        lambda it: call_git(it / ".git", ("cat-file", "-p", MISSING)),
    ],
)
def test_a_missing_object_starts_no_transport(
    trap: Trap, ask: Callable[[Path], object], url: str, monkeypatch: pytest.MonkeyPatch
):
    """Also where git does not know that nothing is to be fetched."""
    monkeypatch.setitem(call_git.__globals__["ALONE"], "GIT_NO_LAZY_FETCH", "0")
    url = f"ext::{trap.folder}/evil %S" if url.startswith("ext") else url
    trap.configure(LAZY, url)
    (trap.repository / ".git/refs/heads/main").write_text(f"{MISSING}\n")
    with pytest.raises((Refusal, DevelopmentError)):
        ask(trap.repository)
    assert not trap.is_sprung


def test_a_replaced_commit_is_the_one_that_stood_there(trap: Trap):
    first = trap.git("rev-parse", "HEAD")
    (trap.repository / "a.txt").write_text("two\n")
    trap.git("commit", "-qam", "Go on")
    trap.git("replace", first, "HEAD")
    with open_committed_files(str(trap.repository), first, str) as files:
        assert files.read("a.txt") == "one\n"


@pytest.mark.parametrize(
    "name", ["--output=x", "-S/etc/passwd", "../outside", "a\0b", ".git/config"]
)
def test_a_path_of_blame_is_never_an_option_and_never_outside(trap: Trap, name: str):
    (trap.folder / "outside").write_text("secret\n")
    with pytest.raises(Refusal):
        _ask_git(str(trap.repository), CodeLine(str(trap.repository), name, 1))


def test_git_directories_are_found_without_running_anything(trap: Trap):
    trap.configure(EVERYTHING)
    assert find_git_dir(str(trap.repository)) == trap.repository / ".git"
    assert not trap.is_sprung
