"""Git asked about a git directory, with nothing of its user's or the machine's configuration.

Whatever names a program is overruled on the command line, which counts more than any file. Nothing
is fetched: an object that is missing is an error, and no transport is started for it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from infra.platform.errors import Invalid

GIT_S = 300
FILTERS = r"^filter\."
OVERRULED = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.pager=cat"),
    *("-c", "core.attributesFile=/dev/null", "-c", "core.excludesFile=/dev/null"),
    *("-c", "core.untrackedCache=false", "-c", "core.sshCommand=false", "-c", "gc.auto=0"),
    *("-c", "credential.helper=", "-c", "protocol.allow=never", "-c", "core.symlinks=true"),
    *("-c", "safe.directory=*", "-c", "log.showSignature=false"),
)
ALONE = {  # in the environment: git by itself, with the objects as they are
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # counts more than `protocol.*.allow` of a repository
    "GIT_NO_REPLACE_OBJECTS": "1",
}


class GitFailed(Invalid):
    """Git refuses what it was asked; the message is its own."""

    code = "git_failed"


def run_git(
    git_dir: Path, *arguments: str, given: bytes = b"", more: Mapping[str, str] | None = None
) -> str:
    """What git answers about a git directory. Raises GitFailed."""
    return call_git(git_dir, arguments, given, more).decode(errors="surrogateescape")


def find_git_dir(folder: Path) -> Path:
    """The git directory of the repository that contains a folder. Raises GitFailed."""
    answer = call_git(None, ("rev-parse", "--absolute-git-dir"), directory=folder)
    return Path(os.fsdecode(answer.removesuffix(b"\n")))


def start_git(git_dir: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """A git that is asked and answers while it runs; the caller ends it. Raises OSError."""
    return subprocess.Popen(
        ("git", *OVERRULED, *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environ(git_dir),
        cwd="/",
    )


def call_git(
    git_dir: Path | None,
    arguments: Sequence[str],
    given: bytes = b"",
    more: Mapping[str, str] | None = None,
    *,
    directory: Path = Path("/"),
    fine: tuple[int, ...] = (0,),
) -> bytes:
    """What `run_git` answers, as bytes. ``fine``: exit codes that are no failure.

    Without a git directory git looks for one from ``directory`` upwards.
    """
    try:
        answer = subprocess.run(
            ("git", *OVERRULED, *arguments),
            input=given,
            capture_output=True,
            env={**_environ(git_dir), **(more or {})},
            cwd=directory,
            timeout=GIT_S,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise GitFailed(f"git {arguments[0]} could not be run: {error}") from error
    if answer.returncode not in fine:
        message = answer.stderr.decode(errors="replace").strip()[:500]
        raise GitFailed(f"git {arguments[0]} failed: {message or answer.returncode}")
    return answer.stdout


def _environ(git_dir: Path | None) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "LC_ALL": "C.UTF-8",
        **ALONE,
        **({} if git_dir is None else {"GIT_DIR": str(git_dir)}),
    }


def overrule_filters(git_dir: Path) -> dict[str, str]:
    """An environment in which git runs none of the filters that a repository's configuration names,
    for what reads files of a working tree. Raises GitFailed.
    """
    answer = call_git(
        git_dir, ("config", "-z", "--name-only", "--get-regexp", FILTERS), fine=(0, 1)
    )
    names = dict.fromkeys(
        key.rpartition(".")[0] for key in answer.decode(errors="surrogateescape").split("\0") if key
    )
    nothing = (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))
    settings = [(f"{name}.{key}", value) for name in names for key, value in nothing]
    environ = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        environ |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return environ
