"""What looked like a statement of its kind on projects nobody had read before, and was none.

Each rule with what it must leave out and what it must not lose.
"""

from __future__ import annotations

import pytest

from agents.offline.reader import extract, propose_drafts
from tests.reading.documents import a_chunk, kinds, read, surest

RECORD = "docs/adr/0007-depot.md"


NO_STATEMENT = {
    "a need inside a condition": "If signed labels are required, the depot can delegate to Sealer.",
    "a need inside a relative clause": "The parcel which needs to be kept is small in most depots.",
    "a need that is only likely": "Old parcels of the Depot will likely have to be moved by hand.",
    "a thing that should be used": "The door the scanner should listen on",
    "an order with a need in its half": "Get or set the labels the Depot has said should be kept.",
    "a noun that looks like a verb": "Built-in support for sorting of parcels by depot and lane.",
    "a noun with a relative clause": "ParcelKeys that contain the lane and the depot of a parcel.",
    "a value without its name": "True enables the writing of all parcel labels to the Depot.",
    "a participle after a dash": "Depot-level filter — applied as parcels are taken from the lane.",
    "a setting that stands elsewhere": "As labels differ, this feature is disabled in the Depot.",
    "a field and its meaning": "url: the address of the Depot where all parcels are registered.",
    "places on the page": "All lanes below must verify the label of the Depot with care.",
    "a numbered step": "The label of the Depot is printed and passed to the reader used in (2).",
    "a return value": "Returns: A Parcel object, or None in which case the parcel is dropped.",
    "an order": "Enforce the limits of the Depot which are necessary for all of its lanes.",
    "what users may like": "We use `lane` here to stand in for a belt, a shelf or a Depot.",
    "a question of a handbook": "Is the parcel in the lane the same as the Depot says?",
    "a consequence that is a condition": "Hooks can also be run if the sorting fails in the Depot.",
    "an order not to do it": "Never pass labels to a Sorter that could corrupt its lanes.",
    "a type that says its name": "DepotSpec defines the desired state of Depot",
    "what a sentence before has made": "The created Parcel is stored in the Depot of its sender.",
    "a command line": "depot-manage lane --open --id 7 which is used by all clerks of a Depot.",
    "an order in two words": "Update/provide new labels that the Depot uses for heavy parcels.",
    "an advertisement": "The Depot provides a seamless handling of parcels for all its clerks.",
    "two sentences in one": "The lanes must be kept open This would be done by the Depot.",
    "a proportion": "The more lanes a Depot has, the more clerks its owner needs to pay.",
    "a plan of the author": "For a start we need to put down some rules for the Depot.",
    "a step of the document's own way": "Before marking this as done, the Depot must be tested.",
    "what was pointed at before": "The Depot provides these capabilities in each of its 12 lanes.",
    "what somebody thinks about": "The challenge here is that the Depot needs to read lane 2 of 7.",
    "what was so before": "Before this enhancement, clerks have to carry labels to the Depot.",
    "where more is told": "More details are available in the reference of the Depot and Sorter.",
}


@pytest.mark.parametrize("text", NO_STATEMENT.values(), ids=NO_STATEMENT.keys())
def test_text_without_a_statement_yields_no_atom(text):
    assert read(f"{text}\n") == []


NOT_OF_THIS_KIND = [
    ("requirement", "The clerk doesn't (need to) manage the Sorter of the depot by hand."),
    ("requirement", 'Depots often set "no-store" or "must-revalidate" for Parcel labels.'),
    ("decision", "The Sorter can be used for the lanes instead of the old Stacker."),
    ("risk", "The lane would have a value of 0, indicating that there is no sorting timeout."),
    ("risk", "A few potential use cases besides ignoring a sorting error are known to Depot."),
    ("decision", "An accompanying change will be made to the labels of the Depot."),
    ("decision", "In response to the label, the Depot will open the lane for its parcels."),
    ("risk", "The Agent can react to events (crashes, failures) faster than the Depot."),
]


