"""What in a text speaks to who reads it, by the rules that annotate sources."""

from __future__ import annotations

from schemas.events.hygiene import Annotation
from streams.hygiene.normalise import lower, starts_of_lines
from streams.hygiene.prompt_injection.annotate import annotate

TELLING = frozenset(("prompt_injection", "hidden_markup", "encoded_payload"))


def find_prompt_injection(text: str) -> list[Annotation]:
    """The marks that make evidence count less, by place."""
    marks = annotate(text, lower(text), "", "document", "", (), starts_of_lines(text))
    return [it for it in marks if it.annotation_type in TELLING]
