"""Marks of notebooks and footnotes are no text of what they stand in."""

import pytest

from agents.offline.segment.marks import without_marks
from tests.reading.documents import read


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The [[Kiln|tunnel kiln]] must cool down for 6 hours.", "tunnel kiln must cool down"),
        ("The kiln must cool down for 6 hours. ^k-1", "must cool down for 6 hours"),
        ("==The kiln must cool down for 6 hours.==", "must cool down for 6 hours"),
        ("The kiln holds.[^a]\n\n[^a]: The kiln must cool down for 6 hours.", "must cool down"),
        ("The kiln must cool down for 6 hours. #kiln #must/cool", "must cool down for 6 hours"),
        ("The kiln must cool down for 6 hours 🔁 every day 📅 2026-05-01", "cool down for 6 hours"),
        ("The kiln must cool down for 6 hours. ![[kiln.png]]", "must cool down for 6 hours"),
        ("As a potter, I don't want to open a hot kiln.", "to open a hot kiln"),
    ],
)
def test_what_is_marked_is_read_without_its_mark(text, title):
    told = [it for kind, it in read(f"# Kiln\n\n{text}\n") if kind == "requirement"]
    assert any(title in it for it in told)
    assert not any(mark in it for it in told for mark in ("[[", "^", "==", "Li:"))


@pytest.mark.parametrize(
    "text",
    [
        "> [!failure] Tried\n> The kiln must burn peat.",
        "> [!note]\n> > [!fail] Tried\n> > The kiln must burn peat.",
        "- ❌ The kiln may burn peat.",
        "- [-] The kiln must burn peat.",
        "%%The kiln must burn peat.%%",
        "[^1]: Potter (2011), The kiln must burn, p. 7.",
    ],
)
def test_what_is_withdrawn_or_hidden_is_left_out(text):
    assert not read(f"# Kiln\n\n{text}\n")


@pytest.mark.parametrize("text", ["if a == b and c == d", "`[[x|y]]`", "09:30: Demo", "![[a.png]]"])
def test_what_only_looks_like_a_mark_stays(text):
    assert without_marks(text, "md") == text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.md", "The kiln must hold all shelves.[^a]\n\n[^a]: 90 kg each.\n"),
        ("a.md", "The kiln must hold all shelves[^1].\n\n[^1]: 90 kg, as of May.\n"),
        ("a.rst", "The kiln must hold all shelves [1]_.\n\n.. [1] 90 kg each.\n"),
    ],
)
def test_a_figure_in_a_footnote_is_told_with_its_sentence(path, text):
    (need,) = [it for kind, it in read(f"Kiln\n====\n\n{text}", path) if kind == "requirement"]
    assert "(90 kg" in need


def test_a_footnote_of_asciidoc_is_a_sentence_of_its_own():
    said = "footnote:[The bell must ring for 6 seconds.] It must be red.footnote:[p. 3]"
    told = [it for _, it in read(f"= Kiln\n\nThe kiln must ring at noon.{said}\n", "a.adoc")]
    assert any("6 seconds" in it and "noon" not in it for it in told)
    assert not any("footnote" in it or "p. 3" in it for it in told)
