"""Each kind is read from the section, label or wording that states it."""

from __future__ import annotations

import pytest

from agents.offline.reader import extract, propose_drafts
from agents.offline.recognise.cues import WEAK
from tests.reading.documents import a_chunk, only, sure

DECISION = """# Use an event log

## Decision

We will store every change in an append-only log. This ensures that a replay gives the same state.

## Consequences

Reads need a projection.
"""


def test_what_opens_a_decision_section_is_the_decision_with_its_reason():
    (atom,) = only("decision", extract(a_chunk(DECISION)))
    assert atom.title == "Use an event log: we will store every change in an append-only log"
    assert atom.confidence == 0.75
    assert len(atom.evidence) == 2
    assert atom.attributes["rationale"].startswith("This ensures")


def test_a_modal_with_a_number_is_a_requirement_of_its_type_and_priority():
    text = "The ingest service must answer within 200 ms under full load.\n"
    (atom,) = extract(a_chunk(text))
    assert (atom.kind, atom.confidence) == ("requirement", 0.70)
    assert atom.attributes["requirement_type"] == "non_functional"
    assert atom.attributes["priority"] == "must"


def test_a_list_announced_by_a_modal_gives_requirements_that_cite_it():
    text = "The export service must:\n\n- write one file for each tenant\n- encrypt every file\n"
    first = only("requirement", extract(a_chunk(text)))[0]
    assert first.title == "The export service must write one file for each tenant"
    assert [row.framing for row in first.evidence] == [False, True]


@pytest.mark.parametrize(
    ("lead", "item", "title"),
    [
        ("The gateway must:", "Checks the depot of every scan", "must check the depot"),
        ("The gateway should:", "Processes events in the order of", "should process events"),
        ("The test suite should be:", "Use a database of its own for each", "Use a database"),
        ("The gateway must be:", "able to run without a network for", "must be able to run"),
    ],
)
def test_a_modal_and_its_items_make_sentences(lead, item, title):
    atom = only("requirement", extract(a_chunk(f"{lead}\n\n- {item} run that there is\n")))[0]
    assert title in atom.title


def test_a_hard_line_break_is_no_text():
    text = "The tenant must have at least one pool of servers. +\n"
    assert only("requirement", extract(a_chunk(text, "docs/fields.adoc")))[0].title.endswith(
        "servers"
    )


def test_what_is_only_weighed_is_no_decision():
    text = "## Decision\n\nWe will keep the queue in PostgreSQL.\n\n## Notes\n\n"
    text += "We could also consider using a second queue instead of the first one.\n"
    kinds = {atom.title: atom.kind for atom in extract(a_chunk(text))}
    assert "decision" not in {kind for title, kind in kinds.items() if "could" in title}
    assert "decision" in kinds.values()


def test_a_user_story_is_a_requirement():
    text = "As an operator, I want to see the lag of every worker so that I can add capacity.\n"
    (atom,) = extract(a_chunk(text))
    assert (atom.kind, atom.confidence) == ("requirement", 0.75)


def test_a_non_goal_is_a_negated_requirement():
    text = "## Non-Goals\n\n- Supporting clusters without persistent volumes\n"
    (atom,) = extract(a_chunk(text))
    assert (atom.kind, atom.polarity) == ("requirement", "negate")


def test_a_risk_has_severity_and_impact_from_its_strongest_consequence():
    text = "If the Broker restarts, unflushed messages may get lost and the ledger be corrupted.\n"
    (atom,) = extract(a_chunk(text))
    assert (atom.kind, atom.severity) == ("risk", "critical")
    assert "corrupted" in (atom.impact or "")


def test_an_item_of_a_drawbacks_section_is_a_risk_only_with_a_consequence():
    text = "## Drawbacks\n\n- Every deploy causes some downtime for clients\n- Two people own it\n"
    (atom,) = only("risk", extract(a_chunk(text)))
    assert atom.title == "Every deploy causes some downtime for clients"


def test_open_questions_are_unknowns_without_polarity():
    text = "## Open questions\n\n- Which retention period do auditors need?\n"
    (atom,) = extract(a_chunk(text))
    assert (atom.kind, atom.polarity) == ("unknown", None)
    assert atom.attributes["question"] == "Which retention period do auditors need?"


