"""System folders and whole homes are read only by who says so twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from connectors.connector import SourceRefused
from connectors.recognise import open_source
from tests.connectors.worlds import a_folder, contents, list_source


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = a_folder(tmp_path / "people" / "ada", {"note.md": b"1", "shop/a.md": b"2"})
    monkeypatch.setenv("HOME", str(home))
    return home


def is_refused(spec: str | Path, clones: Path) -> bool:
    with pytest.raises(SourceRefused, match="--allow-any-folder"):
        list_source(spec, clones)
    return True


@pytest.mark.parametrize(
    "place",
    ["/", "//", "/.", "/proc", "/proc/self", "/proc/self/environ", "/proc/self/root", "/sys",
     "/sys/kernel", "/dev", "/dev/fd", "/etc", "/etc/passwd", "/etc/../etc", "/usr", "/var"],
)  # fmt: skip
def test_a_place_of_the_system_is_refused(tmp_path: Path, place: str) -> None:
    assert is_refused(place, tmp_path)
    (tmp_path / "link").symlink_to(place)
    assert is_refused(tmp_path / "link", tmp_path)


def test_a_home_and_what_holds_it_are_refused(tmp_path: Path, home: Path) -> None:
    (tmp_path / "link").symlink_to(home)
    for spec in ("~", home, home / "shop" / "..", tmp_path / "link", home.parent):
        assert is_refused(spec, tmp_path)


def test_what_lies_in_a_home_is_read(tmp_path: Path, home: Path) -> None:
    assert contents(list_source(home / "shop", tmp_path)) == {"a.md": b"2"}
    assert contents(list_source(home / "note.md", tmp_path)) == {"note.md": b"1"}


def test_any_folder_is_read_when_it_is_allowed_explicitly(tmp_path: Path, home: Path) -> None:
    connector = open_source(str(home), None, tmp_path, lambda line: None, any_folder=True)
    assert contents(connector.list()) == {"note.md": b"1", "shop/a.md": b"2"}
