"""A redactor of strings with a key of its own, in the place of the vault's."""

from __future__ import annotations

import hashlib
import hmac

from streams.hygiene.redaction.strings import StringRedactor


def mark(project_id: str, text: str) -> str:
    return hmac.new(project_id.encode(), text.encode(), hashlib.sha256).hexdigest()


REDACTOR = StringRedactor(mark)