def test_unchecked_tasks_are_action_items_and_checked_ones_are_not():
    text = "- [ ] move the nightly export to the new cluster\n- [x] rename the old export jobs\n"
    (atom,) = extract(a_chunk(text))
    assert atom.kind == "action_item"
    assert atom.title == "Move the nightly export to the new cluster"


def test_what_users_ask_for_is_a_domain_signal():
    text = "Several customers have asked for an export to spreadsheets since the last release.\n"
    (atom,) = extract(a_chunk(text))
    assert (atom.kind, atom.attributes["signal_type"]) == ("domain_signal", "user")


def test_a_defining_sentence_gives_an_entity_of_a_type():
    text = "The Policy Engine (PE) is a service that evaluates access rules for every request.\n"
    (atom,) = extract(a_chunk(text))
    assert (atom.kind, atom.title) == ("entity", "Policy Engine")
    assert atom.attributes["entity_type"] == "component"
    assert atom.attributes["aliases"] == "PE"


@pytest.mark.parametrize("who", ["I", "he/she", "they"])
def test_a_story_is_a_need_whoever_is_meant(who: str):
    text = f"As a clerk of the depot, {who} can filter vulnerable parcels by the label of a lane.\n"
    assert [it.kind for it in extract(a_chunk(text))] == ["requirement"]


def test_an_activity_is_no_entity():
    text = (
        "{} is a straightforward process of four steps, and no clerk is needed for any of them.\n"
    )
    kinds = [
        [it.kind for it in extract(a_chunk(text.format(name)))]
        for name in ("Labelling Heavy parcels", "Night Sealing")
    ]
    assert "entity" not in kinds[0]
    assert kinds[1] == ["entity"]


def test_a_declarative_sentence_with_a_named_subject_is_a_claim():
    text = "`LedgerWriter` stores each change set as one record of the topic.\n"
    (atom,) = extract(a_chunk(text))
    assert (atom.kind, atom.confidence, atom.polarity) == ("claim", 0.70, "affirm")
    assert atom.title == "LedgerWriter stores each change set as one record of the topic"


def test_a_todo_with_enough_words_is_an_action_item_of_the_code():
    text = "func f() {\n\t// TODO(anna): close idle connections before the pool fills\n}\n"
    (atom,) = extract(a_chunk(text, "cmd/main.go", source_type="code", anchor_type="function"))
    assert (atom.kind, atom.title) == (
        "action_item",
        "Close idle connections before the pool fills",
    )


@pytest.mark.parametrize(
    "said",
    [
        "The gateway encrypts tokens of all tenants with a key from the vault.",
        "DepotServer caches the label of each parcel for as long as its lane is open.",
        "The scheduler retries failed deliveries three times before it drops them.",
        "The sorter batches the labels of a lane and writes them to disk.",
    ],
)
def test_a_claim_may_have_any_verb_of_what_systems_do(said: str):
    (atom,) = extract(a_chunk(f"{said}\n", "docs/depot.md"))
    assert (atom.kind, atom.title) == ("claim", said[:-1])


def test_a_section_may_state_many_facts():
    said = [f"DepotServer stores the labels of lane {n} in table{n}." for n in range(2, 11)]
    found = extract(a_chunk("\n\n".join(said) + "\n", "docs/depot.md"))
    assert [atom.title for atom in found] == [it[:-1] for it in said]


@pytest.mark.parametrize(
    "said",
    [
        "Encrypts tokens of all tenants with a key from the vault.",
        "Adds/removes lanes while parcels of other depots are sorted.",
        "Batches the labels of a lane and writes them to disk.",
        "The old batches of labels from lanes of other depots.",
        "The known issues in lanes of other depots with heavy parcels.",
    ],
)
def test_what_has_no_subject_or_no_verb_is_no_claim(said: str):
    assert sure(a_chunk(f"{said}\n", "docs/depot.md")) == []


