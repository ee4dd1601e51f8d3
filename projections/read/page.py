"""Long lists, a page at a time.

A cursor names the last key of a page, and the next page begins behind it, by the index that orders
the list: the thousandth page costs what the first does, and rows that come or go meanwhile neither
repeat an item nor hide one. Offsets were decided against for both reasons.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

import psycopg

from infra.platform.errors import Invalid
from projections.read.session import Conn, ReadModel, Row, rows

T = TypeVar("T")
Condition = tuple[Any, ...]
"""A condition in SQL, and its parameters."""

PAGE, LARGEST_PAGE = 100, 1_000


class Page(ReadModel, Generic[T]):
    """``next_cursor`` leads to the page behind this one; None: there is none."""

    items: list[T]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """A list in the tables.

    ``keys``: the expressions that order it with their types, all ascending, never null, the last
    one unique; an index should have them. ``name`` tells its cursors from those of other lists.
    """

    name: str
    columns: str
    tables: str
    keys: Mapping[str, str]


def page_of(
    connection: Conn,
    listing: Listing,
    conditions: Sequence[Condition],
    cursor: str | None = None,
    limit: int = PAGE,
    *,
    backwards: bool = False,
) -> tuple[list[Row], str | None]:
    """The rows behind ``cursor``, or the first ones, and the next cursor.

    ``backwards``: from the end of the list to its beginning, with cursors of its own. Raises
    Refusal for a limit that is none, and for a cursor that is not of this list.
    """
    if not 1 <= limit <= LARGEST_PAGE:
        raise Invalid(
            f"A page has 1 to {LARGEST_PAGE:,} items, not {limit:,}.", code="page_size_invalid"
        )
    keys = ", ".join(listing.keys)
    behind, direction, name = (
        ("<", "DESC", _back(listing)) if backwards else (">", "ASC", listing.name)
    )
    if cursor is not None:
        place = ", ".join(f"%s::{kind}" for kind in listing.keys.values())
        conditions = [*conditions, (f"({keys}) {behind} ({place})", *_place(listing, name, cursor))]
    query = (
        f"SELECT {listing.columns}, {_key(listing)} AS page_key FROM {listing.tables}"
        f" WHERE {' AND '.join(sql for sql, *_ in conditions)} ORDER BY"
        f" {', '.join(f'{key} {direction}' for key in listing.keys)} LIMIT {limit + 1}"
    )
    parameters = [value for _, *values in conditions for value in values]
    try:
        records = rows(connection, query, *parameters)
    except psycopg.DataError as error:
        if cursor is None:
            raise
        raise bad_cursor() from error
    last = [row.pop("page_key") for row in records][:limit]
    more = len(records) > limit
    return records[:limit], _cursor(name, last[-1]) if more else None


def cursors_of(
    connection: Conn, listing: Listing, row: Sequence[Condition]
) -> tuple[str, str] | None:
    """The cursors of the pages before and behind the row that meets ``row``; None: there is none.

    The first one is for `page_of` backwards.
    """
    query = (
        f"SELECT {_key(listing)} AS page_key FROM {listing.tables}"
        f" WHERE {' AND '.join(sql for sql, *_ in row)} LIMIT 1"
    )
    records = rows(connection, query, *(value for _, *values in row for value in values))
    if not records:
        return None
    key = records[0]["page_key"]
    return _cursor(_back(listing), key), _cursor(listing.name, key)


def cursor_behind(listing: Listing, *key: object) -> str:
    """The cursor of the page behind the row that has the key."""
    return _cursor(listing.name, [str(each) for each in key])


def take(ask: Callable[..., Page[T]], count: int | None = None) -> Iterator[T]:
    """The first ``count`` items of a list, or all, asked for a page at a time.

    ``ask`` takes ``cursor`` and ``limit``.
    """
    return islice(_all(ask, min(count or LARGEST_PAGE, LARGEST_PAGE)), count)


def _all(ask: Callable[..., Page[T]], limit: int) -> Iterator[T]:
    page = ask(cursor=None, limit=limit)
    yield from page.items
    while page.next_cursor is not None:
        page = ask(cursor=page.next_cursor, limit=limit)
        yield from page.items


def _key(listing: Listing) -> str:
    return f"ARRAY[{', '.join(f'({key})::text' for key in listing.keys)}]"


def _back(listing: Listing) -> str:
    return f"{listing.name}, backwards"


def _cursor(name: str, key: list[str]) -> str:
    text = json.dumps([name, *key], ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _place(listing: Listing, name: str, cursor: str) -> list[str]:
    """The key that the cursor names. Raises Refusal."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        of_list, *key = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, TypeError) as error:
        raise bad_cursor() from error
    texts = [value for value in key if isinstance(value, str)]
    if of_list != name or not len(key) == len(texts) == len(listing.keys):
        raise bad_cursor()
    return texts


def bad_cursor() -> Invalid:
    return Invalid(
        "This is no cursor of this list: take next_cursor of a page of the same list and order, or"
        " begin without one.",
        code="cursor_invalid",
    )
