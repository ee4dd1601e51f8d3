"""What a connector is: the outside, listed in the order in which it will be read.

A listing comes before any content (spec 06 §2): it is what makes a run reproducible and lets a
deletion be seen. So every connector knows all its items before it reads one, and reading is random
access. Nothing is dropped by judgement here (vendored, generated, binary): stage 0 answers for each
item with a reason. What cannot become an item at all is told as a ``Notice``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import TracebackType
from typing import BinaryIO, Literal, Protocol

from infra.errors import Invalid, Refusal, Unavailable
from schemas.events.source import Connector as ConnectorName
from schemas.events.source import SourceType
from schemas.source_kinds import priority_tier_of, source_type_of

# Far above what stage 0 takes (2 MiB of text): enough for it to answer ``too_large`` or ``binary``.
MAX_CONTENT_BYTES = 8 * 1024 * 1024
MAX_PATH_CHARS = 4096  # Linux, PATH_MAX
MAX_ENTRIES = 1_000_000  # of a folder or a tree; the largest public repositories have half of it
TIER_1_ORDER = {"readme": 0, "agent_guide": 1, "architecture_doc": 2}
LAST_OF_TIER_1 = 3
BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

RedactName = Callable[[str], str]
NUMBER = re.compile(r":([0-9]+)\]")  # of a placeholder

NoticeCode = Literal[
    "link",
    "special_file",
    "submodule",
    "unreadable",
    "unreadable_folder",
    "unsafe_name",
    "escaped_name",
    "duplicate_name",
    "encrypted",
    "sparse",
]
# Something with content stands behind these, and it was not read.
LOSSES: frozenset[NoticeCode] = frozenset(
    ("unreadable", "unreadable_folder", "unsafe_name", "encrypted", "sparse")
)


class SourceUnavailable(Unavailable):
    """The outside does not answer, or an item of it cannot be read; the message is for the user."""

    code = "source_unavailable"


class SourceRefused(Refusal):
    """The source is there but will not be read: it is no valid archive, or a hostile one."""

    code = "source_refused"


class UnknownSource(Invalid):
    """What was given names nothing that can be read; the message is for the user (exit 2)."""

    code = "unknown_source"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something at ``path`` is no item, or not under its own name. ``path`` is safe to print."""

    path: str
    code: NoticeCode


@dataclass(frozen=True, slots=True)
class Item:
    """One file of a root. ``path`` is relative to it, with forward slashes, printable and unique.

    ``source_time`` is when this content came to be (git author date), aware, in UTC; None where the
    outside does not say it. ``revision_ref`` is the commit that holds exactly this content. Where
    the content may have changed since, ``speaks_of`` says whether both speak of what was read.
    ``source_type`` and ``title`` are given where the path does not tell them. ``owners`` are the
    subjects whose keys the content is encrypted under, each with its number of bytes; without any
    it is the project's.
    """

    path: str
    size_bytes: int
    fetch: Callable[[], bytes]
    source_time: datetime | None = None
    revision_ref: str | None = None
    source_type: SourceType | None = None
    title: str | None = None
    owners: tuple[tuple[str, int], ...] = ()
    speaks_of: Callable[[bytes], bool] | None = None

    def read(self) -> bytes:
        """The content, or the first 8 MiB of a longer one. Raises SourceUnavailable."""
        return within_limit(self.fetch())

    def with_content(self, content: bytes) -> Item:
        """The item without time and commit, if these do not speak of the content that was read."""
        if self.speaks_of is None or self.speaks_of(content):
            return self
        return replace(self, source_time=None, revision_ref=None)


@dataclass(frozen=True)
class Listing:
    """All items of a root, in listing order. ``complete``: what is not listed is gone.

    ``removed`` are paths of items that are known to be gone. Use it as a context manager: items can
    be read until its end.
    """

    root: str
    complete: bool
    items: tuple[Item, ...]
    notices: tuple[Notice, ...] = ()
    removed: tuple[str, ...] = ()
    connector: ConnectorName = "upload"
    close: Callable[[], None] = field(default=lambda: None, repr=False)

    def __enter__(self) -> Listing:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Connector(Protocol):
    root: str

    def list(self) -> Listing:
        """The whole source as it is now. Raises SourceUnavailable, SourceRefused."""
        ...


