"""What can be said about uploads before they are read: paths of documents, and kinds of archives.

One document that cannot be taken is refused by itself; the others are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from connectors.archive import is_archive
from connectors.paths import is_git_name
from infra.platform.errors import Invalid

MAX_PATH_CHARS, MAX_NAME_BYTES = 400, 200
MAX_TEXT_CHARS = 8 * 1024 * 1024
SHOWN_CHARS = 80  # of a path that is refused
TAR_BLOCK, TAR_SUM = 512, slice(148, 156)
ZIP_END, ZIP_END_WITHIN = b"PK\x05\x06", 22 + 65_535  # APPNOTE §4.3.16: record and longest comment
COMPRESSED = (
    (("gz", "tgz"), b"\x1f\x8b", "gzip"),
    (("bz2", "tbz2"), b"BZh", "bzip2"),
    (("xz", "txz"), b"\xfd7zXZ\x00", "xz"),
)
PATH_RULE = (
    "The path of a document is relative, has forward slashes and printable characters, and"
    " stays below its root"
)


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its path below the root: relative, with forward slashes."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class RefusedDocument:
    """A document that is not read: its place among those that were sent, and why."""

    index: int
    path: str
    code: str
    message: str


def check_documents(
    documents: Sequence[Document | RefusedDocument],
) -> tuple[list[Document], list[RefusedDocument]]:
    """The documents that can be read, and those that cannot, each with its reason."""
    fit: dict[str, Document] = {}
    folders: set[str] = set()
    refused: list[RefusedDocument] = []
    for index, document in enumerate(documents):
        if isinstance(document, RefusedDocument):
            refused.append(document)
            continue
        if why := _find_fault(document, fit, folders):
            path = shorten(document.path)
            refused.append(RefusedDocument(index, path, *why))
            continue
        fit[document.path] = document
        folders.update(map(str, PurePosixPath(document.path).parents))
    return list(fit.values()), refused


def require_some(fit: Sequence[Document], refused: Sequence[RefusedDocument]) -> None:
    """Raises Invalid, with the first reason, when none of the documents can be read."""
    if not fit and refused:
        first = refused[0]
        raise Invalid(first.message, code=first.code, detail={"refused": len(refused)})


def shorten(path: str) -> str:
    """A path as it is shown to whoever sent it."""
    return "".join(char if char.isprintable() else "\ufffd" for char in path[:SHOWN_CHARS])


def check_archive(name: str, content: bytes) -> None:
    """Raises Invalid for a name that no archive has, and for bytes that are none of this kind.

    That it is complete is known only when a job has read it.
    """
    plain = name.isprintable() and PurePosixPath(name).name == name
    if not plain or len(name.encode()) > MAX_NAME_BYTES or not is_archive(name):
        raise Invalid(
            "The name of an archive ends in .zip, .tar, .tar.gz, .tgz or the like, and has no"
            " slash.",
            code="archive_name_invalid",
        )
    if fault := _find_damage(name.lower(), content):
        raise Invalid(
            f"{name} cannot be read as an archive: {fault}. Send the whole file, with the ending"
            " that belongs to it.",
            code="archive_broken",
        )


def _find_fault(
    document: Document, fit: dict[str, Document], folders: set[str]
) -> tuple[str, str] | None:
    """Code and sentence for a document that cannot be read."""
    path = document.path
    if not _is_path(path):
        return "path_invalid", f"{PATH_RULE}: {shorten(path)!r} does not."
    if path in fit:
        return "path_repeated", f"The path {shorten(path)!r} comes twice: the first one is read."
    above = {str(each) for each in PurePosixPath(path).parents}
    if path in folders or not above.isdisjoint(fit):
        message = f"{shorten(path)!r} is a document and a folder of others at once."
        return "path_conflicts", message
    if len(document.text) > MAX_TEXT_CHARS:
        return "document_too_large", f"A document has at most {MAX_TEXT_CHARS:,} characters."
    if any("\ud800" <= char <= "\udfff" for char in document.text):
        return "text_invalid", "The text holds half of a surrogate pair, which is no character."
    return None


def _is_path(path: str) -> bool:
    parts = path.split("/")
    return (
        path.isprintable()
        and len(path) <= MAX_PATH_CHARS
        and not any(part in ("", ".", "..") or "\\" in part for part in parts)
        and not any(len(part.encode()) > MAX_NAME_BYTES for part in parts)
        and not any(is_git_name(part.encode()) for part in parts)
    )


def _find_damage(name: str, content: bytes) -> str | None:
    """What shows at the first or last bytes that it is not what its name says."""
    if name.endswith(".zip"):
        if content[-ZIP_END_WITHIN:].find(ZIP_END) < 0:
            return "a zip ends with its list of files, and this one has none"
        return None
    for suffixes, start, method in COMPRESSED:
        if name.endswith(suffixes):
            return None if content.startswith(start) else f"it is not compressed with {method}"
    return None if _is_tar_header(content[:TAR_BLOCK]) else "it does not begin as a tar does"


def _is_tar_header(block: bytes) -> bool:
    if len(block) < TAR_BLOCK:
        return False
    if not any(block):  # an empty tar
        return True
    told = block[TAR_SUM].strip(b"\0 ")
    counted = sum(block) - sum(block[TAR_SUM]) + 8 * ord(" ")
    return bool(told) and told.isdigit() and not set(told) & set(b"89") and int(told, 8) == counted
