from __future__ import annotations

import pytest

from streams.hygiene.normalise import lower
from streams.hygiene.redaction.redact import redact
from tests.hygiene.builders import MIXED

PERSONAL = {
    "EMAIL": ["write to jane.roe+x@mail.example.org today"],
    "PHONE": ["call me at 030 1234 5678", "Phone: (555) 010-4477", "reach us: +44 20 7946 0018",
        "tel:+41441234567", "Ruf 0351/7654321 an", "im Büro 089 1234567", "０３−１２３４−５６７８",
        "07700 900123 is mine", "1-800-555-0142 is free", "06 12 34 56 78",
        "+44 7700 900123 / 0049 171 1234567"],
    "ADDRESS": [
        "She lives at 12 Elm Street, Springfield 62704",
        "Lindenstraße 14\n12345 Berlin",
        "send it to Suite 411, 9 Rue des Lilas",
        "225 E. Long Fwy, Suite 1500 Irving, Texas 75062",
        "12B Fleet Street, London EC4Y 1AA",
        "An der Mauer 7, 01067 Dresden",
        "Kastanien 12, 04109 Leipzig",
        "Stubener Ring 5, 1010 Wien",
        "4 Abbey Close, York YO1 7HH",
        "12 rue de la Paix, 75002 Paris",
        "350 Fifth, New York, NY 10118",
    ],
    "CARD": ["my card 4111 1111 1111 1111 was refused"],
    "ACCOUNT": ["IBAN DE89370400440532013000", "ES9121000418450200051332 this", "ssn 078-05-1120"],
    "IP": ["I came from 81.2.69.142 then"],
}  # fmt: skip
NOT_PERSONAL = [
    "version 1.20.300 of 2024-05-17",
    "listen on 127.0.0.1:8080 and 10.0.0.7",
    "see ADR 071 and the last 10 lines",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "id 0736f5ef-7e88-499a-80cc-90c85d2a5180",
    "jackson 2.9.10.3 replaces 2.6.7.4",
    "host 172.18.64.15 port 80",
    "at 12:30:45 it took 100 200 300 ms",
    "npm i @acme/kit@4.5.6 tool@1.2.3; git@code.test:acme/app.git; ssh://git@code.test/x",
    "Am Montag 3 Leute, im Mai 2024",
    "Phase 2, 12000 rows; 3 of 4 on the way",
    "01/2024 and 2024/05 are months",
    "ports 100/200/300 and 8080/8443, OMB No. 1545-0008",
]


def hidden(text: str, personal: bool = True) -> str:
    return redact(text, lower(text), "src", None, personal=personal)[0]


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in PERSONAL.items() for text in texts]
)
def test_personal_data_is_replaced_on_request(kind: str, text: str) -> None:
    assert f"[{kind}:1]" in hidden(text)
    assert hidden(text, personal=False) == text


@pytest.mark.parametrize("text", NOT_PERSONAL)
def test_technical_numbers_stay(text: str) -> None:
    assert hidden(text) == text


def test_the_same_address_has_the_same_number_and_secrets_are_still_found() -> None:
    text = "a@b.example c@d.example a@b.example gh" + "p_" + MIXED[:36]
    assert hidden(text) == "[EMAIL:1] [EMAIL:2] [EMAIL:1] [REDACTED:GITHUB_TOKEN:1]"


def test_what_was_replaced_is_not_replaced_again() -> None:
    once = hidden("call me at 030 1234 5678 or a@b.example")
    assert hidden(once) == once
