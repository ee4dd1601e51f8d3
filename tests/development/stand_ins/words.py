"""What the model of a stand-in says last, whoever speaks for it."""

from collections.abc import Sequence

HUGE = 5 * 1024 * 1024  # characters


def word_reply(earlier: Sequence[str]) -> str:
    return f"Done after {len(earlier)} earlier prompts: {' / '.join(earlier) or 'none'}"
