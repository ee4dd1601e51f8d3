"""Stage 0 says once for each payload what a document is, how it stands, what its headings say."""

from __future__ import annotations

import pytest

from schemas.document_roles.public import DOCUMENT_ROLES, ORIGIN_OF_ROLE, ROLE_NAMES
from schemas.events.hygiene import VERSIONS, DocumentDescribed, SourceProcessed
from schemas.worth import BY_ORIGIN
from streams.hygiene.stage import decide
from tests.hygiene.builders import a_revision, answered, cleaned

TEXT = "# Seals\n\nEach crate has a seal that the gate checks.\n"


def described(path: str, text: str = TEXT) -> DocumentDescribed:
    found = cleaned(text, path).described
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("path", "role", "reason"),
    [
        ("README.md", "overview", "its file name “README.md”"),
        ("docs/vision.md", "overview", "its file name “vision”"),
        ("docs/requirements/seals.md", "requirements", "its folder “requirements”"),
        ("proposals/seals.md", "proposal", "its folder “proposals”"),
        ("docs/adr/0001-seals.md", "decision_record", "its folder “adr”"),
        ("meeting-notes/seals.md", "minutes", "its folder “meeting-notes”"),
        ("user-research/seals.md", "user_research", "its folder “user-research”"),
        ("ROADMAP.md", "roadmap", "its file name “roadmap”"),
        ("docs/getting-started.md", "guide", "its file name “getting-started”"),
        ("docs/cli-reference.md", "reference", "its file name “cli-reference”"),
        ("docs/glossary.md", "glossary", "its file name “glossary”"),
        ("docs/test-plan.md", "test_plan", "its file name “test-plan”"),
        ("CHANGELOG.md", "changelog", "its file name “changelog”"),
        ("docs/ways-of-working/seals.md", "how_we_work", "its folder “ways-of-working”"),
        ("docs/archive/seals.md", "archive", "its folder “archive”"),
        ("docs/seals.md", "overview", "a page in a folder of documents, which no name tells apart"),
        ("seals.md", None, "no name tells it"),
    ],
)
def test_a_document_has_the_role_that_its_names_tell(path: str, role: str | None, reason: str):
    found = described(path)
    assert (found.role, found.role_reason) == (role, reason)


def test_every_role_has_a_name_and_an_origin_that_lists_know():
    assert set(ROLE_NAMES) == set(ORIGIN_OF_ROLE) == set(DOCUMENT_ROLES)
    assert set(ORIGIN_OF_ROLE.values()) <= set(BY_ORIGIN)


def test_its_own_status_counts_before_that_of_its_folder():
    folder = described("rejected/seals.md")
    assert (folder.status, folder.status_reason) == ("rejected", "its folder says so")
    own = described("rejected/seals.md", TEXT.replace("\n\n", "\n\nStatus: accepted\n\n", 1))
    assert (own.status, own.status_reason) == ("accepted", "the document says so")
    none = described("docs/seals.md")
    assert (none.status, none.status_reason) == (None, "")


def test_its_headings_say_what_stands_under_them():
    text = f"{TEXT}\n## Non-goals\n\nNo locks.\n\n## The seal\n\nIt is red.\n\n## Open questions\n"
    told = [(it.title, it.line, it.role, it.section) for it in described("a.md", text).headings]
    assert told == [
        ("Non-goals", 5, "non-goals", "scope"),
        ("Open questions", 13, "questions", "open_questions"),
    ]


def test_the_same_content_again_is_not_described_again_unless_the_rules_are_new():
    first = answered(TEXT)
    again = decide(first, a_revision(trigger="t2"), cleaned(TEXT))
    assert not [it for it in again if isinstance(it, DocumentDescribed)]
    older = first.model_copy(update={"versions": VERSIONS.model_copy(update={"hygiene": "h4"})})
    (told,) = (
        it
        for it in decide(older, a_revision(trigger="t2"), cleaned(TEXT))
        if isinstance(it, DocumentDescribed)
    )
    assert told == described("notes.md")


def test_a_document_that_is_not_read_is_described_once():
    unread = cleaned(TEXT, "CHANGELOG.md")
    told, marker = decide(None, a_revision("CHANGELOG.md"), unread)
    assert isinstance(told, DocumentDescribed) and isinstance(marker, SourceProcessed)
    assert (told.role, marker.outcome) == ("changelog", "skipped")
    assert len(decide(marker, a_revision("CHANGELOG.md", "t2"), unread)) == 1


@pytest.mark.parametrize("path", ["gate.py", "gate.yaml", "package.json"])
def test_what_is_no_prose_is_not_described(path: str):
    assert cleaned("x = 1\n" * 20, path).described is None