def test_a_doc_comment_of_a_type_is_a_weak_claim_with_the_type_as_subject():
    text = (
        "/**\n * Stores transfer processes and their history in a relational database.\n"
        " * @since 1\n */\npublic class TransferStore {\n}\n"
    )
    chunk = a_chunk(
        text,
        "src/main/TransferStore.java",
        source_type="code",
        anchor_type="class",
        headings=("TransferStore",),
    )
    (draft,) = propose_drafts(chunk)
    assert draft.title.startswith("TransferStore stores transfer processes and their history")
    assert (draft.kind, draft.confidence) == ("claim", 0.55)
    (atom,) = extract(chunk)
    assert (atom.kind, atom.title) == (draft.kind, draft.title)
    assert atom.evidence[0].snippet in text


def test_direct_dependencies_are_entities_and_indirect_ones_are_not():
    text = (
        "module example.org/shop\n\nrequire (\n\tgithub.com/acme/router v1.4.0\n"
        "\tgithub.com/acme/deep v0.1.0 // indirect\n)\n"
    )
    atoms = extract(a_chunk(text, "go.mod", source_type="manifest", anchor_type="window"))
    (atom,) = atoms
    assert (atom.kind, atom.title, atom.tags) == (
        "entity",
        "github.com/acme/router",
        ["dependency"],
    )
    assert (atom.attributes["origin"], atom.attributes["version"]) == ("manifest", "1.4.0")


def test_a_short_sentence_of_a_named_subject_and_an_exclusive_relation_is_a_claim():
    titles = [
        extract(a_chunk(text))[0].title
        for text in ("Auth uses JWT tokens.\n", "Positions are stored in PostgreSQL.\n")
    ]
    assert titles == ["Auth uses JWT tokens", "Positions are stored in PostgreSQL"]


def test_it_is_read_as_what_its_section_names():
    text = "# ADR 7: Push API\n\n## Requirements\n\n- It must not slow down the node\n"
    (atom,) = extract(a_chunk(text))
    assert atom.title == "Push API must not slow down the node"


def test_a_connective_is_taken_off_what_stands_without_it():
    text = "Moreover, the broker must keep records for seven days.\n"
    (atom,) = extract(a_chunk(text))
    assert atom.title == "The broker must keep records for seven days"


def test_an_atom_tells_what_sort_of_document_it_is_from_and_whether_it_is_about_the_project():
    text = "# Parcel\n\nParcel is a tracking service for small logistics companies.\n"
    (atom,) = extract(a_chunk(text, "README.md", source_type="readme", start=0))
    assert (atom.attributes["origin"], atom.attributes["about"]) == ("readme", "project")


RECORD = """# ADR 7: Parcel lanes

## Consequences

### Negative

- Increases the latency of the queue in the short term
- Increases the complexity of the lanes of parcels for a while
- Maintenance overhead of duplicate types
- Parcel lanes might delay parcels without a lane
"""


def test_a_drawback_without_a_subject_is_named_after_what_brings_it():
    assert [atom.title for atom in only("risk", extract(a_chunk(RECORD)))] == [
        "Parcel lanes: increases the latency of the queue in the short term",
        "Parcel lanes: increases the complexity of the lanes of parcels for a while",
        "Parcel lanes: maintenance overhead of duplicate types",
        "Parcel lanes might delay parcels without a lane",
    ]


def test_a_bare_noun_that_must_is_named_after_its_section():
    text = "# Data\n\n## Validator\n\nLength must be of 20 bytes.\n\nUsers must sign their votes.\n"
    assert [atom.title for atom in only("requirement", extract(a_chunk(text)))] == [
        "Validator: length must be of 20 bytes",
        "Users must sign their votes",
    ]


def test_a_question_that_points_around_is_named_after_its_section():
    text = "# Parcel lanes\n\n## Open questions\n\n- Could this work be delayed by a cycle?\n"
    (atom,) = only("unknown", extract(a_chunk(text)))
    assert atom.title == "Parcel lanes: could this work be delayed by a cycle?"


def test_this_change_is_read_as_what_its_document_names():
    text = "# Parcel lanes\n\n## Risks\n\nThis change introduces overhead for the scheduler.\n"
    (atom,) = only("risk", extract(a_chunk(text)))
    assert atom.title == "The Parcel lanes change introduces overhead for the scheduler"


