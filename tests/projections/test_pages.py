"""Lists come in pages: whole, in order, without repeats, by indexes."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from infra.platform.errors import Refusal
from projections.fold import PROJECTED_TOPICS
from projections.read.artifacts import list_items
from projections.read.atom_neighbours import find_neighbours
from projections.read.atoms import Order, list_atoms, list_atoms_as_of, read_head
from projections.read.contradictions import list_contradiction_pairs, list_contradictions
from projections.read.merges import list_merges
from projections.read.page import LARGEST_PAGE, Page, take
from projections.read.rejections import list_rejections
from projections.read.runs import list_runs
from schemas.events.ledger import AtomRecord
from schemas.worth import worth
from tests.projections.builders import PROJECT as STORY
from tests.projections.conftest import ReadModel
from tests.projections.log import a_whole_story
from tests.projections.parcel_log import records
from tests.projections.test_folding import projected
from tests.worlds import PROJECT

Ask = Callable[..., Page[Any]]


@pytest.fixture
def ledger(model: ReadModel) -> ReadModel:
    return model.fold(records(frozenset(PROJECTED_TOPICS)))


def in_pages(ask: Ask, limit: int) -> list[Any]:
    page = ask(limit=limit)
    found = [*page.items]
    while page.next_cursor:
        assert len(page.items) == limit
        page = ask(cursor=page.next_cursor, limit=limit)
        assert page.items
        found += page.items
    return found


@pytest.mark.parametrize(
    "ask", [list_contradiction_pairs, list_contradictions, list_merges, list_rejections]
)
def test_pages_are_the_whole_list_in_its_order(ledger: ReadModel, ask: Ask):
    asked = partial(ask, ledger.connection, PROJECT)
    if ask in (list_contradiction_pairs, list_contradictions):
        asked = partial(asked, None)
    whole = asked().items
    assert in_pages(asked, 2) == whole
    assert list(take(asked)) == whole


def test_a_list_is_read_from_its_end_with_cursors_of_its_own(ledger: ReadModel):
    asked = partial(list_runs, ledger.connection, PROJECT)
    whole = asked().items
    assert len(whole) > 1
    assert in_pages(partial(asked, newest_first=True), 1) == whole[::-1]
    forwards = asked(limit=1).next_cursor
    with pytest.raises(Refusal, match="no cursor of this list"):
        asked(newest_first=True, cursor=forwards)


@pytest.mark.parametrize("kind", ["feature", "insight", "epic"])
def test_items_come_in_pages(ledger: ReadModel, kind: str):
    asked = partial(list_items, ledger.connection, PROJECT, kind)
    assert in_pages(asked, 2) == asked().items


@pytest.mark.parametrize("order", ["worth", "age"])
def test_atoms_come_in_pages_now_and_as_of(ledger: ReadModel, order: Order):
    now = partial(list_atoms, ledger.connection, PROJECT, order=order, status="all")
    whole = in_pages(now, 7)
    assert len(whole) == len({atom.atom_id for atom in whole}) > 14
    assert [atom.atom_id for atom in take(now)] == [atom.atom_id for atom in whole]
    past = partial(
        list_atoms_as_of, ledger.connection, PROJECT, read_head(ledger.connection, PROJECT)
    )
    as_of = in_pages(partial(past, order=order, status="all"), 7)
    assert [atom.atom_id for atom in as_of] == [atom.atom_id for atom in whole]


def test_atoms_are_filtered_by_their_confidence(ledger: ReadModel):
    whole = list(take(partial(list_atoms, ledger.connection, PROJECT)))
    least = sorted(atom.confidence for atom in whole)[len(whole) // 2]
    sure = list(take(partial(list_atoms, ledger.connection, PROJECT, min_confidence=least)))
    assert sure == [atom for atom in whole if atom.confidence >= least] != whole


@pytest.mark.parametrize("order", ["worth", "age"])
def test_neighbours_are_those_of_the_list(ledger: ReadModel, order: Order):
    """Also of an atom that is in it no longer."""
    beside = partial(find_neighbours, ledger.connection, PROJECT, order=order, kind="requirement")
    listed = list_atoms(ledger.connection, PROJECT, order=order, kind="requirement").items
    ids = [atom.atom_id for atom in listed]
    assert len(ids) > 2
    found = [beside(each) for each in ids]
    assert [it.previous for it in found] == [None, *ids[:-1]]
    assert [it.following for it in found] == [*ids[1:], None]
    ledger.connection.execute(
        "UPDATE ledger_atoms SET status = 'dismissed' WHERE atom_id = %s", (ids[1],)
    )
    assert beside(ids[1]) == found[1]
    assert beside(ids[0]).following == ids[2]
    nowhere = beside("atm_none")
    assert (nowhere.previous, nowhere.following) == (None, None)


def test_the_order_is_that_of_worth_then_age(ledger: ReadModel):
    found = list(take(partial(list_atoms, ledger.connection, PROJECT)))
    assert found == sorted(found, key=lambda atom: (-worth(atom), atom.first_seq, atom.atom_id))


def test_every_record_has_the_worth_of_what_it_says(ledger: ReadModel):
    for record, stored in ledger.rows("SELECT record, worth FROM ledger_atom_history"):
        assert stored == worth(AtomRecord.model_validate(record))
    differing = ledger.value(
        "SELECT count(*) FROM ledger_atoms a JOIN (SELECT DISTINCT ON (atom_id) atom_id, worth"
        " FROM ledger_atom_history ORDER BY atom_id, ledger_seq DESC) h USING (atom_id)"
        " WHERE a.worth <> h.worth"
    )
    assert differing == 0


def test_as_many_are_taken_as_were_asked_for(ledger: ReadModel):
    now = partial(list_atoms, ledger.connection, PROJECT)
    assert list(take(now, 3)) == now(limit=3).items


def test_an_atom_that_comes_meanwhile_neither_repeats_nor_hides_another(ledger: ReadModel):
    now = partial(list_atoms, ledger.connection, PROJECT)
    first = now(limit=3)
    others = [atom.atom_id for atom in take(now)][3:]
    ledger.connection.execute(
        "UPDATE ledger_atoms SET worth = 9 WHERE atom_id = %s", (others.pop(),)
    )
    following = in_pages(partial(now, cursor=first.next_cursor), LARGEST_PAGE)
    assert [atom.atom_id for atom in following] == others


def cursor_of(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "nonsense",
        "é",
        cursor_of(7),
        cursor_of([]),
        cursor_of(["atoms/worth", "1", "1"]),
        cursor_of(["atoms/worth", 1.0, 1, "atm_1"]),
        cursor_of(["atoms/worth", "heavy", "1", "atm_1"]),
        cursor_of(["atoms/worth", "1", "1e99", "atm_1"]),
        cursor_of(["atoms/worth", "1", "1", "\0"]),
        cursor_of(["atoms/age", "1", "atm_1"]),
    ],
)
def test_a_cursor_that_is_none_is_refused(model: ReadModel, cursor: str):
    with pytest.raises(Refusal, match="no cursor of this list"):
        list_atoms(model.connection, STORY, cursor=cursor)


@pytest.mark.parametrize("limit", [0, -1, LARGEST_PAGE + 1])
def test_a_page_of_no_size_or_of_any_is_refused(model: ReadModel, limit: int):
    with pytest.raises(Refusal, match="A page has 1 to"):
        list_atoms(model.connection, STORY, limit=limit)


def test_a_refusal_that_waits_for_its_source_is_in_the_list(model: ReadModel):
    model.fold(projected(a_whole_story()))
    model.connection.execute("DELETE FROM sources")
    (refused,) = list_rejections(model.connection, STORY).items
    assert refused.path is None
