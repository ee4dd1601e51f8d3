"""What every text field of an event holds: who wrote it, and who has removed its secrets from it.

A field that stands in none of these tables counts as ``TEXTS``: a new field is redacted before
anybody has thought of it. A test names every field without a place here. Keys are the names of the
classes, values their fields; ``string_fields.toml`` says what each table is.
"""

from __future__ import annotations

from collections.abc import Mapping

from schemas.data_files import read_table

Fields = Mapping[str, str]

_TABLES: dict[str, Fields] = read_table(__package__, "string_fields.toml")
TEXTS, NAMES, CLEANED = _TABLES["texts"], _TABLES["names"], _TABLES["cleaned"]
ENCRYPTED, IDENTIFIERS = _TABLES["encrypted"], _TABLES["identifiers"]
