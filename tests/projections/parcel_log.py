"""The log of a whole ingest of the parcel, as the projector would read it; made in memory."""

from __future__ import annotations

from functools import cache

from agents.offline.reader import OfflineReader
from agents.reader import ReadRequest
from projections.checkpoint import Record
from projections.log_reader import Place
from schemas.codec import decode
from schemas.envelope import Envelope
from streams.memory import Driver
from streams.pipeline import pipeline
from tests.parcel import contents
from tests.projections.log import records_in
from tests.worlds import ingestion

REPEATED = {
    "docs/requirements.md": b"""# What the Gateway owes

- The Gateway must answer a scan request in less than 200 ms at the 95th percentile.
"""
}


@cache
def parcel() -> Driver:
    reader = OfflineReader()
    driver = Driver(
        pipeline(lambda request, chunk: reader.read(ReadRequest(request, chunk))), partitions=1
    )
    driver.publish(ingestion(contents() | REPEATED))
    driver.run()
    return driver


@cache
def records(topics: frozenset[str]) -> list[Record]:
    return records_in(parcel(), topics)


def fact_at(place: Place) -> Envelope | None:
    wanted = (
        record.value
        for record in records(frozenset([place.topic]))
        if (record.partition, record.offset) == place[1:]
    )
    value = next(wanted, None)
    return decode(value) if value else None
