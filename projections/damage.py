"""What shows without reading the log that records of it are gone; cheap enough to ask often.

The log grows while it is looked at. So what was read of it is asked first and where it ends after
that: the other way round, what came in between would count as lost. A broker that has just started
may tell an end that is too small, so only what a second look shows too is damage.
"""

from __future__ import annotations

from collections.abc import Sequence

from psycopg.errors import UndefinedTable

from infra.platform import log_positions, postgres
from infra.platform.errors import DatabaseUnavailable
from infra.platform.findings import Finding, cut_finding, find_missing_end, find_missing_start
from infra.platform.settings import Settings
from projections.checkpoint import read_checkpoint
from projections.projection import Projection
from schemas.topics import TOPICS


async def damage(projections: Sequence[Projection], settings: Settings) -> list[Finding]:
    """Topics that end before what groups or the tables of ``projections`` have read, or begin late.

    Each place once, in the order of the log. Raises BrokerUnavailable.
    """
    findings = await _look(projections, settings)
    if not findings:
        return []
    again = {(each.code, each.topic, each.partition) for each in await _look(projections, settings)}
    return [each for each in findings if (each.code, each.topic, each.partition) in again]


async def _look(projections: Sequence[Projection], settings: Settings) -> list[Finding]:
    folded = [_list_folded(projection, settings) for projection in projections]
    cuts = await log_positions.cut_logs(settings)
    cut = len(settings.topic(""))
    names = [settings.topic(topic.name) for topic in TOPICS]
    bounds = {
        (topic[cut:], part): both
        for (topic, part), both in (await log_positions.offset_bounds(settings, names)).items()
    }
    findings: list[Finding] = []
    for place, (first, _) in bounds.items():
        findings += find_missing_start(*place, 0, first)
    findings += [cut_finding(settings, each) for each in cuts]
    for offsets in folded:
        for place, offset in offsets.items():
            if place in bounds:
                findings += find_missing_end(*place, offset, bounds[place][1])
    places = {(each.topic, each.partition, each.offset): each.of(settings) for each in findings}
    return [places[at] for at in sorted(places)]


def _list_folded(projection: Projection, settings: Settings) -> dict[tuple[str, int], int]:
    """How far the tables hold the log; nothing while there are none, or they cannot be asked."""
    if not settings.database_url:
        return {}
    try:
        with postgres.connect(settings.conninfo, schema=projection.schema) as connection:
            return read_checkpoint(connection, projection.name)
    except (DatabaseUnavailable, UndefinedTable):
        return {}
