"""Write the schema file of every event version that has none yet, and the AsyncAPI document.

``python -m schemas.release``. A file that exists is never changed: a changed model needs a new
``schema_version`` and an up-caster, and a test says so.

``python -m schemas.release --name VERSION COMMIT`` notes in `RELEASES.toml` which commit a release
is.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from schemas.asyncapi import asyncapi_document
from schemas.avro import avro_schema, schema_file
from schemas.events import EVENT_TYPES
from schemas.releases import name_release

ROOT = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m schemas.release", description=__doc__)
    parser.add_argument("--name", nargs=2, metavar=("VERSION", "COMMIT"))
    if asked := parser.parse_args().name:
        try:
            release = name_release(ROOT / "RELEASES.toml", *asked)
        except ValueError as error:
            sys.exit(str(error))
        print(f"{release.version}: {release.commit}, {len(release.schemas)} schema files")
        return
    write_schemas()


def write_schemas() -> None:
    for event in EVENT_TYPES.values():
        file = ROOT / schema_file(event.type_name, event.schema_version)
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps(avro_schema(event), indent=2) + "\n")
            print(f"new: {file.relative_to(ROOT)}")
    (ROOT / "asyncapi.json").write_text(json.dumps(asyncapi_document(), indent=2) + "\n")


if __name__ == "__main__":
    main()
