"""Chats that were saved as text: each turn is read for itself, without its time and speaker."""

from __future__ import annotations

import pytest

from agents.offline.reader import extract
from agents.offline.segment.turns import blank_turns
from tests.reading.documents import a_chunk

FORMS = {
    "whatsapp": "3/4/26, 9:12 PM - {}: {}",
    "whatsapp, brackets": "[03.04.26, 21:12:55] {}: {}",
    "teams": "[2026-04-03 21:12] {}: {}",
    "irc": "[21:12] <{}> {}",
    "irc, bare": "21:12 <{}> {}",
    "log": "2026-04-03T21:12:05Z {}: {}",
    "slack": "{}  9:12 PM\n{}\n",
    "zoom": "21:12:05 {}:\t{}",
    "transcript": "00:12:05.120 {}\n{}\n",
    "speaker, date in words": "{} (3 Apr 2026 21:12): {}",
    "telegram": "{}, [03.04.2026 21:12]\n{}\n",
}
SAID = (
    ("Ana", "The dryer must stop within 3 seconds."),
    ("Bo Lind", "We decided to use steel drums."),
    ("Chidi", "Should the dryer fold shirts?"),
)


@pytest.mark.parametrize("form", FORMS)
def test_a_turn_is_read_without_its_time_and_speaker(form):
    text = "\n".join(FORMS[form].format(*said) for said in SAID) + "\n"

    chunk = a_chunk(text, path="chat.txt", start=0)
    atoms = {it.title: it for it in extract(chunk)}

    kinds = {it.kind for it in atoms.values()}
    assert {"requirement", "decision"} <= kinds
    assert not [title for title in atoms if "21:12" in title or "9:12" in title or "Ana" in title]
    rows = [row for it in atoms.values() if it.kind != "entity" for row in it.evidence]
    assert all(chunk.text_payload[row.char_start :][:3] in ("The", "We ", "Sho") for row in rows)


@pytest.mark.parametrize(
    "text",
    [
        "10:02 Harbour\n10:09 Market\n10:15 Castle\n",
        "The tram leaves at 10:02: Harbour comes next.\n",
        "10:15 Castle: closed on Mondays.\n",
        "Ratio 4:30 of the mix.\n",
        "",
    ],
)
def test_times_that_are_no_turns_stay(text):
    assert blank_turns(text) == text


def test_who_comes_and_goes_is_no_statement():
    turns = [FORMS["whatsapp"].format(*said) for said in SAID]
    text = "\n".join([turns[0], "3/4/26, 9:13 PM - Dina must have left the group", *turns[1:]])
    assert not [it for it in extract(a_chunk(text, path="chat.txt")) if "Dina" in it.title]


def test_places_in_the_text_stay():
    text = "\n".join(FORMS["teams"].format(*said) for said in SAID)
    blanked = blank_turns(text)
    assert len(blanked) == len(text)
    assert blanked.index("We decided") == text.index("We decided")
