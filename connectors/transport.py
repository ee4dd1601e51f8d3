"""HTTP requests to services: retries, rate limits, conditional requests, no secret in messages.

A request is repeated only where that is harmless; one that changes something is sent once. It
waits as long as the service asks, and gives up with a time to return instead of blocking a process.
A rate limit belongs to an account, so all streams of an account share one ``Budget``.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx

from connectors.connector import SourceRefused, SourceUnavailable
from connectors.http_client import LOCATION, check_base_url, follow, open_client
from connectors.rate_limits import Budget, http_date, retry_after
from infra.platform.clock import Clock, SystemClock

MAX_ANSWER_BYTES = 32 * 1024 * 1024
ATTEMPTS = 5
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
MAX_WAIT_S = 60.0  # a longer wait is left to the next poll
WHOLE_S = 120.0
MAX_REDIRECTS = 3
PASSING = frozenset((408, 429, 500, 502, 503, 504))
REDIRECTS = frozenset((301, 302, 307, 308))
# A request that failed so was never sent.
NOT_SENT = (
    httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError,
    httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.InvalidURL,
)  # fmt: skip
LIMIT_WORDS = (b"rate limit", b"abuse detection")  # GitHub's, of its secondary limits

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


class AnswerLost(SourceUnavailable):
    """A request that changes something was sent and not answered: it may have been carried out."""

    code = "answer_lost"


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


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a transport keeps trying. ``attempts``: of a request that is safe to repeat.
    ``advice`` ends the message when it gives up.
    """

    attempts: int = ATTEMPTS
    max_wait_s: float = MAX_WAIT_S
    whole_s: float = WHOLE_S
    advice: str = "the next poll continues"