@pytest.mark.parametrize(("kind", "text"), NOT_OF_THIS_KIND)
def test_it_may_be_a_claim_but_is_of_no_stronger_kind(kind, text):
    assert kind not in [found for found, _ in read(f"{text}\n", RECORD)]


STATED = {
    "If a label is required, the depot must print it within 2 seconds.": "requirement",
    "The depot must keep the label of each parcel that it has scanned.": "requirement",
    "Once a parcel is lost, the Depot must report it to its owner.": "requirement",
    "The Depot supports parcels of all sizes in each of its 12 lanes.": "claim",
    "The Depot has an option of its own; this option keeps its labels.": "claim",
    "The Sorter may lose data when the Depot is restarted by a clerk.": "risk",
    "Should we keep the labels of the parcels in a second Depot?": "unknown",
    "A parcel may exceed its timeout when the Depot has no lane for it.": "risk",
    "The Depot must fail if both --lane and --shelf are given by a clerk.": "requirement",
    "The Depot provides an easy handling of parcels for all of its clerks.": "claim",
    "The sorter must keep heavy parcels apart from the labels of a Depot.": "requirement",
    "DepotSpec defines how many lanes the sorter opens for heavy parcels": "claim",
}


@pytest.mark.parametrize(("text", "kind"), STATED.items())
def test_what_is_stated_keeps_its_kind(text, kind):
    assert [found for found, _ in read(f"{text}\n")] == [kind]


def test_what_is_preferred_is_a_choice_only_where_choices_are_made():
    text = "Labels are stored in the Depot rather than in the Sorter.\n"
    assert "decision" not in [kind for kind, _ in read(text)]
    assert [kind for kind, _ in read(text, RECORD)] == ["decision"]


def test_a_sentence_ends_after_etc_and_after_a_number():
    text = "Clerks must see lanes, shelves etc. The depot must print drafts of Label 7. "
    titles = [title for _, title in read(text + "Sealer and Sorter must read both of them.\n")]
    assert titles[0] == "Clerks must see lanes, shelves etc"
    assert titles[1] == "The depot must print drafts of Label 7"


def test_a_placeholder_in_code_is_kept():
    ((_, title),) = read("Each parcel's key must be `lane/<depot>/<parcel>` in all stores.\n")
    assert title == "Each parcel's key must be lane/<depot>/<parcel> in all stores"


def test_the_meaning_of_a_term_is_not_read_without_its_term():
    text = "parcels/lost\n    Number of parcels that were lost because the Depot failed.\n"
    assert read(text, "docs/stats.rst") == []


def test_a_label_that_its_sentence_repeats_is_left_out():
    ((_, title),) = read("- Parcel sorter: The parcel sorter uses 3 lanes of the Depot.\n")
    assert title == "The parcel sorter uses 3 lanes of the Depot"


def test_a_title_is_not_cut_between_either_and_or():
    text = (
        "The label of the parcel must be either the one of the depot that has sent it to us (where"
        " its sender has signed it by hand) or the one of the sorter that has seen it last when it"
        " went over the old lane to the third door of the hall in which all of them are opened by"
        " a clerk who has a key to each and every one of them.\n"
    )
    ((_, title),) = read(text)
    assert title.endswith("…")


def test_the_cases_of_a_list_and_the_cells_of_a_table_are_no_claims():
    case = "The Depot opens all lanes if:\n\n- The set of parcels contains a parcel of a Sorter\n"
    assert read(case) == []
    assert (
        read("| Code | Why |\n|---|---|\n| 7 | The Depot has no lane for heavy parcels |\n") == []
    )


def test_a_quoted_note_goes_on_without_its_mark():
    ((_, title),) = read(
        "> The depot must keep each label of a parcel until the parcel is\ngone.\n"
    )
    assert title.endswith("until the parcel is gone")


def test_notes_in_plain_text_are_one_a_line():
    text = "News from the depot\nThe sorter must keep 3 lanes free\nAnne will be away\n"
    assert read(text, "notes/may.txt") == [("requirement", "The sorter must keep 3 lanes free")]


