from __future__ import annotations

from pathlib import Path

import pytest

from infra.runtime.walls.layout import layout_of_this_machine
from infra.runtime.walls.walls import KINDS, Walls, choose_walls, why_missing
from tests.packages import find_program, install_walls


@pytest.fixture(scope="session", autouse=True)
def walls_of_machine() -> None:
    install_walls()


@pytest.fixture(params=KINDS)
def walls(request: pytest.FixtureRequest) -> Walls:
    """Each kind of walls that this machine can have."""
    if request.param == "bubblewrap":
        find_program("bwrap", "bubblewrap")
    if reason := why_missing(request.param):
        pytest.skip(reason)
    return choose_walls(layout_of_this_machine(), request.param)


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder that other users may reach, as the folders of a service are not."""
    folder = tmp_path
    while folder != folder.parent and folder.stat().st_mode & 0o011 != 0o011:
        folder.chmod(folder.stat().st_mode | 0o011)
        folder = folder.parent
    return tmp_path


@pytest.fixture
def workspace(shared: Path) -> Path:
    folder = shared / "workspace"
    folder.mkdir()
    return folder
