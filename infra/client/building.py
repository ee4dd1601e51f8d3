"""A wheel holds the written client, so a checkout without one builds none. For setuptools alone."""

from __future__ import annotations

from pathlib import Path

from setuptools.command.build_py import build_py

WRITTEN = Path(__file__).parent / "client.py"


class BuildWithClient(build_py):
    """Ends with what to do where the client has not been written."""

    def run(self) -> None:
        if not self.editable_mode and not WRITTEN.exists():
            raise SystemExit(
                "The client of the API is not written yet: run `make venv` in the checkout, then"
                " build again."
            )
        super().run()
