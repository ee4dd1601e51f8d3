"""What was released is read for ever: schema files and recorded bytes stay as they are.

From 0.1.0 on the rule of compatibility binds: `schemas/RELEASES.toml` names each release.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from schemas import avro
from schemas.avro import avro_schema, schema_file
from schemas.codec import decode
from schemas.events import EVENT_TYPES
from schemas.releases import find_changed, name_release, read_releases
from schemas.upcasters import UPCASTERS
from tests.schemas.samples import RELEASED, meaning_of

SCHEMAS = Path(avro.__file__).parent
SAMPLES = sorted(RELEASED.glob("*.bin"))


def without_docs(schema: Any) -> Any:
    match schema:
        case dict():
            return {key: without_docs(value) for key, value in schema.items() if key != "doc"}
        case list():
            return [without_docs(item) for item in schema]
        case _:
            return schema


def says(found: Any, recorded: Any) -> bool:
    """Whether ``found`` has all that was recorded; a later version may have more fields."""
    match recorded:
        case dict():
            return all(key in found and says(found[key], recorded[key]) for key in recorded)
        case list():
            return len(found) == len(recorded) and all(map(says, found, recorded))
        case _:
            return bool(found == recorded)


@pytest.mark.parametrize("event", EVENT_TYPES.values(), ids=EVENT_TYPES)
def test_the_released_schema_file_is_what_the_model_says(event):
    file = SCHEMAS / schema_file(event.type_name, event.schema_version)
    assert without_docs(json.loads(file.read_text())) == without_docs(avro_schema(event)), (
        f"{file.name} is released and must not change: raise schema_version of {event.__name__}, "
        "add an up-caster, run `python -m schemas.release` and `python -m tests.schemas.samples`"
    )


@pytest.mark.parametrize("file", SAMPLES, ids=[file.stem for file in SAMPLES])
def test_released_bytes_still_mean_what_they_meant(file: Path):
    recorded = json.loads(file.with_suffix(".json").read_text())
    assert says(meaning_of(decode(file.read_bytes())), recorded)


def test_every_released_version_has_a_sample():
    stems = {f"{event_type}.v{version}" for event_type, version in avro.load_schemas()}
    assert {file.stem for file in SAMPLES} == stems, "run `python -m tests.schemas.samples`"


def test_every_version_below_todays_has_its_up_caster():
    for event in EVENT_TYPES.values():
        for version in range(1, event.schema_version):
            assert (event.type_name, version) in UPCASTERS
            assert (event.type_name, version) in avro.load_schemas()


def test_schema_files_of_named_releases_are_unchanged():
    for release in read_releases(SCHEMAS / "RELEASES.toml"):
        assert find_changed(SCHEMAS, release) == [], f"released with {release.version}"


def test_a_named_release_records_its_commit_and_notices_changed_schema_files(tmp_path: Path):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=Ana", "-c", "user.email=ana@example.org"]
    schema, file = tmp_path / "atom" / "reflected.v1.avsc", tmp_path / "RELEASES.toml"
    schema.parent.mkdir()
    schema.write_text("{}")
    file.write_text("# Each release\n")
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "Release 0.1.0"]):
        subprocess.run([*git, *command], check=True)

    named = name_release(file, "0.1.0", "HEAD")

    (found,) = read_releases(file)
    assert found == named and len(found.commit) == 40
    assert find_changed(tmp_path, found) == []
    schema.write_text('{"type": "record"}')
    assert find_changed(tmp_path, found) == ["atom/reflected.v1.avsc"]
    with pytest.raises(ValueError, match="named already"):
        name_release(file, "0.1.0", "HEAD")
    with pytest.raises(ValueError, match="not those of"):
        name_release(file, "0.2.0", "HEAD")
    with pytest.raises(ValueError, match="no commit"):
        name_release(file, "0.2.0", "f" * 40)
