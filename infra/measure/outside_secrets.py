"""Rows about secrets that nobody here has looked at: ``python -m …outside_secrets CHECKOUT FILE``.

CHECKOUT is a clone of another scanner, TruffleHog, whose detectors come with tests: a text that
holds a key of some service, and the key. Of each detector the first such test becomes a row of the
form of ``secrets/snippets``. Its texts stay where they are: they are under another licence, and
what is not in the repository is not tuned on by accident. ``--half`` keeps one half of the
detectors, by the hash of their names: the misses of half 0 were read, half 1 judges.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from schemas.ids import sha256_hex

STRING = r"(?:`[^`]*`|\"(?:[^\"\\\n]|\\.)*\")"
VALUE = rf"(?:{STRING}|\w+)"
FILLED = rf"fmt\.Sprintf\(\s*{STRING}(?:,\s*{VALUE})*,?\s*\)"
NAMED = re.compile(rf"^\s*(?:var\s+|const\s+)?(\w+)\s*:?=\s*({STRING})\s*$", re.MULTILINE)
CASE = re.compile(
    rf"name:\s*\"valid[^\"]*\",\s*input:\s*({FILLED}|{VALUE}),\s*want:\s*\[\]string\{{([^}}]*)\}}"
)
PART = re.compile(VALUE)
SHORTEST = 8
GO = frozenset(("fmt", "Sprintf"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--half", type=int, choices=(0, 1))
    given = parser.parse_args()
    rows = [row for row in rows_in(given.checkout) if given.half in (None, half_of(row["id"]))]
    given.file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def half_of(name: str) -> int:
    return int(sha256_hex(name)[:8], 16) % 2


def rows_in(checkout: Path) -> Iterator[dict[str, Any]]:
    """One row a detector whose test names its key in full, in the order of names."""
    folder = checkout / "pkg" / "detectors"
    seen: set[str] = set()
    for path in sorted(folder.rglob("*_test.go")):
        name = path.relative_to(folder).parts[0]
        row = None if name in seen else _row(name, path.read_text(encoding="utf-8"))
        if row:
            seen.add(name)
            yield row


def _row(name: str, test: str) -> dict[str, Any] | None:
    named = dict(NAMED.findall(test))
    for given, wanted in CASE.findall(test):
        form, *fillings = (_text_of(part, named) for part in PART.findall(given) if part not in GO)
        text = _fill(form, fillings)
        values = [_text_of(part, named) for part in PART.findall(wanted)]
        values = [value for value in values if len(value) >= SHORTEST]
        places = {match.span() for value in values for match in re.finditer(re.escape(value), text)}
        if values and len(values) == len({text[start:end] for start, end in places}):
            spans = [{"start": a, "end": b, "type": name} for a, b in sorted(places)]
            return {"id": name, "text": text, "label": "secret", "spans": spans}
    return None


def _text_of(part: str, named: dict[str, str]) -> str:
    """The text of a literal of Go, or of the name of one; empty for any other name."""
    literal = named.get(part, part)
    if literal.startswith("`"):
        return literal.strip("`")
    if not literal.startswith('"'):
        return ""
    try:
        return str(json.loads(literal))
    except ValueError:  # an escape that JSON does not have
        return ""


def _fill(form: str, fillings: list[str]) -> str:
    for filling in fillings:
        form = form.replace("%s", filling, 1)
    return form


if __name__ == "__main__":
    main()