@pytest.mark.parametrize("path", ["docs/changelog-2.4.rst", "docs/whatsnew-5.0.rst"])
def test_what_changed_once_is_not_read(path):
    assert read("The depot must keep the label of each parcel that it has scanned.\n", path) == []


def code(comment: str) -> list[tuple[str, str]]:
    text = f"# {comment}\ndef sort(parcels):\n    return parcels\n"
    return read(text, "src/sort.py", source_type="code", anchor_type="function")


def test_a_todo_that_asks_is_open_and_one_without_an_object_is_no_task():
    assert code("TODO: should we sort heavy parcels in lanes of their own?")[0][0] == "unknown"
    assert code("TODO: omit it for now until the next depot") == []
    assert code("TODO: check and fix if needed") == []
    assert code("TODO: sort heavy parcels in lanes of their own")[0][0] == "action_item"


def test_a_remedy_beside_a_risk_is_no_risk():
    text = "## Risks\n\nA possible solution would be to stop the sorter when parcels are lost.\n"
    assert "risk" not in [kind for kind, _ in read(text)]


def test_what_explains_an_exclusion_is_not_excluded_itself():
    item = "- As lanes are opened by hand, we have met cases where labels were lost\n"
    assert read(f"## Non-goals\n\n{item}- Sorting of parcels by weight\n") == [
        ("requirement", "Not a goal of «depot»: sorting of parcels by weight")
    ]


@pytest.mark.parametrize(
    "path",
    [
        "docs/relnotes/3.x.rst",
        "docs/Release-notes-for-0.57.0.md",
        "docs/changes_1.x.rst",
        "docs/change-history.adoc",
        ".github/PULL_REQUEST_TEMPLATE/feature.md",
        "LICENSE_GPL.txt",
    ],
)
def test_logs_and_forms_are_not_read(path):
    assert read("The depot must keep the label of each parcel that it has scanned.\n", path) == []


def test_what_an_attacker_cannot_do_is_no_risk():
    text = "## Threats\n\nAn attacker {} delete old parcels, and lost labels cannot be restored.\n"
    assert [kind for kind, _ in read(text.format("cannot"))] == []
    assert [kind for kind, _ in read(text.format("can"))] == ["risk"]


def test_what_is_reached_is_no_task_and_neither_is_the_end_of_a_sentence():
    assert tasks("The sorter of heavy parcels is implemented at alpha") == []
    assert tasks("Between lanes and shelves in either direction") == []
    assert tasks("The sorter may suddenly point to another lane of parcels") == []
    assert tasks("Decide which sorter may point to another lane of parcels") != []
    assert tasks("Check that the sorter of heavy parcels is implemented") != []
    assert tasks("Between lanes and shelves, add a sorter") != []


def test_what_is_turned_down_is_not_the_decision():
    weighed = "The doubts are higher for lanes by weight."
    turned_down = f"## Decision\n\n{weighed} This option has therefore been **dismissed**.\n"
    assert [kind for kind, _ in read(turned_down, RECORD)] == []
    taken = "The Depot will sort by lane. This approach has therefore been dismissed in the Sorter."
    assert [kind for kind, _ in read(f"## Decision\n\n{taken}\n", RECORD)] == ["decision"]


def tasks(item: str) -> list[str]:
    return [kind for kind, _ in read(f"## Work items\n\n- {item}\n") if kind == "action_item"]


def test_a_question_like_another_is_none_of_its_own():
    text = "## Open questions\n\n- Same question for the Sorter of parcels?\n"
    assert read(text) == []


def test_what_somebody_sees_in_code_is_no_task():
    assert code("TODO: only two functions seem to read the label of a parcel") == []
    assert code("TODO: let two functions read the label of a parcel")[0][0] == "action_item"
    assert code("XXX: the sorter sets the label of a parcel regardless of lane") == []
    assert code("XXX: remove the label of a parcel that left its lane")[0][0] == "action_item"


