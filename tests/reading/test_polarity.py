"""Statements that say the opposite: what is struck out, taken back, denied or said by others is not
told as if the project asked for it.
"""

from __future__ import annotations

import re

import pytest

from tests.reading.documents import read, told

TOP = "# Depot\n\n## Requirements\n\n"


def titles_of(text: str, path: str = "docs/depot.md") -> list[str]:
    return [title for _, title in read(text, path)]


@pytest.mark.parametrize(
    "text",
    [
        "~~The depot must weigh each parcel twice.~~",
        "- ~~The depot must weigh each parcel twice.~~\n- The depot must seal each parcel.",
        "<del>The depot must weigh each parcel twice.</del>",
        "- <s>The depot must weigh each parcel twice.</s>",
        "WITHDRAWN: The depot must weigh each parcel twice.",
        "[removed] The depot must weigh each parcel twice.",
        "- **Rejected:** The depot must weigh each parcel twice.",
        "- `deprecated` The depot must weigh each parcel twice.",
        "- The depot must weigh each parcel twice. (superseded by R-9)",
        "- The depot must weigh each parcel twice [dropped]",
        "- ❌ The depot must weigh each parcel twice.",
        "- ABGELEHNT: The depot must weigh each parcel twice.",
        "- The depot must weigh each parcel twice. (zurückgezogen am 3.2.)",
        "- The depot must weigh each parcel twice.\n  - Status: rejected",
        "### R-1 (withdrawn)\n\nThe depot must weigh each parcel twice.",
        "### R-1\n\nStatus: rejected\n\nThe depot must weigh each parcel twice.",
        "### R-1\n\nThe depot must weigh each parcel twice.\n\n**Status:** obsolete",
        "### ~~R-1~~\n\nThe depot must weigh each parcel twice.",
        "### R-1 ![state](https://img.shields.io/badge/status-withdrawn-red)\n\n"
        "The depot must weigh each parcel twice.",
        "### Dropped requirements\n\n- The depot must weigh each parcel twice.",
        "### Verworfene Anforderungen\n\n- The depot must weigh each parcel twice.",
        "### Rules we decided against\n\n- The depot must weigh each parcel twice.",
        "The following rules were withdrawn:\n\n- The depot must weigh each parcel twice.",
        "The depot must weigh each parcel twice. This rule was later dropped.",
        "The depot must weigh each parcel twice.\n\nThis requirement was withdrawn in May.",
        "| ID | Rule | Status |\n|---|---|---|\n"
        "| 1 | The depot must weigh each parcel twice | dropped |",
        "| ID | Rule | Beschluss |\n|---|---|---|\n"
        "| 1 | The depot must weigh each parcel twice | abgelehnt |",
        "| Rule | In scope |\n|---|---|\n| The depot must weigh each parcel twice | no |",
        "| Rule | Deprecated? |\n|---|---|\n| The depot must weigh each parcel twice | yes |",
        "| ID | R-1 |\n|---|---|\n| Rule | The depot must weigh each parcel twice |\n"
        "| Status | withdrawn |",
        "<details><summary>Old rules (obsolete)</summary>\n\n"
        "- The depot must weigh each parcel twice.\n\n</details>",
        "<h3>Dropped requirements</h3>\n\n- The depot must weigh each parcel twice.",
        "### Ehemalige Anforderungen\n\n- The depot must weigh each parcel twice.",
    ],
)
def test_what_is_taken_back_is_not_told(text: str) -> None:
    assert not [it for it in titles_of(TOP + text + "\n") if "weigh" in it]


@pytest.mark.parametrize(
    "text",
    [
        "### Rejected parcels\n\n- The depot must weigh each parcel twice.",
        "- **Pending:** The depot must weigh each parcel twice.\n"
        "- **Cancelled:** The depot must send the parcel back at once.",
        "| State | Rule |\n|---|---|\n| cancelled | The depot must weigh each parcel twice |",
        "| ID | Rule | Status |\n|---|---|---|\n"
        "| 1 | The depot must weigh each parcel twice | open |",
        "- The depot must weigh each parcel twice. (R-9)",
        "- The depot must weigh each parcel twice, rejected ones too.",
        "- ✅ The depot must weigh each parcel twice.",
        "~~Maybe~~ The depot must weigh each parcel twice.",
        "### R-1\n\nStatus: accepted\n\nThe depot must weigh each parcel twice.",
        "| Rule | Deprecated? |\n|---|---|\n| The depot must weigh each parcel twice | no |",
    ],
)
def test_words_of_withdrawal_that_speak_of_things_take_nothing_back(text: str) -> None:
    assert [it for it in titles_of(TOP + text + "\n") if "weigh" in it]


