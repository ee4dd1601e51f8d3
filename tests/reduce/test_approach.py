"""How a task is done: more than its title, from what the ledger says, else an open question."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events.artifact import ArtifactChanged
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.change import EditedStatement, SectionEdit, ToldTask
from schemas.ids import artifact_id as derive_artifact_id
from streams.reduce.texts.approach import adds_to_title, repeats_title
from streams.reduce.texts.means import ask_how, split_means
from tests.reduce.ledgers import ENOUGH, PROJECT, Play, a_requirement, an_atom, items_of
from tests.reduce.teams import PLANNED_FEATURE, said, standing, task_of
from tests.reduce.test_user_edited_plan import change, refusal_of

OWN = derive_artifact_id(PROJECT, "task", "own")
ORDER = an_atom(
    "action_item",
    "Store the photos of broken seals after the audit",
    source="src_list",
    attributes={"origin": "plan"},
)
DECIDED = an_atom(
    "decision",
    "Photos of broken seals go to the cold archive in the harbour after an audit",
    source="src_minutes",
    area="operations",
)


def tasks_of(*atoms: Any) -> list[ArtifactSnapshot]:
    return items_of(Play().given(atoms).ends(), "task")


@pytest.mark.parametrize(
    ("step", "title", "repeats"),
    [
        ("Renew the certificate of the gate", "Renew the certificate of the gate", True),
        ("renew the certificates of the gate.", "Renew the certificate of the gate", True),
        ("Implement: renew the certificate of the gate", "Renew the certificate: gate", True),
        ("Task: gate certificate renew", "Renew the certificate of the gate", True),
        ("…", "Renew the certificate of the gate", True),
        ("Use the key of the depot", "Renew the certificate of the gate", False),
        ("Renew the certificate of the gate with the key of the depot", "Renew it", False),
        ("Redis", "Keep pages in Redis", False),
        ("证书更新", "Renew the certificate", False),
        ("Zertifikat des Tors erneuern", "Das Zertifikat des Tors erneuern", False),
    ],
)
def test_a_title_again_is_no_step(step: str, title: str, repeats: bool):
    assert repeats_title(step, title) == repeats


@pytest.mark.parametrize("text", ["", " ", "\x00", "]" * 5000, "by " * 5000, "🚚" * 2000])
def test_any_text_can_be_looked_at(text: str):
    assert isinstance(repeats_title(text, text), bool)
    assert isinstance(adds_to_title(text, text), bool)
    assert ask_how(text).endswith("yet.")
    assert isinstance(split_means(text), str)


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        ("Move the crates to the depot using the ferry", "Move the crates to the depot"),
        ("Reduce queues at the gate by opening a second lane", "Reduce queues at the gate"),
        ("Send the bill via the portal of the customs", "Send the bill"),
        ("Pay the bill by Friday", ""),
        ("Look through", ""),
        ("Using the ferry", ""),
        ("Open a second lane", ""),
    ],
)  # fmt: skip
def test_what_an_order_says_of_its_means_is_told_from_what_is_to_be_done(sentence: str, what: str):
    assert split_means(sentence) == what


def test_an_order_that_nothing_explains_asks_how():
    (task,) = tasks_of(ORDER)

    assert task_of(task).solutions == [
        "Open question: how to store the photos of broken seals after the audit?"
        " Nothing in the ledger says it yet."
    ]
    assert f"[[{ORDER.atom_id}]]" in task.rendered_markdown
    assert task.artifact_state == "draft"


def test_an_order_is_done_as_another_source_has_decided():
    (task,) = tasks_of(ORDER, DECIDED)

    assert task_of(task).solutions == [f"{DECIDED.title}."]
    assert f"[[{DECIDED.atom_id}]]" in task.rendered_markdown
    assert task.artifact_state == "stable"


def test_an_order_with_its_means_has_them_as_its_approach():
    order = an_atom(
        "action_item",
        "Store the photos of broken seals using the tape robot of the harbour",
        source="src_list",
        attributes={"origin": "plan"},
    )

    (task,) = tasks_of(order)

    assert task.title == "Store the photos of broken seals"
    assert task_of(task).solutions == [f"{order.title}."]


def test_what_only_says_the_title_again_is_no_approach():
    again = an_atom(
        "decision",
        "Photos of broken seals: store after audit",
        source="src_list",
        area="operations",
    )

    (task,) = tasks_of(ORDER, again)

    assert task_of(task).solutions[0].startswith("Open question: how")


@pytest.fixture
def play() -> Play:
    play = Play().given((*PLANNED_FEATURE, *ENOUGH))
    play.ends()
    return play


def create(play: Play, title: str, *steps: str) -> ArtifactChanged:
    lines = [EditedStatement(text=one) for one in steps]
    sections = [SectionEdit(section_id="solutions", statements=lines)] if steps else []
    return change(play, "create", OWN, task=ToldTask(title=title), sections=sections)


def test_a_person_cannot_put_the_title_as_the_approach(play: Play):
    title = "Renew the certificate of the gate"

    refused = create(play, title, "Renew the certificate of the gate.")
    accepted = create(play, title, title, "Ask the customs for a new key")

    assert (refusal_of(refused), refused.items) == ("no_solutions", [])
    assert refusal_of(accepted) is None
    (task,) = items_of(accepted, "task")[-1:]
    renamed = change(play, "update", task, sections=[
        SectionEdit(section_id="solutions", statements=[EditedStatement(text=f"Do: {title}")])
    ])  # fmt: skip
    assert refusal_of(renamed) == "no_solutions"


def test_a_task_without_an_approach_has_what_the_ledger_says_of_it(play: Play):
    create(play, "Sign the seals of the depot")

    (task,) = [one for one in standing(play, "task") if one.artifact_id == OWN]
    (section,) = [one for one in task.sections if one.section_id == "solutions"]
    assert section.statements[0].text == "Every seal must carry a signature of the depot."
    assert section.statements[0].citations
    assert section.statements[0].written_by is None


def test_a_task_of_which_the_ledger_says_nothing_has_an_open_question(play: Play):
    create(play, "Paint the lighthouse blue")

    (task,) = [one for one in standing(play, "task") if one.artifact_id == OWN]
    assert said(task, "solutions") == [
        "Open question: how is this done? Nothing in the ledger says it yet."
    ]
    assert (task_of(task).solutions, task.artifact_state) == (said(task, "solutions"), "draft")


def test_a_line_that_was_found_goes_when_its_atom_is_withdrawn(play: Play):
    rule = a_requirement("The lighthouse must be painted with paint that is safe for gulls")
    play.given((rule,)).ends()
    create(play, "Get the lighthouse painted")
    found = task_of(next(one for one in standing(play, "task") if one.artifact_id == OWN))

    play.given((rule.model_copy(update={"status": "obsolete", "revision": 2}),)).ends()

    left = task_of(next(one for one in standing(play, "task") if one.artifact_id == OWN))
    assert found.solutions == [f"{rule.title}."]
    assert left.solutions[0].startswith("Open question: how")
