"""A finding reaches to the end of its run: whatever the length, the place and the form."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from streams.hygiene.normalise import lower
from streams.hygiene.redaction.redact import redact
from streams.hygiene.secrets.forms import OPEN_FORMS, SHORT_FORMS, Form
from tests.hygiene.samples import drawn, samples_of

FORMS = (*SHORT_FORMS, *OPEN_FORMS)
LENGTHS = (20, 250, 2_100, 10_000)  # of the part that has no length of its own
LEFT = 16  # characters of a secret in a row that nobody may see
PLACES = {
    "line": "{}",
    "prose": "use {} for it",
    "yaml": "auth:\n  value: {}\n",
    "env": "VALUE={}",
    "url": "see https://api.test/v1?q={}",
    "header": "X-Custom: {}",
    "single quotes": "call('{}')",
    "double quotes": 'f("{}", 1)',
    "table": "| name | {} | note |",
    "fence": "```\n{}\n```",
}  # fmt: skip


def left_of(text: str, secret: str, language: str | None = None) -> set[str]:
    """The pieces of the secret that are still in the sanitized text; its lines are as before."""
    sanitized, _ = redact(text, lower(text), "src", language)
    assert sanitized.count("\n") == text.count("\n")
    return _pieces(sanitized) & _pieces(secret)


def _pieces(text: str) -> set[str]:
    return {text[at : at + LEFT] for at in range(len(text) - LEFT + 1)}


class Sample(NamedTuple):
    whole: str
    secret: str


def of_form(form: Form, length: int) -> list[Sample]:
    made = []
    for seed in range(1):
        for whole in samples_of(form, length, seed):
            match = form.pattern.search(whole)
            assert match is not None
            made.append(Sample(whole, match[form.group]))
    return made


@pytest.mark.parametrize("form", FORMS, ids=[f"{n}-{it.anchors[0]}" for n, it in enumerate(FORMS)])
def test_nothing_of_a_form_stays(form: Form) -> None:
    for length in LENGTHS:
        samples = of_form(form, length)
        assert samples, "no sample could be made of the expression"
        for whole, secret in samples:
            assert not left_of(form.beside + in_places(form, whole), secret), whole[:80]
            in_json = json.dumps({"said": form.beside + whole}) + "\n"
            assert not left_of(in_json, json.dumps(secret)[1:-1]), in_json[:80]


def in_places(form: Form, whole: str) -> str:
    """A form with blanks in it stands in lines of its own; the others anywhere."""
    places = PLACES if form in SHORT_FORMS else {"fence": "```\n{}\n```"}
    return "\n" + "\n".join(place.format(whole) for place in places.values()) + "\n"


VALUES = {
    "letters and digits": "",
    "hex": "0123456789abcdef",
    "base64": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "base64 of addresses": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    "signs": "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789%*+?^~",
}
NAMED = {
    "kubeconfig": ("users:\n- name: a\n  user:\n    client-key-data: {}\n", "yaml"),
    "yaml": ("db:\n  password: {}\n", "yaml"),
    "quoted yaml": ('db:\n  password: "{}"\n', "yaml"),
    "json": ('{{"api_token": "{}", "n": 1}}\n', "json"),
    "env": ("API_TOKEN={}\n", "env"),
    "exported": ("export API_TOKEN='{}'\n", "shell"),
    "ini": ("[db]\npassword = {}\n", "ini"),
    "code": ('client_secret = "{}"\n', "python"),
    "call": ('options.put("password", "{}");\n', "java"),
    "xml": ("<password>{}</password>\n", "xml"),
    "table": ("| `api_token` = `{}` | x |\n", "markdown"),
    "address": ("https://api.test/v1?api_key={}&n=1\n", None),
    "header": ("Authorization: Bearer {}\n", None),
    "password of an address": ("postgres://app:{}@db.test/x\n", None),
}


UNESCAPED = {("header", "signs"), ("password of an address", "base64")}  # cannot stand there


@pytest.mark.parametrize(
    ("place", "value"),
    [(place, value) for place in NAMED for value in VALUES if (place, value) not in UNESCAPED],
)
def test_nothing_of_a_named_value_stays(place: str, value: str) -> None:
    text, language = NAMED[place]
    for length in (32, 64, 199, 200, 201, 265, 2_000, 2_001, 4_100, 10_000):
        secret = drawn(length, 11, VALUES[value])
        assert not left_of(text.format(secret), secret, language), (length, secret[:40])
