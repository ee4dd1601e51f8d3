"""One text each: the secrets that stage 0 takes out; with ``pii`` personal data too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from infra.measure.rows import Options, Row
from schemas.source_kinds import language_of
from streams.hygiene.normalise import lower
from streams.hygiene.redaction.redact import redact, secrets_in


def answer_all(rows: Iterable[Row], options: Options) -> Iterator[dict[str, Any]]:
    """The text with placeholders; ``spans`` are places in the text that was given."""
    for row in rows:
        text, path = row["text"], row.get("path")
        language = language_of(str(path)) if path else None
        found = secrets_in(text, lower(text), language, personal=options.pii)
        sanitized, _ = redact(text, lower(text), "", language, personal=options.pii)
        yield {
            "id": row["id"],
            "text": sanitized,
            "spans": [
                {"start": it.start, "end": it.end, "type": it.type, "rule_id": it.rule_id}
                for it in found
            ],
        }
