"""Ingest what comes over HTTP: documents, an archive, or the address of a repository.

A path of this machine is named by the installation's owner alone. Contents are written into a
folder of their own below CAIRN_HOME for as long as they are read, and go the way of everything that
is ingested. No sentence names that folder.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from connectors.connector import Notice, SourceRefused
from infra.platform.addresses import check_repository_address
from infra.platform.disk import says_full
from infra.platform.errors import Invalid, Refusal, Unavailable
from infra.platform.loop import in_thread
from infra.platform.machine_paths import hide_paths_of
from infra.platform.settings import Settings
from infra.service.foundation.progress import Note
from infra.service.ingesting.ingestion import IngestRequest, SourceIngested, SourceListed, ingest
from infra.service.ingesting.upload_checks import (
    Document,
    check_archive,
    check_documents,
    require_some,
)

SHOWN_NOTICES = 5  # of each kind


@dataclass(frozen=True, slots=True)
class Ingested:
    """What was recorded of an ingest, with the lines that a person would have been told.

    ``not_read`` are the first of each kind that is at the source and not read.
    """

    result: SourceIngested
    notes: tuple[Note, ...]
    not_read: tuple[Notice, ...] = ()


async def ingest_documents(
    settings: Settings,
    request: IngestRequest,
    documents: Sequence[Document],
    tell_listed: Callable[[SourceListed], None] = lambda _: None,
) -> Ingested:
    """Record documents of the root ``request.as_name``. Raises as `ingest`, and Invalid.

    Of all three: ``tell_listed`` is called before anything is published.
    """
    fit, refused = check_documents(documents)
    require_some(fit if not refused else [], refused)

    def write(folder: Path) -> Path:
        for document in fit:
            path = folder.joinpath("documents", *PurePosixPath(document.path).parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(document.text, encoding="utf-8", newline="")
        return folder / "documents"

    return await _ingest_written(settings, request, write, tell_listed)


async def ingest_archive(
    settings: Settings,
    request: IngestRequest,
    name: str,
    content: bytes,
    tell_listed: Callable[[SourceListed], None] = lambda _: None,
) -> Ingested:
    """Record the files of an archive that is called ``name``. Raises as `ingest`, and Invalid."""
    check_archive(name, content)

    def write(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content)
        return path

    return await _ingest_written(settings, request, write, tell_listed)


async def ingest_address(
    settings: Settings,
    request: IngestRequest,
    address: str,
    tell_listed: Callable[[SourceListed], None] = lambda _: None,
) -> Ingested:
    """Fetch and record a repository. Raises as `ingest`, and Invalid for any other source."""
    check_repository_address(address)
    return await _ingest(settings, replace(request, sources=(address,)), tell_listed)


async def ingest_folder(
    settings: Settings,
    request: IngestRequest,
    path: str,
    tell_listed: Callable[[SourceListed], None] = lambda _: None,
) -> Ingested:
    """Record what is at a path of this machine. Raises as `ingest`."""
    return await _ingest(settings, replace(request, sources=(path,)), tell_listed)


async def _ingest_written(
    settings: Settings,
    request: IngestRequest,
    write: Callable[[Path], Path],
    tell_listed: Callable[[SourceListed], None],
) -> Ingested:
    """Ingest what ``write`` writes; whatever is told of it does not name the folder."""
    async with _written(settings, write) as path:
        wanted = replace(request, sources=(str(path),), any_folder=True)
        done = await _ingest(settings, wanted, tell_listed)
        feed, folder = done.result.feed, path.parent
        unreadable = [_without(folder, each) for each in feed.unreadable]
        notes = tuple(replace(note, message=_without(folder, note.message)) for note in done.notes)
        result = replace(done.result, feed=replace(feed, unreadable=unreadable))
        return replace(done, result=result, notes=notes)


async def _ingest(
    settings: Settings, request: IngestRequest, tell_listed: Callable[[SourceListed], None]
) -> Ingested:
    notes: list[Note] = []
    results: list[SourceIngested] = []
    not_read: list[Notice] = []
    async for step in ingest(settings, request):
        if isinstance(step, Note):
            notes.append(replace(step, message=hide_paths_of(settings, step.message)))
        elif isinstance(step, SourceListed):
            not_read = _first_of_each(step.notices)
            tell_listed(step)
        elif isinstance(step, SourceIngested):
            results.append(step)
    return Ingested(results[-1], tuple(notes), tuple(not_read))


def _first_of_each(notices: Sequence[Notice]) -> list[Notice]:
    by_code: dict[str, list[Notice]] = {}
    for notice in notices:
        by_code.setdefault(notice.code, []).append(notice)
    return [notice for those in by_code.values() for notice in those[:SHOWN_NOTICES]]


@asynccontextmanager
async def _written(settings: Settings, write: Callable[[Path], Path]) -> AsyncIterator[Path]:
    """What ``write`` has written into a folder that is gone at the end."""
    above = settings.home / "uploads"
    above.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=above))
    try:
        yield await in_thread(lambda: _write_all(folder, write))
    except SourceRefused as error:
        raise Invalid(_without(folder, str(error)), code=error.code) from error
    except Refusal as error:
        error.args = (_without(folder, str(error)),)
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _without(folder: Path, sentence: str) -> str:
    """The sentence without the folder, which is no matter of whoever has sent a file."""
    return sentence.replace(f"{folder}/", "")


def _write_all(folder: Path, write: Callable[[Path], Path]) -> Path:
    try:
        return write(folder)
    except OSError as error:
        if says_full(error):
            raise Unavailable("The disk of the service is full.", code="disk_full") from error
        raise Invalid(
            "The documents do not fit into one folder: two of their paths are one name to the file"
            " system.",
            code="path_invalid",
        ) from error
