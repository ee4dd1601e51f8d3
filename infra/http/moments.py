"""Moments of the past in a question: ``?as_of=TIME`` where history is kept."""

from __future__ import annotations

from datetime import UTC, datetime, timezone
from typing import Annotated

from fastapi import Query

from infra.platform.errors import Invalid

MOMENT = (
    "A moment as an ISO 8601 time with its offset, such as `2026-05-01T12:00:00Z`. Write a `+` of"
    " an offset as `%2B`."
)
MaybeAsOf = Annotated[str | None, Query(max_length=64, description=MOMENT)]


def read_moment(text: str, zone: timezone | None = None) -> datetime:
    """The moment in UTC; without an offset it is in ``zone``. Raises Invalid."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=zone)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise Invalid(
        "A moment is an ISO 8601 time with its offset, such as 2026-05-01T12:00:00Z; a + in an"
        " address is written as %2B.",
        code="moment_malformed",
    )


def read_moment_or_sequence(text: str) -> int | datetime:
    """A sequence of the ledger, or a moment; one without an offset is in UTC. Raises Invalid."""
    if text.isascii() and text.isdecimal() and len(text) < 19:
        return int(text)
    return read_moment(text, UTC)


def read_since(written: str | None) -> int | datetime | None:
    """What `UpdatedSince` names; None where it is not given. Raises Invalid."""
    return None if written is None else read_moment_or_sequence(written)


def read_place(seq: int | None, moment: str | None, name: str = "as_of") -> int | datetime:
    """The one of both that is given; ``name`` is what the moment is called. Raises Invalid."""
    if seq is not None and moment is None:
        return seq
    if moment is not None and seq is None:
        return read_moment(moment)
    raise Invalid(f"Give {name}_seq or {name}, one of both.", code="moment_ambiguous")
