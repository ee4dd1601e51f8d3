"""Write the schema file of every event version that has none yet, and the AsyncAPI document.

``python -m schemas.release``. A file that exists is never changed: a changed model needs a new
``schema_version`` and an up-caster, and a test says so.
"""

from __future__ import annotations

import json
from pathlib import Path

from schemas.asyncapi import asyncapi_document
from schemas.avro import avro_schema, schema_file
from schemas.events import EVENT_TYPES

ROOT = Path(__file__).parent


def main() -> None:
    for event in EVENT_TYPES.values():
        file = ROOT / schema_file(event.type_name, event.schema_version)
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps(avro_schema(event), indent=2) + "\n")
            print(f"new: {file.relative_to(ROOT)}")
    (ROOT / "asyncapi.json").write_text(json.dumps(asyncapi_document(), indent=2) + "\n")


if __name__ == "__main__":
    main()
