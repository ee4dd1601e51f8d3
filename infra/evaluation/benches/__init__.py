"""The benches behind `cairn bench`: each measures a figure and its baseline in the same run."""

import sys
from collections.abc import Callable, Mapping

from infra.settings import Settings

# Serves the HTTP API at an address, with secrets of connectors, and tells once it is ready.
Serve = Callable[[Settings, Mapping[str, str], str, Callable[[], None]], None]


def say(line: str) -> None:
    """Print one line for the person who waits; standard output belongs to the figures."""
    print(line, file=sys.stderr)
