"""Runs git, always in a git directory of ours.

Git does what a repository's configuration says: it starts monitors, filters, hooks, pagers and
helpers, includes other files, fetches what is missing. So no call runs in somebody else's
repository, not even with such settings overridden: there are too many, and their names can be
chosen. Clones are ours (``clones.py``), and so is the git directory through which another
repository is read (``repositories.py``). A local call sees no other configuration; a fetch also
uses that of the person who runs it.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from connectors.connector import (
    MAX_CONTENT_BYTES,
    MAX_ENTRIES,
    Item,
    Listing,
    Notice,
    SourceRefused,
    SourceUnavailable,
    printable,
    sort_items,
)
from connectors.paths import check_path
from infra.platform.addresses import without_credentials

CALL_TIMEOUT_S = 600
PROTOCOLS = ("file", "https", "ssh", "git")
LINK, SUBMODULE = b"120000", b"160000"
NOTHING: Mapping[str, str] = {}
LAST_INSTANT_S = 253402300799  # 9999-12-31, the last a datetime can hold
NO_GIT = "git is not installed: install it, or give an archive."
MAX_NAMES = 4 * MAX_ENTRIES  # different paths in a whole history
_STARTED: set[_Git] = set()


@dataclass(frozen=True, slots=True)
class GitDirectory:
    """A git directory of ours; ``shows`` is the repository whose objects it contains."""

    folder: Path
    shows: Path | None = None

    def __str__(self) -> str:
        return str(self.shows or self.folder)


def list_commit(at: GitDirectory, root: str, ref: str) -> Listing:
    """The complete tree of a commit, read from the repository's objects."""
    commit = run_git(at, "rev-parse", "--verify", f"{ref}^{{commit}}").decode().strip()
    rows = list(stream_git(at, "ls-tree", "-r", "-l", "-z", commit))
    dates = author_dates(at, commit)
    blobs = Blobs(at)
    items: list[Item] = []
    notices: list[Notice] = []
    for row in rows:
        meta, _, raw_path = row.partition(b"\t")
        mode, _, oid, size = meta.split()
        if (path := check_entry(mode, raw_path, notices)) is not None:
            fetch = blobs.reader(oid.decode())
            items.append(Item(path, parse_size(size), fetch, dates.get(raw_path), commit))
    return Listing(root, True, *sort_items(items, notices), close=blobs.close)


def parse_size(text: bytes) -> int:
    """The size of an object as git lists it; 0 for a missing one, which fails when read."""
    return int(text) if text.isdigit() else 0


def check_entry(mode: bytes, raw_path: bytes, notices: list[Notice]) -> str | None:
    """The printable path of a tracked file; None, with a notice, for anything else."""
    path = check_path(raw_path, notices)
    if path is None or mode not in (LINK, SUBMODULE):
        return path
    notices.append(Notice(path, "link" if mode == LINK else "submodule"))
    return None


class Blobs:
    """Contents of objects from one ``git cat-file`` process, started when first needed."""

    def __init__(self, at: GitDirectory) -> None:
        self._at = at
        self._process: subprocess.Popen[bytes] | None = None

    def reader(self, oid: str) -> Callable[[], bytes]:
        return lambda: self.read(oid)

    def read(self, oid: str) -> bytes:
        """The object's first 8 MiB and one byte. Raises SourceUnavailable."""
        try:
            return self._answer(oid)
        except (OSError, ValueError) as error:
            self.close()  # its next output would belong to this request
            raise SourceUnavailable(
                f"Object {oid} is missing or damaged in {self._at}: run `git fsck` there."
            ) from error

    def _answer(self, oid: str) -> bytes:
        if self._process is None:
            self._process = _spawn(self._at, "cat-file", "--batch")
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(f"{oid}\n".encode())
        self._process.stdin.flush()
        _, kind, length = self._process.stdout.readline().split()
        size = int(length)
        content = self._process.stdout.read(min(size, MAX_CONTENT_BYTES + 1))
        rest = size - len(content) + 1  # and the line feed after it
        while rest and (skipped := self._process.stdout.read(min(rest, 1 << 20))):
            rest -= len(skipped)
        if kind != b"blob" or rest:
            raise ValueError("no content, or not all of it")
        return content

    def close(self) -> None:
        if self._process:
            _end(self._process)
            self._process = None


def is_blob(oid: str, content: bytes) -> bool:
    """Whether ``content`` has this object id, as it is or with CRLF line ends undone.

    False for a file of which only the beginning was read.
    """
    if _object_id(oid, content) == oid:
        return True
    is_text = b"\0" not in content
    return is_text and _object_id(oid, content.replace(b"\r\n", b"\n")) == oid


def _object_id(like: str, content: bytes) -> str:
    made = hashlib.sha1 if len(like) == 40 else hashlib.sha256
    return made(b"blob %d\0" % len(content) + content).hexdigest()


def author_dates(at: GitDirectory, commit: str, within: bytes = b"") -> dict[bytes, datetime]:
    """For each path as git names it, the author date of its last commit, in UTC.

    One walk over the history. ``within`` is a folder that ends in ``/``; paths are relative to it.
    At the edge of a shallow clone the date is unknown, so such paths are absent.
    """
    scope = os.fsdecode(within)
    return dates_of(at, commit, [scope] if scope else [], f"--relative={scope}")