def listing_key(path: str) -> tuple[int, int, int, str]:
    """The place of a path in every listing: tier, kind within tier 1, depth, path (spec 06 §2)."""
    kind = source_type_of(path)
    tier = priority_tier_of(kind)
    within = TIER_1_ORDER.get(kind, LAST_OF_TIER_1) if tier == 1 else 0
    return tier, within, path.count("/"), path


def in_listing_order(
    items: Iterable[Item], notices: Iterable[Notice]
) -> tuple[tuple[Item, ...], tuple[Notice, ...]]:
    """Items sorted, one a path (of several the last given, as unpacking would leave it)."""
    by_path: dict[str, Item] = {}
    doubled: list[Notice] = []
    for item in items:
        if item.path in by_path:
            doubled.append(Notice(item.path, "duplicate_name"))
        by_path[item.path] = item
    ordered = sorted(by_path.values(), key=lambda item: listing_key(item.path))
    return tuple(ordered), (*notices, *doubled)


def without_secrets(listing: Listing, redact_name: RedactName) -> Listing:
    """The listing with no secret in the name of its root, of an item or of a notice.

    Different files keep different paths: what would be called alike is numbered in the order of
    the true names, so that the same files are always called the same.
    """
    listed = {item.path for item in listing.items}
    named = _told_apart(listed | set(listing.removed), redact_name)
    items = [
        replace(item, path=named[item.path], fetch=_quietly(item, redact_name))
        for item in listing.items
    ]
    return replace(
        listing,
        root=redact_name(listing.root),
        items=tuple(sorted(items, key=lambda item: listing_key(item.path))),
        notices=tuple(Notice(redact_name(it.path), it.code) for it in listing.notices),
        removed=tuple(named[path] for path in listing.removed),
    )


def _told_apart(paths: set[str], redact_name: RedactName) -> dict[str, str]:
    named = {path: redact_name(path) for path in sorted(paths)}
    taken = {path for path, name in named.items() if path == name}
    for path, name in named.items():
        if path == name:
            continue
        count = 1
        while name in taken:
            count += 1
            name = NUMBER.sub(f":{count}]", named[path], count=1)
        taken.add(name)
        named[path] = name
    return named


def _quietly(item: Item, redact_name: RedactName) -> Callable[[], bytes]:
    """Reads the item; what is said when it cannot be read holds no secret of its name."""

    def fetch() -> bytes:
        try:
            return item.fetch()
        except SourceUnavailable as error:
            raise SourceUnavailable(redact_name(str(error))) from None

    return fetch


def printable(name: str | bytes) -> str:
    """``name`` as valid Unicode without controls: what is not becomes a backslash escape.

    Bytes that are no UTF-8, control characters and bidirectional overrides would else end up in
    records, prompts and terminals.
    """
    text = name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(char) for char in text)


def _shown(char: str) -> str:
    if "\udc80" <= char <= "\udcff":  # a byte that is no UTF-8 (PEP 383)
        return f"\\x{ord(char) - 0xDC00:02x}"
    if unicodedata.category(char) in ("Cc", "Cs") or char in BIDI_CONTROLS:
        return f"\\u{ord(char):04x}"
    return char


def within_limit(content: bytes) -> bytes:
    """At most the first 8 MiB, cut between two UTF-8 characters so that the cut adds no fault."""
    if len(content) <= MAX_CONTENT_BYTES:
        return content
    end = MAX_CONTENT_BYTES
    while end > MAX_CONTENT_BYTES - 4 and content[end] & 0xC0 == 0x80:
        end -= 1
    return content[:end]


def head_of(stream: BinaryIO) -> bytes:
    """As much of the stream as ``within_limit`` wants to see: one byte more than it keeps."""
    parts: list[bytes] = []
    missing = MAX_CONTENT_BYTES + 1
    while missing and (part := stream.read(missing)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
