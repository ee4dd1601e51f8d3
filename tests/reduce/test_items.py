"""Insights, features and epics: made of clusters, every statement with its atoms, ids that stay."""

from __future__ import annotations

from datetime import date

from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.ledger import AtomRecord
from streams.reduce.artifacts.validator import errors, validate
from streams.reduce.texts.inputs import Grounds
from streams.reduce.writer import Reduce
from tests.reduce.ledgers import (
    AT,
    Play,
    a_conflict,
    a_requirement,
    an_atom,
    items_of,
)
from tests.reduce.test_writer import uncited

RETRY = a_requirement("The delivery queue must repeat a failed order", source="src_1")
LIMIT = a_requirement("The delivery queue must hold orders for two days", source="src_2")
ORDERLY = a_requirement("The delivery queue should keep the order of events", source="src_3")
DURABLE = an_atom("decision", "We will store the delivery queue on two disks", area="integrations")
FULL = an_atom("risk", "A full delivery queue stops all warehouses", severity="high")
STUCK = an_atom("risk", "A stuck delivery queue hides lost orders", severity="medium")
WHAT = an_atom("claim", "The delivery queue is a list of orders on their way")
AUDIT = a_requirement("The audit log must name the person behind each change", area="security")
SEALED = a_requirement("The audit log must be sealed every day", area="security")
WHEN = an_atom("unknown", "Who may read the audit log after a year?", area="security")
WHERE = an_atom("unknown", "Where is the audit log kept when a disk fails?", area="security")
WORLD = (RETRY, LIMIT, ORDERLY, DURABLE, FULL, STUCK, WHAT, AUDIT, SEALED, WHEN, WHERE)


def agreed(name: str) -> list[AtomRecord]:
    """What a decision record and a product page say of it, each in words of its own."""
    texts = {
        "record": f"The {name} of the depot must be sealed by hand each day",
        "product": f"The {name} of a depot is sealed by the hand of a guard each day",
    }
    return [
        a_requirement(text, source=f"src_{name}_{origin}", attributes={"origin": origin})
        for origin, text in texts.items()
    ]


def cited(item: ArtifactSnapshot, section_id: str | None = None) -> set[str]:
    return {
        citation.atom_id
        for section in item.sections
        if section_id in (None, section.section_id)
        for statement in section.statements
        for citation in statement.citations
    }


def ids(*atoms: AtomRecord) -> set[str]:
    return {atom.atom_id for atom in atoms}


def about(items: list[ArtifactSnapshot], word: str) -> ArtifactSnapshot:
    (found,) = [item for item in items if word in item.title.lower()]
    return found


def test_requirements_that_share_a_phrase_become_one_feature():
    answer = Play().given(WORLD).ends()

    queue = about(items_of(answer, "feature"), "queue")

    assert cited(queue, "acceptance_criteria") == ids(RETRY, LIMIT, ORDERLY)
    assert ids(DURABLE, WHAT) <= cited(queue, "description")
    assert cited(queue, "risks") == ids(FULL, STUCK)
    assert queue.title == "Delivery queue"


def test_a_feature_has_priority_skills_and_risks():
    answer = Play().given(WORLD).ends()
    fields = about(items_of(answer, "feature"), "queue").feature

    assert fields is not None
    assert set(fields.risk_atom_ids) == ids(FULL, STUCK)
    assert set(fields.atom_ids) == ids(RETRY, LIMIT, ORDERLY, DURABLE, WHAT, FULL, STUCK)
    assert (fields.priority, fields.status) == ("should", "proposed")
    assert fields.required_skills == ["integration"]


def test_points_and_dates_need_a_velocity():
    known = Play(Reduce(velocity=20)).given(WORLD).ends()
    unknown = Play().given(WORLD).ends()

    planned = about(items_of(known, "feature"), "queue").feature
    proposed = about(items_of(unknown, "feature"), "queue").feature

    assert planned and proposed
    assert (planned.status, planned.effort_points) == ("planned", 8)
    assert (
        AT.date() <= date.fromisoformat(planned.start_date) < date.fromisoformat(planned.end_date)
    )
    assert (proposed.effort_points, proposed.start_date, proposed.end_date) == (0, "", "")


def test_a_must_comes_before_a_should_in_the_plan():
    musts = [
        one.model_copy(update={"attributes": one.attributes | {"priority": "must"}})
        for one in (AUDIT, SEALED)
    ]
    answer = Play().given([*WORLD[:7], *musts]).ends()

    first, second = items_of(answer, "feature")

    assert "audit log" in first.title.lower()
    assert first.feature and second.feature
    assert (first.feature.priority, second.feature.priority) == ("must", "should")
    assert [first.number, second.number] == ["feat-001", "feat-002"]


def test_a_disputed_cluster_names_both_sides_and_the_contradiction_it_considered():
    conflict = a_conflict(RETRY, LIMIT)
    answer = Play().given(WORLD, [conflict]).ends()
    queue = about(items_of(answer, "feature"), "queue")

    assert queue.feature
    assert queue.feature.contradiction_ids_considered == [conflict.contradiction_id]
    assert cited(queue, "open_questions") == ids(RETRY, LIMIT)
    assert ids(RETRY, LIMIT).isdisjoint(cited(queue, "acceptance_criteria"))
    assert (queue.artifact_state, queue.blocked_by) == (
        "preview_stable",
        [conflict.contradiction_id],
    )


def test_a_cluster_that_tells_what_an_earlier_one_told_is_passed_over_and_the_list_goes_on():
    answer = Play().given([*agreed("stock table"), *agreed("tariff book")]).ends()
    loop = next(one for one in answer.loops if one.phase == "insight_generation")

    assert len(items_of(answer, "insight")) == 2
    assert loop.stop_reason != "duplicate_detected"


