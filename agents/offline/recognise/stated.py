"""What a sentence of plain prose states where neither heading, rule nor weights are sure of it.

Whatever a project's own text says is worth finding again: so this asks only whether a sentence
states anything, and takes the likeliest kind by its wording, a claim where nothing tells more. All
of it is no more than a draft. Decided against asking weights here: of such sentences there are
twenty times as many as of others, and a search costs a tenth.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from agents.offline.lexicons import Wording, load_words
from agents.offline.recognise.claims import find_predicate, is_headless, is_main
from agents.offline.recognise.cues import LIKELY, Cue, find_question, signal_type
from agents.offline.recognise.impact import is_averted, severity_of
from agents.offline.recognise.noise import instructs, is_truncated, word_set, words_of
from agents.offline.recognise.phrasing import is_harmless
from agents.offline.recognise.structure import ABSENT, HARMLESS, NOTHING_OPEN
from agents.offline.segment.sections import Role
from schemas.events.atom import AtomKind

_LEADS = Wording("stated", "leads")
_POINTS = Wording("stated", "points")
_TOLD_TO_YOU = Wording("stated", "told_to_you")
_POLICY = Wording("stated", "policies")
_IDEA = Wording("stated", "ideas")
_OPEN = Wording("stated", "open")
_DECIDED = Wording("stated", "decided")
_HEARD = Wording("stated", "heard")
_PLANNED = Wording("stated", "planned")
_BOUND = Wording("stated", "bound")
_ENDANGERS = Wording("stated", "endangers")
_HEADLESS = Wording("stated", "headless")
_AUXILIARY = Wording("fragments", "finite", entry="auxiliary")
_VERBS = (_AUXILIARY, Wording("stated", "we_do"))
_ON_CONDITION = Wording("wordings", "on_condition")
_WISH = Wording("wordings", "wish")
_ORDERS = load_words("verbs", "tasks")
_OPTION = Wording("stated", "options")
_TAKEN = Wording("stated", "taken")
_ASKED_FOR: frozenset[Role] = frozenset({"risk", "unknown"})  # by a form that was to be filled
_YOU = frozenset({"you", "your", "yours", "yourself"})
_SPEAKER = frozenset({"i", "my", "me"})
_ASIDE = re.compile(r"\s*\([^()]*\)")
_FEWEST = 4  # words of a statement
_MOST = 90
# What a sentence may be that announces a list or its reasons: «We chose wide lanes, as:».
_ANNOUNCED = frozenset({"decision", "unknown", "requirement", "risk"})


def find_stated(text: str, role: Role, *, guides: bool, listed: bool) -> Cue | None:
    """The likeliest kind of a sentence that states something; nothing for one that leads a reader,
    points elsewhere, shows or muses.

    ``guides``: its document or section leads a reader through something; only what binds, is
    chosen or is at risk counts there. ``listed``: it is an item of a list, which may go on with
    what stands over it.
    """
    if not _is_statement(text, listed=listed):
        return None
    if text.endswith("?"):
        asked = None if guides or role == "unknown" else find_question(text, asked=True)
        return Cue("unknown", LIKELY, fragment=True) if asked else None
    if role in _ASKED_FOR and (ABSENT.match(text) or NOTHING_OPEN.says(text)):
        return None
    kind = _kind_of(_ASIDE.sub("", text))
    kind = "claim" if kind == "risk" and role == "gain" else kind
    if text.endswith(":") and kind not in _ANNOUNCED:
        return None
    if kind != "risk" and _IDEA.says(text):
        return None
    heard = word_set(text)
    spoken = _TOLD_TO_YOU.says(text) or _POLICY.match(text)
    if not heard.isdisjoint(_YOU) and (guides or not spoken):
        return None
    if (guides or (_SPEAKER & heard)) and kind == "claim":
        return None
    given = {"signal_type": signal_type(text)} if kind == "domain_signal" else {}
    return Cue(kind, LIKELY, given, fragment=True)


def is_of_option(headings: tuple[str, ...]) -> bool:
    """Whether a heading names one option among several, and none says that it is the one."""
    listed = any(map(_OPTION.match, headings))
    return listed and not any(_TAKEN.says(it.lower()) for it in headings)


def _is_statement(text: str, *, listed: bool) -> bool:
    words = text.split()
    if not _FEWEST <= len(words) <= _MOST or len(words_of(text)) < _FEWEST:
        return False
    if is_truncated(text.rstrip(":")) or _LEADS.match(text) or _POINTS.says(text):
        return False
    if text.endswith("?"):
        return True
    if _POLICY.match(text):
        return True
    if instructs(text) or _HEADLESS.match(text):
        return False
    if listed and not text[:1].isupper():
        return False
    if is_headless(text) or _is_order(words):
        return False
    return _tells(text, listed=listed)


def _tells(text: str, *, listed: bool) -> bool:
    """Whether a verb says something of what stands before it; a sentence of a paragraph has one."""
    if not listed and text.endswith((".", '."', ".)", ".”")):
        return True
    verbs = chain.from_iterable(it.finditer(text, text.find(" ")) for it in _VERBS)
    return any(map(is_main, verbs)) or find_predicate(text) is not None


def _is_order(words: Sequence[str]) -> bool:
    """Whether it begins with a verb of which no subject is said: «Update one or more lanes»."""
    first, second = words[0].lower(), words[1].lower()
    return first in _ORDERS and not (_AUXILIARY.match(second) or find_predicate(f"it {second} it"))


def _kind_of(text: str) -> AtomKind:
    if _OPEN.says(text):
        return "unknown"
    if _POLICY.match(text):
        return "requirement"
    if _DECIDED.says(text):
        return "decision"
    if _HEARD.says(text):
        return "domain_signal"
    if _endangers(text):
        return "risk"
    if _PLANNED.says(text):
        return "action_item"
    if _BOUND.says(text):
        return "requirement"
    return "claim"


def _endangers(text: str) -> bool:
    """Whether it says that something of weight may go wrong."""
    danger = _ENDANGERS.search(text) if _ENDANGERS.says(text) else None
    if danger is None or _WISH.says(text) or is_harmless(text):
        return False
    if ABSENT.match(text) or HARMLESS.says(text):
        return False
    after = _ON_CONDITION.split(text[danger.start() :], maxsplit=1)[0]
    threatened = text if danger["named"] else after
    level = severity_of(threatened)
    return level is not None and (level != "low" or bool(danger["named"])) and not is_averted(text)
