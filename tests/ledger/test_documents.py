"""What a document replaces, as it alone says, holds no more, whichever was read first."""

from __future__ import annotations

import pytest

from schemas.events.atom import DocumentFacts
from schemas.events.ingestion import SourceChange
from tests.ledger.story import Chunk, Story, a_row, a_run, judged, story

OLD, NEW = "We move parcels with carts", "We move parcels on lanes"
OLD_PATH, NEW_PATH = "docs/adr/0003-use-carts.md", "docs/adr/0009-use-lanes.md"


def older(path: str = OLD_PATH, title: str = "ADR 3: Use carts", at: int = 0) -> Chunk:
    said = judged(OLD, kind="decision", rows=[a_row(OLD + " today.", at), a_row(OLD + " a.", 900)])
    return Chunk("c_old", [said], "src_old", document=DocumentFacts(path=path, title=title))


def newer(*supersedes: str, payload: str = "h1", path: str = NEW_PATH) -> Chunk:
    said = judged(NEW, kind="decision", rows=[a_row(NEW + " today.", 0), a_row(NEW + " b.", 900)])
    facts = DocumentFacts(path=path, title="ADR 9: Use lanes", supersedes=list(supersedes))
    return Chunk(f"c_{payload}", [said], "src_new", payload, document=facts)


def outcome(told: Story, title: str = OLD) -> tuple[str, str]:
    atom = told.atom(title)
    return atom.status, atom.status_reason


@pytest.mark.parametrize(
    "name",
    [
        "ADR-0003",
        "ADR 3",
        "adr-3",
        "3",
        "#3",
        "decision 3",
        OLD_PATH,
        "0003-use-carts.md",
        "Use carts",
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_named_document_is_superseded_whichever_is_read_first(name: str, is_first: bool) -> None:
    chunks = [newer(name), older()] if is_first else [older(), newer(name)]
    told = story(a_run(*chunks))
    assert outcome(told) == ("superseded", "document_replaced")
    assert told.atom(OLD).superseded_by == told.atom(NEW).atom_id
    assert told.atom(NEW).status == "active"
    apart = story(a_run(chunks[0]), a_run(chunks[1], trigger="t2"))
    assert outcome(apart) == ("superseded", "document_replaced")


def test_reading_both_again_changes_nothing() -> None:
    told = story(a_run(older(), newer("ADR 3")))
    again = a_run(older(), newer("ADR 3"), trigger="t2")
    told.given(again)
    assert outcome(told) == ("superseded", "document_replaced")
    assert told.atom(NEW).status == "active"


def test_what_a_document_says_no_more_comes_back() -> None:
    told = story(a_run(older(), newer("ADR 3")))
    change = SourceChange(kind="revised", source_id="src_new", old_hash="h1", new_hash="h2")
    told.given(a_run(newer(payload="h2"), trigger="t2", changes=[change]))
    assert outcome(told) == ("active", "document_holds")
    assert told.atom(OLD).superseded_by is None


def test_a_document_that_is_removed_replaces_nothing() -> None:
    told = story(a_run(older(), newer("ADR 3")))
    gone = SourceChange(kind="removed", source_id="src_new", old_hash="h1")
    told.given(a_run(trigger="t2", removals=[gone]))
    assert outcome(told) == ("active", "document_holds")


@pytest.mark.parametrize("name", ["ADR 4", "RFC 3", "Use carts at night", "docs/rfc/0003-x.md"])
def test_a_name_of_another_document_replaces_nothing(name: str) -> None:
    assert story(a_run(older(), newer(name))).atom(OLD).status == "active"


def test_of_two_documents_with_the_number_the_one_in_the_same_folder_is_meant() -> None:
    other = Chunk("c_x", (), "src_x", document=DocumentFacts(path="api/adr/0003-keys.md"))
    assert outcome(story(a_run(other, older(), newer("ADR 3"))))[0] == "superseded"
    far = newer("ADR 3", path="web/adr/0009-use-lanes.md")
    assert outcome(story(a_run(other, older(), far)))[0] == "active"


def test_what_another_document_says_too_still_holds() -> None:
    said = judged(OLD, kind="decision", rows=[a_row(OLD + " for ever.", 0)])
    kept = Chunk("c_k", [said], "src_k", document=DocumentFacts(path="docs/guide.md"))
    assert story(a_run(older(), kept, newer("ADR 3"))).atom(OLD).status == "active"


def test_of_two_that_replace_each_other_one_holds() -> None:
    mutual = older()
    facts = mutual.document.model_copy(update={"supersedes": ["ADR 9"]})  # type: ignore[union-attr]
    told = story(a_run(Chunk("c_old", mutual.accepted, "src_old", document=facts), newer("ADR 3")))
    assert sorted(told.atom(it).status for it in (OLD, NEW)) == ["active", "superseded"]


def test_the_log_folds_to_the_same_state() -> None:
    told = story(a_run(older(), newer("ADR 3")))
    for own_first in (True, False):
        told.refold(own_first)
        assert outcome(told) == ("superseded", "document_replaced")
        assert told.state.documents.get("prj_test|src_new")