def test_struck_out_words_leave_the_rest_of_their_sentence() -> None:
    text = "The depot must print ~~red~~ green labels for each parcel."
    assert titles_of(TOP + text) == ["The depot must print green labels for each parcel"]
    (atom,) = told(TOP + text, "docs/depot.md")
    assert "~~red~~" in atom.evidence[0].snippet


def test_struck_out_marks_in_code_stay() -> None:
    text = "The depot must render `~~red~~ and ~~blue~~` as struck out text."
    assert titles_of(TOP + text) == [
        "The depot must render ~~red~~ and ~~blue~~ as struck out text"
    ]


@pytest.mark.parametrize(
    ("lead", "item", "title"),
    [
        (
            "The depot must not:",
            "open any sealed parcel",
            "The depot must not open any sealed parcel",
        ),
        (
            "The depot must never",
            "opens any sealed parcel",
            "The depot must never open any sealed parcel",
        ),
        (
            "The depot may not:",
            "open any sealed parcel",
            "The depot may not open any sealed parcel",
        ),
        (
            "Drivers shall not:",
            "open any sealed parcel",
            None,
        ),
        ("The depot is not allowed to:", "open any sealed parcel", None),
        ("The following is forbidden:", "opening sealed parcels at night", None),
        ("Never do any of these:", "open sealed parcels at night", None),
        ("None of the following is allowed:", "opening sealed parcels at night", None),
        ("Under no circumstances may the depot:", "open sealed parcels at night", None),
        ("Avoid the following:", "opening sealed parcels at night", None),
        ("These actions are prohibited:", "opening sealed parcels at night", None),
        ("Folgendes ist verboten:", "opening sealed parcels at night", None),
        ("Clerks should not do the following:", "Sealed parcels are opened at night.", None),
        ("The following is not allowed:", "The depot may open sealed parcels at night.", None),
    ],
)
def test_an_announcement_denies_the_items_of_its_list(lead, item, title) -> None:
    for marker in ("-", "1."):
        for atom in told(f"{TOP}{lead}\n\n{marker} {item}\n", "docs/depot.md"):
            assert atom.polarity == "negate"
            assert re.search(r"\b(?:not|never|nicht)\b", atom.title, re.IGNORECASE), atom.title
            assert title is None or atom.title == title
            assert item in {it.snippet for it in atom.evidence}
            assert lead in {it.snippet for it in atom.evidence}
            break
        else:
            pytest.fail("nothing is told")


def test_a_denial_reaches_nested_items_and_ends_with_its_list() -> None:
    text = (
        "The depot must not:\n\n- open sealed parcels:\n  - open letters of the government\n\n"
        "The depot must:\n\n- keep a book of all parcels\n"
    )
    said = titles_of(TOP + text)
    assert "The depot must not open letters of the government" in said
    assert "The depot must keep a book of all parcels" in said


def test_an_exception_under_a_denial_is_no_denial() -> None:
    text = (
        "The depot must not:\n\n- open sealed parcels\n- Exceptions:\n"
        "  - The customs office may open sealed parcels of its own.\n"
    )
    assert not [it for it in titles_of(TOP + text) if "customs" in it and " not " in it]


@pytest.mark.parametrize(
    "lead",
    [
        "The depot must not open if one of these holds:",
        "You must not forget to:",
        "The depot must not only:",
        "When the depot is not reachable:",
        "The depot does not answer for three reasons:",
    ],
)
def test_what_tells_when_or_why_denies_nothing(lead: str) -> None:
    said = titles_of(f"{TOP}{lead}\n\n- The clerk must close the front gate.\n")
    assert not [it for it in said if "gate" in it and re.search(r"\b(?:not|never)\b", it)]


@pytest.mark.parametrize(
    "heading", ["Must not", "Never", "Forbidden", "Don'ts", "Anti-patterns", "Verboten", "Avoid"]
)
def test_a_heading_that_forbids_denies_its_items(heading: str) -> None:
    items = "- Opening sealed parcels at night.\n- Do not smoke in the hall.\n"
    text = f"# Depot\n\n## {heading}\n\n{items}"
    opening, smoking = told(text, "docs/depot.md")
    assert opening.polarity == smoking.polarity == "negate"
    assert "Not allowed: opening sealed parcels at night" in opening.title
    assert smoking.title.endswith("o not smoke in the hall")


