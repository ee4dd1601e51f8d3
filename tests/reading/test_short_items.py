"""Short items under a short announcement are statements: together they are a sentence."""

import pytest

from agents.offline.reader import drafts_of
from streams.reflection.evidence import MIN_SNIPPET_CHARS
from tests.reading.documents import a_chunk


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("The lid must:\n\n- close\n- hold 9 kg", ["The lid must close", "The lid must hold 9 kg"]),
        ("The lid has to:\n- shut\n- lock", ["The lid has to shut", "The lid has to lock"]),
        ("The lid should\n\n1. open in 3 s", ["The lid should open in 3 s"]),
        ("**The lid must:**\n\n- close\n- seal", ["The lid must close", "The lid must seal"]),
        ("Die Klappe muss:\n\n- Gas melden\n- dicht sein", ["Die Klappe muss Gas melden"]),
        ("La tapa debe:\n\n- cerrar bien\n- resistir golpes", ["la tapa debe resistir golpes"]),
        ("- The lid must close in 3 s;\n- The lid must seal the tub; and\n- x", ["seal the tub"]),
    ],
)
def test_an_item_is_told_with_its_announcement(lines, told):
    drafts = _needs(lines)
    for title in told:
        assert any(it.title.endswith(title) for it in drafts), [it.title for it in drafts]


@pytest.mark.parametrize(
    "lead", ["A lid shall not:", "The lid must never:", "The lid shall never", "The lid may not:"]
)
def test_an_item_keeps_the_denial_of_its_announcement(lead):
    drafts = _needs(f"{lead}\n\n- jam\n- rust")
    assert len(drafts) == 2
    for draft in drafts:
        assert draft.polarity == "negate"
        assert lead.rstrip(":").lower() in draft.title.lower()


def test_what_is_cited_is_long_enough_to_be_evidence():
    text = "# Lid\n\nThe lid must:\n\n- open\n- shut\n- last 5 years\n"
    for draft in drafts_of(a_chunk(text)):
        for start, end in (*draft.spans, *draft.frames):
            assert len(text[start:end].strip()) >= MIN_SNIPPET_CHARS


@pytest.mark.parametrize("lead", ["To read:", "Parts:", "The lid must close."])
def test_short_items_under_no_open_announcement_state_nothing(lead):
    titles = [it.title for it in drafts_of(a_chunk(f"# Lid\n\n{lead}\n\n- thanks\n- see map\n"))]
    assert not [it for it in titles if "thanks" in it or "see map" in it]


def _needs(lines):
    found = drafts_of(a_chunk(f"# Lid\n\n{lines}\n"))
    return [it for it in found if it.kind == "requirement"]
