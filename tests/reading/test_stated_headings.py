"""Headings that state a need are read as one, and stand over nothing."""

import pytest

from tests.reading.documents import read


@pytest.mark.parametrize(
    "heading",
    [
        "## Lockers must open within 2 seconds",
        "### LK-4 – Lockers shall never open by themselves",
        "### 3.2.1 Lockers have to survive a power cut",
        "### LK-5: Lockers MUST ring twice at night",
        "## As a guest, I want lockers to open by phone",
    ],
)
def test_a_heading_with_subject_and_need_is_read(heading):
    told = read(f"# Station\n\n{heading}\n\nSee below.\n\nThe kiosk must accept coins.\n")
    needs = [title for kind, title in told if kind == "requirement"]
    assert any("ockers" in it for it in needs)
    assert not any("ockers" in it and "coins" in it for it in needs)


@pytest.mark.parametrize(
    "heading",
    ["What lockers must do at night", "Why lockers must open", "Must-haves", "Should lockers ring?"]
    + ["Rules that lockers must follow", "Things every locker should know"],
)
def test_a_heading_that_names_what_is_below_stays_one(heading):
    told = read(f"# Station\n\n## {heading}\n\nText of no need.\n")
    assert not [title for kind, title in told if kind == "requirement"]