def test_a_risk_may_have_a_name_that_its_sentence_explains():
    text = "**Lost labels**: Various parcels may be lost by the new depot."
    ((kind, _),) = read(f"## Risks\n\n{text}\n")
    assert kind == "risk"


DOUBTFUL = [
    (
        "claim",
        "The DepotServer stores the labels of the Sorter in the ledger and sends them to {} clerks "
        "over HTTP.",
    ),
    (
        "decision",
        "We decided to use HTTP for the DepotServer because the Sorter supports {} lanes "
        "by default.",
    ),
]


@pytest.mark.parametrize(("kind", "text"), DOUBTFUL)
def test_what_points_at_something_outside_its_sentence_is_doubted(kind, text):
    path = RECORD if kind == "decision" else "docs/depot.md"
    assert surest(f"# DepotServer\n\n{text.format('the')}\n", path) == [(kind, True)]
    assert surest(f"# DepotServer\n\n{text.format('these')}\n", path) == [(kind, False)]


def test_what_points_at_a_word_of_its_own_sentence_is_not_doubted():
    told = "The DepotServer supports sealed lanes by default"
    text = f"{told}, and clerks can configure these lanes in the Sorter."
    assert surest(f"# DepotServer\n\n{text}\n") == [("claim", True)]


def test_what_is_so_everywhere_is_doubted():
    text = "The DepotServer provides {} store of labels that the Sorter reads and writes over HTTP."
    assert surest(f"# DepotServer\n\n{text.format('a')}\n") == [("claim", True)]
    assert surest(f"# DepotServer\n\n{text.format('a very popular')}\n") == [("claim", False)]


def test_what_is_supposed_for_a_while_is_no_statement():
    said = (
        "Sorter 7 was chosen for heavy parcels and created, but both lanes of it are still there."
    )
    assert read(f"# DepotServer\n\n{said}\n", RECORD) != []
    assert read(f"# DepotServer\n\nNow let's say {said}\n", RECORD) == []


def test_what_is_said_of_a_number_on_a_list_is_doubted():
    text = "{} ensures that the Sorter sends all parcels of a lane to one Depot over HTTP."
    assert surest(f"# DepotServer\n\n{text.format('The DepotServer')}\n") == [("claim", True)]
    assert surest(f"# DepotServer\n\n{text.format('Requirement 2')}\n") == [("claim", False)]


def test_what_is_not_known_in_passing_is_no_question():
    assert read("In the Depot it is unclear how heavy parcels are counted.\n") != []
    assert read("The places where the Depot counts parcels are still unclear.\n") != []
    for text in (
        "If the lane of a parcel is unclear the clerk of the Depot opens it.",
        "The Depot has a lane whose length is unknown and may change with each parcel.",
        "Depots wait for the Sorter while we don't know of parcels, to be discussed elsewhere.",
    ):
        assert "unknown" not in [kind for kind, _ in read(f"{text}\n")], text


@pytest.mark.parametrize(
    "item",
    [
        "What parts of the Depot do you expect to resolve before it is built?",
        "Otherwise, how many parcels can the Depot lose?",
        "If yes, could we add a lane to the Depot for each parcel?",
    ],
)
def test_a_question_of_a_form_or_after_an_answer_is_none_of_the_project(item):
    assert read(f"## Open questions\n\n- {item}\n") == []


def test_a_question_among_tasks_is_open():
    text = "## Work items\n\n- Should the Depot sort heavy parcels in lanes of their own?\n"
    assert [kind for kind, _ in read(text)] == ["unknown"]


def test_what_is_so_is_no_task_whatever_its_verb():
    assert tasks("The Sorter submits labels of parcels to all depots") == []
    assert tasks('"label of a parcel" defines a lane between two depots') == []
    assert tasks("Submit labels of parcels to all depots") != []


