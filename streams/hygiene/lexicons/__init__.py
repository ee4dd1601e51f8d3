"""The tables of rules for secrets and orders to a model; their form: ``schemas.lexicons``."""

from __future__ import annotations

from schemas.lexicons import Lexicons

read_lexicons = Lexicons(__name__).read
