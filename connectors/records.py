"""Records of a service read one by one: what cannot be read is named and in no other's way.

A service's list may hold one record that differs from its documentation. It must not stop the
others, and nobody should have to guess that it is missing: each gets a ``RecordNotice``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from connectors.connector import RedactName, printable
from connectors.payloads import UnreadablePayload, required_text
from connectors.service_items import DeletedItem, ServiceItem

# What parsers raise for records that differ from their service's documentation.
UNFIT = (KeyError, TypeError, ValueError, AttributeError, OverflowError)
MAX_KEY_CHARS = 120
NOTICES_KEPT = 20  # of a stream, with its cursor
KEYS_SHOWN = 5  # of one reason, in one line


@dataclass(frozen=True, slots=True)
class RecordNotice:
    """What a person should know of one record outside; ``is_lost``: nothing of it was read.

    ``key`` is the record's name there, ``reason`` names a field and never its value.
    """

    key: str
    reason: str
    is_lost: bool = True

    def __str__(self) -> str:
        return f"{self.key}: {self.reason}"


@dataclass(slots=True)
class Records:
    """The items of some records, what of them is gone, and what is to be told of them."""

    items: list[ServiceItem] = field(default_factory=list)
    gone: list[DeletedItem] = field(default_factory=list)
    notices: list[RecordNotice] = field(default_factory=list)

    @property
    def lost(self) -> int:
        return sum(notice.is_lost for notice in self.notices)

    def take(self, key: str, read: Callable[[], ServiceItem | None]) -> None:
        """Adds the item of one record; a record without a statement is no item."""
        try:
            item = read()
        except UNFIT as error:
            self.tell(key, reason_of_unfit(error))
            return
        if item:
            self.items.append(item)
            for flaw in item.flaws:
                self.tell(item.path, flaw, is_lost=False)

    def tell(self, key: str, reason: str, *, is_lost: bool = True) -> None:
        notice = RecordNotice(printable(key)[:MAX_KEY_CHARS], reason, is_lost)
        if notice not in self.notices:
            self.notices.append(notice)

    def extend(self, other: Records) -> None:
        self.items += other.items
        self.gone += other.gone
        self.notices += other.notices


def key_of(record: object, *names: str, default: str = "a record without a key") -> str:
    """How a record is called: its first field of these names that has a value."""
    for name in names:
        with suppress(UnreadablePayload):
            return required_text(record if isinstance(record, Mapping) else {}, name)
    return default


def reason_of_unfit(error: Exception) -> str:
    """What is wrong with a record, without any of its words."""
    match error:
        case UnreadablePayload():
            return str(error)
        case KeyError():
            return f"{error.args[0]} is missing"
        case _:
            return "a field has another form than documented"


def redact_notices(
    notices: Iterable[RecordNotice], redact_name: RedactName
) -> tuple[RecordNotice, ...]:
    return tuple(replace(notice, key=redact_name(notice.key)) for notice in notices)


def lines_of(notices: Iterable[RecordNotice]) -> list[str]:
    """One line a reason, what was lost first: how many records, and the first of their keys."""
    keys: defaultdict[tuple[bool, str], list[str]] = defaultdict(list)
    for notice in notices:
        keys[not notice.is_lost, notice.reason].append(notice.key)
    lines = []
    for (is_read, reason), named in sorted(keys.items()):
        what = "read, but" if is_read else "not read:"
        more = len(named) - KEYS_SHOWN
        shown = ", ".join(named[:KEYS_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
        lines.append(f"{what} {reason} ({shown})")
    return lines
