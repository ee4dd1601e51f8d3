"""How good the ground of an answer is, and what is said where there is none."""

from __future__ import annotations

from typing import Literal

Coverage = Literal["entity", "metadata", "fulltext", "weak", "none"]
NO_ANSWER: tuple[Coverage, ...] = ("weak", "none")
NOT_ANSWERED = "Nothing in the sources answers this."
