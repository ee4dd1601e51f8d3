"""The role of a document: by the names of its folders, its file, its title and its sections."""

from __future__ import annotations

import pytest

from agents.offline.judge.origins import describe_standing
from schemas.source_kinds import source_type_of
from tests.reading.documents import a_chunk


def role(path: str, title: str = "", headings: tuple[str, ...] = (), text: str = "Text.\n") -> str:
    chunk = a_chunk(text, path, source_type=source_type_of(path), headings=headings)
    told = chunk.model_copy(update={"title": title or path})
    return describe_standing(told, "Parcels are sorted by weight", 0)["origin"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("README.md", "readme"),
        (".github/README.md", "readme"),
        ("docs/README.md", "overview"),
        ("docs/introduction.mdx", "overview"),
        ("apps/docs/content/en/what-is-parcel.mdx", "overview"),
        ("docs/teams/overview.md", "product"),
        ("docs/lanes.md", "product"),
        ("docs/features/lanes.md", "product"),
        ("site/features/lanes.md", "product"),
        ("docs/license-keys.md", "product"),
        ("docs/users/templates/index.md", "product"),
        ("docs/security.md", "product"),
        ("lanes.md", "doc"),
        ("docs/adr/0003-one-lane.md", "record"),
        ("docs/meetings/2024-05-06.md", "minutes"),
        ("handbook/engineering/decisions/0003-one-lane.md", "record"),
        ("ROADMAP.md", "plan"),
        ("enhancements/20240506-lanes.md", "plan"),
        ("OFEP/lanes.md", "plan"),
        ("keps/lanes.md", "plan"),
        ("steps/lanes.md", "doc"),
        ("keep/lanes.md", "doc"),
        ("docs/background/project-impact.md", "overview"),
        ("docs/Product-Strategy/Vision-and-Stakeholders.md", "overview"),
        ("prior-art/existing-landscape.md", "research"),
        ("handbook/engineering/design-documents/pricing.md", "plan"),
        ("docs/design/lanes.md", "architecture"),
        ("docs/development/architecture.md", "architecture"),
        ("packages/lanes/README.md", "part"),
        ("docs/getting-started/lanes.md", "guide"),
        ("docs/Installing Parcel.md", "guide"),
        ("docs/03_Tutorials/lanes.md", "guide"),
        ("docs/reference/lanes.md", "reference"),
        ("docs/api/overview.md", "reference"),
        ("docs/contributing/lanes.md", "development"),
        ("docs/Developer-Guide.md", "development"),
        ("handbook/engineering/oncall.md", "development"),
        ("docs/release-process.md", "development"),
        ("docs/end_to_end_tests.md", "development"),
        ("docs/contests.md", "product"),
        ("docs/manual-checklist.md", "guide"),
        ("docs/sprint-goals.md", "article"),
        ("blog/2024-05-06-lanes.md", "article"),
        ("AGENTS.md", "agent"),
        ("server/CLAUDE.md", "agent"),
        (".cursor/rules/lanes.mdc", "agent"),
        (".github/copilot-instructions.md", "agent"),
        ("docs/agents.md", "product"),
        ("docs/agents/lanes.md", "product"),
        ("README.zh-CN.md", "translation"),
        ("readme_ja.md", "translation"),
        ("i18n/pt-BR/docs/lanes.md", "translation"),
        ("docs/de/lanes.md", "translation"),
        ("docs/en/lanes.md", "product"),
        ("docs/it/lanes.md", "product"),  # may be a department
        ("docs/release-notes/two.md", "changelog"),
        ("GOVERNANCE.md", "legal"),
        ("tests/data/lanes.md", "foreign"),
        ("vendor/lanes/docs/lanes.md", "foreign"),
        (".github/ISSUE_TEMPLATE/bug.md", "foreign"),
        ("examples/shop/README.md", "foreign"),
        ("docs/examples/lanes.md", "guide"),
        ("website/versioned_docs/version-1/lanes.md", "past"),
        ("go.mod", "manifest"),
        ("server/lanes.py", "code"),
    ],
)
def test_a_path_tells_the_role(path: str, expected: str) -> None:
    assert role(path) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Contributing to Parcel", "development"),
        ("Getting started with Parcel", "guide"),
        ("Introduction", "overview"),
        ("Parcel roadmap", "plan"),
        ("Parcel lanes", "product"),
    ],
)
def test_a_title_tells_the_role_where_the_name_does_not(title: str, expected: str) -> None:
    assert role("docs/page-7.md", title) == expected


@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        (("Parcel", "Why parcels"), "readme"),
        (("Parcel", "Contributing", "Tests"), "development"),
        (("Parcel", "Installation"), "guide"),
        (("Parcel", "First-time project setup"), "development"),
        (("Parcel", "Git hooks"), "development"),
        (("Parcel", "Roadmap"), "plan"),
        (("Parcel", "License"), "legal"),
    ],
)
def test_a_section_of_a_readme_may_speak_of_something_else(
    headings: tuple[str, ...], expected: str
) -> None:
    assert role("README.md", "Parcel", headings) == expected


@pytest.mark.parametrize(
    ("statement", "root", "about"),
    [
        ("Parcel Depot is a warehouse", "parcel-depot", "project"),
        ("The Parcel Depot platform supports lanes", "acme/parcel-depot", "project"),
        ("Parcel is a warehouse", "acme/parcel-depot", "project"),
        ("Parcel Depot Desktop is a client", "parcel-depot", "part"),
        ("Depots are closed on Sundays", "parcel-depot", None),
        ("Docs are written for readers", "docs", None),
        ("Another Parcel is a warehouse", "parcel-depot", None),
    ],
)
def test_what_has_the_name_of_the_repository_is_the_project(
    statement: str, root: str, about: str | None
) -> None:
    chunk = a_chunk(f"{statement}.\n", "docs/lanes.md", root=root)
    assert describe_standing(chunk, statement, 0).get("about") == about


@pytest.mark.parametrize(
    ("statement", "about"),
    [
        ("This platform supports lanes", "project"),
        ("The service is free for non-profits", "project"),
        ("This lane is closed", None),
    ],
)
def test_a_readme_may_call_it_what_it_is(statement: str, about: str | None) -> None:
    chunk = a_chunk(f"{statement}.\n", "README.md", source_type="readme", headings=("Parcel",))
    assert describe_standing(chunk, statement, 0).get("about") == about


WRITTEN_TALK = "\n".join(
    f"{who}: {said}"
    for who, said in (
        ("AB", "the lanes are slow"),
        ("Carla Diaz", "they were never fast"),
        ("AB", "we could add another one"),
        ("Carla Diaz", "who pays for it"),
        ("AB", "the depot"),
        ("EF", "then it takes a year"),
    )
)


def test_what_notes_down_who_said_what_is_minutes_whatever_it_is_called():
    assert role("docs/lanes.md") == "product"
    assert role("docs/lanes.md", text=WRITTEN_TALK) == "minutes"
    settings = (
        "API: the address\nURL: the place\nAPI: its key\nTTL: seconds\nKey: a word\nSee: this\n"
    )
    assert role("docs/lanes.md", text=settings) == "product"


def test_notes_of_a_day_are_minutes():
    assert role("group/2024/GRP-05-06.md", headings=("Lanes", "Notes")) == "minutes"
    assert role("group/2024/GRP-05-06.md", headings=("Lanes", "Scales")) != "minutes"
