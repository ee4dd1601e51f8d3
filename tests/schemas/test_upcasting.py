"""How an event changes after its release, shown with one that Cairn does not have.

`parcel.weighed` called the parcel `parcel` and weighed in pounds in version 1. The schema files and
a record of version 1 are in `example/`, as a release would have left them.
"""

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from schemas.avro import avro_schema, load_schemas
from schemas.codec import Catalog, InvalidRecord, decode
from schemas.envelope import Event
from schemas.upcasters import Payload, upcast

EXAMPLE = Path(__file__).parent / "example"
RECORD = (EXAMPLE / "parcel" / "weighed.v1.bin").read_bytes()


class ParcelWeighed(Event):
    """A parcel was weighed at a depot."""

    type_name: ClassVar[str] = "parcel.weighed"
    topic: ClassVar[str] = "project.v1"
    schema_version: ClassVar[int] = 2

    parcel_id: str
    weight_kg: float
    depot: str = ""

    @property
    def aggregate_id(self) -> str:
        return self.parcel_id


def convert_to_kilograms(payload: Payload) -> Payload:
    return {"parcel_id": payload["parcel"], "weight_kg": round(payload["pounds"] * 0.45359237, 3)}


CATALOG = Catalog(
    events={"parcel.weighed": ParcelWeighed},
    schemas=load_schemas(EXAMPLE),
    upcasters={("parcel.weighed", 1): convert_to_kilograms},
)


def test_a_record_of_the_first_version_is_read_as_todays_event():
    envelope = decode(RECORD, CATALOG)
    assert envelope.event == ParcelWeighed(parcel_id="parcel-7", weight_kg=4.536)
    assert (envelope.natural_key, envelope.actor.id) == ("scale-3|1", "ana")


def test_both_versions_have_their_schema_and_the_newest_is_the_models():
    assert set(CATALOG.schemas) == {("parcel.weighed", 1), ("parcel.weighed", 2)}
    assert CATALOG.schemas["parcel.weighed", 2] == avro_schema(ParcelWeighed)


def test_an_edited_schema_file_no_longer_reads_what_was_written_under_it():
    edited = json.loads(json.dumps(CATALOG.schemas["parcel.weighed", 1]).replace("pounds", "lbs"))
    schemas = dict(CATALOG.schemas) | {("parcel.weighed", 1): edited}
    with pytest.raises(InvalidRecord, match="unknown writer schema"):
        decode(RECORD, Catalog(CATALOG.events, schemas, CATALOG.upcasters))


def test_a_version_without_its_up_caster_is_an_invalid_record():
    with pytest.raises(InvalidRecord, match="unreadable body"):
        decode(RECORD, Catalog(CATALOG.events, CATALOG.schemas, {}))


def test_up_casters_are_applied_step_by_step():
    steps: dict[tuple[str, int], Any] = {
        ("thing.renamed", 1): lambda old: {"owner": old["user"]},
        ("thing.renamed", 2): lambda old: old | {"team": "core"},
    }
    lifted = upcast("thing.renamed", 1, 3, {"user": "ana"}, steps)
    assert lifted == {"owner": "ana", "team": "core"}


def test_a_missing_step_is_an_error_not_a_guess():
    with pytest.raises(KeyError):
        upcast("thing.renamed", 1, 2, {}, {})
