"""What a connector is: it lists a source in reading order, and reads its items.

The listing comes before any content. It makes a run reproducible and shows what was deleted. So a
connector knows all its items before it reads one, and items can be read in any order. Connectors do
not judge content (vendored, generated, binary): stage 0 does, with a reason for each item. What
cannot become an item is reported as a ``Notice``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import TracebackType
from typing import BinaryIO, Literal, Protocol

from infra.platform.errors import Invalid, Refusal, Unavailable
from schemas.events.source import Connector as ConnectorName
from schemas.events.source import SourceType, UnreadReason
from schemas.source_kinds import priority_tier_of, source_type_of

# Stage 0 takes 2 MiB of text. More lets it answer ``too_large`` or ``binary``.
MAX_CONTENT_BYTES = 8 * 1024 * 1024
MAX_PATH_CHARS = 4096  # Linux, PATH_MAX
MAX_ENTRIES = 1_000_000  # of a folder or a tree; the largest public repositories have half of it
TIER_1_ORDER = {"readme": 0, "agent_guide": 1, "architecture_doc": 2}
LAST_OF_TIER_1 = 3
BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

RedactName = Callable[[str], str]

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
    "mac_metadata",
    "untracked",
    "ignored",
    "outside_checkout",
]
# Codes for files whose content was not read.
LOSSES: frozenset[NoticeCode] = frozenset(
    ("unreadable", "unreadable_folder", "unsafe_name", "encrypted", "sparse")
)
# Codes for files that are read, under another name or from another place.
OF_READ_FILES: frozenset[NoticeCode] = frozenset(
    ("escaped_name", "duplicate_name", "outside_checkout")
)


class SourceUnavailable(Unavailable):
    """The source does not answer, or an item cannot be read. The message is for the user.

    ``unread`` is the reason why an item has no text.
    """

    code = "source_unavailable"
    unread: UnreadReason = "unreadable"


class ContentNotFetched(SourceUnavailable):
    """The item is known, and its content is elsewhere."""

    code = "content_not_fetched"
    unread: UnreadReason = "not_fetched"


class SourceRefused(Refusal):
    """The source exists but is not read, because it is invalid or hostile."""

    code = "source_refused"


class UnknownSource(Invalid):
    """What was given names nothing that can be read; the message is for the user (exit 2)."""

    code = "unknown_source"


@dataclass(frozen=True, slots=True)
class Notice:
    """The file at ``path`` is not an item, or has another name. ``path`` is safe to print.

    ``detail`` says more about the reason, where there is more to say.
    """

    path: str
    code: NoticeCode
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One file of a root. ``path`` is relative, with forward slashes, printable and unique.

    ``source_time`` is the author date of this content, aware, in UTC; None where it is not known.
    ``revision_ref`` is the commit that contains exactly this content. Where the content may have
    changed since, ``is_current`` tells whether both still describe the content that was read.
    ``source_type`` and ``title`` are set where the path does not tell them. ``owners`` are the
    subjects whose keys encrypt the content, each with a number of bytes; without owners it is the
    project's. ``unread`` says why the content is not to be read, and in a few words more of it.
    """

    path: str
    size_bytes: int
    fetch: Callable[[], bytes]
    source_time: datetime | None = None
    revision_ref: str | None = None
    source_type: SourceType | None = None
    title: str | None = None
    owners: tuple[tuple[str, int], ...] = ()
    is_current: Callable[[bytes], bool] | None = None
    unread: tuple[UnreadReason, str] | None = None

    def read(self) -> bytes:
        """The content, at most the first 8 MiB. Raises SourceUnavailable."""
        return truncate(self.fetch())

    def with_content(self, content: bytes) -> Item:
        """The item without time and commit, unless they describe this content."""
        if self.is_current is None or self.is_current(content):
            return self
        return replace(self, source_time=None, revision_ref=None)


@dataclass(frozen=True)
class Listing:
    """All items of a root, in listing order.

    ``complete``: a source that is not listed is removed. ``removed`` are the paths of items known
    to be deleted. Use it as a context manager: items can be read until its end.
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
    """The sort key of a path in every listing: tier, kind within tier 1, depth, path."""
    kind = source_type_of(path)
    tier = priority_tier_of(kind)
    within = TIER_1_ORDER.get(kind, LAST_OF_TIER_1) if tier == 1 else 0
    return tier, within, path.count("/"), path


def sort_items(
    items: Iterable[Item], notices: Iterable[Notice]
) -> tuple[tuple[Item, ...], tuple[Notice, ...]]:
    """Sorts items and keeps one per path: the last one, as unpacking would."""
    by_path: dict[str, Item] = {}
    doubled: list[Notice] = []
    for item in items:
        if item.path in by_path:
            doubled.append(Notice(item.path, "duplicate_name"))
        by_path[item.path] = item
    ordered = sorted(by_path.values(), key=lambda item: listing_key(item.path))
    return tuple(ordered), (*notices, *doubled)


def redact_listing(listing: Listing, redact_name: RedactName) -> Listing:
    """The listing without secrets in the names of its root, items and notices.

    ``redact_name`` gives different names different answers, and the same name the same one in every
    listing. Of two files that have one name all the same, the later is left out with a notice.
    """
    items, doubled = dict[str, Item](), list[Notice]()
    for item in listing.items:
        named = redact_name(item.path)
        if named in items:
            doubled.append(Notice(named, "duplicate_name"))
            continue
        items[named] = replace(item, path=named, fetch=_redact_errors(item, redact_name))
    notices = (
        replace(it, path=redact_name(it.path), detail=redact_name(it.detail))
        for it in listing.notices
    )
    return replace(
        listing,
        root=redact_name(listing.root),
        items=tuple(sorted(items.values(), key=lambda item: listing_key(item.path))),
        notices=(*notices, *doubled),
        removed=tuple(map(redact_name, listing.removed)),
    )


def _redact_errors(item: Item, redact_name: RedactName) -> Callable[[], bytes]:
    """Reads the item; an error message shows its name redacted."""

    def fetch() -> bytes:
        try:
            return item.fetch()
        except SourceUnavailable as error:
            raise type(error)(redact_name(str(error))) from None

    return fetch


def printable(name: str | bytes) -> str:
    """``name`` as valid Unicode without control characters; others become backslash escapes.

    Invalid UTF-8, control characters and bidirectional overrides would otherwise reach records,
    prompts and terminals.
    """
    text = name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(char) for char in text)


def _escape(char: str) -> str:
    if "\udc80" <= char <= "\udcff":  # a byte that is no UTF-8 (PEP 383)
        return f"\\x{ord(char) - 0xDC00:02x}"
    if unicodedata.category(char) in ("Cc", "Cs") or char in BIDI_CONTROLS:
        return f"\\u{ord(char):04x}"
    return char


def truncate(content: bytes) -> bytes:
    """At most the first 8 MiB, cut between two UTF-8 characters."""
    if len(content) <= MAX_CONTENT_BYTES:
        return content
    end = MAX_CONTENT_BYTES
    while end > MAX_CONTENT_BYTES - 4 and content[end] & 0xC0 == 0x80:
        end -= 1
    return content[:end]


def read_head(stream: BinaryIO) -> bytes:
    """As much of the stream as ``truncate`` needs: one byte more than it keeps."""
    parts: list[bytes] = []
    missing = MAX_CONTENT_BYTES + 1
    while missing and (part := stream.read(missing)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
