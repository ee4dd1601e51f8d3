"""A message for others names a file of this machine by its last name alone."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from infra.platform.machine_paths import hide_paths, hide_paths_of
from infra.platform.settings import Settings

HOME = Path("/srv-cairn/of us/home-1")
SETTINGS = Settings(home=HOME)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "[Errno 2] No such file: '/home/ana/cairn/vault.key'",
            "[Errno 2] No such file: '…/vault.key'",
        ),
        (
            "git fetch failed for /root/x/clones/a-1.git (bad)",
            "git fetch failed for …/a-1.git (bad)",
        ),
        ("/tmp/cairn-1/notes.zip is refused: unpack it.", "…/notes.zip is refused: unpack it."),
        (f"open {HOME}/secrets/github, please", "open …/github, please"),
        (f"Cairn is not running in {HOME}.", "Cairn is not running in …."),
        (f"file://{HOME}/a", "…/a"),
        ("(/var/lib/postgresql/16/main/base/1)", "(…/1)"),
        ("file:/opt/x/y right", "file:…/y right"),
        ("[/opt/x/y]", "[…/y]"),
        ("x=/proc/1/environ", "x=…/environ"),
    ],
)
def test_of_a_path_the_last_name_is_shown(text: str, shown: str):
    assert hide_paths_of(SETTINGS, text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "https://git.example.org/home/ana/x.git does not answer",
        "The project has no source at docs/home/ana.md.",
        "POST /v1/projects/{project}/sources takes it",
        "/console/projects, /mcp and /health are ours",
        "read and/or write",
        "~/home/ana",
        "./var/x and ../tmp/y",
        "12/24 h",
        "",
        "/",
    ],
)
def test_what_is_no_path_of_this_machine_stays(text: str):
    assert hide_paths_of(SETTINGS, text) == text


def test_what_the_system_says_of_a_file_names_no_folder(tmp_path: Path):
    """Each error as the system, git and Python word it, and a home in any place."""
    folder = tmp_path / "inside ‘quotes’ and blanks"
    folder.mkdir()
    missing = folder / "missing.toml"
    settings = Settings(home=folder)
    told = [str(missing), repr(missing), f"{missing!s}: gone", os.fspath(folder) + "/"]
    for attempt in (
        missing.open,
        missing.stat,
        lambda: list(missing.iterdir()),
        lambda: missing.rename(folder),
    ):
        with pytest.raises(OSError) as failed:
            attempt()
        told += [str(failed.value), repr(failed.value)]
    git = subprocess.run(
        ["git", "-C", str(missing), "status"], capture_output=True, text=True, check=False
    )
    told.append(git.stderr)
    for each in told:
        assert "inside" not in hide_paths_of(settings, each), each
        assert tempfile.gettempdir() not in hide_paths_of(settings, each), each
    assert hide_paths(str(Path.home() / "x")) == "…/x"


def test_a_long_text_costs_little_and_texts_of_slashes_end():
    for text in ("/" * 200_000, "/home" * 40_000, "/tmp/a " * 30_000, "a" * 10**6 + "/"):
        assert len(hide_paths(text)) <= len(text)