@pytest.mark.parametrize("heading", ["Out of scope", "Won't have", "Not planned", "Nicht-Ziele"])
def test_what_is_out_of_scope_is_no_goal(heading: str) -> None:
    text = f"# Depot\n\n## {heading}\n\n- Transport of living animals by air\n"
    (atom,) = told(text, "docs/depot.md")
    assert atom.title.startswith("Not a goal of «Depot»: transport of living animals")


@pytest.mark.parametrize(
    ("head", "cell", "title"),
    [
        ("Allowed", "no", "The depot may not open sealed parcels"),
        ("Permitted?", "❌", "The depot may not open sealed parcels"),
        ("Erlaubt", "nein", "The depot may not open sealed parcels"),
        ("Forbidden", "yes", "The depot may not open sealed parcels"),
        ("Allowed", "yes", "The depot may open sealed parcels"),
        ("Forbidden", "no", "The depot may open sealed parcels"),
    ],
)
def test_a_column_of_yes_and_no_denies_its_rows(head: str, cell: str, title: str) -> None:
    text = f"| Rule | {head} |\n|---|---|\n| The depot may open sealed parcels | {cell} |\n"
    assert titles_of(TOP + text) == [title]


@pytest.mark.parametrize(
    "text",
    [
        "| Field | Required | Rule |\n|---|---|---|\n"
        "| weight | no | The depot must weigh each parcel twice |",
        "| Role | May open parcels? | Reason |\n|---|---|---|\n"
        "| clerk | no | The depot must weigh each parcel twice |",
    ],
)
def test_an_answer_speaks_of_what_stands_before_it(text: str) -> None:
    assert titles_of(TOP + text + "\n") == ["The depot must weigh each parcel twice"]


def test_ticks_and_crosses_tell_what_to_do_and_what_not() -> None:
    text = "- ❌ Store card numbers in the logs\n- ✅ Store tokens in the logs instead\n"
    crossed, ticked = titles_of(TOP + text)
    assert crossed == "Depot: do not store card numbers in the logs"
    assert ticked == "Depot: store tokens in the logs instead"


def test_a_cross_beside_ticks_may_be_a_drawback_which_is_so() -> None:
    text = "- ✅ Fewer clerks at each depot\n- ⛔ Ongoing costs of the licences per depot\n"
    said = titles_of(f"# Depot\n\n## Robots\n\n{text}")
    assert not [it for it in said if "ot allowed" in it]


def test_what_is_not_required_is_told_as_such() -> None:
    text = "| Rule | Required |\n|---|---|\n| The depot must weigh each parcel | no |\n"
    assert read(TOP + text) == [("claim", "The depot need not weigh each parcel")]


@pytest.mark.parametrize(
    "text",
    [
        "> The depot must weigh each parcel twice.\n\nThat was rejected.",
        "> The depot must weigh each parcel twice.\n\nWe decided against it in May.",
        "The old specification said:\n\n> The depot must weigh each parcel twice.",
        "Mail from a competitor's website says:\n\n- The depot must weigh each parcel twice.",
        "> The depot must weigh each parcel twice.\n> — Ana Lima, Acme",
        "Examples of bad requirements:\n\n- The depot must weigh each parcel twice.",
        "### Bad examples\n\n- The depot must weigh each parcel twice.",
        'Bad requirement: "The depot must weigh each parcel twice."',
        "> *The depot must weigh each parcel twice.* — survey of our customers",
    ],
)
def test_what_others_said_is_no_statement_of_the_project(text: str) -> None:
    assert not [it for it in titles_of(TOP + text + "\n") if "weigh" in it]


@pytest.mark.parametrize(
    "text",
    [
        "> The depot must weigh each parcel twice.",
        "> [!IMPORTANT]\n> The depot must weigh each parcel twice.",
        "> The depot must weigh each parcel twice.\n\nParcels come in by rail.",
    ],
)
def test_a_quotation_that_nobody_answers_is_read(text: str) -> None:
    assert [it for it in titles_of(TOP + text + "\n") if "weigh" in it]


def test_a_reversed_decision_is_not_told_and_what_replaced_it_is() -> None:
    over = "# Depot\n\n## Decisions\n\n"
    text = "**Decision (reversed):** use MySQL.\n\n**Decision:** use SQLite.\n"
    assert read(over + text) == [("decision", "Depot: use SQLite")]
    text = "> We decided to use MySQL.\n\nThat was rejected. We decided to use SQLite.\n"
    assert read(over + text) == [("decision", "Depot: we decided to use SQLite")]


