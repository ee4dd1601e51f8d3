"""Consultations and brainstorms in the tables."""

from __future__ import annotations

from datetime import timedelta

import pytest

from infra.platform.errors import NotFound
from projections.read import development_talk as read
from schemas.envelope import SERVICE_WIDE, Envelope, Event, outside_fact
from schemas.events.development_talk import (
    BrainstormDesignWritten,
    BrainstormHandedOff,
    BrainstormMessageAdded,
    BrainstormRole,
    ConsultationCompleted,
)
from tests.projections.builders import START
from tests.projections.conftest import ReadModel
from tests.projections.log import PERSON, Log

SESSION = "brn_1"


def a_fact(event: Event, minutes: int = 0) -> Envelope:
    at = START + timedelta(minutes=minutes)
    return outside_fact(event, project_id=SERVICE_WIDE, occurred_at=at, actor=PERSON)


def consultation(consultation_id: str, minutes: int = 0) -> Envelope:
    event = ConsultationCompleted(
        consultation_id=consultation_id,
        asked_by="ana",
        problem="It hangs\0.",
        context_files=["src/app.py"],
        advice="Close the file.",
        model="openai/large",
        input_tokens=100,
        output_tokens=20,
    )
    return a_fact(event, minutes)


def message(
    role: BrainstormRole,
    text: str,
    number: int = 1,
    key: str = "k1",
    minutes: int = 0,
    title: str = "",
    session: str = SESSION,
) -> Envelope:
    event = BrainstormMessageAdded(
        brainstorm_id=session,
        request_key=key,
        number=number,
        role=role,
        text=text,
        title=title,
        author="ana" if role == "person" else "",
    )
    return a_fact(event, minutes)


def design(markdown: str, number: int, key: str) -> Envelope:
    event = BrainstormDesignWritten(
        brainstorm_id=SESSION,
        request_key=key,
        number=number,
        file_name="design.md",
        markdown=markdown,
        design_hash=f"hash of {markdown}",
    )
    return a_fact(event, number)


def folded(model: ReadModel, *facts: Envelope, times: int = 1) -> ReadModel:
    log = Log()
    for fact in facts:
        for _ in range(times):
            log.write(fact)
    return model.fold(log.records)


def test_consultations_come_newest_first_a_page_at_a_time(model: ReadModel):
    folded(model, *(consultation(f"cst_{number}", number) for number in range(3)), times=2)
    page = read.list_consultations(model.connection, limit=2)
    assert [it.id for it in page.items] == ["cst_2", "cst_1"]
    assert page.items[0].tokens == 120
    assert page.items[0].problem == "It hangs\ufffd."
    rest = read.list_consultations(model.connection, cursor=page.next_cursor, limit=2)
    assert [it.id for it in rest.items] == ["cst_0"]
    assert rest.next_cursor is None
    assert read.find_consultation(model.connection, "cst_9") is None


def test_messages_stand_in_their_order_with_questions_that_were_not_answered(model: ReadModel):
    folded(
        model,
        message("person", "An idea", title="An idea"),
        message("brainstormer", "For whom?", minutes=1),
        message("person", "For all", 2, "k2", 2),
        message("person", "For shops", 2, "k3", 3),
        message("brainstormer", "Good.", 2, "k3", 4),
        message("person", "Another", 1, "k4", 5, title="Another", session="brn_2"),
    )
    lines = read.list_messages(model.connection, SESSION)
    assert [(it.number, it.text) for it in lines] == [
        (1, "An idea"),
        (1, "For whom?"),
        (2, "For all"),
        (2, "For shops"),
        (2, "Good."),
    ]
    assert read.list_answered_keys(model.connection, SESSION) == {"k1", "k3"}
    others = read.list_messages(model.connection, SESSION, but_of="k3")
    assert [it.text for it in others] == ["An idea", "For whom?", "For all"]
    page = read.list_brainstorms(model.connection)
    assert [(it.id, it.title, it.messages) for it in page.items] == [
        ("brn_2", "Another", 1),
        (SESSION, "An idea", 5),
    ]


def test_the_last_design_of_a_session_counts_and_is_what_was_handed_off(model: ReadModel):
    handed = BrainstormHandedOff(
        brainstorm_id=SESSION,
        request_key="h1",
        idea="An idea",
        file_name="design.md",
        design="second",
        design_hash="hash of second",
    )
    folded(
        model,
        message("person", "An idea", title="An idea"),
        design("first", 1, "k1"),
        design("second", 2, "k2"),
        a_fact(handed, 9),
    )
    last = read.find_design(model.connection, SESSION)
    assert last and last.markdown == "second"
    before = read.find_design(model.connection, SESSION, but_of="k2")
    assert before and before.markdown == "first"
    (handoff,) = read.list_handoffs(model.connection, SESSION)
    assert (handoff.design, handoff.handed_off_by) == ("second", PERSON.id)
    assert read.find_handoff(model.connection, SESSION, "h1") == handoff
    session = read.read_brainstorm(model.connection, SESSION)
    assert session.design == "design.md"
    assert session.handed_off_at == handoff.created_at


def test_a_session_that_is_not_there_is_not_found(model: ReadModel):
    with pytest.raises(NotFound, match="no brainstorm brn_9"):
        read.read_brainstorm(model.connection, "brn_9")
    assert read.find_design(model.connection, "brn_9") is None
