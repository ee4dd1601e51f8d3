"""HTTP requests to services: retries, rate limits, conditional requests, no secret in messages.

A request is repeated only where that is harmless. It waits as long as the service asks, and gives
up with a time to return instead of blocking a process. A rate limit belongs to an account, so all
streams of an account share one ``Budget``.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from urllib.parse import urljoin, urlsplit

import httpx

from connectors.connector import SourceRefused, SourceUnavailable
from connectors.rate_limits import Budget, http_date, retry_after
from infra.platform.addresses import is_loopback, is_well_formed, without_credentials
from infra.platform.clock import Clock, SystemClock

MAX_ANSWER_BYTES = 32 * 1024 * 1024
ATTEMPTS = 5
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
MAX_WAIT_S = 60.0  # a longer wait is left to the next poll
CONNECT_S, READ_S, WHOLE_S = 10.0, 30.0, 120.0
MAX_REDIRECTS = 3
PASSING = frozenset((408, 429, 500, 502, 503, 504))
LIMIT_WORDS = (b"rate limit", b"abuse detection")  # GitHub's, of its secondary limits
LOOPBACK = frozenset(("127.0.0.1", "::1", "localhost"))

Params = Mapping[str, str | int]
LostReason = Literal["unauthorised", "forbidden", "not_found"]


class Secret:
    """A credential that no log, error or traceback shows."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "Secret(…)"

    __str__ = __repr__

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise TypeError("a secret cannot be pickled")


class BudgetSpent(SourceUnavailable):
    """Our share of the account's rate limit is used up until ``until``."""

    code = "budget_spent"

    def __init__(self, message: str, until: datetime) -> None:
        super().__init__(message)
        self.until = until


class AccessLost(SourceRefused):
    """The service refuses access, which is not the same as an empty answer."""

    code = "access_lost"

    def __init__(self, message: str, reason: LostReason, status: int) -> None:
        super().__init__(message)
        self.reason = reason
        self.status = status


class SwitchedOff(AccessLost):
    """Our credential may read it, but the service has this feature switched off."""

    code = "switched_off"