def test_a_todo_that_tells_or_weighs_is_weak():
    def weak(comment: str) -> list[tuple[str, bool]]:
        text = f"# TODO: {comment}\ndef sort(parcels):\n    return parcels\n"
        return surest(text, "src/sort.py", source_type="code", anchor_type="function")

    sure = "replace the LaneSorter by the DepotSorter in all of our stores before release 2.0"
    assert weak(sure) == [("action_item", True)]
    assert weak(f"we must {sure}") == [("action_item", True)]
    assert weak("might remove the LaneSorter when no depot handles heavy parcels") == [
        ("action_item", False)
    ]
    assert weak("currently the sorter drops heavy parcels without label") == [
        ("action_item", False)
    ]


def test_a_heading_that_tells_what_is_done_is_no_name():
    said = "This module provides a way to register a printer that labels parcels of the Depot."
    assert read(f"# Label Printer\n\n{said}\n") != []
    assert read(f"# Printing labels to depots\n\n{said}\n") == []


def test_a_name_in_code_marks_names_a_drawback():
    text = "# ADR 7: Depot `SortParcel` method\n\n## Negative\n\n- Increases latency of sorting\n"
    assert read(text, RECORD) == [("risk", "Depot SortParcel method: increases latency of sorting")]


def test_what_is_called_by_a_general_noun_is_named():
    said = "The plugin stores the labels of all lanes in PostgreSQL and reads them by name."
    (title,) = [title for _, title in read(f"# ShelfBook\n\n## Storage of labels\n\n{said}\n")]
    assert title.startswith("ShelfBook: the plugin stores")
    said = "The endpoint supports the labels of all lanes and of each Sorter in one page."
    (title,) = [title for _, title in read(f"# Depot\n\n## GET /labels\n\n{said}\n")]
    assert title.startswith("Depot, GET /labels: the endpoint supports")


def test_a_question_that_is_resolved_is_not_open():
    text = "## {} questions\n\n- Should the Depot sort heavy parcels in lanes of their own?\n"
    assert read(text.format("Open"), RECORD) != []
    assert read(text.format("Resolved"), RECORD) == []


def test_an_announcement_of_open_points_is_no_open_question():
    text = "## Open points\n\nA few lanes are judgment calls and can be decided later:\n\n- all\n"
    assert read(text) == []


def test_a_mitigation_in_a_risk_table_is_no_risk():
    table = "| Risk | What is done |\n|---|---|\n| {} | Short timeouts of all lanes and parcels |\n"
    text = f"## Risks\n\n{table.format('Parcels of a sender may be lost by the Depot')}"
    assert [title for _, title in read(text, RECORD)] == [
        "Parcels of a sender may be lost by the Depot"
    ]
    assert read("## Risks\n\n- Breaking changes: None of the lanes is touched.\n", RECORD) == []


def test_a_todo_that_tells_how_something_is_is_weak():
    def todo(said: str) -> list[tuple[str, bool]]:
        text = f"# TODO: {said}\ndef sort(parcels):\n    return parcels\n"
        chunk = a_chunk(text, "src/sort.py", source_type="code", anchor_type="function")
        return [(draft.kind, draft.confidence > 0.55) for draft in propose_drafts(chunk)]

    assert todo("Sorter does not retry when a lane is closed") == [("action_item", False)]
    assert todo("Sort heavy parcels that the sorter does not read") == [("action_item", True)]


def test_who_uses_the_product_is_not_read():
    said = "The Depot of Sealer uses the Sorter to label parcels in all of its 7 lanes."
    assert read(f"{said}\n") != []
    assert read(f"{said}\n", "ADOPTERS.md") == []


def test_a_line_that_announces_a_literal_block_is_no_shorter_sentence():
    text = (
        "Depot\n=====\n\nThe DepotServer must always define two arguments to receive\n"
        ":class:`~.Request` objects, respectively::\n\n    the Sorter must be skipped = here()\n\n"
        "The Sorter must read the label of :class:`~.depot.Parcel` within 2 seconds.\n"
    )
    assert read(text, "docs/depot.rst") == [
        ("requirement", "Depot: the Sorter must read the label of Parcel within 2 seconds")
    ]


