"""Numbers with units, brought to one unit of each dimension: «90 s» is «1.5 minutes».

Letters of units keep their case where it decides: ``Mb`` is bits and ``MB`` bytes, ``mW`` is a
thousandth and ``MW`` a million. ``mb`` in small letters is a careless ``MB``.
"""

from __future__ import annotations

import re
from decimal import Decimal

_PREFIXES = {"n": -9, "u": -6, "µ": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15}
_UNIT_TEXT = """
    time: s 1, sec 1, second 1, msec 0.001, millisecond 0.001, microsecond 0.000001, m 60, min 60,
        minute 60, h 3600, hr 3600, hour 3600, d 86400, day 86400, wk 604800, week 604800
    calendar: month 1, quarter 3, yr 12, year 12
    bytes: B 1, byte 1, KB 1e3, kb 1e3, kilobyte 1e3, mb 1e6, mB 1e6, megabyte 1e6, gb 1e9,
        gigabyte 1e9, tb 1e12, terabyte 1e12, KiB 1024, MiB 1048576, GiB 1073741824,
        TiB 1099511627776
    bits: b 1, bit 1, Kb 1e3, kbit 1e3, Mbit 1e6, megabit 1e6, Gbit 1e9, gigabit 1e9
    bits a second: bps 1, kbps 1e3, mbps 1e6, Mbps 1e6, gbps 1e9, Gbps 1e9, Mb/s 1e6, Gb/s 1e9
    bytes a second: B/s 1, kB/s 1e3, KB/s 1e3, MB/s 1e6, GB/s 1e9
    frequency: Hz 1, hertz 1, khz 1e3, mhz 1e6, ghz 1e9
    power: W 1, watt 1, kilowatt 1e3, megawatt 1e6
    voltage: V 1, volt 1
    current: A 1, amp 1, ampere 1
    length: metre 1, meter 1, mm 0.001, cm 0.01, km 1e3, kilometre 1e3, kilometer 1e3
    mass: g 1, gram 1, kilogram 1e3, tonne 1e6
    resistance: Ω 1, ohm 1
    energy: J 1, joule 1, Wh 3600, kWh 3.6e6, mWh 3.6, MWh 3.6e9
    pressure: Pa 1, pascal 1, bar 1e5
    share: % 1, percent 1, pct 1
    dollars: $ 1, usd 1, dollar 1
    euros: € 1, eur 1, euro 1
    pounds: £ 1, gbp 1
    : k 1e3, K 1e3, thousand 1e3, million 1e6, mn 1e6, bn 1e9, billion 1e9, dozen 12
"""
_PREFIXED = {"time": "s", "bytes": "B", "bits": "b", "frequency": "Hz"}
_PREFIXED |= {"power": "W", "voltage": "V", "current": "A", "mass": "g"}
_PREFIXED |= {"resistance": "Ω", "energy": "J", "pressure": "Pa"}
_ONES_TEXT = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty
"""
_TENS_TEXT = "thirty forty fifty sixty seventy eighty ninety hundred"
_NUMBER_WORDS = {word: Decimal(at) for at, word in enumerate(_ONES_TEXT.split())}
_NUMBER_WORDS |= {word: Decimal(at * 10) for at, word in enumerate(_TENS_TEXT.split(), 3)}
_THOUSANDS = re.compile(r"\d{1,3}(?:[,'_]\d{3})+(?:\.\d+)?")
_PLAIN = re.compile(r"\d+(?:[.,]\d+)?")
MIN_NAME = 4  # letters from which a unit is a word, with plural and capital
Unit = tuple[str, Decimal]  # its dimension, and its size there


def _list_units() -> dict[str, Unit]:
    found: dict[str, Unit] = {}
    for dimension, units in re.findall(r"^ {4}(?! )([^:\n]*): ([^:]+)$", _UNIT_TEXT, re.M):
        for name, size in (each.split() for each in units.split(",")):
            found[name] = (dimension, Decimal(size))
        if base := _PREFIXED.get(dimension):
            for letter, power in _PREFIXES.items():
                found.setdefault(letter + base, (dimension, Decimal(10) ** power))
    return found


_UNITS = _list_units()
_AMOUNTS_OF_LETTERS: dict[str, set[Unit]] = {}
for _name, _unit in _UNITS.items():
    _AMOUNTS_OF_LETTERS.setdefault(_name.lower(), set()).add(_unit)


def find_unit(word: str) -> Unit | None:
    """A unit as it is written; one that is a word may also stand in the plural."""
    if word in _UNITS or len(word) < MIN_NAME - 1:
        return _UNITS.get(word)
    small = word.lower()
    return _UNITS.get(small) or (_UNITS.get(small[:-1]) if small.endswith("s") else None)


def is_unit_by_case(word: str) -> bool:
    """Whether it is a unit, and another one in other capitals."""
    return word in _UNITS and len(word) > 1 and len(_AMOUNTS_OF_LETTERS[word.lower()]) > 1


def read_number(text: str) -> Decimal | None:
    """The value of digits, with marks for thousands or decimals, or of a number in words."""
    if _THOUSANDS.fullmatch(text):
        return Decimal(re.sub(r"[,'_]", "", text))
    if _PLAIN.fullmatch(text):
        return Decimal(text.replace(",", "."))
    parts = [_NUMBER_WORDS.get(part) for part in text.lower().split("-")]
    return (
        sum((part for part in parts if part is not None), Decimal(0))
        if all(part is not None for part in parts)
        else None
    )


def write_amount(number: Decimal, unit: Unit) -> str:
    """One spelling for each amount, whatever the unit it was given in."""
    dimension, size = unit
    return f"{(number * size).normalize():f} {dimension}".strip()
