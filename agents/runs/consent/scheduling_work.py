"""Which work a sentence names, once its times are taken out: "sprint report", "call the vendor"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from agents.runs.consent.scheduling_patterns import NO_CASE, READ, words

ASSISTANT = "assistant"
EDGES = re.compile(r"^[\s,;:.!?–-]+|[\s,;:.!?–-]+$")


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done: by a job, or where there is none by an agent, in the asker's words."""

    title: str
    agent: str
    job_type: str | None = None
    payload: Mapping[str, Any] = field(default_factory=dict, hash=False)


def find_work(text: str) -> Work | None:
    """The work that ``text`` names, for the assistant where no job does it; None: no words."""
    around = words()["around"]
    text = text.replace(READ, " ")
    bare, reminders = re.subn(_any_of(around["reminders"]), " ", text, flags=re.IGNORECASE)
    wanted = trim(re.sub(_any_of(around["lead_ins"]), " ", bare, flags=re.IGNORECASE))
    for entry, pattern in () if reminders else _work_patterns():
        if pattern.fullmatch(wanted):
            return Work(
                title=entry["title"],
                agent=entry["agent"],
                job_type=entry.get("job_type"),
                payload=entry.get("payload") or {},
            )
    return Work(capitalise_title(wanted), ASSISTANT) if wanted else None


def capitalise_title(wanted: str) -> str:
    return wanted[:1].upper() + wanted[1:]


def _any_of(patterns: Sequence[str]) -> str:
    return rf"\b(?:{'|'.join(patterns)})\b"


def trim(text: str) -> str:
    """Without what only joined it to the words that were taken out."""
    text, links = (
        " ".join(text.replace(READ, " ").split()),
        _any_of(words()["around"]["links"]),
    )
    while (shorter := re.sub(rf"^{links}\s+", "", EDGES.sub("", text), flags=re.I)) != text:
        text = shorter
    return text


@cache
def _work_patterns() -> tuple[tuple[dict[str, Any], re.Pattern[str]], ...]:
    """Each matches the whole of what is wanted: "sync with the vendor" is no job."""
    around = words()["around"]
    before = rf"(?:(?:{'|'.join([*around['verbs'], *around['links']])})\s+)*"
    after = rf"(?:\s+(?:{'|'.join(around['trailing'])}))*"
    return tuple(
        (entry, re.compile(f"{before}(?:{each}){after}", NO_CASE))
        for entry in words()["work"]
        for each in entry["patterns"]
    )
