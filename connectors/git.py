"""Git repositories: clones that belong to us, and what git knows of somebody's work tree.

A remote repository is fetched into a bare repository and read from its objects: no checkout, so no
filters, links or names of a stranger reach the file system. Nothing is configured there, so an
address with a password in it is not kept. Decided against: shallow or partial clones (author dates
need the history) and an API client per host (git reaches them all).

A repository somebody else made can name programs in its configuration. Every call therefore
switches off monitors, hooks, filters, signatures and external diffs; in exchange the owner check is
off, without which a checkout mounted into a container could not be read.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import hashlib
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from connectors.connector import (
    MAX_CONTENT_BYTES,
    MAX_PATH_CHARS,
    Item,
    Listing,
    Notice,
    SourceUnavailable,
    UnknownSource,
    in_listing_order,
    printable,
)
from connectors.transport import Secret

FETCH_TIMEOUT_S = 1800
CALL_TIMEOUT_S = 600
PROTOCOLS = ("file", "https", "ssh", "git")
HARDENED = (
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false",
    "-c", "core.askPass=", "-c", "log.showSignature=false", "-c", "safe.directory=*",
)  # fmt: skip
LINK, SUBMODULE = b"120000", b"160000"
HEAD_REF = "refs/cairn/head"
NOTHING: Mapping[str, str] = {}
LAST_INSTANT_S = 253402300799  # 9999-12-31, the last a datetime can hold
_SCP_LIKE = re.compile(r"^[\w.+-]+@[\w.-]+:(?!//).+")
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


def is_git_url(spec: str) -> bool:
    """Whether ``spec`` is meant as the address of a repository; it may still be refused."""
    return "://" in spec or "::" in spec or bool(_SCP_LIKE.match(spec)) or spec.endswith(".git")


def without_credentials(text: str) -> str:
    """``text`` with user and password of every address in it removed."""
    return _CREDENTIALS.sub("", text)


def checked_url(url: str) -> str:
    """``url`` if it is of an allowed protocol and no option in disguise. Raises UnknownSource."""
    scheme = urlsplit(url).scheme if "://" in url else "ssh" if _SCP_LIKE.match(url) else ""
    remote_helper = "::" in url.partition("/")[0]
    if url.startswith("-") or remote_helper or scheme not in PROTOCOLS or "\n" in url:
        raise UnknownSource(
            f"{without_credentials(printable(url))!r} is no address git may fetch from: use one of"
            f" {', '.join(f'{name}://' for name in PROTOCOLS)} or user@host:path."
        )
    return url


def root_of_url(url: str) -> str:
    """The repository's name; on GitHub with its owner, however the address is written."""
    path = url.partition("://")[2].partition("/")[2] if "://" in url else url.partition(":")[2]
    parts = [part for part in path.split("/") if part and part != ".git"]
    name = parts[-1].removesuffix(".git") if parts else ""
    on_github = re.match(r"^(https://|ssh://)?([^@/]*@)?(www\.)?github\.com[/:]", url)
    return printable(
        f"{parts[0]}/{name}" if on_github and len(parts) == 2 else name or "repository"
    )


