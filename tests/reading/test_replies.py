"""A question with its answer below it is closed by it; what only explains it closes none."""

from __future__ import annotations

import pytest

from agents.offline.reader import extract
from tests.reading.documents import a_chunk

ANSWER = "The depot keeps three vans for every lane."


def answered(text: str, heading: str = "Questions", path: str = "docs/depot.md") -> dict[str, str]:
    """Of each answer the question that it closes."""
    found = extract(a_chunk(f"# Depot\n\n## {heading}\n\n{text}\n", path))
    titles = {it.candidate_id: it.title for it in found}
    return {it.title: titles[link.to] for it in found for link in it.relations}


@pytest.mark.parametrize(
    "text",
    [
        f"**How many vans does the depot keep?**\n{ANSWER}",
        f"**How many vans does the depot keep?**\n\n{ANSWER}",
        f"### How many vans does the depot keep?\n\n{ANSWER}",
        f"Q: How many vans does the depot keep?\nA: {ANSWER}",
        f"Q: How many vans does the depot keep?\n\nA: {ANSWER}",
        f"**Q: How many vans does the depot keep?**\n\n**A:** {ANSWER}",
        f"**Problem**: How many vans does the depot keep?\n\n**Solution**: {ANSWER}",
        f"**How many vans does the depot keep?**\n{ANSWER[:-1]}:\n\n- red ones\n- blue ones",
        f"- How many vans does the depot keep?\n  - {ANSWER}",
    ],
)
def test_a_question_with_its_answer_below_is_closed(text: str) -> None:
    ((answer, question),) = answered(text).items()
    assert question.endswith("ow many vans does the depot keep?")
    assert answer.endswith("he depot keeps three vans for every lane")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which orders are signed?", "Every order needs to be signed by two drivers."),
        ("Does one key open both gates?", "A second key is needed for the north gate."),
        ("How much room does a van take?", "A van needs more room than the old ones."),
        ("When is a lane not swept?", "A lane that was not answered for is not swept."),
    ],
)
def test_an_answer_that_says_what_is_needed_closes_its_question(question: str, answer: str) -> None:
    assert len(answered(f"**{question}**\n{answer}")) == 1


def test_a_heading_that_says_where_something_is_discussed_leaves_no_question_open() -> None:
    under = "Questions\n\n### Where to discuss lanes"
    assert len(answered(f"**How many vans does the depot keep?**\n{ANSWER}", under)) == 1


@pytest.mark.parametrize("path", ["docs/depot.md", "meetings/2024-03-01.md"])
def test_a_yes_closes_a_question_that_stands_among_open_ones(path: str) -> None:
    text = "**Do we need a licence for vans?**\n\nYes, we need a licence of the town for vans.\n"
    assert len(answered(text, "Open questions", path)) == 1


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        (f"**How many vans does the depot keep?**\n{ANSWER}", "Open questions"),
        ("**How many vans does the depot keep?**\nNobody knows how many are left.", "Questions"),
        ("**How many vans does the depot keep?**\nTo be decided by the town.", "Questions"),
        ("**How many vans does the depot keep?**\n\n**How many lanes does it keep?**", "Questions"),
        ("**How many vans does the depot keep?**\nResults:\n\n- three\n- four", "Questions"),
        ("**How many vans does the depot keep?**\n\n- Three vans\n- Four vans", "Questions"),
        (f"How many vans does the depot keep?\n\n{ANSWER}", "Questions"),
        (f"**How many vans does the depot keep?**\n{ANSWER}", "Unknowns"),
        (f"**How many vans does the depot keep?**\n{ANSWER}", "Open decisions"),
        (f"**How many vans does the depot keep?**\n{ANSWER}", "To be decided"),
        (f"**How many vans does the depot keep?**\n{ANSWER}", "Unresolved questions for later"),
        *(
            (f"### How many vans does the depot keep?\n\n{remark}", "Questions")
            for remark in (
                "We have not agreed on this point.",
                "This needs more research before we start.",
                "Not discussed in this meeting.",
                "More input from drivers is needed here.",
                "This still needs to be agreed with the town.",
                "A decision is needed by the end of May.",
                "This was raised by two customers last week.",
            )
        ),
    ],
)
def test_what_explains_a_question_or_asks_another_one_closes_none(text: str, heading: str) -> None:
    assert answered(text, heading) == {}
