"""Rows about personal data from a generator nobody here has looked at: ``… outside_personal FILE``.

Values are those of Faker, which must be installed (it is no dependency), in nine languages' forms;
they stand in plain sentences of our own. The labelled set comes from another generator, whose rows
the rules were made with, so its figures are optimistic; these are not.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from infra.measure.benches.peers import Peer

LOCALES = ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "pl_PL", "sv_SE")
ROWS_OF_EACH = 25
FORMS = {
    "EMAIL_ADDRESS": ("email", "Write to {} before the end of the week."),
    "PHONE_NUMBER": ("phone_number", "You can call me at {} in the evening."),
    "CREDIT_CARD": ("credit_card_number", "The card {} was charged twice."),
    "IBAN_CODE": ("iban", "Please send the refund to {} this month."),
    "STREET_ADDRESS": ("street_address", "The parcel goes to {} on Friday."),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    given.file.write_text("".join(f"{json.dumps(row)}\n" for row in rows()), encoding="utf-8")


def rows() -> Iterator[dict[str, Any]]:
    """The same rows each time, for one version of Faker."""
    faker = Peer("faker").Faker
    for locale in LOCALES:
        source = faker(locale)
        source.seed_instance(locale)
        for kind, (name, sentence) in FORMS.items():
            before = sentence.index("{}")
            for number in range(ROWS_OF_EACH):
                value = str(getattr(source, name)()).replace("\n", ", ")
                spans = [{"start": before, "end": before + len(value), "type": kind}]
                text = sentence.format(value)
                yield {"id": f"{locale}:{kind}:{number}", "text": text, "spans": spans}


if __name__ == "__main__":
    main()