class GitUrl:
    """A remote repository at the head of its default branch. Its clone lives in ``clones``."""

    def __init__(
        self,
        url: str,
        root: str,
        clones: Path,
        say: Callable[[str], None],
        token: Secret | None = None,
    ) -> None:
        self.url = checked_url(url)
        self.root = root
        known_as = without_credentials(url)
        name = re.sub(r"[^\w.-]+", "-", root_of_url(url))[:60]
        self.folder = clones / f"{name}-{hashlib.sha256(known_as.encode()).hexdigest()[:12]}.git"
        self._say = say
        self._known_as = known_as
        self._token = token

    def list(self) -> Listing:
        self.fetch()
        return list_commit(self.folder, self.root, HEAD_REF)

    def fetch(self) -> None:
        """The clone has the default branch with its whole history. Raises SourceUnavailable."""
        self._say(f"Fetching {self._known_as}…")
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        with open(f"{self.folder}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two commands may want the same repository
            run_git(self.folder.parent, "init", "--quiet", "--bare", str(self.folder))
            arguments = ("--quiet", "--no-tags", "--force", "--", self.url, f"+HEAD:{HEAD_REF}")
            run_git(
                self.folder,
                "fetch",
                *arguments,
                timeout_s=FETCH_TIMEOUT_S,
                remote=True,
                settings=signed_in(self.url, self._token),
            )


class GitFolder:
    """A bare repository, or the ``.git`` of a work tree: the tree of its HEAD."""

    def __init__(self, folder: Path, root: str) -> None:
        self.folder = folder
        self.root = root

    def list(self) -> Listing:
        return list_commit(self.folder, self.root, "HEAD")


def list_commit(folder: Path, root: str, ref: str) -> Listing:
    """The tree of a commit, complete, read from the repository's objects."""
    commit = run_git(folder, "rev-parse", "--verify", f"{ref}^{{commit}}").decode().strip()
    dates = author_dates(folder, commit, "--")
    blobs = Blobs(folder)
    items: list[Item] = []
    notices: list[Notice] = []
    for row in run_git(folder, "ls-tree", "-r", "-l", "-z", commit).split(b"\0")[:-1]:
        meta, _, raw_path = row.partition(b"\t")
        mode, _, oid, size = meta.split()
        if (path := checked_entry(mode, raw_path, notices)) is not None:
            fetch = blobs.reader(oid.decode())
            items.append(Item(path, int(size), fetch, dates.get(raw_path), commit))
    return Listing(root, True, *in_listing_order(items, notices), close=blobs.close)


def checked_entry(mode: bytes, raw_path: bytes, notices: list[Notice]) -> str | None:
    """The printable path of a tracked file; None, with a notice, for what is no file."""
    path = printable(raw_path)
    if mode == LINK:
        notices.append(Notice(path, "link"))
    elif mode == SUBMODULE:
        notices.append(Notice(path, "submodule"))
    elif len(path) > MAX_PATH_CHARS:
        notices.append(Notice(path[:MAX_PATH_CHARS], "unsafe_name"))
    else:
        if path.encode() != raw_path:
            notices.append(Notice(path, "escaped_name"))
        return path
    return None


class Blobs:
    """Contents of objects out of one ``git cat-file`` process, started when first asked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def reader(self, oid: str) -> Callable[[], bytes]:
        return lambda: self.read(oid)

    def read(self, oid: str) -> bytes:
        """The first 8 MiB and a byte of the object. Raises SourceUnavailable."""
        if self._process is None:
            self._process = _spawn(self._folder, "cat-file", "--batch")
        assert self._process.stdin and self._process.stdout
        try:
            self._process.stdin.write(f"{oid}\n".encode())
            self._process.stdin.flush()
            answer = self._process.stdout.readline().split()
        except OSError:
            answer = []
        if len(answer) != 3 or answer[1] != b"blob":
            raise SourceUnavailable(
                f"Object {oid} is missing in {self._folder}: run `git fsck` there."
            )
        size = int(answer[2])
        content = self._process.stdout.read(min(size, MAX_CONTENT_BYTES + 1))
        rest = size - len(content) + 1  # and the line feed after it
        while rest and (skipped := self._process.stdout.read(min(rest, 1 << 20))):
            rest -= len(skipped)
        return content

    def close(self) -> None:
        if self._process:
            _end(self._process)
            self._process = None


def author_dates(folder: Path, commit: str, *scope: str) -> dict[bytes, datetime]:
    """For each path as git names it the author date of the last commit that touched it, in UTC.

    One walk over the history; paths are relative to ``folder``. Where a shallow clone ends nobody
    knows when a file came to be: such paths are absent.
    """
    shallow_file = run_git(folder, "rev-parse", "--git-path", "shallow").decode().strip()
    try:
        ends = set((folder / shallow_file).read_bytes().split())
    except OSError:
        ends = set()
    arguments = ("--name-only", "-z", "--no-renames", "--relative", "--format=%x01%H%x02%at")
    log = ("--literal-pathspecs", "log", *arguments, "--no-ext-diff", "--no-textconv")
    walk = _spawn(folder, *log, commit, *scope)
    dates: dict[bytes, datetime | None] = {}
    at: datetime | None = None
    try:
        for token in _tokens(walk):
            if token.startswith(b"\x01"):
                revision, _, seconds = token[1:].partition(b"\x02")
                at = None if revision in ends else _instant(seconds)
            elif token:
                dates.setdefault(token.removeprefix(b"\n"), at)
    finally:
        _end(walk)
    return {path: date for path, date in dates.items() if date is not None}


def modified_paths(folder: Path) -> set[bytes]:
    """Tracked paths whose bytes in the work tree are not those of HEAD; relative to ``folder``."""
    named = ("config", "--name-only", "-z", "--get-regexp", r"^filter\.")
    filters = run_git(folder, *named, codes=(0, 1)).decode("utf-8", "replace").split("\0")[:-1]
    off = [
        part
        for name in filters
        for part in ("-c", f"{name}={'false' if name.endswith('required') else ''}")
    ]
    diff = ("diff", "--name-only", "-z", "--no-ext-diff", "--no-textconv", "--no-renames")
    out = run_git(folder, *off, *diff, "--ignore-submodules=all", "--relative", "HEAD", "--")
    return set(out.split(b"\0")[:-1])


def run_git(
    folder: Path,
    *arguments: str,
    timeout_s: float = CALL_TIMEOUT_S,
    remote: bool = False,
    codes: Sequence[int] = (0,),
    settings: Mapping[str, str] = NOTHING,
) -> bytes:
    """Standard output of one git call in ``folder``. Raises SourceUnavailable.

    ``settings`` are variables for this call: what no list of processes should show.
    """
    try:
        done = subprocess.run(
            ("git", *HARDENED, *arguments),
            cwd=folder,
            env={**_environment(remote), **settings},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except FileNotFoundError as error:
        raise SourceUnavailable("git is not installed: install it, or give an archive.") from error
    except subprocess.TimeoutExpired as error:
        raise SourceUnavailable(
            f"git {arguments[0]} did not end within {timeout_s:.0f} s: try again, or clone the"
            " repository yourself and give the folder."
        ) from error
    if done.returncode not in codes:
        reason = without_credentials(
            printable(" ".join(done.stderr.decode("utf-8", "replace").split()))
        )
        place = without_credentials(arguments[-2]) if remote else str(folder)
        raise SourceUnavailable(
            f"git {arguments[0]} failed for {place} ({reason[:400]}): "
            + ("check address and access." if remote else "check the repository.")
        )
    return done.stdout


def signed_in(url: str, token: Secret | None) -> dict[str, str]:
    """What lets git fetch ``url`` with a token: only over TLS, never to another host."""
    parts = urlsplit(url)
    if token is None or parts.scheme != "https":
        return {}
    known = base64.b64encode(f"x-access-token:{token.reveal()}".encode()).decode()
    return {
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": f"http.https://{parts.netloc}/.extraHeader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Basic {known}",
        "GIT_CONFIG_KEY_1": "http.followRedirects",
        "GIT_CONFIG_VALUE_1": "false",
    }


def git_answers(folder: Path, *arguments: str) -> str:
    """What git prints, or an empty string where it fails or is not there."""
    with contextlib.suppress(SourceUnavailable):
        return run_git(folder, *arguments).decode("utf-8", "surrogateescape").strip()
    return ""


def _environment(remote: bool) -> dict[str, str]:
    """The caller's environment without what points git elsewhere (as inside a hook)."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    ssh = os.environ.get("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=20")
    allowed = ":".join(PROTOCOLS) if remote else "none"
    return kept | {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": allowed,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_SSH_COMMAND": ssh,
        "LC_ALL": "C",
    }


def _spawn(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ("git", "--no-pager", *HARDENED, *arguments),
        cwd=folder,
        env=_environment(remote=False),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def _tokens(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    assert process.stdout
    rest = b""
    while part := process.stdout.read1(1 << 16):  # type: ignore[attr-defined]
        *whole, rest = (rest + part).split(b"\0")
        yield from whole
    yield rest


def _instant(seconds: bytes) -> datetime | None:
    """Author dates are what somebody's clock said: the impossible ones say nothing."""
    try:
        value = int(seconds)
    except ValueError:
        return None
    return datetime.fromtimestamp(value, UTC) if 0 < value <= LAST_INSTANT_S else None
