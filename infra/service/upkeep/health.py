"""Whether the service can work, and what it has done, for those who watch it."""

from __future__ import annotations

from dataclasses import dataclass

from infra.platform import kafka, metrics
from infra.platform.errors import TopicsUnfit, Unavailable
from infra.platform.metrics import Sample
from infra.platform.settings import Settings
from infra.service.foundation.connections import Tables
from infra.service.upkeep.lag import read_lag
from infra.store.samples import check_tables, count_samples
from schemas.topics import TOPICS

AWAY = "does not answer"


@dataclass(frozen=True, slots=True)
class Readiness:
    """Each part is ``ok``, or says why not, without addresses: anybody may ask."""

    ready: bool
    broker: str
    database: str
    topics: str


async def read_readiness(settings: Settings, tables: Tables) -> Readiness:
    """Whether requests can be served now."""
    try:
        await tables.ask(check_tables)
        database = "ok"
    except Unavailable:
        database = AWAY
    broker = "ok" if await kafka.answers(settings) else AWAY
    topics = await _check_topics(settings) if broker == "ok" else "not known"
    return Readiness(database == broker == topics == "ok", broker, database, topics)


async def read_samples(settings: Settings, tables: Tables) -> list[Sample]:
    """Every count of the tables, and the lag of every group when the broker tells it."""
    found = await tables.ask(lambda connection: list(count_samples(connection)))
    try:
        lags = await read_lag(settings)
    except Unavailable:
        return found
    labelled = [({"group": lag.group, "topic": lag.topic}, lag.lag) for lag in lags]
    return [*found, *(Sample(metrics.LAG, labels, lag) for labels, lag in labelled)]


async def _check_topics(settings: Settings) -> str:
    try:
        await kafka.check_topics(settings, TOPICS)
    except Unavailable:
        return AWAY
    except TopicsUnfit as error:
        return error.code
    return "ok"
