"""One request: sent, sent again where that is safe and may help, and its answer as a model.

A write has one idempotency key for all its attempts, so that what was cut off is done once.
"""

from __future__ import annotations

import secrets
import ssl
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from types import TracebackType
from typing import Any, Generic, Literal, Self, TypeVar, cast
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from infra.client.events import CONNECTED_WITHIN_S, Frame, follow
from infra.client.problems import error_of, unreachable

T = TypeVar("T")
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]

ANSWERED_WITHIN_S = 150.0  # within a minute, but for a command in the sandbox: 120 s
PAUSES_S = (0.5, 1.0, 2.0, 4.0)  # before the second, third, … attempt
LONGEST_PAUSE_S = 30.0
TO_REPEAT = (429, 502, 503, 504)
LARGEST_PAGE = 1_000


class Model(BaseModel):
    """What the service answers. Immutable; fields that a newer service adds are left out."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", defer_build=True, protected_namespaces=()
    )


class Page(Model, Generic[T]):
    """``next_cursor`` leads to the page behind this one; None: there is none."""

    items: list[T]
    next_cursor: str | None = None


class Pages(Generic[T]):
    """A list that comes in pages: iterate over all of it, or ``take`` its first items."""

    def __init__(self, ask: Callable[[str | None, int], Page[T]]) -> None:
        self._ask = ask

    def __iter__(self) -> Iterator[T]:
        return self._walk(LARGEST_PAGE)

    def take(self, count: int | None = None) -> Iterator[T]:
        """The first ``count`` items, or all."""
        return islice(self._walk(min(count or LARGEST_PAGE, LARGEST_PAGE)), count)

    def page(self, cursor: str | None = None, limit: int = LARGEST_PAGE) -> Page[T]:
        """The page behind ``cursor``, or the first one."""
        return self._ask(cursor, limit)

    def _walk(self, limit: int) -> Iterator[T]:
        page = self._ask(None, limit)
        yield from page.items
        while page.next_cursor is not None:
            page = self._ask(page.next_cursor, limit)
            yield from page.items


class Connection:
    """A service by its address and a token. Use it as a context manager, or close it.

    The owner's token of an installation may ask ``on_behalf_of`` another person, and ``in_role``.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        on_behalf_of: str | None = None,
        in_role: str | None = None,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        given = {
            "authorization": token and f"Bearer {token}",
            "cairn-on-behalf-of": on_behalf_of and _quote(on_behalf_of),
            "cairn-in-role": in_role,
        }
        # Reading the certificates of the authorities takes longer than a question on loopback.
        verify = url.startswith("https:") or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._http = httpx.Client(
            base_url=url,
            verify=verify,
            headers={name: value for name, value in given.items() if value},
            timeout=httpx.Timeout(ANSWERED_WITHIN_S, connect=CONNECTED_WITHIN_S),
            transport=transport,
        )
        self._pause = pause
        self.was_repeated = False  # whether the last write had been done before, by its key

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def _read(
        self,
        kind: type[T] | Mapping[int, Any],
        path: str,
        at: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        also: Collection[int] = (),
    ) -> T:
        """``also``: the statuses of failures that have an answer of this kind, too."""
        return _parse(kind, self._send(self._request("GET", path, at, query), also))

    def _list(
        self,
        kind: type[T],
        path: str,
        at: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
    ) -> Pages[T]:
        def ask(cursor: str | None, limit: int) -> Page[T]:
            place = {"cursor": cursor, "limit": limit}
            return self._read(Page[kind], path, at, {**(query or {}), **place})  # type: ignore[valid-type]

        return Pages(ask)

    def _write(
        self,
        kind: type[T] | Mapping[int, Any],
        method: Method,
        path: str,
        at: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: BaseModel | bytes | None = None,
        key: str | None = None,
    ) -> T:
        return _parse(kind, self._perform(method, path, at, query, body, key))

    def _perform(
        self,
        method: Method,
        path: str,
        at: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: BaseModel | bytes | None = None,
        key: str | None = None,
    ) -> httpx.Response:
        request = self._request(method, path, at, query, body)
        request.headers["idempotency-key"] = key or secrets.token_hex(16)
        response = self._send(request)
        self.was_repeated = "idempotency-replayed" in response.headers
        return response

    def _follow(
        self, path: str, at: Mapping[str, str], last_event_id: str | None
    ) -> Iterator[Frame]:
        return follow(self._http, self._request("GET", path, at), last_event_id, self._pause)

    def _request(
        self,
        method: Method,
        path: str,
        at: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: BaseModel | bytes | None = None,
    ) -> httpx.Request:
        whole = path.format_map({name: _quote(value) for name, value in (at or {}).items()})
        given = {name: value for name, value in (query or {}).items() if value is not None}
        if isinstance(body, BaseModel):
            text = body.model_dump_json(exclude_unset=True, by_alias=True)
            kind = {"content-type": "application/json"}
            return self._http.build_request(method, whole, params=given, content=text, headers=kind)
        kind = {} if body is None else {"content-type": "application/octet-stream"}
        return self._http.build_request(method, whole, params=given, content=body, headers=kind)

    def _send(self, request: httpx.Request, also: Collection[int] = ()) -> httpx.Response:
        """The answer. Raises the error that it tells, and Unavailable when there is none."""
        for pause_s in (*PAUSES_S, None):
            try:
                response = self._http.send(request)
            except httpx.TransportError as error:
                if pause_s is None:
                    raise unreachable(request.url, error) from error
                self._pause(pause_s)
                continue
            if response.is_success or response.status_code in also:
                return response
            if pause_s is None or response.status_code not in TO_REPEAT:
                raise error_of(response)
            self._pause(max(pause_s, _asked_pause_s(response)))
        raise AssertionError("the last attempt returns or raises")


def _parse(kind: type[T] | Mapping[int, Any], response: httpx.Response) -> T:
    """The answer as its type, which may depend on its status."""
    wanted: type[T] = kind[response.status_code] if isinstance(kind, Mapping) else kind
    if wanted is str:
        return cast(T, response.text)
    try:
        return TypeAdapter(wanted).validate_json(response.content)
    except ValidationError as error:
        raise error_of(response) from error


def _quote(value: str) -> str:
    return quote(value, safe="")


def _asked_pause_s(response: httpx.Response) -> float:
    """How long the service wants to be left alone; 0 where it does not say, or not in seconds."""
    told = response.headers.get("retry-after", "")
    return min(float(told), LONGEST_PAUSE_S) if told.isdigit() else 0.0
