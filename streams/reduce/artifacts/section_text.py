"""The text of one section: its statements replaced, and the mark that they have."""

from __future__ import annotations

import json

from schemas.events.artifact_sections import Section, Statement
from schemas.ids import sha256_hex

EDITED = "edited"


def replace_statements(section: Section, statements: list[Statement]) -> Section:
    """The section with these statements and nothing else changed."""
    content = {
        "title": section.title,
        "state": section.state,
        "statements": [statement.model_dump() for statement in statements],
        "gap": section.gap,
    }
    mark = sha256_hex(json.dumps(content, sort_keys=True))
    return section.model_copy(update={"statements": statements, "content_hash": mark})
