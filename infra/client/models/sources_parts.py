# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What the models of the area Sources are made of."""

from __future__ import annotations

from infra.client.connection import Model


class AreaCounts(Model):
    """A chunk of two areas counts in both."""

    total: int
    extracted: int
    pending: int
    skipped: dict[str, int]
    area: str
    active_atoms: int
    draft_atoms: int


class TierCounts(Model):
    total: int
    extracted: int
    pending: int
    skipped: dict[str, int]
    tier: int


class ExplainedSentence(Model):
    """One sentence. ``result``: atom, merged, refused, left out or waiting.

    ``about`` is the id of the atom or of the refused candidate; ``because`` says why it is none.
    """

    line_start: int
    line_end: int
    text: str
    result: str
    because: str = ""
    about: str = ""
    kind: str = ""
    title: str = ""
    status: str = ""


class PastAreaCounts(Model):
    """A chunk of two areas counts in both; areas are those that the chunk has today."""

    area: str
    chunks_read: int
    live_atoms: int
