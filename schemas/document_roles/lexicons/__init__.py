"""The wordings that tell the role of a document."""

from __future__ import annotations

from schemas import lexicons

LEXICONS = lexicons.Lexicons(__name__)


class Wording(lexicons.Wording):
    """Lists of one frame as one pattern, compiled when it is first asked for."""

    def __init__(self, file: str, *names: str, entry: str = "") -> None:
        super().__init__(LEXICONS, file, *names, entry=entry)
