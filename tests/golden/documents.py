"""The fixed input of the stages: small projects of many formats and kinds, and statements.

Documents are kept as text in modules, and copies of Cairn's own documents of November 2026 in a
ZIP, as in ``tests/parcel.py``: Cairn reads its own repository in the demo and must not read these.
All names, people and secrets are made up.
"""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

from tests.golden.corpus.exports import EXPORTS
from tests.golden.corpus.programs import CODE
from tests.golden.corpus.shop import SHOP
from tests.golden.corpus.talk import TALK

COPIES = Path(__file__).parent / "corpus" / "copies.zip"


def projects() -> dict[str, dict[str, bytes]]:
    """The content of every document, by project and path."""
    written = {"shop": SHOP, "code": CODE, "exports": EXPORTS, "talk": TALK}
    found = {
        root: {path: it.encode() if isinstance(it, str) else it for path, it in files.items()}
        for root, files in written.items()
    }
    with ZipFile(COPIES) as copies:
        return found | {"copies": {name: copies.read(name) for name in copies.namelist()}}
