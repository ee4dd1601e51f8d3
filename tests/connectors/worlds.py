"""Real folders, repositories and archives for the connectors' tests."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from connectors.connector import Item, Listing
from connectors.recognise import open_source

FILES: dict[str, bytes] = {
    "zeta.txt": b"zeta\n",
    "src/deep/module.py": b"x = 1\n",
    "src/app.py": b"print()\n",
    "docs/design/storage.md": b"# Storage\n",
    "docs/README.md": b"# Docs\n",
    "README.md": b"# Project\n",
    "AGENTS.md": b"# Agents\n",
    "package.json": b"{}\n",
    "vendor/lib.js": b"var a\n",
    "logo.png": b"\x89PNG\r\n\x1a\n\x00",
}
IN_ORDER = [
    "README.md",
    "docs/README.md",
    "AGENTS.md",
    "docs/design/storage.md",
    "package.json",
    "src/app.py",
    "logo.png",
    "zeta.txt",
    "vendor/lib.js",
    "src/deep/module.py",
]


def a_folder(at: Path, files: Mapping[str, bytes] = FILES) -> Path:
    for path, content in files.items():
        (at / path).parent.mkdir(parents=True, exist_ok=True)
        (at / path).write_bytes(content)
    return at


@contextmanager
def a_chain(at: Path, name: str, depth: int) -> Iterator[bytes]:
    """Folders in folders with a file in the last, and its path; gone at the end.

    Others walk through temporary folders with calls that so long a path is too much for.
    """
    above = os.open(at, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=above)
        inner = os.open(name, os.O_RDONLY, dir_fd=above)
        os.close(above)
        above = inner
    os.close(os.open("f", os.O_CREAT | os.O_WRONLY, dir_fd=above))
    os.close(above)
    try:
        yield "/".join([*[name] * depth, "f"]).encode()
    finally:
        outer, spare = at / name, at / "spare"
        while (outer / name).exists():
            (outer / name).rename(spare)
            outer.rmdir()
            spare.rename(outer)
        (outer / "f").unlink()
        outer.rmdir()


def git(folder: Path, *arguments: str, date: str = "2020-01-02T03:04:05+00:00") -> str:
    environment = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}
    environment |= {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": "2024-01-01T00:00:00+00:00"}
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(
        ("git", *identity, *arguments), cwd=folder, env=environment, check=True, capture_output=True
    )
    return done.stdout.decode().strip()


def a_repository(at: Path, files: Mapping[str, bytes] = FILES) -> Path:
    a_folder(at, files)
    git(at, "init", "--quiet")
    commit(at)
    return at


def commit(at: Path, date: str = "2020-01-02T03:04:05+00:00") -> str:
    git(at, "add", "--all", "--force")
    git(at, "commit", "--quiet", "--message=change", date=date)
    return git(at, "rev-parse", "HEAD")


def a_tar(at: Path, files: Mapping[str, bytes], top: str = "") -> Path:
    with tarfile.open(at, "w:gz") as tar:
        for path, content in files.items():
            member = tarfile.TarInfo(top + path)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return at


def a_zip(at: Path, files: Mapping[str, bytes], top: str = "") -> Path:
    with zipfile.ZipFile(at, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(top + path, content)
    return at


def list_source(spec: str | Path, clones: Path, as_name: str | None = None) -> Listing:
    return open_source(str(spec), as_name, clones, lambda line: None).list()


def contents(listing: Listing) -> dict[str, bytes]:
    with listing:
        return {item.path: item.read() for item in listing.items}


def items_by_path(listing: Listing) -> dict[str, Item]:
    """Each item as it is told with the content it has."""
    with listing:
        return {item.path: item.with_content(item.read()) for item in listing.items}


def codes(listing: Listing) -> dict[str, str]:
    return {notice.path: notice.code for notice in listing.notices}


@contextmanager
def swap(place: Path, link: Path, away: Path) -> Iterator[None]:
    """``place`` and ``link`` change places as fast as one thread can; in the end nothing has."""
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            place.rename(away)
            link.rename(place)
            place.rename(link)
            away.rename(place)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