DENIALS = [
    "Won't need",
    "We won't need",
    "What we won't build",
    "Things we will not do",
    "Not in scope",
    "Out of scope for v1",
    "Non-goals",
    "No goals",
    "Rejected",
    "Rejected ideas",
    "Never",
    "We do not",
    "What we don't do",
    "Not supported",
    "Unsupported features",
    "What is not supported",
    "Not yet supported",
    "Nicht unterstützt",
    "Removed",
    "Removed features",
    "Avoid",
    "Things to avoid",
    "Non-requirements",
    "Explicitly excluded",
    "Not now",
    "Deferred",
    "Postponed to 2030",
    "Not planned",
    "Anti-goals",
    "Don'ts",
    "What Depot is not",
    "Discarded alternatives",
    "Prohibited",
    "Not required",
    "Descoped",
    "3.1.4 Non-goals",
]
SHAPES = {
    "heading": "## {}\n\n- The Sorter must weigh each parcel twice.\n- Weighing of animals\n",
    "sub-headings": "## {}\n\n### Requirements\n\n- The Sorter must weigh each parcel twice.\n",
    "table": "## {}\n\n| Id | Rule |\n|---|---|\n| 1 | The Sorter must weigh each parcel twice |\n",
    "announcement": "## Plan\n\n{}:\n\n- The Sorter must weigh each parcel twice.\n",
    "nested": "## Plan\n\n{}:\n\n- Weighing of live animals by air\n"
    "  - The Sorter must weigh each parcel twice.\n\n    It is heavy.\n",
    "item": "## Requirements\n\n- **{}**\n  - The Sorter must weigh each parcel twice.\n",
    "bold line": "## Requirements\n\n**{}**\n\n- The Sorter must weigh each parcel twice.\n",
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("denial", DENIALS)
def test_a_negating_heading_applies_to_its_list(denial: str, shape: str) -> None:
    after = "\n## Other\n\nThe Depot must seal each parcel.\n"
    atoms = told(f"# Depot\n\n{SHAPES[shape].format(denial)}{after}", "docs/depot.md")
    (affirmed,) = [it.title for it in atoms if it.polarity != "negate"]
    assert "seal each parcel" in affirmed


@pytest.mark.parametrize(
    "label",
    ["Out of scope", "Avoid", "Never", "Not supported", "Won't have", "Not required", "Non-goal"],
)
def test_a_label_denies_its_own_text(label: str) -> None:
    text = f"- **{label}:** weighing of live animals by air\n- **Scales:** one for each hall\n"
    atoms = told(f"# Depot\n\n## Requirements\n\n{text}", "docs/depot.md")
    assert {it.polarity for it in atoms if "animals" in it.title} <= {"negate"}
    assert not [it for it in atoms if it.polarity == "negate" and "one for each" in it.title]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Not supported:\n\n- Weighing of live animals", "Not supported: weighing of live animals"),
        ("The Depot does not support:\n\n- Weighing of animals", "Not supported: weighing of anim"),
        (
            "## Not supported\n\n- Weighing of live animals",
            "Not supported: weighing of live animals",
        ),
        ("## Deferred\n\n- Weighing of live animals", "Postponed: weighing of live animals"),
    ],
)
def test_what_is_not_there_is_told_as_such(text: str, title: str) -> None:
    (atom,) = told(f"# Depot\n\n{text}\n", "docs/depot.md")
    assert (atom.kind, atom.polarity, title in atom.title) == ("claim", "negate", True)


@pytest.mark.parametrize(
    "text",
    [
        "## Don'ts\n\n### Exceptions\n\n- {}",
        "Not in scope:\n\n- Trains\n\nIn scope:\n\n- {}",
        "Not in scope:\n\n- Trains\n\n{}",
        "## Out of scope\n\n- Trains\n\n## Requirements\n\n- {}",
        "## Removed parcels\n\n- {}",
        "## Avoiding jams\n\n- {}",
        "## Non-functional requirements\n\n- {}",
        "## Never-ending lanes\n\n- {}",
        "Requirements that were not in the first version:\n\n- {}",
        "- **Deferred:** {}\n- **Pending:** The clerk must close the front gate.",
        "| State | Rule |\n|---|---|\n| postponed | {} |",
        "## No goals without rules\n\n- {}",
    ],
)
def test_what_stands_beside_a_denial_is_not_denied(text: str) -> None:
    said = text.format("The Sorter must weigh each parcel twice.")
    atoms = [it for it in told(f"# Depot\n\n{said}\n", "docs/depot.md") if "weigh" in it.title]
    assert [it.polarity for it in atoms] == ["affirm"]
