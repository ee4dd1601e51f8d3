"""The rules of stage 0 for strings that do not pass through it: names, titles, reasons, errors.

A name identifies something, so ids are made of it. Its secrets are replaced like those of a text,
and each placeholder is followed by a keyed digest: two files whose names differ by a secret only
stay two, the same file keeps its name, and nobody can try secrets on the digest without the
project's key. Decided against numbers that are counted among all names of a listing: one file more
would rename others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

from streams.hygiene.normalise import lower
from streams.hygiene.redaction.redact import redact, secrets_in

DIGEST_DIGITS = 12
MOST_PASSES = 5
NAMES_KEPT = 4_096  # the same paths and roots come several times in a listing's facts

# project id, text -> a keyed hash (`infra.platform.vault.Vault.mark`)
Mark = Callable[[str, str], str]


class StageRedactor:
    """``schemas.strings.Redactor`` of the stages, whose facts repeat names and make none."""

    def text(self, text: str) -> str:
        return redact_text(text)

    def chat(self, text: str) -> str:
        return _repeat(lambda part: redact(part, lower(part), "", None, personal=True)[0], text)

    def name(self, project_id: str, name: str) -> str:
        return redact_text(name)


@dataclass(frozen=True, slots=True)
class StringRedactor(StageRedactor):
    """The same for those who bring strings in, with the keyed hash ``mark``."""

    mark: Mark

    def name(self, project_id: str, name: str) -> str:
        """Raises what ``mark`` raises, if the name holds a secret."""
        if redact_text(name) == name:
            return name
        return _repeat(partial(self._mark_secrets, project_id), name)

    def _mark_secrets(self, project_id: str, name: str) -> str:
        pieces, read = [], 0
        numbers: dict[tuple[str, str], int] = {}
        for found in secrets_in(name, lower(name), None):
            secret = name[found.start : found.end]
            alike = [key for key in numbers if key[0] == found.type]
            number = numbers.setdefault((found.type, secret), len(alike) + 1)
            digest = self.mark(project_id, f"secret in a name|{secret}")[:DIGEST_DIGITS]
            pieces += [name[read : found.start], f"[REDACTED:{found.type}:{number}]~{digest}"]
            read = found.end
        return "".join([*pieces, name[read:]])


@lru_cache(NAMES_KEPT)
def redact_text(text: str) -> str:
    """``text`` without secrets, by the rules for a document of unknown language."""
    return _repeat(lambda part: redact(part, lower(part), "", None)[0], text)


def _repeat(redact_once: Callable[[str], str], text: str) -> str:
    """``text`` redacted until nothing changes: of two secrets side by side one may hide the other.

    So an answer stays as it is, however often a string passes.
    """
    for _ in range(MOST_PASSES):
        before, text = text, redact_once(text)
        if text == before:
            break
    return text


STAGE_REDACTOR = StageRedactor()
