"""A revision that takes too long is cleaned without the parts that are to blame.

Only a child can be timed, so the parts are found by cleaning the rest again and again, each time
within a limit. See ``streams.hygiene.left_out``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from infra.platform.settings import MIB
from schemas.events.source import SourceRevised
from streams.hygiene.left_out import (
    Span,
    clean_without,
    describe_lines,
    find_left_out,
    parts_of,
)
from streams.shell.cleaning import Clean
from streams.shell.failures import ChildFailed
from streams.shell.pool import ChildDied, ChildPool, JobTimedOut

TRY_S = 6.0  # of work; what a new child uses for the first time takes it about one
TRY_S_PER_MIB = 5.0  # three times what the longest text takes


@dataclass(frozen=True, slots=True)
class InPart:
    """How to clean a revision without what is left out, and the failure that tells of it."""

    clean: Clean
    failure: JobTimedOut | ChildDied


async def find_in_part(
    pool: ChildPool,
    clean: Clean,
    revised: SourceRevised,
    content: bytes,
    failure: JobTimedOut | ChildDied,
    most_s: float,
) -> InPart | None:
    """Each try works ``most_s`` at most.

    None where no part of the text can be cleaned. Raises JobTimedOut, ChildDied, ChildFailed.
    """
    source = revised.source
    limit_s = min(most_s, TRY_S + TRY_S_PER_MIB * len(content) / MIB)
    parts = await pool.run(parts_of, source, content)

    async def can_clean_without(left_out: list[Span]) -> bool:
        rest = partial(clean_without, tuple(left_out), "", clean)
        try:
            await pool.run(has_cleaned, rest, revised, content, limit_s=limit_s)
        except (JobTimedOut, ChildDied, ChildFailed):
            return False
        return True

    search = find_left_out(parts)
    try:
        left_out = next(search)
        while True:
            left_out = search.send(await can_clean_without(left_out))
    except StopIteration as found:
        left_out = found.value
    if len(left_out) == len(parts):
        return None
    told = await pool.run(describe_lines, source, content, left_out)
    return InPart(
        clean=partial(clean_without, tuple(left_out), str(failure), clean),
        failure=type(failure)(f"left out: {told}: {failure}"),
    )


def has_cleaned(clean: Clean, revised: SourceRevised, content: bytes) -> bool:
    """Once the revision can be cleaned; without the result, which nobody needs."""
    clean(revised.source, content, revised.force_include)
    return True
