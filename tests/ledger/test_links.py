"""All five types of links come about in one small project; no other type does."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from schemas.events.atom import Judged, Relation
from schemas.events.ingestion import SourceChange
from tests.ledger.story import Chunk, Story, a_row, a_run, judged, story

HASHED = "The tracker must store hashes of its passwords only"
NO_CLEAR_TEXT = "The backup must not hold any password in clear text"
KEPT = "The ledger must be kept in PostgreSQL"
SURVIVES = "The ledger must survive the loss of a depot"


def said(title: str, *spans: tuple[str, int], **fields) -> Judged:
    return judged(title, rows=[a_row(text, start) for text, start in spans], **fields)


def a_passage() -> Chunk:
    """«KEPT. SURVIVES.» and «HASHED. Therefore NO_CLEAR_TEXT.»: a reason and a conclusion."""
    reason = len(KEPT) + 2
    therefore = 500 + len(HASHED) + 2
    return Chunk(
        "c1",
        [
            said(KEPT, (KEPT, 0), (SURVIVES, reason), kind="decision"),
            said(SURVIVES, (SURVIVES, reason), kind="requirement"),
            said(HASHED, (HASHED, 500), kind="requirement"),
            said(NO_CLEAR_TEXT, ("Therefore the backup must not hold", therefore)),
        ],
    )


def linked(told: Story) -> set[tuple[str, str, str]]:
    titles = {atom.atom_id: atom.title for atom in told.view.atoms.values()}
    return {
        (titles[link.from_atom_id], link.link_type, titles[link.to_atom_id])
        for link in told.view.links.values()
        if link.active
    }


def test_all_five_types_of_links_come_about_in_one_project():
    limit = "The gateway must answer each scan request of a depot within {} ms"
    weekend = "The depot stores every invoice of {} parcel in the billing archive for one year"
    told = story(
        a_run(
            a_passage(),
            Chunk("c2", [judged(limit.format(200))], source_id="src_b"),
            Chunk("c3", [judged(weekend.format("a"))], source_id="src_c"),
            Chunk("c4", [judged(weekend.format("the"))], source_id="src_d"),
            Chunk("c5", [judged("Auth uses JWT tokens", confidence=0.95)], source_id="src_e"),
            Chunk("c6", [judged("Auth uses session cookies", confidence=0.87)], source_id="src_f"),
        ),
        a_run(
            Chunk("c7", [judged(limit.format(300))], source_id="src_b", sanitized_hash="h2"),
            changes=[SourceChange(kind="revised", source_id="src_b", new_hash="h2")],
            trigger="t2",
        ),
    )
    links = linked(told)
    assert (SURVIVES, "supports", KEPT) in links
    assert (NO_CLEAR_TEXT, "derived_from", HASHED) in links
    assert (limit.format(300), "supersedes", limit.format(200)) in links
    assert {kind for _, kind, _ in links} == {
        "supports",
        "contradicts",
        "duplicates",
        "supersedes",
        "derived_from",
    }
    assert len(links) == 5


def test_a_passage_read_again_links_nothing_twice_and_raises_no_confidence():
    told = story(a_run(a_passage()))
    before = told.atom(KEPT).confidence
    told.given(a_run(a_passage(), trigger="t2"))
    assert len(told.ops("link_added")) == len(told.view.links) == 2
    assert told.atom(KEPT).confidence == before == 0.75


def test_sentences_that_only_stand_in_one_chunk_are_not_linked():
    apart = [
        said(KEPT, (KEPT, 0), (SURVIVES, 300), kind="decision"),
        said(SURVIVES, (SURVIVES, 300)),
        said(HASHED, (HASHED, 500)),
        said(NO_CLEAR_TEXT, ("Therefore the backup must not hold", 700)),
        said("Thuswise is a depot of ours", ("Thuswise is a depot of ours.", 735)),
    ]
    assert linked(story(a_run(Chunk("c1", apart)))) == set()


def test_a_link_of_another_type_is_no_link():
    with pytest.raises(ValidationError):
        Relation.model_validate({"to": "atm_1", "link_type": "blocks"})


@pytest.mark.parametrize("link_type", ["contradicts", "duplicates", "supersedes"])
def test_what_the_ledger_has_to_find_is_not_taken_on_a_hint(link_type: str):
    told = story(a_run(Chunk("c1", [judged(HASHED)])))
    hint = [{"to": told.atom(HASHED).atom_id, "link_type": link_type}]
    told.given(a_run(Chunk("c2", [judged(KEPT, relations=hint)]), trigger="t2"))
    assert linked(told) == set()
    assert [change.reason for change in told.ops("link_removed")] == ["refused_not_by_hint"]


def test_a_link_on_the_word_of_a_model_says_so():
    told = story(a_run(Chunk("c1", [judged(HASHED)])))
    hint = [{"to": told.atom(HASHED).atom_id, "link_type": "derived_from"}]
    read = Chunk("c2", [judged(NO_CLEAR_TEXT, relations=hint)], engine="model")
    told.given(a_run(read, trigger="t2"))
    (link,) = told.view.links.values()
    assert (link.link_type, link.created_by) == ("derived_from", "model")
