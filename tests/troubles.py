"""What the shells tell a writer of what it could not decide."""

from __future__ import annotations

from streams.undecidable import Failure, Trouble


def a_trouble(stage: str, error_class: str = "IndexError") -> Trouble:
    """``RecordTooLarge``: it was decided, and does not fit into a record."""
    return Trouble(stage, "v1", f"{stage}.v1", 0, 7, Failure(error_class, f"{error_class} at x"))
