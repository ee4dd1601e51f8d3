"""Ingest what comes over HTTP: documents, an archive, or the address of a repository.

Never a path of this machine. Contents are written into a folder of their own below CAIRN_HOME for
as long as they are read, and go the way of everything that is ingested.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from connectors.archive import is_archive
from connectors.paths import is_git_name
from infra.errors import Invalid, Unavailable
from infra.local.disk import says_full
from infra.loop import in_thread
from infra.machine_paths import hide_paths_of
from infra.service.ingestion import IngestRequest, SourceIngested, ingest
from infra.service.progress import Note
from infra.settings import Settings

ADDRESS = re.compile(r"https://[^\s\x00-\x1f]{1,2000}|github:[\w.-]{1,100}/[\w.-]{1,100}")
MAX_PATH_CHARS, MAX_NAME_BYTES = 400, 200


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its path below the root: relative, with forward slashes."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Ingested:
    """What was recorded of an ingest, with the lines that a person would have been told."""

    result: SourceIngested
    notes: tuple[Note, ...]


async def ingest_documents(
    settings: Settings, request: IngestRequest, documents: Sequence[Document]
) -> Ingested:
    """Record documents of the root ``request.as_name``. Raises as `ingest`, and Invalid."""
    _check_paths([document.path for document in documents])

    def write(folder: Path) -> Path:
        for document in documents:
            path = folder.joinpath("documents", *PurePosixPath(document.path).parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(document.text, encoding="utf-8", newline="")
        return folder / "documents"

    async with _written(settings, write) as folder:
        return await _ingest(settings, replace(request, sources=(str(folder),), any_folder=True))


async def ingest_archive(
    settings: Settings, request: IngestRequest, name: str, content: bytes
) -> Ingested:
    """Record the files of an archive that is called ``name``. Raises as `ingest`, and Invalid."""
    plain = PurePosixPath(name).name == name and len(name.encode()) <= MAX_NAME_BYTES
    if not plain or not name.isprintable() or not is_archive(name):
        raise Invalid(
            "The name of an archive ends in .zip, .tar, .tar.gz, .tgz or the like, and has no"
            " slash.",
            code="archive_name_invalid",
        )

    def write(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content)
        return path

    async with _written(settings, write) as path:
        return await _ingest(settings, replace(request, sources=(str(path),), any_folder=True))


async def ingest_address(settings: Settings, request: IngestRequest, address: str) -> Ingested:
    """Fetch and record a repository. Raises as `ingest`, and Invalid for any other source."""
    check_address(address)
    return await _ingest(settings, replace(request, sources=(address,)))


def check_address(address: str) -> None:
    """Raises Invalid unless it is the address of a repository: no client names a local path."""
    if not ADDRESS.fullmatch(address):
        raise Invalid(
            "Give the address of a git repository as https://… or github:owner/repo.",
            code="address_invalid",
        )


async def _ingest(settings: Settings, request: IngestRequest) -> Ingested:
    notes: list[Note] = []
    results: list[SourceIngested] = []
    async for step in ingest(settings, request):
        if isinstance(step, Note):
            notes.append(replace(step, message=hide_paths_of(settings, step.message)))
        elif isinstance(step, SourceIngested):
            results.append(step)
    return Ingested(results[-1], tuple(notes))


@asynccontextmanager
async def _written(settings: Settings, write: Callable[[Path], Path]) -> AsyncIterator[Path]:
    """What ``write`` has written into a folder that is gone at the end."""
    above = settings.home / "uploads"
    above.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=above))
    try:
        yield await in_thread(lambda: _write_all(folder, write))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_all(folder: Path, write: Callable[[Path], Path]) -> Path:
    try:
        return write(folder)
    except OSError as error:
        if says_full(error):
            raise Unavailable("The disk of the service is full.", code="disk_full") from error
        raise _bad_path("they do not fit into one folder") from error


def _check_paths(paths: Sequence[str]) -> None:
    """Raises Invalid for a path that leaves its root, cannot be a file name, or comes twice."""
    if len(set(paths)) < len(paths):
        raise _bad_path("one of them comes twice")
    for path in paths:
        parts = path.split("/")
        if (
            not path.isprintable()
            or len(path) > MAX_PATH_CHARS
            or any(part in ("", ".", "..") or "\\" in part for part in parts)
            or any(len(part.encode()) > MAX_NAME_BYTES for part in parts)
            or any(is_git_name(part.encode()) for part in parts)
        ):
            raise _bad_path(f"{path[:80]!r} is none")


def _bad_path(why: str) -> Invalid:
    return Invalid(
        "The path of a document is relative, has forward slashes and printable characters, and"
        f" stays below its root: {why}.",
        code="path_invalid",
    )
