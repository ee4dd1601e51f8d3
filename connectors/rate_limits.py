"""Rate limits of an account, as a service reports them in its headers."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

LEAST_OF_A_LIMIT = timedelta(seconds=1)
MAX_DIGITS = 10  # of a number in a header: as seconds, the year 2286


@dataclass(slots=True)
class Window:
    """One rate limit of an account, as the service last reported it."""

    limit: int
    remaining: int
    resets_at: datetime


@dataclass(slots=True)
class Budget:
    """What an account may still request, shared by its streams; ``percent`` of it is ours."""

    percent: int = 50
    windows: dict[str, Window] = field(default_factory=dict)
    blocked_until: datetime | None = None
    requests: int = 0

    @property
    def remaining_requests(self) -> int | None:
        """Requests left in the scarcest window; None if the service reported none."""
        return min((window.remaining for window in self.windows.values()), default=None)

    def free_at(self, resource: str, now: datetime) -> datetime | None:
        """When a request of that kind may be sent; None for now."""
        if self.blocked_until and self.blocked_until > now:
            return self.blocked_until
        window = self.windows.get(resource)
        if window is None or window.resets_at <= now:
            return None
        kept_for_others = window.limit * (100 - self.percent) // 100
        return window.resets_at if window.remaining <= kept_for_others else None

    def learn(self, resource: str, headers: Mapping[str, str], now: datetime) -> None:
        """Reads the limits from an answer. The service's clock may differ from ours."""
        limit = _number(headers.get("x-ratelimit-limit"))
        remaining = _number(headers.get("x-ratelimit-remaining"))
        if limit is None or remaining is None:
            return
        theirs = http_date(headers.get("date")) or now
        named = headers.get("x-ratelimit-resource", resource)
        self.windows[named] = Window(
            limit, remaining, now + _full_again_in(headers, theirs, limit - remaining)
        )


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that the service asks us to wait, given as seconds or as a date."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    if (seconds := _number(value)) is not None:
        return float(max(0, seconds))
    until = http_date(value)
    theirs = http_date(headers.get("date")) or now
    return max(0.0, (until - theirs).total_seconds()) if until else None


def _full_again_in(headers: Mapping[str, str], theirs: datetime, spent: int) -> timedelta:
    """How long a limit lasts.

    GitHub gives the second of the epoch at which it is whole again, Jira Cloud a time in ISO 8601,
    Data Center how many requests come back per so many seconds. Zero if nothing is given, as on
    Cloud while enough is left.
    """
    written = headers.get("x-ratelimit-reset", "")
    back = _number(headers.get("x-ratelimit-fillrate"))
    each_s = _number(headers.get("x-ratelimit-interval-seconds"))
    with suppress(ValueError, OverflowError, OSError):  # a number that is no time
        if written:
            reset = _number(written)
            at = datetime.fromisoformat(written) if reset is None else _of_epoch(reset)
            return max((at if at.tzinfo else at.replace(tzinfo=UTC)) - theirs, LEAST_OF_A_LIMIT)
        if back and each_s:
            return timedelta(seconds=-(-spent // back) * each_s)
    return timedelta()


def _of_epoch(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _number(text: str | None) -> int | None:
    """A count, or seconds that a datetime can hold; otherwise None."""
    digits = text if text and text.isascii() and text.isdigit() else ""
    return int(digits) if 0 < len(digits) <= MAX_DIGITS else None


def http_date(text: str | None) -> datetime | None:
    """An HTTP date, which is always UTC, even if it does not say so."""
    try:
        at = parsedate_to_datetime(text) if text else None
    except ValueError:
        return None
    return at and (at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC))
