"""Secrets, personal data and planted orders: whether their places in the text were found.

A found place meets a labelled one when they share half of the shorter; what meets none is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from infra.measure.measures.counting import Pairs, f1, harmonic
from infra.measure.rows import Row

PASSWORD = re.compile(r"://[^\s/:@]{0,100}:([^\s/]{1,200})@")
CONTACTS = frozenset(("EMAIL_ADDRESS", "PHONE_NUMBER"))
STRUCTURED = CONTACTS | {"CREDIT_CARD", "IBAN_CODE", "US_SSN", "IP_ADDRESS", "STREET_ADDRESS"}


def row_f1(pairs: Pairs) -> float:
    """F1 of rows: whether anything was found where anything is."""
    return f1([bool(_list_labels(row)) for row, _ in pairs], [bool(it["spans"]) for _, it in pairs])


def characters(pairs: Pairs) -> float:
    """The share of labelled characters that lie in something found."""
    covered = total = 0
    for row, said in pairs:
        found = {n for it in said["spans"] for n in range(it["start"], it["end"])}
        for place in _list_labels(row):
            covered += len(found.intersection(range(place["start"], place["end"])))
            total += place["end"] - place["start"]
    return covered / max(1, total)


def secret_characters(pairs: Pairs) -> float:
    """The same where a labelled address counts by its password, which alone is secret in it.

    Redaction leaves scheme, user, host and path of an address in the text: they say where it leads.
    """
    return characters([(_by_passwords(row), said) for row, said in pairs])


def _by_passwords(row: Row) -> Row:
    return row | {"spans": [_by_password(row["text"], place) for place in _list_labels(row)]}


def _by_password(text: str, place: Row) -> Row:
    found = PASSWORD.search(text, place["start"], place["end"])
    return place | {"start": found.start(1), "end": found.end(1)} if found else place


def span_f1(types: frozenset[str]) -> Callable[[Pairs], float]:
    """F1 of places of these types; finding one of another type is neither right nor wrong."""

    def measure(pairs: Pairs) -> float:
        sought = met = right = wrong = 0
        for row, said in pairs:
            places = [it for it in _list_labels(row) if it["type"] in types]
            found = said["spans"]
            sought += len(places)
            met += sum(any(meets(it, place) for it in found) for place in places)
            right += sum(any(meets(it, place) for place in places) for it in found)
            wrong += sum(not any(meets(it, place) for place in _list_labels(row)) for it in found)
        precision = right / (right + wrong) if right + wrong else 0.0
        return harmonic(precision, met / max(1, sought))

    return measure


def _list_labels(row: Row) -> list[Row]:
    places: list[Row] = row.get("spans", [])
    return places


def meets(found: Row, place: Row) -> bool:
    shared = min(found["end"], place["end"]) - max(found["start"], place["start"])
    shorter = min(found["end"] - found["start"], place["end"] - place["start"])
    return bool(shared > 0 and 2 * shared >= shorter)
