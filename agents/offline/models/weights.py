"""The trained half of the reader. Rules and weights err on different kinds, so both are asked
(``statements.py``).
"""

from __future__ import annotations

import functools

from schemas.linear import Odds, Weights, read_model, read_odds, read_weights

_HERE = "agents.offline.models"


@functools.cache
def load_statements() -> Weights:
    """What a statement is, by statements that somebody labelled."""
    return read_weights(read_model(_HERE, "statements"))


@functools.cache
def load_placement() -> Weights:
    """Under which kind of heading authors put a text; ``plain`` is under none that tells."""
    return read_weights(read_model(_HERE, "placement"))


@functools.cache
def load_soundness() -> Odds:
    """How likely a draft is sound, by judged drafts; its card says who judged them."""
    return read_odds(read_model(_HERE, "soundness"))
