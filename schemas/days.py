"""Days as events hold them: text like ``2026-01-31``."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import AfterValidator


def check_day(text: str) -> str:
    """``text`` itself. Raises ValueError unless it is a day."""
    if date.fromisoformat(text).isoformat() != text:
        raise ValueError(f"{text!r} is no day like 2026-01-31")
    return text


Day = Annotated[str, AfterValidator(check_day)]
"""A fact with another text becomes a dead letter where it is read, and no stage stops."""