def dates_of(
    at: GitDirectory, commit: str, paths: Sequence[str], *options: str
) -> dict[bytes, datetime]:
    """``author_dates`` of ``paths`` only; of all paths if there are none."""
    try:
        ends = set((at.folder / "shallow").read_bytes().split())
    except OSError:
        ends = set()
    arguments = ("--name-only", "-z", "--no-renames", "--format=%x01%H%x02%at", *options)
    dates: dict[bytes, datetime | None] = {}
    when: datetime | None = None
    walk = ("log", *arguments, commit, "--", *paths)
    for token in stream_git(at, *walk, limit=None, strict=False):
        if token.startswith(b"\x01"):
            revision, _, seconds = token[1:].partition(b"\x02")
            when = None if revision in ends else _instant(seconds)
        elif token:
            dates.setdefault(token.removeprefix(b"\n"), when)
            if len(dates) > MAX_NAMES:
                raise too_many(at, MAX_NAMES)
    return {path: date for path, date in dates.items() if date is not None}


def run_git(
    at: GitDirectory,
    *arguments: str,
    timeout_s: float = CALL_TIMEOUT_S,
    remote: str = "",
    given: bytes = b"",
    settings: Mapping[str, str] = NOTHING,
) -> bytes:
    """Runs git with ``given`` as its input; returns standard output. Raises SourceUnavailable.

    ``remote`` is the name of a fetched repository in messages. ``settings`` are environment
    variables for this call: values that a list of processes must not show.
    """
    process = _start(at, arguments, {**_environment(at, bool(remote)), **settings})
    try:
        printed, complaint = process.communicate(given, timeout=timeout_s)
    except subprocess.TimeoutExpired as error:
        raise SourceUnavailable(
            f"git {arguments[0]} did not end within {timeout_s:.0f} s: try again, or clone the"
            " repository yourself and give the folder."
        ) from error
    finally:
        if process.returncode is None:
            _end(process)
    if process.returncode:
        reason = without_credentials(
            printable(" ".join(complaint.decode("utf-8", "replace").split()))
        )
        raise SourceUnavailable(
            f"git {arguments[0]} failed for {remote or at} ({reason[:400]}): "
            + ("check address and access." if remote else "check the repository.")
        )
    return printed


def git_answers(at: GitDirectory, *arguments: str) -> str:
    """What git prints, or an empty string if it fails or is not installed."""
    with contextlib.suppress(SourceUnavailable):
        return run_git(at, *arguments).decode("utf-8", "surrogateescape").strip()
    return ""


def stream_git(
    at: GitDirectory, *arguments: str, limit: int | None = MAX_ENTRIES, strict: bool = True
) -> Iterator[bytes]:
    """The output of one git call, split at zero bytes, as it arrives.

    Raises SourceRefused above ``limit`` parts. Raises SourceUnavailable at the end of a failed
    call, unless the output so far is enough (not ``strict``).
    """
    process = _spawn(at, *arguments)
    assert process.stdout
    rest, count = b"", 0
    try:
        while part := process.stdout.read1(1 << 16):  # type: ignore[attr-defined]
            *whole, rest = (rest + part).split(b"\0")
            count += len(whole)
            if limit is not None and count > limit:
                raise too_many(at, limit)
            yield from whole
        if strict and process.wait():
            raise SourceUnavailable(
                f"git {arguments[0]} failed for {at}: run `git fsck` in the repository."
            )
        if rest:
            yield rest
    finally:
        _end(process)


def too_many(place: GitDirectory | Path, limit: int) -> SourceRefused:
    return SourceRefused(f"{place} contains more than {limit:,} files: give a folder in it.")


def _environment(at: GitDirectory, remote: bool) -> dict[str, str]:
    """The environment without variables that point git elsewhere (as inside a hook)."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    kept |= {
        "GIT_DIR": str(at.folder),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_ASKPASS": "",
        "LC_ALL": "C",
    }
    if remote:
        ssh = os.environ.get("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=20")
        return kept | {"GIT_ALLOW_PROTOCOL": ":".join(PROTOCOLS), "GIT_SSH_COMMAND": ssh}
    nobody = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    return kept | nobody | {"GIT_ALLOW_PROTOCOL": "none"}


def _spawn(at: GitDirectory, *arguments: str) -> subprocess.Popen[bytes]:
    return _start(at, arguments, _environment(at, remote=False), errors=subprocess.DEVNULL)


class _Git(subprocess.Popen[bytes]):
    """A call that is known from its first moment on: an interrupt may come while it starts."""

    def __init__(
        self, command: Sequence[str], at: Path, environment: Mapping[str, str], errors: int
    ) -> None:
        _STARTED.difference_update([it for it in list(_STARTED) if it.has_ended])
        _STARTED.add(self)
        pipe = subprocess.PIPE
        try:
            super().__init__(
                command, cwd=at, env=environment, stdin=pipe, stdout=pipe, stderr=errors
            )
        except OSError:
            _STARTED.discard(self)
            raise

    @property
    def has_begun(self) -> bool:
        return getattr(self, "pid", None) is not None

    @property
    def has_ended(self) -> bool:
        return self.has_begun and self.poll() is not None


def _start(
    at: GitDirectory,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    errors: int = subprocess.PIPE,
) -> subprocess.Popen[bytes]:
    try:
        return _Git(("git", "--no-pager", *arguments), at.folder, environment, errors)
    except FileNotFoundError as error:
        raise SourceUnavailable(NO_GIT) from error


@atexit.register
def _end_all() -> None:
    """Stops calls that nobody waits for any more, for example after an interrupt."""
    for process in list(_STARTED):
        if process.has_begun and not process.has_ended:
            process.terminate()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def _instant(seconds: bytes) -> datetime | None:
    """The time, or None if it is impossible: author dates come from anybody's clock."""
    try:
        value = int(seconds)
    except ValueError:
        return None
    return datetime.fromtimestamp(value, UTC) if 0 < value <= LAST_INSTANT_S else None
