"""The tables of `measures.toml`, read once, in the forms that the readers of figures look up."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Literal, NamedTuple

from schemas.data_files import read_table

Factor = tuple[str, Fraction]  # a dimension, and one unit in its base


Limit = Literal["", "least", "most", "above", "below", "about"]


class Numbered(NamedTuple):
    """Nouns whose number is a name, by how far that reaches."""

    names: frozenset[str]
    values: frozenset[str]
    scopes: frozenset[str]


def join_patterns(spellings: Iterable[str]) -> str:
    """One alternative a spelling, the longest first; any blank may stand for a blank."""
    ordered = sorted(set(spellings), key=lambda each: (-len(each), each))
    return "|".join(re.escape(each).replace(r"\ ", r"\s+") for each in ordered)


_TABLES = read_table(__package__, "measures.toml")


def _list_units() -> dict[str, tuple[Factor, ...]]:
    found: dict[str, tuple[Factor, ...]] = {}
    for dimension, table in _TABLES["units"].items():
        for factors, spellings in table.items():
            if factors == "base":
                continue
            readings = tuple((dimension, Fraction(each)) for each in factors.split())
            found |= dict.fromkeys(spellings, readings)
    for spelling in list(found):
        if spelling != "A":  # ampere: «a» is a word
            found.setdefault(spelling.lower(), found[spelling])
    return found


def _list_letters() -> dict[str, tuple[Factor, ...]]:
    return {
        letter: tuple((each.split()[0], Fraction(each.split()[1])) for each in readings)
        for letter, readings in _TABLES["letters"].items()
    }


def _list_currencies() -> dict[str, tuple[Factor, ...]]:
    found: dict[str, tuple[Factor, ...]] = {}
    for name, size in (("currencies", Fraction(1)), ("minor", Fraction(1, 100))):
        for code, each in _TABLES[name].items():
            for spelling in each:
                written = spelling.lower()
                found[written] = (*found.get(written, ()), (f"money {code}", size))
    return found


def _list_periods(name: str) -> dict[str, str]:
    return {spelling.lower(): unit for unit, each in _TABLES[name].items() for spelling in each}


UNITS = _list_units()
LETTERS = _list_letters()
SCALES: dict[str, int] = _TABLES["scales"]
CURRENCIES = _list_currencies()
CODES = frozenset(_TABLES["codes"]["names"].split())
CODES_THAT_ARE_WORDS = frozenset(_TABLES["codes"]["words"].split())
PERIODS = _list_periods("periods")
EACH = _list_periods("each")
MONTHS = {name: int(number) for number, names in _TABLES["months"].items() for name in names}
ZONES: dict[str, int] = _TABLES["zones"]
EVERY = {
    spelling.lower(): Fraction(period)
    for period, each in _TABLES["every"].items()
    for spelling in each
}
LIMITS: dict[str, Limit] = {
    spelling: kind for kind, each in _TABLES["limits"].items() for spelling in each
}
COMPARATIVES: dict[str, tuple[Limit, Limit]] = {  # as it stands, and denied
    **dict.fromkeys(_TABLES["comparatives"]["above"], ("above", "most")),
    **dict.fromkeys(_TABLES["comparatives"]["below"], ("below", "least")),
}
LIMITS_OF_TIMES: dict[str, Limit] = {
    spelling: kind for kind, each in _TABLES["limits_of_times"].items() for spelling in each
}
LIMITS_BEHIND: dict[str, Limit] = {
    spelling: kind for kind, each in _TABLES["limits_behind"].items() for spelling in each
}
NUMBERED = Numbered(
    *(frozenset(_TABLES["numbered"][name].split()) for name in ("name", "value", "scope"))
)


def find_currency(spelling: str) -> tuple[Factor, ...]:
    """A currency by its sign, name or code; nothing for what is none. Codes are capitals."""
    plain = " ".join(spelling.split())
    if plain in CODES:
        return ((f"money {plain}", Fraction(1)),)
    return CURRENCIES.get(plain.lower(), ())


def find_unit(spelling: str) -> tuple[Factor, ...]:
    """As it stands, else without case; nothing for what is no unit."""
    plain = " ".join(spelling.split())
    return UNITS.get(plain) or (UNITS.get(plain.lower(), ()) if len(plain) > 2 else ())
