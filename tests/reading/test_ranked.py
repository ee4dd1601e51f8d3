"""What MoSCoW ranks, and what is out of scope, is read also where it is a name alone."""

import pytest

from agents.offline.reader import drafts_of
from tests.reading.documents import a_chunk

RANKED = {
    "Payment by card": "must",
    "Reminder before the ticket ends": "should",
    "Map of free berths": "could",
}
FORMS = [
    "{long} have: {it}\n",
    "{long}: {it}\n",
    "- {long}: {it}\n",
    "- **{long} have**: {it}\n",
    "**{long}:** {it}\n",
    "- [{short}] {it}\n",
    "({short}) {it}\n",
    "1. ({long}) {it}\n",
    "- {it} ({long})\n",
    "{short}: {it}\n",
    "### {long} have\n\n- {it}\n\n",
    "**{long} have**\n\n- {it}\n\n",
    "{long} have:\n\n- {it}\n\n",
]


def _told(text):
    return {it.title: it for it in drafts_of(a_chunk(f"# Berths\n\n{text}"))}


@pytest.mark.parametrize("form", FORMS)
def test_each_line_of_moscow_is_a_need_of_its_priority(form):
    items = [*RANKED.items(), ("Valet service at night", "won't")]
    text = "".join(
        form.format(long=rank.capitalize(), short=rank[0].upper(), it=it) for it, rank in items
    )
    told = _told(text)
    for item, priority in RANKED.items():
        [title] = [it for it in told if item.lower()[1:] in it.lower()]
        assert told[title].kind == "requirement"
        assert told[title].attributes["priority"] == priority
    [title] = [it for it in told if "alet service" in it]
    assert (told[title].polarity, told[title].attributes["scope"]) == ("negate", "out")


def test_a_column_of_priorities_ranks_its_rows():
    told = _told("| Feature | Priority |\n|--|--|\n| Dark mode | Could |\n| Fax | Won't |\n")
    ranks = {it.attributes.get("priority") or it.attributes.get("scope") for it in told.values()}
    assert {"could", "out"} <= ranks


@pytest.mark.parametrize(
    "text",
    [
        "The gate must open. Should it fail, call the guard.\n",
        "(C) Harbour Holding\n",
        "Must we pay at night? That could be.\n",
        "The gate should:\n\n- open\n",
    ],
)
def test_words_of_prose_rank_nothing(text):
    assert not [it for it in _told(text) if "have:" in it]


@pytest.mark.parametrize(
    "text",
    [
        "## Out of scope\n\n- Fax\n- Valet service\n",
        "## Non-goals\n\n* Fax\n",
        "## Exclusions\n\n1. Fax\n",
        "Out of scope for this release:\n\n- Fax\n",
        "Out of scope: fax, valet service.\n",
        "## Not in scope\n\nFax\n",
    ],
)
def test_a_short_item_out_of_scope_is_told_as_no_goal(text):
    told = _told(text)
    [title] = [it for it in told if "fax" in it.lower()]
    assert "Not a goal" in title
    assert told[title].polarity == "negate"
