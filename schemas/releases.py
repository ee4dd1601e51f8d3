"""Which commit each release is, and the hash of each schema file that was released with it.

`RELEASES.toml` is written by ``python -m schemas.release --name VERSION COMMIT``. A commit cannot
name itself, so the entry is made by the commit after it. Entries are never changed.
"""

from __future__ import annotations

import hashlib
import subprocess
import tomllib
from dataclasses import dataclass
from datetime import date
from pathlib import Path


@dataclass(frozen=True)
class Release:
    """``schemas``: SHA-256 by the file's path below this folder."""

    version: str
    date: date
    commit: str
    schemas: dict[str, str]


def read_releases(file: Path) -> list[Release]:
    """Oldest first."""
    return [Release(**each) for each in tomllib.loads(file.read_text()).get("release", [])]


def find_changed(folder: Path, release: Release) -> list[str]:
    """The schema files below ``folder`` that are missing or differ from those of ``release``."""
    now = hash_schemas(folder)
    return sorted(name for name, digest in release.schemas.items() if now.get(name) != digest)


def hash_schemas(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.glob("*/*.avsc"))
    }


def name_release(file: Path, version: str, commit: str) -> Release:
    """Append the release to ``file``, which lies in the folder of the schema files.

    Raises ValueError for a version that is named already, a commit that is none, and schema files
    that differ from those of the commit.
    """
    if any(each.version == version for each in read_releases(file)):
        raise ValueError(f"{version} is named already, and a release never changes.")
    folder = file.parent
    head = _git(folder, "log", "-1", "--format=%H %cs", commit, "--").split()
    if not head:
        raise ValueError(f"{commit} is no commit of this repository.")
    if _git(folder, "status", "--porcelain", "--", "*.avsc") or _git(
        folder, "diff", "--name-only", head[0], "--", "*.avsc"
    ):
        raise ValueError(f"The schema files are not those of {commit}: check that commit out.")
    release = Release(version, date.fromisoformat(head[1]), head[0], hash_schemas(folder))
    with file.open("a") as text:
        text.write(_render(release))
    return release


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def _render(release: Release) -> str:
    lines = [f'"{name}" = "{digest}"\n' for name, digest in release.schemas.items()]
    fields = f'version = "{release.version}"\ndate = {release.date}\ncommit = "{release.commit}"\n'
    return f"\n[[release]]\n{fields}\n[release.schemas]\n{''.join(lines)}"
