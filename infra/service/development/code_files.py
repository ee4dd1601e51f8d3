"""The files of a repository as prompts may hold them: text without secrets, and no links."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from connectors.connector import Listing, SourceUnavailable, UnknownSource, printable
from connectors.folder import Folder
from connectors.recognise import open_source
from connectors.repositories import GitFolder
from infra.platform.errors import Forbidden, NotFound

MOST_FILE_BYTES = 1_000_000  # a longer one is generated or data
_MOST_PASSES = 5


class ListedFiles:
    """``agents.development.codebase.CodeFiles`` over what a connector lists.

    A file is opened beneath the folder that was listed, so a link that takes its place later leads
    nowhere either.
    """

    def __init__(self, listing: Listing, redact: Callable[[str], str]) -> None:
        self._items = {it.path: it for it in listing.items if it.unread is None}
        self._redact = redact

    def list_paths(self) -> Sequence[str]:
        return sorted(self._items)

    def read(self, path: str) -> str | None:
        from streams.hygiene.normalise import normalise

        item = self._items.get(path)
        if item is None or item.size_bytes > MOST_FILE_BYTES:
            return None
        try:
            normalised = normalise(item.read())
        except SourceUnavailable:
            return None
        return None if normalised.refusal else self._redact(normalised.text)


@contextmanager
def open_code(path: str, home: Path) -> Iterator[ListedFiles]:
    """The files that git tracks in a folder of this machine, or all of it where git tracks none;
    of a bare repository those of its HEAD.

    Raises NotFound, UnknownSource, SourceRefused, SourceUnavailable; Forbidden for the files of
    ``home``.
    """
    folder = Path(path).expanduser()
    if not folder.is_absolute():
        raise UnknownSource(f"{printable(path)} is no absolute path: give one from / on.")
    if not folder.is_dir():
        raise NotFound(
            f"{printable(path)} is no folder of the service's machine.", code="unknown_folder"
        )
    full = folder.resolve()
    if full == home.resolve() or home.resolve() in full.parents:
        raise Forbidden(
            "The files of the installation are not read: give the folder of a project.",
            code="folder_of_home",
        )
    connector = open_source(str(full), None, home / "clones", _ignore)
    if not isinstance(connector, Folder | GitFolder):
        raise UnknownSource(f"{printable(path)} is no folder of code.")
    with connector.list() as listing:
        yield ListedFiles(listing, redact_code)


def redact_code(text: str) -> str:
    """The text without what stage 0 takes for a secret. Not cached: files are long."""
    from streams.hygiene.normalise import lower
    from streams.hygiene.redaction.redact import redact

    for _ in range(_MOST_PASSES):  # of two secrets side by side one may hide the other
        before, text = text, redact(text, lower(text), "", None)[0]
        if text == before:
            break
    return text


def _ignore(_line: str) -> None:
    """Folders of this machine take no time worth a word."""
