"""What checks answer: problems with the line they are at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """``code`` is for programs, ``message`` for people and models; ``line`` from 1, 0: none."""

    code: str
    line: int
    message: str