@dataclass(frozen=True, slots=True)
class Response:
    """A response. ``status`` is below 400, or one that the caller asked to see."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_unchanged(self) -> bool:
        return self.status == 304

    @property
    def etag(self) -> str | None:
        return self.headers.get("etag")

    @property
    def at(self) -> datetime | None:
        """The service's own time."""
        return http_date(self.headers.get("date"))

    def json(self) -> Any:
        """Raises SourceUnavailable if the body is no JSON, for example from a proxy."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise SourceUnavailable(
                "The service's answer is not JSON: check its address, and whether a proxy"
                " answers in its place."
            ) from error


Authorise = Callable[[], Awaitable[Mapping[str, str]]]
Sleep = Callable[[float], Awaitable[None]]


class Transport:
    """Requests to one service with one account. Use it as an async context manager.

    ``authorise`` returns the headers with our credential. They are sent to the service's own origin
    and nowhere else.
    """

    def __init__(
        self,
        base_url: str,
        authorise: Authorise,
        budget: Budget,
        *,
        clock: Clock | None = None,
        sleep: Sleep = asyncio.sleep,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
    ) -> None:
        self.base_url = check_base_url(base_url)
        self.budget = budget
        self._authorise, self._sleep = authorise, sleep
        self._clock = clock or SystemClock()
        self._max_answer_bytes = max_answer_bytes
        self._jitter = random.Random()
        self._client = _client(base_url)

    async def __aenter__(self) -> Transport:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def get(
        self,
        path: str,
        params: Params | None = None,
        *,
        etag: str | None = None,
        resource: str = "core",
        seen: frozenset[int] = frozenset(),
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """The answer; 304 if the content still has ``etag``. ``seen``: statuses returned to the
        caller.

        Raises AccessLost, BudgetSpent, SourceUnavailable, SourceRefused.
        """
        more = dict(headers or {}) | ({"If-None-Match": etag} if etag else {})
        return await self._request("GET", path, params, None, more, resource, seen | {304})

    async def post(
        self,
        path: str,
        body: Any,
        *,
        resource: str = "core",
        seen: frozenset[int] = frozenset(),
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """The answer to a request that is safe to repeat (a search, a token); raises as `get`."""
        return await self._request("POST", path, None, body, dict(headers or {}), resource, seen)

    async def _request(
        self,
        method: str,
        path: str,
        params: Params | None,
        body: Any,
        more: dict[str, str],
        resource: str,
        seen: frozenset[int],
    ) -> Response:
        url = self._address(path)
        for attempt in range(1, ATTEMPTS + 1):
            await self._wait_for_budget(resource)
            try:
                answer = await self._once(method, url, params, body, more)
            except (httpx.RequestError, httpx.InvalidURL, TimeoutError) as error:
                reason = type(error).__name__
                await self._pause(attempt, None, f"{self._host} does not answer ({reason})")
                continue
            self.budget.learn(resource, answer.headers, self._clock.now())
            if answer.status in seen or answer.status < 300:
                return answer
            if is_rate_limited(answer):
                await self._apply_limit(answer)
            elif answer.status in PASSING:
                wait = retry_after(answer.headers, self._clock.now())
                await self._pause(attempt, wait, f"{self._host} answers with {answer.status}")
            else:
                raise self._refusal(answer, url)
        raise SourceUnavailable(
            f"{self._host} keeps limiting our requests: the next poll continues."
        )

    async def _once(
        self,
        method: str,
        url: str,
        params: Params | None,
        body: Any,
        more: Mapping[str, str],
    ) -> Response:
        query = dict(params) if params else None
        async with asyncio.timeout(WHOLE_S):
            for _ in range(MAX_REDIRECTS + 1):
                headers = {"User-Agent": "cairn", **await self._authorise(), **more}
                asked = self._client.build_request(
                    method, url, params=query, json=body, headers=headers
                )
                answer = await self._read(asked)
                self.budget.requests += 1
                if answer.status not in (301, 302, 307, 308):
                    return answer
                url, query = self._address(urljoin(url, answer.headers.get("location", ""))), None
        raise SourceUnavailable(f"{self._host} redirects endlessly.")

    async def _read(self, asked: httpx.Request) -> Response:
        response = await self._client.send(asked, stream=True)
        try:
            parts, size = [], 0
            async for part in response.aiter_bytes():
                size += len(part)
                if size > self._max_answer_bytes:
                    raise SourceRefused(
                        f"{self._host} answered with more than {self._max_answer_bytes:,} bytes."
                    )
                parts.append(part)
        finally:
            await response.aclose()
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Response(response.status_code, headers, b"".join(parts))

    async def _wait_for_budget(self, resource: str) -> None:
        now = self._clock.now()
        until = self.budget.free_at(resource, now)
        if until is None:
            return
        if (until - now).total_seconds() > MAX_WAIT_S:
            raise self._budget_error(until)
        await self._sleep((until - now).total_seconds())

    def budget_error(self, resource: str) -> BudgetSpent:
        """For a service that reports its rate limit in an answer with status 200."""
        now = self._clock.now()
        window = self.budget.windows.get(resource)
        is_closed = window and window.resets_at > now
        until = window.resets_at if window and is_closed else now + timedelta(seconds=MAX_WAIT_S)
        return self._budget_error(until)

    def _budget_error(self, until: datetime) -> BudgetSpent:
        return BudgetSpent(
            f"Our {self.budget.percent} % of the rate limit at {self._host} is used up until"
            f" {until:%H:%M:%S} UTC: the next poll continues.",
            until,
        )

    async def _apply_limit(self, answer: Response) -> None:
        """Stops all requests of the account until a primary or secondary limit is over."""
        now = self._clock.now()
        wait = retry_after(answer.headers, now)
        if wait is None:
            window = self.budget.windows.get(answer.headers.get("x-ratelimit-resource", "core"))
            is_spent = window and window.remaining == 0 and window.resets_at > now
            wait = (window.resets_at - now).total_seconds() if window and is_spent else MAX_WAIT_S
        self.budget.blocked_until = now + timedelta(seconds=max(0.0, wait))

    async def _pause(self, attempt: int, asked_s: float | None, what: str) -> None:
        pause_s = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (attempt - 1))
        pause_s *= 0.5 + self._jitter.random()
        if asked_s is not None:
            pause_s = asked_s
        if attempt == ATTEMPTS or pause_s > MAX_WAIT_S:
            raise SourceUnavailable(f"{what}: the next poll continues.")
        await self._sleep(pause_s)

    def _refusal(self, answer: Response, url: str) -> Exception:
        where = urlsplit(url).path
        if answer.status == 410 and b"disabled" in answer.body.lower():
            return SwitchedOff(f"{self._host} has switched off {where}.", "not_found", 410)
        reasons: dict[int, LostReason] = {
            401: "unauthorised",
            403: "forbidden",
            404: "not_found",
            410: "not_found",
        }
        if reason := reasons.get(answer.status):
            words = {
                "unauthorised": "does not accept our credential for",
                "forbidden": "does not allow our credential to read",
                "not_found": "shows our credential nothing at",
            }
            return AccessLost(f"{self._host} {words[reason]} {where}.", reason, answer.status)
        return SourceRefused(f"{self._host} refuses {where} with {answer.status}.")

    def _address(self, path: str) -> str:
        """The full address; only the service's own origin is requested."""
        url = urljoin(self.base_url, path.lstrip("/") if "://" not in path else path)
        if _origin(url) != _origin(self.base_url):
            raise SourceRefused(f"{self._host} points to another host, which is not requested.")
        return url

    @property
    def _host(self) -> str:
        return urlsplit(self.base_url).netloc.rpartition("@")[2]


def _client(base_url: str) -> httpx.AsyncClient:
    """A client that uses the environment's proxies, for a service on this machine none.

    Raises SourceRefused if it cannot.
    """
    timeout = httpx.Timeout(READ_S, connect=CONNECT_S)
    try:
        return httpx.AsyncClient(
            timeout=timeout, follow_redirects=False, trust_env=not is_loopback(base_url)
        )
    except (
        httpx.InvalidURL,
        ValueError,
        ImportError,
    ):  # the message would show parts of the address
        raise SourceRefused(
            "A proxy of the environment cannot be used: set HTTP_PROXY, HTTPS_PROXY and ALL_PROXY"
            " to http://user:password@host:port, with %40 for an @ and %2F for a / in a password."
        ) from None


def check_base_url(url: str) -> str:
    """Returns ``url`` with a slash at its end. Raises SourceRefused if it would leak secrets."""
    if not is_well_formed(url) or "@" in (parts := urlsplit(url)).netloc:
        raise SourceRefused(
            f"{without_credentials(url)!r} is not an address of a service: write https://host/path,"
            " without user, password or query."
        )
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise SourceRefused(
            f"{without_credentials(url)!r} would send the credential unencrypted: give an https"
            " address."
        )
    return url if url.endswith("/") else f"{url}/"


def is_rate_limited(answer: Response) -> bool:
    """Whether the answer reports a rate limit: 429, or either kind of GitHub's 403."""
    if answer.status == 429:
        return True
    if answer.status != 403:
        return False
    spent = answer.headers.get("x-ratelimit-remaining") == "0"
    is_limit = any(words in answer.body.lower() for words in LIMIT_WORDS)
    return spent or "retry-after" in answer.headers or is_limit


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port
