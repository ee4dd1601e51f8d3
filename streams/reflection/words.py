"""The word lists that reflection judges by. A changed list is a new ``REFLECTION_VERSION``."""

from __future__ import annotations

from streams.lexicons import Wording, load_words

STOPWORDS = load_words("reflection", "stopwords")
CONSEQUENCE = Wording("reflection", "consequence")
QUANTITY = Wording("reflection", "quantity")
NEGATIVE_VERB = Wording("reflection", "negative_verb")
