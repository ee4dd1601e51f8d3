"""Types are checked beside the other tests: mypy keeps one processor busy for minutes."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_mypy_finds_nothing() -> None:
    command = [sys.executable, "-m", "mypy"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
