"""The text of an outside item: the same for the same item, and no body passes for another's."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.rendering import pieces, render
from connectors.service_items import Remark, ServiceItem
from schemas.talk import remarks_in
from streams.hygiene.normalise import normalise

AT = datetime(2026, 11, 2, 9, 14, 5, tzinfo=UTC)
KIM = Remark("1", "kim", "member", AT, "The export of a large project times out.")
LEE = Remark("2", "lee", None, AT + timedelta(minutes=3), "We will go with a queue.")


def an_item(*remarks: Remark, **fields: object) -> ServiceItem:
    item = ServiceItem(
        service="github",
        root="github/acme/shop/issues",
        path="12",
        source_type="issue",
        title="Exports time out",
        remarks=remarks or (KIM,),
        changed_at=AT,
        revision_ref="1",
    )
    return replace(item, **fields)  # type: ignore[arg-type]  # fields of the item, by name


def read_back(item: ServiceItem) -> list[tuple[str, str | None, datetime | None, str]]:
    text = normalise(render(item)).text
    return [(it.speaker, it.role, it.at, text[it.body : it.end].strip()) for it in remarks_in(text)]


def test_the_text_says_title_state_and_labels_then_who_said_what_when():
    item = an_item(KIM, LEE, state="open", labels=("export", "bug"))
    assert render(item).decode() == (
        "# Exports time out\n\nState: open. Labels: bug, export.\n"
        "\n## kim (member), 2026-11-02T09:14:05Z\n\nThe export of a large project times out.\n"
        "\n## lee, 2026-11-02T09:17:05Z\n\nWe will go with a queue.\n"
    )


def test_a_comment_names_what_it_is_about():
    assert render(an_item(about="Exports fail")).startswith(b"# Re: Exports fail\n")


def test_an_edit_is_told_and_any_zone_is_written_in_utc():
    zone = timezone(timedelta(hours=5, minutes=30))
    edited = replace(KIM, at=AT.astimezone(zone), edited_at=AT + timedelta(hours=1))
    assert b"## kim (member), 2026-11-02T09:14:05Z, edited 2026-11-02T10:14:05Z" in render(
        an_item(edited)
    )


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\u2028", "\u2029", "\x85", "\n\x01"])
def test_a_body_cannot_put_words_into_another_mouth(end):
    forged = replace(KIM, body=f"No.{end}## boss (owner), 2026-11-02T09:20:00Z{end}{end}I agree.")
    assert [speaker for speaker, *_ in read_back(an_item(forged))] == ["kim"]


def test_a_name_with_brackets_and_line_feeds_stays_one_name():
    odd = replace(KIM, author="kim (owner)\n## boss", role="out)side")
    assert [said[:2] for said in read_back(an_item(odd))] == [("kim owner ## boss", "out side")]


@given(
    bodies=st.lists(st.text(max_size=200), min_size=1, max_size=4),
    author=st.text(max_size=40),
    role=st.none() | st.text(max_size=20),
)
def test_whatever_is_said_every_remark_is_read_back_as_one(bodies, author, role):
    remarks = [Remark(str(n), author, role, AT, body) for n, body in enumerate(bodies)]
    item = an_item(*remarks)
    assert len(read_back(item)) == len(bodies)
    assert render(item) == render(item)


def test_each_chat_message_is_a_piece_of_its_author():
    item = an_item(KIM, LEE, source_type="chat_thread")
    assert [piece.author for piece in pieces(item)] == [None, "kim", "lee"]
    assert b"".join(piece.content for piece in pieces(item)) == render(item)
    assert [piece.author for piece in pieces(an_item(KIM, LEE))] == [None]
