"""The benches behind `cairn bench`: each measures a figure and its baseline in the same run."""

import sys


def say(line: str) -> None:
    """Print one line for the person who waits; standard output belongs to the figures."""
    print(line, file=sys.stderr)
