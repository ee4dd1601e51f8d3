"""Chooses the connector for what a user wrote as SOURCE."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from connectors.archive import Archive, is_archive
from connectors.clones import GitUrl, is_git_url, root_of_url
from connectors.connector import Connector, SourceRefused, UnknownSource, printable
from connectors.folder import Folder, SingleFile
from connectors.forbidden_folders import check_folder
from connectors.paths import is_git_name
from connectors.repositories import GitFolder, is_git_folder
from infra.platform.addresses import without_credentials
from infra.platform.errors import Conflict

MAX_ROOT_CHARS = 200
_GITHUB = re.compile(r"^github:([\w.-]+)/([\w.-]+)$")
_ELSEWHERE = ("jira:", "slack:", "bitbucket:")


def open_source(
    spec: str,
    as_name: str | None,
    clones: Path,
    say: Callable[[str], None],
    *,
    any_folder: bool = False,
) -> Connector:
    """The connector for a folder, file, archive, repository or address.

    ``as_name`` names the root instead of the folder, archive or repository. Fetched repositories
    are kept in ``clones``; ``say`` reports what takes long. With ``any_folder`` system folders and
    home folders are read too. Raises UnknownSource, SourceRefused.
    """
    root = check_root_name(as_name) if as_name is not None else ""
    if not spec.strip():
        raise UnknownSource(
            "SOURCE is empty: give a folder (. is the one you are in), a file, an"
            " archive or an address."
        )
    if match := _GITHUB.match(spec):
        spec = f"https://github.com/{match[1]}/{match[2].removesuffix('.git')}.git"
    try:
        path = Path(spec).expanduser()
        exists = path.exists()
    except (OSError, ValueError, RuntimeError):
        exists = False
    if exists:
        return _open_local(path, root, any_folder)
    if spec.startswith("github:") or spec.startswith(_ELSEWHERE):
        raise UnknownSource(
            f"{without_credentials(printable(spec))} cannot be read: write a repository as"
            " github:owner/repo; of other services give an export as folder or archive."
        )
    if is_git_url(spec):
        return GitUrl(spec, root or root_of_url(spec), clones, say)
    raise UnknownSource(
        f"{without_credentials(printable(spec))!r} is no folder, file or archive here (looked in"
        f" {Path.cwd()}) and no address of a git repository: check the path, or give https://…,"
        " git@… or github:owner/repo."
    )


class Root(NamedTuple):
    """What one source of a request is called; ``complete``: it is all of its root."""

    source: str
    name: str
    complete: bool


def check_roots(before: Iterable[Root], root: Root) -> None:
    """Raises Conflict when one request names two whole sources of one root.

    The second would take the first's files as removed.
    """
    for other in before:
        if other.name == root.name and other.complete and root.complete:
            raise Conflict(
                f"{other.source} and {root.source} are both called {root.name}, so the second would"
                " be taken for a later state of the first, and is not read.",
                code="same_root",
                detail={"root": root.name, "sources": [other.source, root.source]},
            )


def check_root_name(name: str) -> str:
    """Returns ``name`` if a root can have it. Raises UnknownSource."""
    odd = any(unicodedata.category(char) in ("Cc", "Cs") for char in name)
    if not name.strip() or odd or len(name) > MAX_ROOT_CHARS:
        raise UnknownSource(
            f"--as {printable(name[:MAX_ROOT_CHARS])!r} cannot name a root: use 1 to"
            f" {MAX_ROOT_CHARS} printable characters."
        )
    return name


def _open_local(path: Path, root: str, any_folder: bool) -> Connector:
    full = path.resolve()
    if not full.is_dir() and not full.is_file():
        raise UnknownSource(f"{path} is neither a file nor a folder: give one of these.")
    if not any_folder:
        check_folder(full)
    if full.is_dir():
        name = root or printable(full.name) or "root"
        if is_git_folder(full):
            in_work_tree = full.name == ".git"
            named = printable(full.parent.name if in_work_tree else full.name.removesuffix(".git"))
            return GitFolder(full, root or named)
        if is_git_name(os.fsencode(full.name)):
            raise SourceRefused(
                f"{printable(str(full))} is not a complete git repository: give the folder"
                " that contains it, or run `git fsck` there."
            )
        return Folder(full, name)
    if is_archive(full.name):
        return Archive(full, root)
    return SingleFile(full, root or printable(full.parent.name) or "root")