@dataclass(frozen=True, slots=True)
class _Request:
    """``seen``: statuses returned to the caller; None: all but rate limits and what may pass.
    ``is_repeatable``: it may be sent again.
    """

    method: str
    path: str
    params: Params | None = None
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    resource: str = "core"
    seen: frozenset[int] | None = frozenset()
    is_repeatable: bool = True

    def wants(self, answer: Response) -> bool:
        if answer.status < 300:
            return True
        if self.seen is None:
            return answer.status not in PASSING and not is_rate_limited(answer)
        return answer.status in self.seen


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
        patience: Patience = Patience(),  # noqa: B008  # it is frozen
    ) -> None:
        self.base_url = check_base_url(base_url)
        self.budget = budget
        self._authorise, self._sleep = authorise, sleep
        self._clock = clock or SystemClock()
        self._max_answer_bytes, self._patience = max_answer_bytes, patience
        self._jitter = random.Random()
        self._client = open_client(base_url)

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
        asked = _Request("GET", path, params, None, more, resource, seen | {304})
        return await self._request(asked)

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
        asked = _Request("POST", path, None, body, headers or {}, resource, seen)
        return await self._request(asked)

    async def send(
        self,
        method: str,
        path: str,
        *,
        params: Params | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        is_repeatable: bool,
    ) -> Response:
        """The answer to any request, whatever its status but a rate limit or one that may pass.

        A request that is not repeatable is sent once and follows no redirect. Raises AnswerLost
        where nobody can tell whether it was carried out, else as `get`.
        """
        asked = _Request(
            method, path, params, body, headers or {}, seen=None, is_repeatable=is_repeatable
        )
        return await self._request(asked)

    async def _request(self, asked: _Request) -> Response:
        url = self._address(asked.path)
        for attempt in range(1, self._patience.attempts + 1):
            await self._wait_for_budget(asked.resource)
            try:
                answer = await self._once(asked, url)
            except (httpx.RequestError, httpx.InvalidURL, TimeoutError) as error:
                what = f"{self._host} does not answer ({type(error).__name__})"
                if not asked.is_repeatable and not isinstance(error, NOT_SENT):
                    raise self._lost(what) from error
                await self._pause(attempt, None, what)
                continue
            self.budget.learn(asked.resource, answer.headers, self._clock.now())
            if asked.wants(answer):
                return answer
            if is_rate_limited(answer):
                until = self._apply_limit(answer)
                if not asked.is_repeatable:
                    raise self._budget_error(until)
            elif answer.status in PASSING:
                what = f"{self._host} answers with {answer.status}"
                if not asked.is_repeatable:
                    raise self._lost(what)
                wait = retry_after(answer.headers, self._clock.now())
                await self._pause(attempt, wait, what)
            else:
                raise self._refusal(answer, url)
        limiting = f"{self._host} keeps limiting our requests"
        raise SourceUnavailable(f"{limiting}: {self._patience.advice}.")

    async def _once(self, asked: _Request, url: str) -> Response:
        query = dict(asked.params) if asked.params else None
        async with asyncio.timeout(self._patience.whole_s):
            for _ in range(MAX_REDIRECTS + 1):
                headers = {"User-Agent": "cairn", **await self._authorise(), **asked.headers}
                request = self._client.build_request(
                    asked.method, url, params=query, json=asked.body, headers=headers
                )
                answer = await self._read(request, asked)
                self.budget.requests += 1
                if answer.status not in REDIRECTS or not asked.is_repeatable:
                    return answer
                url, query = follow(url, answer.headers[LOCATION]), None
        raise SourceUnavailable(f"{self._host} redirects endlessly.")

    async def _read(self, request: httpx.Request, asked: _Request) -> Response:
        response = await self._client.send(request, stream=True)
        try:
            parts, size = [], 0
            async for part in response.aiter_bytes():
                size += len(part)
                if size > self._max_answer_bytes:
                    what = f"{self._host} answered with more than {self._max_answer_bytes:,} bytes"
                    raise SourceRefused(f"{what}.") if asked.is_repeatable else self._lost(what)
                parts.append(part)
        finally:
            await response.aclose()
        headers = {name.lower(): value for name, value in response.headers.items()}
        headers[LOCATION] = response.extensions[LOCATION]
        return Response(response.status_code, headers, b"".join(parts))

    async def _wait_for_budget(self, resource: str) -> None:
        now = self._clock.now()
        until = self.budget.free_at(resource, now)
        if until is None:
            return
        if (until - now).total_seconds() > self._patience.max_wait_s:
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
            f" {until:%H:%M:%S} UTC: {self._patience.advice}.",
            until,
        )

    def _lost(self, what: str) -> AnswerLost:
        return AnswerLost(f"{what}: what was asked may or may not have been carried out.")

    def _apply_limit(self, answer: Response) -> datetime:
        """Stops all requests of the account until a primary or secondary limit is over."""
        now = self._clock.now()
        wait = retry_after(answer.headers, now)
        if wait is None:
            window = self.budget.windows.get(answer.headers.get("x-ratelimit-resource", "core"))
            is_spent = window and window.remaining == 0 and window.resets_at > now
            wait = (window.resets_at - now).total_seconds() if window and is_spent else MAX_WAIT_S
        until = now + timedelta(seconds=max(0.0, wait))
        self.budget.blocked_until = until
        return until

    async def _pause(self, attempt: int, asked_s: float | None, what: str) -> None:
        pause_s = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (attempt - 1))
        pause_s *= 0.5 + self._jitter.random()
        if asked_s is not None:
            pause_s = asked_s
        if attempt == self._patience.attempts or pause_s > self._patience.max_wait_s:
            raise SourceUnavailable(f"{what}: {self._patience.advice}.")
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
        return follow(self.base_url, path.lstrip("/") if "://" not in path else path)

    @property
    def _host(self) -> str:
        return urlsplit(self.base_url).netloc.rpartition("@")[2]


def is_rate_limited(answer: Response) -> bool:
    """Whether the answer reports a rate limit: 429, or either kind of GitHub's 403."""
    if answer.status == 429:
        return True
    if answer.status != 403:
        return False
    spent = answer.headers.get("x-ratelimit-remaining") == "0"
    is_limit = any(words in answer.body.lower() for words in LIMIT_WORDS)
    return spent or "retry-after" in answer.headers or is_limit