def test_an_it_that_stands_for_nothing_stays():
    text = (
        "# Log records\n\n## Requirements\n\nIt should be possible to store records in Parquet.\n"
    )
    (atom,) = only("requirement", extract(a_chunk(text)))
    assert atom.title == "It should be possible to store records in Parquet"


def test_the_meaning_of_a_word_is_not_what_the_word_names():
    text = (
        "# Depot badges\n\n## Terms\n\n"
        "- **Requirement**: a condition tied to a parcel that must be met to earn a badge\n"
        "- **Action**: a record of activity on a parcel, used by the clerks of a depot\n"
    )
    assert only("requirement", extract(a_chunk(text))) == []
    assert only("action_item", extract(a_chunk(text))) == []


@pytest.mark.parametrize(
    ("said", "recorded", "elsewhere"),
    [
        (
            "The DepotServer will return a LabelResult for each parcel of a lane.",
            "decision",
            "claim",
        ),
        ("To order heavy parcels, we introduce a LaneWeight that tells which lane is taken first.",)
        + ("decision", None),
        ("The DepotServer returns a LabelResult for each parcel of a lane.", "claim", "claim"),
        ("Removing the DepotServer will cause each lane to be closed for a whole day.", None, None),
        (
            "We need a LabelStore that keeps the labels of all lanes for a year.",
            "requirement",
            None,
        ),
    ],
)
def test_what_a_record_is_going_to_do_is_a_decision_and_what_it_lacks_a_need(
    said: str, recorded: str | None, elsewhere: str | None
) -> None:
    for path, kind in (("docs/adr/0007-lanes.md", recorded), ("docs/lanes.md", elsewhere)):
        read = [it.kind for it in extract(a_chunk(f"# Lanes\n\n{said}\n", path))]
        assert (kind in read) if kind else ("decision" not in read), (path, read)


@pytest.mark.parametrize(
    "said",
    [
        "If the lane is unknown, the DepotServer could throw a LaneError and stop the request.",
        "A label that cannot be read is treated as missing and could block the whole lane.",
        "Lanes should be closed when a parcel is lost, as an attacker could open another one.",
        "Future enhancements may include limits for lanes that are overloaded with parcels.",
        "The LabelPrinter can improve the speed of a lane that is overloaded.",
    ],
)
def test_what_is_specified_bound_or_hoped_for_is_no_risk(said: str) -> None:
    assert only("risk", extract(a_chunk(f"# Lanes\n\n{said}\n", "docs/adr/0007-lanes.md"))) == []


@pytest.mark.parametrize(
    "said",
    [
        "Typically, a clerk must print the label of each parcel at the last lane.",
        "Labels must currently be the same as the names of the lanes they stand for.",
        "To make reviews productive, the owner of each proposal should name a clerk.",
    ],
)
def test_how_it_is_done_so_far_is_no_need_of_the_product(said: str) -> None:
    atoms = extract(a_chunk(f"# Lanes\n\n{said}\n", "docs/adr/0007-lanes.md"))
    assert [it for it in only("requirement", atoms) if it.confidence > WEAK] == []


def test_what_its_makers_should_write_is_a_task() -> None:
    said = "We should write a test that fails if the labels of the DepotServer have changed."
    (atom,) = extract(a_chunk(f"# Lanes\n\n{said}\n", "docs/adr/0007-lanes.md"))
    assert atom.kind == "action_item"


@pytest.mark.parametrize(
    "said",
    [
        "If a label fails since it could never have been read, the DepotServer returns a "
        "LabelResult code greater than 1.",
        "A new patch of the DepotServer may contain bug fixes and attacks no other part.",
    ],
)
def test_what_is_answered_or_fixed_is_no_risk(said: str) -> None:
    chunk = a_chunk(f"{said}\n", "docs/adr/0007-lanes.md", headings=("Lanes", "Context"))
    assert only("risk", extract(chunk)) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("We should seal one of them.", ["unknown"]),
        ("There is a way, but another seal would be needed.", ["unknown"]),
        ("Yes, both are sealed by the clerk.", ["unknown", "claim"]),
    ],
)
def test_a_leaning_under_an_open_question_does_not_close_it(said: str, told: list[str]) -> None:
    text = f"# Lanes\n\n## Open questions\n\n- Should both lanes be sealed?\n  - {said}\n"
    assert [it.kind for it in extract(a_chunk(text, "docs/adr/0007-lanes.md"))] == told


