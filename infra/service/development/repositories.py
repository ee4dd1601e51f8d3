"""The repository of a run: a folder of this machine, and the commit that is checked out there."""

from __future__ import annotations

from pathlib import Path

from infra.platform.errors import Invalid
from infra.runtime.walls import git


def read_head(repository: str) -> tuple[str, str]:
    """The real path of the repository, and its commit; both empty where none is given.

    Raises Invalid.
    """
    if not repository:
        return "", ""
    if "\0" in repository or not Path(repository).is_absolute() or not Path(repository).is_dir():
        raise Invalid(
            "The repository is no folder of this machine: give its absolute path.",
            code="repository_invalid",
        )
    try:
        git_dir = git.find_git_dir(Path(repository))
        commit = git.run_git(git_dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    except git.GitFailed as error:
        raise Invalid(
            "The repository is no Git repository with a commit: make a first commit there.",
            code="repository_invalid",
        ) from error
    return str(Path(repository).resolve()), commit.strip()


def find_git_dir(repository: str) -> Path:
    """Where git keeps the repository, also where that is not below its folder. Raises Invalid."""
    try:
        return git.find_git_dir(Path(repository))
    except git.GitFailed as error:
        raise Invalid(
            f"{repository} is no Git repository any more: put it back, or start a new run.",
            code="repository_invalid",
        ) from error
