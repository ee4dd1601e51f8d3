"""Every row of hygiene's tables matches its example and not its counterexample."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest

from schemas.lexicons import Entry
from streams.hygiene.lexicons import LEXICONS
from streams.hygiene.normalise import lower
from streams.hygiene.redaction.redact import redact
from streams.hygiene.secrets.forms import compile_form

DIGITS, SMALL, LARGE = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ALPHABETS = {
    "d": DIGITS,
    "h": f"{DIGITS}abcdef",
    "H": f"{DIGITS}ABCDEF",
    "l": SMALL,
    "z": SMALL + DIGITS,
    "u": LARGE + DIGITS,
    "a": SMALL + LARGE + DIGITS,
    "b": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
}


def written_out(example: str) -> str:
    """The example with its runs drawn by lot: ``‹a20›`` are 20 letters and digits."""
    chance = Random(example)
    return re.sub(
        r"‹(\w)(\d+)›",
        lambda run: "".join(chance.choices(ALPHABETS[run[1]], k=int(run[2]))),
        example,
    )


def rows(file: str, *names: str) -> Iterator[Entry]:
    lists = LEXICONS.read(file)
    return (entry for name in names for entry in lists[name].entries)


SECRETS = {it.id: it for it in rows("secrets", "short", "open")}


@pytest.mark.parametrize("row", SECRETS.values(), ids=SECRETS)
def test_a_form_of_secret_is_replaced_and_what_is_near_it_is_none(row: Entry) -> None:
    form = compile_form(row)
    text = f"{form.beside}\n{written_out(row.example)}\n"
    found = form.pattern.search(text)
    assert found and any(it in text or it in text.lower() for it in form.anchors)
    assert found[form.group] not in redact(text, lower(text), "src", None)[0]
    assert not form.pattern.search(written_out(row.counterexample))
