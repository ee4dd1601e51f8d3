"""What is true of every connector: order, completeness, equal paths, bounded contents."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors import connector
from connectors.connector import (
    MAX_CONTENT_BYTES,
    Item,
    UnknownSource,
    listing_key,
    printable,
    sort_items,
    truncate,
)
from schemas.source_kinds import priority_tier_of, source_type_of
from tests.connectors.worlds import (
    FILES,
    IN_ORDER,
    a_folder,
    a_repository,
    a_tar,
    a_zip,
    contents,
    git,
    list_source,
)


@pytest.mark.parametrize("kind", ["folder", "work tree", "bare", "url", "tar", "zip"])
def test_the_same_files_are_listed_alike_whatever_holds_them(tmp_path: Path, kind: str) -> None:
    match kind:
        case "folder":
            spec: str | Path = a_folder(tmp_path / "shop")
        case "work tree":
            spec = a_repository(tmp_path / "shop")
        case "bare":
            a_repository(tmp_path / "origin")
            spec = tmp_path / "shop.git"
            git(tmp_path, "clone", "--quiet", "--bare", "origin", str(spec))
        case "url":
            spec = f"file://{a_repository(tmp_path / 'shop')}"
        case "tar":
            spec = a_tar(tmp_path / "any.tar.gz", FILES, top="shop/")
        case _:
            spec = a_zip(tmp_path / "any.zip", FILES, top="shop/")
    listing = list_source(spec, tmp_path / "clones")
    assert (listing.root, listing.complete) == ("shop", True)
    assert [item.path for item in listing.items] == IN_ORDER
    assert contents(listing) == FILES


def test_a_single_file_says_nothing_of_its_neighbours(tmp_path: Path) -> None:
    a_folder(tmp_path / "shop")
    listing = list_source(tmp_path / "shop" / "README.md", tmp_path)
    assert (listing.root, listing.complete) == ("shop", False)
    assert contents(listing) == {"README.md": FILES["README.md"]}


def test_a_given_name_takes_the_place_of_the_folders(tmp_path: Path) -> None:
    assert list_source(a_folder(tmp_path / "a"), tmp_path, as_name="b").root == "b"
    archive = a_zip(tmp_path / "c.zip", FILES, top="shop/")
    assert list_source(archive, tmp_path, as_name="b").root == "b"


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 201])
def test_a_name_that_cannot_be_shown_names_no_root(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownSource, match="--as"):
        list_source(a_folder(tmp_path / "a"), tmp_path, as_name=name)


@pytest.mark.parametrize(
    "spec",
    ["no/such/folder", "jira:SHOP", "github:onlyowner", "ext::sh -c id", "--upload-pack=x.git",
     "http://example.org/x.git", "ftp://example.org/x", "/dev/null", "a\0b", "", " "],
)  # fmt: skip
def test_what_is_no_source_is_refused_with_what_to_do(tmp_path: Path, spec: str) -> None:
    with pytest.raises(UnknownSource, match="(give|use|write) "):
        list_source(spec, tmp_path)


def test_a_long_file_is_fed_as_its_beginning(tmp_path: Path) -> None:
    with (tmp_path / "big.txt").open("wb") as file:
        file.truncate(3 * 1024**3)  # sparse: 3 GiB that must not be read
    [item] = list_source(tmp_path, tmp_path).items
    assert item.size_bytes == 3 * 1024**3
    assert len(item.read()) == MAX_CONTENT_BYTES


def test_a_cut_leaves_no_half_character(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in range(20, 24):
        monkeypatch.setattr(connector, "MAX_CONTENT_BYTES", limit)
        kept = truncate("a€𝄞é".encode() * 10)
        assert limit - 4 < len(kept) <= limit
        kept.decode()


PATHS = st.lists(
    st.sampled_from(["README.md", "adr", "a", "docs", "app.py", "AGENTS.md", "z.txt", "design.md"]),
    min_size=1,
    max_size=4,
).map("/".join)


@given(st.lists(PATHS, unique=True).flatmap(st.permutations))
def test_the_order_of_a_listing_is_that_of_its_paths_alone(paths: list[str]) -> None:
    items, _ = sort_items([Item(path, 0, bytes) for path in paths], [])
    found = [item.path for item in items]
    assert found == sorted(paths, key=listing_key)
    tiers = [priority_tier_of(source_type_of(path)) for path in found]
    assert tiers == sorted(tiers)


@given(st.binary())
def test_any_name_becomes_one_that_can_be_stored_and_shown(raw: bytes) -> None:
    name = printable(raw)
    assert name.encode().decode() == name
    assert name.isprintable() or not any(ord(char) < 32 for char in name)
    assert printable(name) == name
