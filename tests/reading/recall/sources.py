"""Documents of other projects: the source distribution, fetched once by pip and pinned by hash."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from schemas.ids import sha256_hex

SUFFIXES = (".md", ".rst", ".txt")
TIMEOUT_S = 600


class Unfetched(Exception):
    """A source distribution could not be fetched; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Source:
    """A source distribution, and the files and folders of it whose documents are read."""

    package: str
    version: str
    sha256: str
    files: Sequence[str]

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version}"

    def has(self, path: str) -> bool:
        """Whether ``path`` is one of the documents."""
        wanted = any(path == it or path.startswith(f"{it}/") for it in self.files)
        return wanted and path.endswith(SUFFIXES)


def read_source(lists: Path) -> Source:
    return Source(**json.loads((lists / "source.json").read_text()))


def fetch_documents(source: Source, cache: Path, pip: Sequence[str] = ()) -> Path:
    """The folder with the documents, below ``cache``; fetched when it is not there yet.

    ``pip`` is the command; by default that of this Python. Raises Unfetched.
    """
    pinned = sha256_hex(f"{source.sha256} {' '.join(source.files)}")[:12]
    folder = cache / "documents" / f"{source.package}-{source.version}-{pinned}"
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as work:
        archive = _download(source, Path(work), pip or (sys.executable, "-m", "pip"))
        _unpack(source, archive, Path(work) / "whole", Path(work) / "documents")
        try:
            (Path(work) / "documents").rename(folder)
        except OSError:  # another test run was faster
            if not folder.exists():
                raise
    return folder


def _download(source: Source, folder: Path, pip: Sequence[str]) -> Path:
    """pip checks the hash."""
    pins = folder / "pins.txt"
    pins.write_text(f"{source.requirement} --hash=sha256:{source.sha256}\n")
    to = folder / "download"
    options = ("--quiet", "--no-deps", "--no-binary", ":all:", "--require-hashes")
    command = [*pip, "download", *options, "--dest", str(to), "--requirement", str(pins)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
        trouble = done.stderr.strip()[-600:] if done.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        trouble = str(error)
    if trouble:
        raise Unfetched(
            f"The source distribution {source.requirement} could not be fetched, and recall cannot"
            " be measured without it: check the network (or pip's index settings) and run again;"
            f" what was fetched is kept. pip said: {trouble}"
        )
    (archive,) = to.iterdir()
    return archive


def _unpack(source: Source, archive: Path, whole: Path, documents: Path) -> None:
    """The documents alone, without the archive's own top folder."""
    shutil.unpack_archive(archive, whole, filter="data")
    (top,) = whole.iterdir()
    for path in sorted(top.rglob("*")):
        relative = path.relative_to(top).as_posix()
        if path.is_file() and source.has(relative):
            (documents / relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, documents / relative)
