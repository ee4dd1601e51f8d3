"""Moments of the past in a question: ``?as_of=TIME`` where history is kept."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Query

from infra.errors import Invalid

MOMENT = (
    "A moment as an ISO 8601 time with its offset, such as `2026-05-01T12:00:00Z`. Write a `+` of"
    " an offset as `%2B`."
)
AsOf = Annotated[str, Query(max_length=64, description=MOMENT)]
MaybeAsOf = Annotated[str | None, Query(max_length=64, description=MOMENT)]


def read_moment(text: str) -> datetime:
    """The moment in UTC. Raises Invalid."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise Invalid(
        "as_of is an ISO 8601 time with its offset, such as 2026-05-01T12:00:00Z; a + in an address"
        " is written as %2B.",
        code="moment_malformed",
    )


def read_place(as_of_seq: int | None, as_of: str | None) -> int | datetime:
    """The one of both that is given. Raises Invalid."""
    if as_of_seq is not None and as_of is None:
        return as_of_seq
    if as_of is not None and as_of_seq is None:
        return read_moment(as_of)
    raise Invalid("Give as_of_seq or as_of, one of both.", code="moment_ambiguous")
