"""What a user does from the terminal, a program does with `infra.service` alone."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.service import COMMAND_PATIENCE_S

pytestmark = pytest.mark.broker
SCRIPT = Path(__file__).with_name("use_cases.py")
PAGES = {
    "README.md": "# Parcel\n\n## Requirements\n\n- The Gateway must reject events without a"
    " depot signature, so that nobody can forge a scan.\n",
    "docs/access.md": "# Access\n\nAuth uses API tokens. We decided that auth must use API tokens"
    " and never session cookies.\n",
    "docs/console.md": "# Console\n\n## Decision\n\nAuth uses session cookies. We chose session"
    " cookies for the console since browsers handle them without code of ours.\n",
}


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    for name, text in PAGES.items():
        path = tmp_path / "pages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "pages"


def test_a_script_creates_ingests_decides_and_prints(backbone, pages: Path):
    assert len(SCRIPT.read_text().splitlines()) <= 45
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(pages)],
        env=backbone.cairn.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=COMMAND_PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    assert "3 of 3 sent" in done.stderr and "first_atom_ms" in done.stderr
    decided, *prd = done.stdout.splitlines()
    assert decided.startswith("ctr_") and decided.endswith("applied by ana")
    assert prd[0].startswith("# ")
    assert backbone.cairn.json("contradictions", "--project", "Script") == []
