"""Texts that repeat one mark for ever are read as fast as others.

Each of these took seconds or longer: a pattern that tries all ways to divide a run of marks. The
patterns themselves are what can go wrong, so they are asked for their matches too.
"""

from __future__ import annotations

import pytest

from agents.offline.prose.rows import _ID
from connectors.unpacking.wikis import HEADING
from schemas.document_roles.roles import _NUMBER
from schemas.options import read_option_label
from streams.hygiene.boilerplate import HEADER
from streams.hygiene.secrets.tables import TABLE_LINE
from streams.hygiene.secrets.values import TECHNICAL
from tests.hygiene.test_document_status import chunks_of

RUNS = {
    "levels of a heading": "##### " + "1." * 60 + " Lanes\n\nA lane must stop.\n",
    "numbers of options": "## Options\n\nWe chose option 1 " + "&  " * 60 + "lanes.\n",
    "names of hashes": "password: " + "pbkdf-" * 60 + "\n",
    "options of a command": "`cargo set" + " ---a" * 60 + " password hall`\n",
    "letters in a table": "| id | lane |\n|---|---|\n| " + "A" * 60 + " | one |\n",
    "blanks of a table line": "| password |\n|" + " " * 4_000 + "--\n",
    "blanks of a title": "* lanes" + " " * 4_000 + "x\n",
    "blanks of a first line": " " * 20_000 + "A lane must stop.\n",
    "blank lines": "\n" * 20_000 + "A lane must stop.\n",
}


@pytest.mark.parametrize("text", RUNS.values(), ids=RUNS)
def test_a_run_of_marks_is_read(text: str) -> None:
    assert "".join(chunk.text_payload for chunk in chunks_of(text)).strip()


def test_a_label_behind_numbers_and_marks_is_found() -> None:
    for before in ("", "1. ", "1.2.3 ", "- [1.] ", "§ 4.1: "):
        label = read_option_label(f"{before}Option 2: two lanes")
        assert label is not None and label.key == "option 2"
    assert read_option_label("x1 Option 2: two lanes") is None


def test_what_the_patterns_match_is_what_it_was() -> None:
    assert [bool(_ID.match(it)) for it in ("AB-12", "A.B_C 1.2", "#7", "ABC", "ABCD", "A--1")] == [
        True,
        True,
        True,
        True,
        False,
        False,
    ]
    assert [
        _NUMBER.sub("", it) for it in ("1.2-lane", "1. v2.x", "v1_lane", "12lane", "1.lane")
    ] == [
        "lane",
        "x",
        "lane",
        "12lane",
        "lane",
    ]
    assert [it.groups() for it in HEADING.finditer("== Lanes ==\n=One= \n== a = b ==\n== x\n")] == [
        ("==", "Lanes"),
        ("=", "One"),
        ("==", "a = b"),
    ]
    assert all(TABLE_LINE.fullmatch(it) for it in ("|---|:-:|", " --- | --- ", "--", "| -- |  "))
    assert not any(TABLE_LINE.fullmatch(it) for it in ("|", "| - |", "-- x", "|--|x|"))
    for text in (
        "#!/bin/sh\n\n# One\n",
        "/* One */",
        "// a\n// b\n",
        "<?xml?>\n<!-- a -->",
        "% a\n",
    ):
        assert HEADER.match(text), text
    for word in (
        "pbkdf2-sha-256",
        "hmac-sha256",
        "argon2id_v1-x",
        "aes-256-gcm",
        "sha_x",
        "oauth2",
    ):
        assert TECHNICAL.fullmatch(word), word
    assert not TECHNICAL.fullmatch("pbkdf-hall7")
