"""What a statement is compared with, and what is found to differ."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """``quote``: the sentences that are quoted, with the line that leads in to a list.

    ``near``: headings, path and title, which speak for all that stands under them. ``around``: all
    that the reader was shown.
    """

    quote: str
    near: str = ""
    around: str = ""
    is_code: bool = False
    is_foreign: bool = False  # in another language than the statement


@dataclass(frozen=True, slots=True)
class Difference:
    """``is_grave``: the statement says otherwise. Else it says more than is quoted."""

    code: str
    detail: str
    is_grave: bool = True
