"""The rules of hygiene that are rows of a table: a TOML file a subject."""

from __future__ import annotations

from schemas.lexicons import Lexicons

LEXICONS = Lexicons(__name__)
