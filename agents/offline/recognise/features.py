"""What a trained model sees of a statement: its words, pairs of them, and its outward form.

Words alone know their project; cut to five letters, in pairs, and beside features of form they hold
for others too. A statement longer than ``LONGEST`` characters is judged by its beginning.
"""

from __future__ import annotations

import re
from itertools import pairwise

from agents.offline.lexicons import Wording, list_ids, load_words
from agents.offline.recognise.impact import is_averted, severity_of

LONGEST = 1_200
STEM_CHARS = 5
_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[?!:;@#\[\]()`*_~|/<>\"=]|\.(?=\s|$)|,")
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s)\]>|]+")
_FORMS = [
    (name, Wording("features", "outward", entry=name)) for name in list_ids("features", "outward")
]
_NORMATIVE = re.compile(r"\b(?:MUST|SHALL|SHOULD|MAY|REQUIRED|RECOMMENDED|OPTIONAL)\b")
_NAMED = re.compile(
    r"\W*(?:@[\w-]+(?:(?:,| and| &) @[\w-]+)*|[A-Z]{2,3}|[a-z][A-Z]|[A-Z][a-z]+(?: [A-Z][a-z]+)?)"
    r"(?:,? and (?:@[\w-]+|[A-Z]\w+))?(?P<task>:| to| will| -|,)?\s+(?:please\s+)?(?P<verb>[a-z]+)"
)
_NO_NAME = Wording("names", "no_people")
_POSSIBLE = re.compile(r"\b(?:may|might|could|can|would)\b")
_DOING = load_words("verbs", "tasks")


def names_task(text: str) -> bool:
    """Whether it gives somebody something to do: «AB to write the notes», «@ann: close it»."""
    match = _NAMED.match(text)
    if match is None or match.group("verb") not in _DOING or len(text) > 400 or "?" in text:
        return False
    if match.group().lstrip(" -*_[").startswith("@"):
        return True
    return match.group("task") in (" to", ":") and not _NO_NAME.match(text)


def features_of(text: str) -> set[str]:
    """The features a model weighs; their order says nothing."""
    head = _ADDRESS.sub("http", text)[:LONGEST]
    tokens = ["0" if token[0].isdigit() else token for token in _TOKEN.findall(head.lower())[:160]]
    features = set(tokens)
    features.update([token[:STEM_CHARS] + "*" for token in tokens if len(token) > STEM_CHARS + 1])
    features.update([f"{a} {b}" for a, b in pairwise(tokens)])
    words = [token for token in tokens if token.isalnum()]
    features.update(["^" + " ".join(words[:count]) for count in (1, 2, 3) if len(words) >= count])
    features.update([name for name, form in _FORMS if form.match(head)])
    features.update(["#" + word for word in _NORMATIVE.findall(head)])
    features.update(_shape(head))
    if words and words[0] in _DOING:
        features.add("#do")
    if names_task(head):
        features.add("#task")
    return features


def _shape(text: str) -> list[str]:
    raw = text.split()
    last = text.rstrip()[-1:]
    capitals = sum([word[0].isupper() for word in raw])
    severity = severity_of(text)
    shapes = [
        "$" + ("a" if last.isalnum() else last),
        f"#length {min(9, len(raw).bit_length() + (len(raw) > 96))}",
        f"#capitals {4 * capitals // max(1, len(raw))}",
        f"#severity {severity}",
    ]
    if severity and _POSSIBLE.search(text):
        shapes.append(f"#possible {severity}")
    if severity and is_averted(text):
        shapes.append("#averted")
    return shapes