def test_what_users_are_urged_to_is_a_need() -> None:
    said = "Clerks are strongly encouraged to seal each lane of the DepotServer at night."
    (need,) = extract(a_chunk(f"# Lanes\n\n{said}\n", "docs/lanes.md"))
    assert need.kind == "requirement"


def test_what_somebody_has_to_within_something_are_his_needs() -> None:
    text = (
        "# Lanes\n\nThe clerks of a lane have to, within their own depot:\n\n"
        "- Create a label store and a lane\n- Print the label of each parcel again\n"
    )
    atoms = extract(a_chunk(text, "docs/adr/0007-lanes.md"))
    assert {it.kind for it in atoms} == {"requirement"}


def test_a_label_with_a_full_stop_is_no_statement_of_its_own() -> None:
    text = "# Lanes\n\n## Drawbacks\n\n- **Slow and odd.** No parcel could pass without a delay.\n"
    (risk,) = extract(a_chunk(text, "docs/adr/0007-lanes.md"))
    assert "pass without a delay" in risk.title


def test_the_process_of_doing_something_is_no_entity() -> None:
    said = "Batch Sealing is the process of {} for all lanes of a depot at once."
    doing, thing = (
        extract(a_chunk(f"# Lanes\n\n{said.format(what)}\n"))
        for what in ("taking many parcels and sealing them", "the LaneServer that seals parcels")
    )
    assert only("entity", doing) == []
    assert len(only("entity", thing)) == 1


def test_a_must_in_brackets_makes_no_need() -> None:
    said = "A lane of the DepotServer is named by a label and can hold parcels of one size{}.\n"
    chunk = a_chunk(said.format(" (since the size must be known)"), "docs/adr/7-lanes.md")
    assert only("requirement", extract(chunk)) == []


def test_an_ability_is_no_decision_and_a_condition_alone_no_statement() -> None:
    text = "# Lanes\n\n## Decision\n\n1) ability to read labels (implemented in the DepotServer)\n"
    assert extract(a_chunk(text, "docs/adr/0007-lanes.md")) == []
    text = "# Lanes\n\n## Risks\n\n- If a parcel is lost in a lane, but its label is not lost\n"
    assert extract(a_chunk(text, "docs/adr/0007-lanes.md")) == []


@pytest.mark.parametrize(
    "said",
    [
        "The DepotServer interface will need to be changed to return the label of each lane.",
        "The DepotServer requires the ability to support the labels of more than one lane.",
    ],
)
def test_what_a_proposal_takes_is_a_need(said: str) -> None:
    chunk = a_chunk(f"{said}\n", "docs/adr/0007-lanes.md", headings=("Lanes", "Impact"))
    (need,) = extract(chunk)
    assert (need.kind, need.confidence >= WEAK) == ("requirement", True)


def test_what_a_setting_stands_for_is_no_need() -> None:
    row = "| `depot.lane.sealed` | If the lane should be sealed by the clerk of each night |\n"
    chunk = a_chunk(row, "docs/settings.md", headings=("Lanes", "Settings"))
    assert only("requirement", extract(chunk)) == []


def test_a_plan_to_have_something_is_a_decision() -> None:
    said = "The LabelStore will have an in-memory form for tests and one for a depot."
    chunk = a_chunk(f"{said}\n", "docs/adr/0007-lanes.md", headings=("Lanes", "Approach"))
    assert [it.kind for it in extract(chunk)] == ["decision"]


def test_what_a_run_should_report_is_no_need() -> None:
    text = "All lines of the DepotServer's result should report Error.\n"
    assert only("requirement", sure(a_chunk(text, "docs/lanes.md", headings=("Lanes",)))) == []