def test_what_is_mended_is_no_risk():
    said = "tracking of parcels that could result in lost labels and corrupt the ledger of a depot."
    assert "risk" in [kind for kind, _ in read(f"# Depot\n\nIncorrect {said}\n", RECORD)]
    assert "risk" not in [kind for kind, _ in read(f"# Depot\n\nFixed {said}\n", RECORD)]


@pytest.mark.parametrize(
    "announced",
    [
        "An alternative solution is that the DepotServer will use Kafka for the Sorter.",
        "To show the lanes of the Sorter, we will first describe the DepotServer of HTTP.",
    ],
)
def test_what_is_weighed_or_announced_is_no_decision_to_rely_on(announced):
    text = f"# DepotServer\n\n## Decision\n\n{announced}\n"
    assert ("decision", True) not in surest(text, RECORD)


def test_what_solves_a_question_often_asked_decides_nothing() -> None:
    said = "Keep the clocks of the DepotServer and of all label printers synchronized."
    text = f"# No labels\n\n## Resolution\n\n{said}\n"
    assert kinds(text, "docs/adr/0007-labels.md") == ["decision"]
    assert "decision" not in kinds(text, "docs/faq/labels.md")


def test_a_blank_that_nobody_filled_is_no_question() -> None:
    assert kinds("# Open questions\n\n- Who of the depots seals it: ?\n", "docs/x.md") == []


def test_a_hard_line_break_is_no_part_of_a_title() -> None:
    text = "# Printers\n\n- The DepotServer must seal\\\n  each lane before midnight.\n"
    assert read(text) == [
        ("requirement", "Printers: the DepotServer must seal each lane before midnight")
    ]


def test_a_hard_line_break_ends_a_sentence() -> None:
    text = (
        "# Printers\n\n- The DepotServer must seal each lane.\\\n  The clerk may open it again.\n"
    )
    (need, *_) = [it for it in extract(a_chunk(text, "docs/x.md")) if it.kind == "requirement"]
    assert need.title == "Printers: the DepotServer must seal each lane"


def test_when_to_use_something_is_no_fact_of_it() -> None:
    said = "- Labels are printed by the DepotServer before the parcels are sealed in a lane"
    text = "# Sealing\n\n## {}\n\n" + said + "\n"
    assert kinds(text.format("Labels of lanes"), "docs/x.md") == ["claim"]
    assert kinds(text.format("When to Use"), "docs/x.md") == []


def test_as_a_consequence_is_no_part_of_a_statement() -> None:
    said = "As a consequence, every DepotServer must read each label of a lane only once."
    assert read(f"# Printers\n\n{said}\n") == [
        ("requirement", "Printers: every DepotServer must read each label of a lane only once")
    ]


@pytest.mark.parametrize("said", ["first detail", "explain", "outline"])
def test_what_the_author_will_tell_next_is_no_statement(said: str) -> None:
    text = f"To show what changes in Depot, we will {said} how its lanes have worked so far.\n"
    assert read(text, RECORD) == []


def test_an_answer_to_its_heading_and_what_is_defined_ask_nothing() -> None:
    told = "There should be no impact on lanes beyond those defined in the Depot."
    assert read(f"## Open questions\n\n- {told}\n", RECORD) == []
    text = "## Open questions\n\n### Which lanes are open?\n\nIt was left open by the Depot.\n"
    assert [kind for kind, _ in read(text, RECORD)] == ["unknown"]
    left = "The order of the lanes is yet to be defined by the Depot."
    assert [kind for kind, _ in read(f"## Open questions\n\n- {left}\n", RECORD)] == ["unknown"]


def test_a_task_ends_where_a_remark_begins_and_one_that_is_cut_is_none() -> None:
    said = "TODO: open the lane of heavy parcels\n    # In 2.x, only light ones had lanes"
    text = f"def sort(parcel):\n    # {said}\n    send(parcel)\n"
    (task,) = read(text, "src/sort.py", source_type="code")
    assert task == ("action_item", "sort: open the lane of heavy parcels")
    assert code("TODO: split the lanes within the depot to avoid") == []