def test_one_statement_alone_is_neither_insight_nor_feature():
    answer = Play().given([RETRY, FULL.model_copy(update={"title": "Fire"})]).ends()

    assert [item.title for item in items_of(answer, "insight")] == []
    assert items_of(answer, "feature") == []


def test_an_epic_gathers_the_features_that_name_it_and_is_complete():
    answer = Play().given(WORLD).ends()
    features = items_of(answer, "feature")
    epics = items_of(answer, "epic")

    assert len(features) == 2
    for epic in epics:
        assert epic.epic
        assert epic.epic.completed
        assert len(epic.epic.atom_ids) >= 3
        named = {
            one.artifact_id
            for one in features
            if one.feature and one.feature.epic_id == epic.artifact_id
        }
        assert set(epic.epic.feature_ids) == named
    assert {one.feature.epic_id for one in features if one.feature} >= {
        epic.artifact_id for epic in epics
    }
    assert epics


def test_every_statement_of_every_item_passes_the_validator():
    conflict = a_conflict(RETRY, LIMIT)
    answer = Play().given(WORLD, [conflict]).ends()
    grounds = Grounds(WORLD, [conflict])

    assert answer.items
    for change in answer.items:
        assert errors(validate(change.snapshot.sections, grounds, "deep")) == []
        assert all(one.citations for s in change.snapshot.sections for one in s.statements)


def test_items_of_the_preview_keep_their_ids_when_the_deep_run_adds_to_them():
    play = Play().given(WORLD[:7])
    preview = play.ends("preview")
    deep = play.given([AUDIT, SEALED]).ends()

    (before,) = items_of(preview, "feature")
    after = about(items_of(deep, "feature"), "queue")

    assert before.artifact_id == after.artifact_id
    assert (before.artifact_state, after.artifact_state) == ("preview_stable", "stable")
    assert (after.version, after.content_hash) == (1, before.content_hash)


def test_a_preview_run_that_finds_nothing_new_takes_no_stability_away():
    play = Play().given(WORLD)
    play.ends()

    again = play.given([]).ends("preview")

    assert (again.outcome, again.items, again.quality_runs) == ("unchanged", [], [])


def test_an_item_that_nothing_touches_keeps_its_bytes():
    play = Play().given(WORLD)
    first = play.ends()
    other = LIMIT.model_copy(update={"revision": 2, "confidence": 0.75})
    second = play.given([other]).ends()

    changed = {one.snapshot.artifact_id for one in second.items}
    audit = about(items_of(first, "feature"), "audit")

    assert audit.artifact_id not in changed
    queue = about(items_of(second, "feature"), "queue")
    assert queue.version == 2
    (change,) = [one for one in second.items if one.snapshot == queue]
    assert change.recomputed_sections == ["acceptance_criteria"]
    assert change.reason == "deep_run_ended"


def test_an_item_whose_atoms_are_gone_says_nothing_any_more_and_may_come_back():
    play = Play().given(WORLD)
    play.ends()
    gone = [one.model_copy(update={"status": "obsolete", "revision": 2}) for one in (AUDIT, SEALED)]
    back = [one.model_copy(update={"revision": 3}) for one in (AUDIT, SEALED)]

    (answer,) = play.decided(gone)
    dropped = [
        one
        for one in answer.items
        if one.snapshot.feature and one.snapshot.feature.status == "dropped"
    ]
    (again,) = play.decided(back)
    returned = about(items_of(again, "feature"), "audit")

    assert [(one.snapshot.artifact_state, cited(one.snapshot)) for one in dropped] == [
        ("draft", set())
    ]
    assert dropped[0].reason_codes == ["too_few_live_atoms"]
    assert returned.artifact_id == dropped[0].snapshot.artifact_id
    assert (returned.version, returned.artifact_state) == (3, "stable")


def test_what_the_validator_refuses_is_not_published_and_its_version_before_stays():
    play = Play().given(WORLD)
    first = play.ends()
    play.writer = Reduce(synthesise=uncited)
    answer = play.given([LIMIT.model_copy(update={"revision": 2})]).ends()

    refused = [one for one in answer.items if one.outcome == "rejected"]
    before = {one.snapshot.artifact_id: one.snapshot for one in first.items}

    assert refused
    known = [one.snapshot for one in refused if one.snapshot.artifact_id in before]
    assert known
    assert all(one == before[one.artifact_id] for one in known)
    assert all({f.code for f in one.findings} == {"uncited_assertion"} for one in refused)


def test_a_decision_of_a_person_is_answered_at_once_and_during_a_run_by_its_end():
    play = Play().given(WORLD)
    play.ends()
    gone = STUCK.model_copy(update={"status": "dismissed", "revision": 2})

    (answer,) = play.decided([gone])
    play.given([])
    during = play.decided([gone.model_copy(update={"status": "draft", "revision": 3})])
    end = play.ends()

    assert (answer.reason, answer.settled_run_id) == ("human_decision", None)
    assert STUCK.atom_id not in {atom for one in answer.items for atom in cited(one.snapshot)}
    assert during == []
    assert any(STUCK.atom_id in cited(one.snapshot) for one in end.items)


def test_the_record_of_a_loop_says_how_it_ended():
    answer = Play().given(WORLD).ends()

    loops = {one.phase: one for one in answer.loops}

    assert set(loops) == {"insight_generation", "feature_generation", "task_breakdown"}
    assert loops["feature_generation"].items == 2
    assert loops["feature_generation"].stop_reason in (
        "coverage_confident",
        "should_continue_false",
    )
