"""Git on the host, without letting anything of a workspace run: its files are only data here.

Git's own directory lies outside of the workspace. Hooks, filters, aliases and the file watcher of
a workspace are programs that a model may have written, so contents are stored without filters,
the index is a private file, and no configuration but that of the git directory is read; of that,
whatever names a program is overruled. A commit has exactly the tree that it is given.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from infra.platform.errors import Invalid
from infra.runtime.walls.errors import WorkspaceUnfit
from infra.runtime.walls.git import GitFailed, call_git, run_git
from infra.runtime.walls.workspace import entries_of

EXECUTABLE, PLAIN, LINK, SUBMODULE = "100755", "100644", "120000", "160000"
HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
TRAILER = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
RULES_OF_GIT = (".gitignore", ".gitattributes")  # which git reads in the workspace
MOST_RULES_BYTES = 1_000_000
READ_AT_ONCE_BYTES = 64 * 1024 * 1024
HEAD_BYTES = 200  # of a line of `cat-file --batch`: a hash, a type, a size


@dataclass(frozen=True, slots=True)
class Author:
    name: str
    email: str
    at: datetime  # with a time zone


def write_tree(workspace: Path, git_dir: Path, base: str | None = None) -> str:
    """Store the files of a workspace as they are, and return the hash of their tree.

    ``base`` is the commit or tree that the workspace began with: its files belong to the tree also
    where ``.gitignore`` names them, and its submodules stay. No command may run in the workspace
    meanwhile. Raises GitFailed, and WorkspaceUnfit for a name with a line feed.
    """
    rows = list_tree(git_dir, base) if base else {}
    files, links = _split(workspace)
    ignored = _ignored(workspace, git_dir, (*files, *links)) - rows.keys()
    kept = [name for name in files if name not in ignored]
    lines = [f"{files[name]} {sha}\t{name}" for name, sha in _store(workspace, git_dir, kept)]
    for name in links:
        if name not in ignored:
            target = os.readlink(workspace / name).encode(errors="surrogateescape")
            sha = run_git(git_dir, "hash-object", "-w", "--stdin", given=target).strip()
            lines.append(f"{LINK} {sha}\t{name}")
    lines += [f"{mode} {sha}\t{name}" for name, (mode, sha) in rows.items() if mode == SUBMODULE]
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": f"{folder}/index"}
        given = "".join(f"{line}\0" for line in lines).encode(errors="surrogateescape")
        run_git(git_dir, "update-index", "-z", "--index-info", given=given, more=index)
        return run_git(git_dir, "write-tree", more=index).strip()


def commit_tree(
    git_dir: Path,
    tree: str,
    parents: Sequence[str],
    message: str,
    author: Author,
    trailers: Mapping[str, str] | None = None,
) -> str:
    """Make a commit of exactly this tree, and return its hash; no branch is moved.

    Raises Invalid for what is no hash and no trailer, GitFailed.
    """
    for each in (tree, *parents):
        _check_hash(each)
    of_parents = [part for each in parents for part in ("-p", each)]
    # A model may have written it: git takes no NUL, and half a character is no text.
    plain = message.replace("\0", "").encode(errors="replace").decode()
    text = plain.strip() + "\n" + _trailer_lines(trailers or {})
    return run_git(
        git_dir,
        *("commit-tree", tree, *of_parents, "-F", "-"),
        given=text.encode(),
        more=_signature(author),
    ).strip()


def move_branch(git_dir: Path, branch: str, commit: str, before: str | None) -> None:
    """Let a branch name the commit. ``before``: the commit that it must name until now; None: it
    must be new. Raises GitFailed when it names another one.
    """
    _check_hash(commit)
    reference = f"refs/heads/{branch}"
    run_git(git_dir, "check-ref-format", reference)
    run_git(git_dir, "update-ref", reference, commit, before or "0" * len(commit))


def diff_trees(git_dir: Path, before: str, after: str, paths: Sequence[str] = ()) -> str:
    """What has changed from one tree or commit to another, as a unified diff."""
    for each in (before, after):
        _check_hash(each)
    return run_git(
        git_dir,
        *("--literal-pathspecs", "diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv"),
        *("--no-color", "--no-renames", "--full-index", before, after, "--", *paths),
    )


def list_tree(git_dir: Path, tree: str) -> dict[str, tuple[str, str]]:
    """The files of a tree or commit: mode and hash by path."""
    _check_hash(tree)
    rows = {}
    for line in run_git(git_dir, "ls-tree", "-r", "-z", "--full-tree", tree).split("\0"):
        if line:
            facts, name = line.split("\t", 1)
            mode, _, sha = facts.split(" ")
            rows[name] = (mode, sha)
    return rows


def check_out_tree(git_dir: Path, tree: str, workspace: Path) -> None:
    """Write the files of a tree into an empty folder, byte for byte: no filter changes them."""
    workspace.mkdir(parents=True, exist_ok=True)
    if any(workspace.iterdir()):
        raise WorkspaceUnfit(f"{workspace} is not empty: nothing is written into it.")
    rows = {name: row for name, row in list_tree(git_dir, tree).items() if row[0] != SUBMODULE}
    for part in _split_rows(git_dir, rows):
        given = "".join(f"{rows[name][1]}\n" for name in part).encode()
        answer = call_git(git_dir, ("cat-file", "--batch"), given)
        at = 0
        for name in part:
            end = answer.index(b"\n", at, at + HEAD_BYTES)
            size_bytes = int(answer[at:end].rsplit(b" ", 1)[1])
            at = end + 1 + size_bytes + 1
            _write_entry(workspace, name, rows[name][0], answer[end + 1 : at - 1])


def _split_rows(git_dir: Path, rows: Mapping[str, tuple[str, str]]) -> Iterator[list[str]]:
    """The names in parts that have room in memory, however long all files are together."""
    given = "".join(f"{sha}\n" for _, sha in rows.values())
    answer = run_git(git_dir, "cat-file", "--batch-check=%(objectsize)", given=given.encode())
    part: list[str] = []
    held = 0
    for name, size in zip(rows, answer.splitlines(), strict=True):
        if not size.isdecimal():
            raise GitFailed(f"The content of {name} is not in the repository.")
        if part and held + int(size) > READ_AT_ONCE_BYTES:
            yield part
            part, held = [], 0
        part.append(name)
        held += int(size)
    if part:
        yield part


def _split(workspace: Path) -> tuple[dict[str, str], list[str]]:
    """Its regular files with their modes, and its links; no devices, no git directories."""
    files: dict[str, str] = {}
    links: list[str] = []
    for entry in entries_of(workspace):
        name = entry.path[len(str(workspace)) + 1 :]
        if entry.is_git_directory:
            continue
        if "\n" in name:
            raise WorkspaceUnfit(f"A name in the workspace holds a line feed: {name!r}.")
        if name.rpartition("/")[2] in RULES_OF_GIT and stat.S_ISFIFO(entry.info.st_mode):
            raise WorkspaceUnfit(f"{name} is a pipe: git would wait for it without end.")
        if stat.S_ISLNK(entry.info.st_mode):
            links.append(name)
        elif stat.S_ISREG(entry.info.st_mode):
            files[name] = EXECUTABLE if entry.info.st_mode & stat.S_IXUSR else PLAIN
    return dict(sorted(files.items())), sorted(links)


def _ignored(workspace: Path, git_dir: Path, names: Sequence[str]) -> set[str]:
    for name in names:
        is_rules = name.rpartition("/")[2] in RULES_OF_GIT
        if is_rules and (workspace / name).stat(follow_symlinks=False).st_size > MOST_RULES_BYTES:
            raise WorkspaceUnfit(f"{name} has more than {MOST_RULES_BYTES:,} bytes.")
    given = "".join(f"{name}\0" for name in names).encode(errors="surrogateescape")
    with tempfile.TemporaryDirectory() as folder:
        more = {"GIT_WORK_TREE": str(workspace), "GIT_INDEX_FILE": f"{folder}/index"}
        arguments = ("check-ignore", "--no-index", "--stdin", "-z")
        answer = call_git(git_dir, arguments, given, more, directory=workspace, fine=(0, 1))
    return set(answer.decode(errors="surrogateescape").split("\0")) - {""}


def _store(workspace: Path, git_dir: Path, names: Sequence[str]) -> list[tuple[str, str]]:
    """The hash of each file, whose bytes are stored as they are."""
    # A whole path never begins with a quotation mark, which git would take apart.
    given = "".join(f"{workspace / name}\n" for name in names).encode(errors="surrogateescape")
    answer = run_git(git_dir, "hash-object", "-w", "--no-filters", "--stdin-paths", given=given)
    return list(zip(names, answer.split(), strict=True))


def _write_entry(workspace: Path, name: str, mode: str, content: bytes) -> None:
    path = workspace / name
    if ".." in path.parts or any(part.casefold() == ".git" for part in path.parts):
        raise WorkspaceUnfit(f"A tree may not hold {name}.")
    for folder in reversed(path.parents):
        if folder.is_relative_to(workspace) and folder != workspace:
            if folder.is_symlink():  # nothing is made behind it, not even a folder
                raise WorkspaceUnfit(f"{name} lies behind a link.")
            folder.mkdir(exist_ok=True)
    if mode == LINK:
        os.symlink(content.decode(errors="surrogateescape"), path)
        return
    permissions = 0o755 if mode == EXECUTABLE else 0o644
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, permissions)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def _check_hash(text: str) -> None:
    if not HASH.fullmatch(text):
        raise Invalid(f"{text[:80]!r} is no hash of git.", code="no_git_hash")


def _trailer_lines(trailers: Mapping[str, str]) -> str:
    for name, value in trailers.items():
        if not TRAILER.fullmatch(name) or not value.strip() or "\n" in value:
            raise Invalid(f"{name!r} is no trailer of a commit.", code="no_trailer")
    lines = "".join(f"{name}: {value.strip()}\n" for name, value in trailers.items())
    return f"\n{lines}" if lines else ""


def _signature(author: Author) -> dict[str, str]:
    at = f"{int(author.at.timestamp())} {author.at.strftime('%z') or '+0000'}"
    return {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", author.name), ("EMAIL", author.email), ("DATE", at))
    }
