"""The words and wordings of the layers, in ``commands.toml``."""

from __future__ import annotations

from schemas import lexicons

LEXICONS = lexicons.Lexicons(__name__)
read_lexicons, load_words, list_ids = LEXICONS.read, LEXICONS.load_words, LEXICONS.list_ids


class Wording(lexicons.Wording):
    """Lists of one frame as one pattern, compiled when it is first asked for."""

    def __init__(self, file: str, *names: str, entry: str = "") -> None:
        super().__init__(LEXICONS, file, *names, entry=entry)
