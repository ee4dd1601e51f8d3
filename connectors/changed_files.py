"""The files that changed between two commits of a default branch, with their content at its head.

The two commits tell which files; the head tells their content. Deliveries arrive in any order, and
of two changes to one file the older must not win. A file that a later commit deleted is removed. So
in any order the result is the state at the head.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from connectors.clones import HEAD_REF
from connectors.connector import Item, Listing, Notice, printable, sort_items
from connectors.git import (
    Blobs,
    GitDirectory,
    check_entry,
    dates_of,
    git_answers,
    list_commit,
    parse_size,
    run_git,
)

PATHS_AT_ONCE = 400  # on one command line: 128 KiB hold as many of 300 bytes


@dataclass(frozen=True, slots=True)
class Change:
    """One changed file. ``before`` is its old path if it was renamed."""

    kind: str  # A added, M modified, D removed, R renamed, T of another type
    path: bytes
    before: bytes | None = None


def changes_between(clone: GitDirectory, before: str, after: str) -> list[Change] | None:
    """The files changed from ``before`` to ``after``.

    None if a commit is not in the history (a forced push, or a new branch). Raises
    SourceUnavailable.
    """
    ends = [_commit(clone, each) for each in (before, after)]
    if not all(ends):
        return None
    arguments = ("diff", "--name-status", "-z", "-M", "--no-ext-diff", "--no-textconv")
    return list(_changes(run_git(clone, *arguments, *ends, "--").split(b"\0")))


def list_changed(
    clone: GitDirectory, root: str, before: str, after: str, ref: str = HEAD_REF
) -> Listing:
    """The changed files at ``ref``, and the paths that no longer exist there.

    A complete listing of ``ref`` if the commits are not in the history. Raises SourceUnavailable.
    """
    changes = changes_between(clone, before, after)
    if changes is None:
        return list_commit(clone, root, ref)
    touched = sorted({path for each in changes for path in (each.path, each.before) if path})
    tip = run_git(clone, "rev-parse", "--verify", f"{ref}^{{commit}}").decode().strip()
    blobs = Blobs(clone)
    notices: list[Notice] = []
    items: list[Item] = []
    standing: set[bytes] = set()
    for part in _batches(touched):
        names = [os.fsdecode(path) for path in part]
        dates = dates_of(clone, tip, names)
        arguments = ("ls-tree", "-r", "-l", "-z", tip, "--")
        for row in run_git(clone, *arguments, *names).split(b"\0")[:-1]:
            meta, _, raw_path = row.partition(b"\t")
            mode, _, oid, size = meta.split()
            standing.add(raw_path)
            if (path := check_entry(mode, raw_path, notices)) is not None:
                fetch = blobs.reader(oid.decode())
                items.append(Item(path, parse_size(size), fetch, dates.get(raw_path), tip))
    gone = tuple(printable(path) for path in touched if path not in standing)
    listed, all_notices = sort_items(items, notices)
    return Listing(root, False, listed, all_notices, removed=gone, close=blobs.close)


def _changes(fields: Sequence[bytes]) -> Iterator[Change]:
    """Status and path alternate; a rename or copy has two paths."""
    rest = iter(fields)
    for status in rest:
        if not status:
            return
        kind = status[:1].decode()
        if kind in "RC":
            before, path = next(rest), next(rest)
            yield Change(kind, path, before if kind == "R" else None)
        else:
            yield Change(kind, next(rest))


def _commit(clone: GitDirectory, name: str) -> str:
    if not name:
        return ""
    return git_answers(clone, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")


def _batches(paths: list[bytes]) -> Iterator[list[bytes]]:
    for start in range(0, len(paths), PATHS_AT_ONCE):
        yield paths[start : start + PATHS_AT_ONCE]
