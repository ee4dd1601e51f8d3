"""The tables of rules for secrets and orders to a model; their form: ``schemas.lexicons``."""

from functools import partial

from schemas import lexicons

read_lexicons = partial(lexicons.read_lexicons, __name__)
