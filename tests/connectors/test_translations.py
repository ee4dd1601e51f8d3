"""A translation is told by its name and its original beside it, and by nothing less."""

from __future__ import annotations

import pytest

from connectors.translations import translations_in


@pytest.mark.parametrize(
    ("translation", "original"),
    [
        ("README.de.md", "README.md"),
        ("README-zh-CN.md", "README.md"),
        ("README_ja.md", "README.md"),
        ("docs/guide.pt-BR.md", "docs/guide.md"),
        ("docs/guide.zh_Hans.rst", "docs/guide.rst"),
        ("docs/guide.fr.md", "docs/guide.en.md"),
        ("docs/ja/guide.md", "docs/en/guide.md"),
        ("zh-CN/guide.md", "en-US/guide.md"),
    ],
)
def test_a_translation_names_its_original(translation: str, original: str) -> None:
    assert translations_in([translation, original]) == {translation: original}


def test_a_folder_of_translations_is_one_when_most_of_it_has_an_original() -> None:
    paths = ["docs/a.md", "docs/b.md", "docs/ko/a.md", "docs/ko/b.md", "docs/ko/only.md"]
    assert translations_in(paths) == {"docs/ko/a.md": "docs/a.md", "docs/ko/b.md": "docs/b.md"}


@pytest.mark.parametrize(
    "paths",
    [
        ["README.de.md"],  # without an original
        ["README.en.md", "README.md"],
        ["docs/en/guide.md", "docs/guide.md"],
        ["guide-it.md", "guide.md"],  # perhaps about it
        ["how.md", "how-to.md"],
        ["notes.v2.md", "notes.md"],
        ["packages/it/README.md", "packages/README.md"],
        ["src/de/a.md", "src/a.md", "src/de/b.md", "src/de/c.md", "src/de/d.md"],
    ],
)
def test_what_only_looks_like_a_translation_is_none(paths: list[str]) -> None:
    assert translations_in(paths) == {}
