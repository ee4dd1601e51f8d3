"""Contradictions are found, kept once a pair, and never resolved by the ledger itself."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events.atom import Judged
from schemas.events.ingestion import SourceChange
from schemas.events.ledger import ContradictionRecord
from tests.ledger.story import Chunk, Story, a_row, a_run, judged, story

JWT, COOKIES = "Auth uses JWT tokens", "Auth uses session cookies"


def disputed(first: str, second: str, **second_fields: object) -> Story:
    return story(
        a_run(
            Chunk("c1", [judged(first, confidence=0.95)]),
            Chunk(
                "c2",
                [judged(second, confidence=0.87, **second_fields)],  # type: ignore[arg-type]
                source_id="src_b",
            ),
        )
    )


def only(told: Story) -> ContradictionRecord:
    (record,) = told.view.contradictions.values()
    return record


def test_jwt_against_session_cookies_is_one_open_contradiction_of_high_severity():
    told = disputed(JWT, COOKIES)
    record = only(told)
    assert (record.severity, record.status) == ("high", "open")
    assert record.contradiction_type == "body_conflict"
    assert {record.atom_a_id, record.atom_b_id} == {
        told.atom(JWT).atom_id,
        told.atom(COOKIES).atom_id,
    }
    (link,) = told.view.links.values()
    assert (link.link_type, link.active) == ("contradicts", True)
    assert len(told.ops("contradiction_opened")) == 1


def test_a_figure_of_a_section_contradicts_that_of_a_statement_without_one():
    told = disputed(
        "Loans: a tool must be returned within 14 days",
        "A tool must be returned within 21 days",
        kind="decision",
    )

    assert only(told).explanation.startswith("the figures differ: within 14 days or within 21")


def test_figures_of_two_sections_contradict_nothing():
    told = disputed(
        "Loans: a tool must be returned within 14 days",
        "Repairs: a tool must be returned within 21 days",
    )

    assert not told.view.contradictions


@pytest.mark.parametrize("section", ["Delivery time", "Notes", "Orders"])
def test_sections_named_after_what_a_statement_says_set_no_figures_apart(section: str):
    told = disputed(
        "Delivery requirements: every order must be delivered within 45 minutes",
        f"{section}: every order must be delivered within 30 minutes",
        kind="requirement",
    )

    assert only(told).explanation.startswith("the figures differ: within 30 minutes or within 45")


def test_items_of_one_list_contradict_nothing():
    told = story(
        a_run(
            Chunk(
                "c1",
                [
                    judged(title, confidence=0.9, rows=[a_row(title, start)])
                    for start, title in ((0, "The default port is 8080"), (50, PORT))
                ],
            )
        )
    )

    assert not told.view.contradictions


def test_opposites_of_one_list_contradict_each_other():
    told = story(
        a_run(
            Chunk(
                "c1",
                [
                    judged(title, kind="requirement", confidence=0.9, rows=[a_row(title, start)])
                    for start, title in (
                        (0, "Users must be able to delete an account"),
                        (50, "Users must not be able to delete an account"),
                    )
                ],
            )
        )
    )

    assert only(told).contradiction_type == "polarity_mismatch"


PORT = "The default port is 9090"


def test_finding_it_again_updates_the_record_and_adds_none():
    told = story(
        a_run(
            Chunk("c1", [judged(JWT, confidence=0.7)]),
            Chunk("c2", [judged(COOKIES, confidence=0.7)], source_id="src_b"),
        )
    )
    assert only(told).severity == "medium"
    told.given(
        a_run(
            Chunk("c3", [judged(JWT, confidence=0.7)], source_id="src_c"),
            Chunk("c4", [judged(COOKIES, confidence=0.7)], source_id="src_d"),
            trigger="t2",
        )
    )
    assert only(told).severity == "high"
    assert only(told).updated_seq == 5
    assert len(told.ops("contradiction_opened")) == 1
    assert len(told.ops("contradiction_updated")) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The default port is 8080", "The default port is 9090"),
        ("Request timeout limit: 30 s", "Request timeout limit: 60 s"),
        ("The ledger runs on Kubernetes", "The ledger runs on Nomad"),
        ("Invoices are stored in PostgreSQL", "The invoices are stored in MongoDB"),
        ("The maximum block size is 4 MB", "The maximum block size is 21 MB"),
        ("The gate uses PostgreSQL as its database", "The gate uses MySQL as the database"),
    ],
)
def test_one_subject_with_two_values_of_an_exclusive_relation_conflicts(first: str, second: str):
    assert only(disputed(first, second)).contradiction_type == "body_conflict"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The broker is fast", "The broker is reliable"),
        ("It uses JWT tokens", "It uses session cookies"),
        ("Auth uses JWT tokens", "Billing uses session cookies"),
        ("Auth uses JWT tokens", "Auth uses signed JWT tokens"),
        ("Auth uses JWT tokens for the API", "Auth uses cookies for the browser"),
        ("The client uses Kafka, Redis", "The client uses RabbitMQ"),
        ("The store is a database", "The store is a Service"),
        ("The system is Kafka", "The system is RabbitMQ"),
        ("The gate uses PostgreSQL as its database", "The gate uses Redis as its cache"),
        ("The gate uses PostgreSQL as a database", "The gate uses MySQL as a database"),
        ("The gate uses Kafka as the log", "The gate uses RabbitMQ as the queue of the depot"),
    ],
)
def test_what_can_both_hold_is_no_contradiction(first: str, second: str):
    assert not disputed(first, second).view.contradictions


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "The monthly report must be ready within 20 seconds",
            "The monthly report must be ready within 45 seconds",
        ),
        (
            "Replication between the two sites is synchronous for orders",
            "Replication between the two sites is asynchronous for orders",
        ),
        (
            "The gateway shall forward requests to the audit log",
            "The gateway shall not forward requests to the audit log",
        ),
    ],
)
def test_another_number_an_opposite_and_a_denial_in_a_whole_sentence_conflict(
    first: str, second: str
):
    assert only(disputed(first, second)).status == "open"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "OrderReader answers within 20 seconds after the restart of a node",
            "OrderWriter answers within 45 seconds after the restart of a node",
        ),
        (
            "Orders are replicated synchronously until version 2.0 of the store",
            "Orders are replicated asynchronously in version 2.0 of the store",
        ),
        ("Orders are stored in Redis until 2024", "Orders are stored in PostgreSQL"),
        (
            "The importer reads orders of the night before the shop opens",
            "The exporter writes orders of the night before the shop opens",
        ),
    ],
)
def test_two_names_and_what_held_before_are_no_contradiction(first: str, second: str):
    assert not disputed(first, second).view.contradictions


def of_version(version: str, seconds: int) -> Judged:
    title = f"{version}: the monthly report must be ready within {seconds} seconds"
    return judged(title, kind="requirement", confidence=0.9, attributes={"context": version})


@pytest.mark.parametrize(("other", "found"), [("v1.0.0", 0), ("v0.34.27", 1)])
def test_what_holds_of_two_versions_is_no_contradiction(other: str, found: int):
    first, second = of_version("v0.34.27", 20), of_version(other, 45)
    told = story(a_run(Chunk("c1", [first]), Chunk("c2", [second], source_id="src_b")))
    assert len(told.view.contradictions) == found


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("Staging", "Production", 0),
        ("Windows", "Linux", 0),
        ("Phase 1", "Phase 2", 0),
        ("Free plan", "Enterprise plan", 0),
        ("Staging", "Staging", 1),
        ("Chapter 1", "Chapter 2", 1),
        ("Limits", "Overview", 1),
    ],
)
def test_what_holds_of_two_scopes_is_no_contradiction(one: str, other: str, found: int):
    chunks = [
        Chunk(
            f"c{seconds}",
            [
                judged(
                    f"{scope}: the monthly report must be ready within {seconds} seconds",
                    kind="requirement",
                    confidence=0.9,
                    attributes={"context": scope},
                )
            ],
            source_id=f"src_{seconds}",
        )
        for scope, seconds in ((one, 20), (other, 45))
    ]
    assert len(story(a_run(*chunks)).view.contradictions) == found


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "The upload limit of the free plan is 2 GB",
            "The upload limit of the free plan is 2048 MB",
        ),
        ("Session timeout limit: 90 s", "Session timeout limit: 1.5 minutes"),
        ("The orders are stored in Postgres", "The orders are stored in PostgreSQL"),
        ("Node 1 runs on Linux", "Node 2 runs on Windows"),
        ("Production runs on Kubernetes", "Staging runs on Nomad"),
        ("Members can export reports", "Guests cannot export reports"),
        ("The exporter must not run on weekends", "The exporter must run on weekdays"),
    ],
)
def test_equal_values_and_other_scopes_open_nothing(first: str, second: str):
    assert not disputed(first, second).view.contradictions


def test_the_explanation_names_both_values_as_they_were_written():
    record = only(disputed("Session timeout limit: 90 s", "Session timeout limit: 2 minutes"))
    assert "2 minutes or 90 s" in record.explanation
    record = only(disputed("The mailer runs on node 4", "The mailer runs on node 5"))
    assert "runs on: node 4 or node 5" in record.explanation


def test_an_accepted_decision_is_suggested_against_a_claim():
    apart = [a_row(start=0), a_row(start=100)]
    told = story(
        a_run(
            Chunk("c1", [judged(JWT, kind="decision", rows=apart)]),
            Chunk("c2", [judged(COOKIES)], source_id="src_b"),
        )
    )
    assert only(told).explanation.endswith(f"suggested: «{JWT}», an accepted decision")


def test_of_equal_standing_the_later_one_is_suggested():
    told = story(a_run(Chunk("c1", [judged(JWT)])))
    told.given(a_run(Chunk("c2", [judged(COOKIES)], source_id="src_b"), trigger="t2"))
    later = max(told.view.atoms.values(), key=lambda atom: atom.first_seen_at)
    assert f"suggested: «{later.title}»" in only(told).explanation


def test_an_affirmed_and_a_denied_statement_conflict():
    told = disputed(
        "Nodes must be restarted after an upgrade of the broker",
        "Nodes must not be restarted after an upgrade of the broker",
        polarity="negate",
    )
    assert only(told).contradiction_type == "polarity_mismatch"


def test_a_short_denial_is_found_by_what_it_denies():
    told = disputed("Auth uses JWT tokens", "Auth does not use JWT tokens", polarity="negate")
    assert only(told).contradiction_type == "polarity_mismatch"


def test_denying_one_value_does_not_conflict_with_affirming_another():
    told = disputed("Auth uses JWT tokens", "Auth does not use session cookies", polarity="negate")
    assert not told.view.contradictions


def test_opposite_statements_about_two_names_do_not_conflict():
    told = disputed(
        "The GetSelectionWithBias method returns a selection of addresses with a bias",
        "The GetSelection method returns a selection of addresses without a bias",
        polarity="negate",
    )
    assert not told.view.contradictions


def test_unknowns_and_entities_do_not_contradict():
    told = story(
        a_run(
            Chunk("c1", [judged(JWT, kind="unknown")]),
            Chunk("c2", [judged(COOKIES, kind="unknown")]),
        )
    )
    assert not told.view.contradictions


def test_claims_decisions_and_requirements_are_compared_with_each_other():
    apart = [a_row(start=0), a_row(start=100)]
    told = story(
        a_run(
            Chunk("c1", [judged(JWT, kind="decision", rows=apart)]),
            Chunk("c2", [judged(COOKIES)], source_id="src_b"),
        )
    )
    assert only(told).severity == "medium"


def test_the_same_risk_with_severities_far_apart_conflicts():
    title = "A single broker outage stops ingestion"
    low = judged(title, "Seen in May.", kind="risk", severity="low", impact="a stop")
    high = judged(title, "Feared by all", kind="risk", severity="critical", impact="a stop")
    told = story(a_run(Chunk("c1", [low]), Chunk("c2", [high])))
    assert only(told).contradiction_type == "body_conflict"


def test_a_side_that_goes_closes_the_contradiction_and_its_link():
    gone = SourceChange(kind="removed", source_id="src_b", old_hash="h1")
    told = disputed(JWT, COOKIES)
    told.given(a_run(trigger="t2", removals=[gone]))
    assert told.atom(COOKIES).status == "obsolete"
    record = only(told)
    assert (record.status, record.rationale) == ("resolved", "side_gone")
    (link,) = told.view.links.values()
    assert not link.active


def test_a_side_that_comes_back_opens_it_again():
    gone = SourceChange(kind="removed", source_id="src_b", old_hash="h1")
    told = disputed(JWT, COOKIES)
    told.given(a_run(trigger="t2", removals=[gone]))
    back = SourceChange(kind="revised", source_id="src_b", new_hash="h1")
    again = Chunk("c9", [judged(COOKIES)], source_id="src_b")
    told.given(a_run(again, trigger="t3", changes=[back]))
    assert told.atom(COOKIES).status == "active"
    assert (only(told).status, only(told).reopened) == ("open", True)


def test_of_the_facts_of_one_document_the_last_one_is_suggested_also_when_it_returns():
    facts = [f"The depot database is {name}" for name in ("Redis", "MySQL", "Oracle")]
    rows = [
        a_row(fact, start=200 * at).model_copy(update={"line_start": 20 * at})
        for at, fact in enumerate(facts)
    ]
    told = story(
        a_run(Chunk("c1", [judged(f, rows=[r]) for f, r in zip(facts, rows, strict=True)]))
    )
    suggested = [each.explanation.split(": «")[-1] for each in told.view.contradictions.values()]
    assert sorted(suggested) == sorted(
        f"{newer}», the later one in its source" for newer in (facts[1], facts[2], facts[2])
    )
    again = judged(facts[0], rows=[a_row(facts[0], start=900)])
    told.given(a_run(Chunk("c2", [again]), trigger="t2"))
    of_first = [
        each.explanation
        for each in told.view.contradictions.values()
        if told.atom(facts[0]).atom_id in (each.atom_a_id, each.atom_b_id)
    ]
    assert len(of_first) == 2
    assert all(f"«{facts[0]}», the later one" in explanation for explanation in of_first)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (("3. Sessions", "Decision"), ("11. Tokens", "Decision")),
        (("ADR 0003: Sessions",), ("ADR-0011 Tokens", "Outcome")),
    ],
)
def test_of_two_numbered_records_the_higher_number_is_suggested(older, newer):
    told = story(
        a_run(
            Chunk("c1", [judged(JWT)], path=newer),
            Chunk("c2", [judged(COOKIES)], source_id="src_b", path=older),
        )
    )
    assert only(told).explanation.endswith(f"«{JWT}», the record with the higher number")


def test_the_number_of_a_section_makes_no_series():
    told = story(
        a_run(
            Chunk("c1", [judged(JWT)], path=("9. Tokens", "Storage")),
            Chunk("c2", [judged(COOKIES)], source_id="src_b", path=("3. Sessions",)),
        )
    )
    assert "higher number" not in only(told).explanation


UNSURE: dict[str, Any] = {"confidence": 0.55, "status": "draft"}


def test_of_two_unsure_statements_nobody_is_asked_which_holds():
    told = story(
        a_run(
            Chunk("c1", [judged("The cache holds 100 entries", **UNSURE)]),
            Chunk("c2", [judged("The cache holds 900 entries", **UNSURE)], source_id="src_b"),
        )
    )
    assert not told.view.contradictions
    told.given(
        a_run(
            Chunk("c3", [judged("The cache holds 100 entries")], source_id="src_c"),
            trigger="t2",
        )
    )
    assert len(told.view.contradictions) == 1


def test_a_sure_statement_is_compared_with_unsure_ones():
    told = story(
        a_run(
            Chunk("c1", [judged("The cache holds 100 entries", **UNSURE)]),
            Chunk("c2", [judged("The cache holds 900 entries")], source_id="src_b"),
        )
    )
    assert only(told).severity == "low"
