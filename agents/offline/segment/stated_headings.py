"""Headings that state a need: «Tickets must expire after 3 hours». What is below is their body."""

from __future__ import annotations

import re

from agents.offline.lexicons import Wording

_LABEL = re.compile(
    r"(?:[A-Z]{1,8}[-_ ]?\d[\w.-]*|\d+(?:\.\d+)*[.)]?)(?:[ \t]*[-–—:][ \t]+|[ \t]+)(?=[A-Z])"
)
_STATED = re.compile(
    r"(?P<subject>(?:[\w'’/&+-]+ ){1,8})(?:(?i:must|shall|should)(?i: not| never)?|ha(?:s|ve) to"
    r"|needs? to|may (?:not|never|only)|cannot)(?: not| never)? [a-z]+ \S",
)
_STORY = Wording("stories", "story_heading")
_NO_SUBJECT = Wording("headings", "no_subject")
FEWEST_WORDS = 4


def find_stated(title: str) -> str:
    """What a heading states behind its number; nothing where it only names what is below it."""
    label = _LABEL.match(title)
    heading = title[label.end() :] if label else title
    stated = _STATED.match(heading)
    if _STORY.match(heading) and "[" not in heading and "<" not in heading:
        return heading
    if (
        stated is None
        or heading.rstrip().endswith(("?", ":"))
        or len(heading.split()) < FEWEST_WORDS
    ):
        return ""
    return "" if _NO_SUBJECT.match(stated["subject"]) else heading
