"""Talk: who said what is part of the evidence, and what nobody said is no statement."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from agents.offline.reader import extract
from connectors.rendering import render
from connectors.service_items import Remark, ServiceItem
from schemas.events.atom import Candidate
from schemas.events.hygiene import ChunkCreated
from schemas.events.source import SourceInfo, SourceType
from streams.hygiene.stage import clean

AT = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


def by(speaker: str, body: str, role: str | None = None, minute: int = 0) -> Remark:
    return Remark(str(minute), speaker, role, AT + timedelta(minutes=minute), body)


def chunks_of(
    *remarks: Remark,
    kind: SourceType = "comment",
    title: str = "Exports time out",
    labels: tuple[str, ...] = (),
) -> list[ChunkCreated]:
    item = ServiceItem(
        "github", "github/a/b/issues", "12", kind, title, remarks, AT, "1", labels=labels
    )
    source = SourceInfo(
        source_id="src_1",
        connector="github",
        root=item.root,
        external_ref=f"{item.root}@12",
        path="12",
        title=title,
        source_type=kind,
        priority_tier=3,
    )
    return list(clean(source, render(item)).chunks)


def read(
    *remarks: Remark, kind: SourceType = "comment", title: str = "Exports time out"
) -> list[Candidate]:
    return [
        candidate
        for chunk in chunks_of(*remarks, kind=kind, title=title)
        for candidate in extract(chunk)
    ]


def told(body: str, kind: SourceType = "comment") -> list[tuple[str, str]]:
    return [(it.kind, it.title) for it in read(by("kim", body), kind=kind)]


def test_speaker_role_and_time_are_part_of_the_evidence():
    (decision,) = read(by("kim", "Let's go with a queue for the exports.", "member", 7))
    (row,) = decision.evidence
    assert (row.speaker, row.speaker_role) == ("kim", "member")
    assert row.stated_at == AT + timedelta(minutes=7)
    assert row.snippet == "Let's go with a queue for the exports."


def test_a_part_of_a_long_remark_still_says_who_speaks():
    filler = "\n\n".join(f"The exporter writes part {n} of the file to disk." for n in range(400))
    candidates = read(by("kim", f"{filler}\n\nLet's go with a queue for the exports."))
    assert {row.speaker for it in candidates for row in it.evidence} == {"kim"}
    assert any(it.kind == "decision" for it in candidates)


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("OK, let's go with a queue for exports.", "We will go with a queue for exports"),
        ("We will go with PostgreSQL here.", "We will go with PostgreSQL here"),
        ("Let's keep the old endpoint until March.", "We will keep the old endpoint until March"),
        ("LGTM after the retry limit is configurable.",
         "Approved once the retry limit is configurable"),
        ("Closing as duplicate of the export epic.",
         "Exports time out is closed as duplicate of the export epic"),
        ("We won't support Windows 7 any more.", "We won't support Windows 7 any more"),
        ("I decided to keep the parser in a module.", "We decided to keep the parser in a module"),
        ("We moved the reports to PostgreSQL.", "We moved the reports to PostgreSQL"),
        ("To save time, we plan to drop 32-bit builds.", "We plan to drop 32-bit builds"),
        ("I think the consensus was to drop old browsers.",
         "The consensus is to drop old browsers"),
    ],
)  # fmt: skip
def test_decisions_taken_in_passing(said: str, title: str):
    assert ("decision", title) in told(said)


@pytest.mark.parametrize(
    "said", ["Let's go with that then.", "Let's see how the exports do.", "LGTM", "Let's do it!"]
)
def test_what_names_nothing_decides_nothing(said: str):
    assert told(said) == []


@pytest.mark.parametrize(
    ("said", "owner", "task", "due"),
    [
        ("I'll add a test for the retry limit by Friday.", "kim",
         "Add a test for the retry limit by Friday", "Friday"),
        ("@lee can you please move the parser to its own module?", "lee",
         "Move the parser to its own module", None),
        ("@[PERSON:p_ab12] please update the release notes.", "[PERSON:p_ab12]",
         "Update the release notes", None),
    ],
)  # fmt: skip
def test_tasks_have_their_owner(said: str, owner: str, task: str, due: str | None):
    (item,) = read(by("kim", said))
    assert (item.kind, item.title) == ("action_item", task)
    assert item.attributes.get("owner_hint") == owner
    assert item.attributes.get("due_hint") == due


def test_what_a_ticket_wants_for_somebody_is_a_requirement():
    said = "Allow users to edit notes while they are offline."
    assert told(said, kind="issue") == [("requirement", said.rstrip("."))]
    assert told(said, kind="comment") == []


@pytest.mark.parametrize(
    ("asked", "is_open"),
    [
        ("Which tool should be used to document system tests?", True),
        ("How does the exporter know which parts were uploaded?", True),
        ("Which version are you on?", False),
        ("How can I configure the exporter of my project?", False),
        ("Does this work?", False),
    ],
)
def test_questions_about_the_project_are_open_and_those_to_a_person_are_none(
    asked: str, is_open: bool
):
    assert told(asked) == ([("unknown", asked)] if is_open else [])


def test_what_a_reviewer_asks_for_is_a_task_and_what_a_helper_asks_for_is_none():
    asked = "Please rename the retry option to attempts."
    assert told(asked, kind="review_comment") == [
        ("action_item", "Rename the retry option to attempts")
    ]
    assert told("Please also add the date of the release.", kind="review_comment") == [
        ("action_item", "Add the date of the release")
    ]
    assert told("Please use the search before opening an issue.") == []


@pytest.mark.parametrize(
    "said",
    [
        "> Let's go with a queue for the exports.",
        "On Mon, 2 Nov 2026, Lee wrote:\n> The exporter must retry three times.",
        'From the docs:\n"""\nThe exporter must retry three times.\n\nUse a queue.\n"""',
        "They say:\n'''\nThe exporter must retry three times.\n'''",
        "Thanks!\n\n-- \nKim Larsen\nThe exporter must retry three times.",
        "Regards,\nKim",
        "- [ ] I have read the contributing guidelines\n- [ ] Tests added",
        "**Is your feature request related to a problem? Please describe.**",
        "<!-- The exporter must retry three times. -->",
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in run\n    must_work()\n"
        "ValueError: the exporter must have a target",
        "java.lang.IllegalStateException: the exporter must have a target\n"
        "    at com.example.Export.run(Export.java:12)",
        "2026-11-02 09:00:01 ERROR the exporter must have a target",
        "```\nthe exporter must retry three times.\n```",
        "Any update on this?",
        "Can you share your configuration of the exporter?",
        "Signed-off-by: Kim <kim@example.com>",
        "/lgtm\n/approve",
    ],
)  # fmt: skip
def test_what_its_speaker_does_not_state_is_no_atom(said: str):
    assert told(said) == []


@pytest.mark.parametrize("speaker", ["dependabot[bot]", "codecov", "k8s-ci-robot"])
def test_machines_state_nothing(speaker: str):
    assert read(by(speaker, "The exporter must retry three times.")) == []
    assert read(by("kim", "The exporter must retry three times.", "bot")) == []


def test_a_template_with_boxes_is_no_task_list_and_a_task_list_is():
    assert told("- [ ] Move the parser to its own module\n- [x] Remove the old endpoint") == [
        ("action_item", "Move the parser to its own module")
    ]


def test_an_answered_question_is_named_by_its_answer():
    question = by("kim", "Should the exporter retry failed uploads or give up at once?")
    answer = by("lee", "We will retry failed uploads three times in the exporter.", minute=4)
    asked, answered = read(question, answer, kind="chat_thread")
    assert (asked.kind, answered.relations[0].link_type) == ("unknown", "supersedes")
    assert answered.relations[0].to == asked.candidate_id


def test_who_asks_does_not_answer():
    question = "Should the exporter retry failed uploads or give up at once?"
    more = by("kim", "The exporter must log failed uploads at once.", minute=1)
    assert not [it for it in read(by("kim", question), more, kind="chat_thread") if it.relations]


def test_a_ticket_without_its_head_is_one_record_each_remark():
    words = by("kim", "First words of all."), by("lee", "Second words.", minute=50)
    chunks = chunks_of(*words, labels=("export",))
    assert [chunk.skip_reason for chunk in chunks] == ["boilerplate", None, None]
    assert [chunk.structure_path for chunk in chunks][1:] == [
        ["Exports time out", "kim, 2026-11-02T09:00:00Z"],
        ["Exports time out", "lee, 2026-11-02T09:50:00Z"],
    ]


def test_a_thread_is_cut_at_long_pauses():
    minutes = [0, 10, 35, 70, 71]
    thread = [by("kim", f"Words of minute {minute}.", minute=minute) for minute in minutes]
    chunks = chunks_of(*thread, kind="chat_thread")
    assert [chunk.text_payload.count("Words of") for chunk in chunks] == [0, 3, 2]


def test_a_label_more_leaves_what_was_said_as_it_was():
    said = by("kim", "The exporter must retry three times.")
    before, after = chunks_of(said), chunks_of(said, labels=("export",))
    assert before[0].text_hash != after[0].text_hash
    assert [chunk.text_hash for chunk in before[1:]] == [chunk.text_hash for chunk in after[1:]]
