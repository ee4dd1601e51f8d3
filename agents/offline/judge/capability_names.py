"""What of a heading, title or list item is the name of a capability, as the product says it."""

from __future__ import annotations

import re
from typing import NamedTuple

from agents.offline.lexicons import Wording
from agents.offline.recognise.fragments import has_verb
from agents.offline.segment.sections import show_heading
from agents.offline.segment.wording import capitalise, strip_markup

MAX_WORDS = 7
MAX_CHARS = 60
SHORT_TITLE = 4
SHORT = 6  # words of an item that is a name as a whole
_GENERIC = Wording("capabilities", "generic_names")
_CHOSEN_FROM = Wording("capabilities", "generic_names", entry="what-people-choose-from")
_OPENERS = Wording("capabilities", "openers")
_PLANNING = Wording("capabilities", "planning_verbs")
_NO_NAME = Wording("capabilities", "no_names")
_SENTENCE = Wording("capabilities", "sentence_words")
_NO_END = Wording("capabilities", "no_name_ends")
_ENDS = Wording("capabilities", "name_ends")
_TURNS = Wording("capabilities", "name_turns")
_OUTCOME = Wording("capabilities", "outcomes")
_PEOPLE = Wording("capabilities", "people")
_HANDLING = Wording("capabilities", "handling_verbs")
_NUMBER = Wording("capabilities", "numbered_name")
_DATED = re.compile(r"\d{4,8}[-_](?:\d\d[-_]){0,2}(?=[a-z]+[-_])")
_SIGNS = re.compile(r"^[^\w(«\"']+|[^\w)»\"'+#]+$")
_EMOJI = re.compile(r"[\U0001F000-\U0001FAFF☀-➿⬀-⯿️‍←-⇿]+|:[a-z][a-z0-9_+-]+:")
_ATTRIBUTES = re.compile(r"\s*\{[^{}]*\}\s*$")
_ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_LAST = Wording("capabilities", "last_words")
_BOLD = re.compile(
    r"\W{0,6}(?:\*\*|__|<(?P<tag>b|strong)>)(?P<name>[^*\n<]{2,80}?)(?:\*\*|__|</(?P=tag)>)\s*(?P<rest>.*)",
    re.DOTALL | re.IGNORECASE,
)
_LINKED = re.compile(
    r"\W{0,6}\[(?P<name>[^\]\n]{2,80})\](?:\([^)\n]*\)|\[[^\]\n]*\])\s*(?P<rest>[:–—-].*|$)",
    re.DOTALL,
)
_LABEL = re.compile(r"(?P<name>[^:.!?]{2,50}?)(?::| [-–—|] | -- )\s*(?P<rest>\S.*)", re.DOTALL)
_LEADING_KIND = re.compile(
    r"^(?:proposal|design|rfc|enhancement|feature)\s*[:–—-]\s+", re.IGNORECASE
)
_ASIDE_ANYWHERE = re.compile(r"\s*\([^()]*\)")
_PLAIN = re.compile(r"[\w&’'-]+(?: [\w&’'/-]+)*")
_OWNER = re.compile(r"(?<=\w )(?:your|our|their) ", re.IGNORECASE)
_APART = re.compile(r"\W*(?:[:.–—-]|$)")
_THIRD = re.compile(r"[a-z]+s\b")
_REST = re.compile(r"^[\s:.,;–—|-]+")


class Named(NamedTuple):
    """A name, what is said of it, and whether its author set it apart."""

    name: str
    said: str
    labelled: bool


def capability_name(raw: str, *, planned: bool = False, titled: bool = False) -> str:
    """``raw`` as the name of a capability; nothing where it is none. ``titled``: it is a title,
    which may read like a sentence where it is short.
    """
    text = show_heading(_EMOJI.sub(" ", _ATTRIBUTES.sub("", raw))).strip()
    if " " not in text and (dated := _DATED.match(text)):
        text = name_of_folder(text[dated.end() :])
    text = _NUMBER.sub("", " ".join(text.split()))
    text = _SIGNS.sub("", text).strip()
    text = _ASIDE.sub("", text) or text
    if planned and (verb := _PLANNING.match(text)) and verb.end() < len(text):
        text = text[verb.end() :]
    if (opener := _OPENERS.match(text)) and opener.end() < len(text):
        text = text[opener.end() :]
        text = text[:1].upper() + text[1:]
    text = _OWNER.sub("", text)
    text = _SIGNS.sub("", _LAST.sub(r"\1", text) or text)
    return capitalise(text) if _is_name(text, titled=titled) else ""


def name_handled(title: str) -> str:
    """What a title tells how to use, set up or make: «How to run light belts at night» is about
    light belts. Nothing where it tells no such thing.
    """
    text = _NUMBER.sub("", " ".join(show_heading(title).split()))
    handling = _HANDLING.match(text)
    if handling is None:
        return ""
    rest = text[handling.end() :]
    if turn := _TURNS.search(rest, 2):
        rest = rest[: turn.start()]
    if is_chosen_from(rest):
        return capitalise(rest)
    return capability_name(rest) if len(rest.split()) <= SHORT_TITLE else ""


def is_chosen_from(title: str) -> bool:
    """Whether a title says the sort of parts that people choose from, and no more."""
    return _CHOSEN_FROM.match(title.strip()) is not None


def is_generic(title: str) -> bool:
    """Whether documents of any product have this title."""
    return _GENERIC.match(show_heading(title).strip()) is not None


def _is_name(text: str, *, titled: bool) -> bool:
    words = text.split()
    return (
        1 <= len(words) <= MAX_WORDS
        and 3 <= len(text) <= MAX_CHARS
        and sum(sign.isalpha() for sign in text) >= 0.6 * len(text)
        and not _GENERIC.match(text)
        and (words[0].isupper() or not _NO_NAME.match(text))
        and not _NO_END.says(text)
        and ((titled and len(words) <= SHORT_TITLE) or not _SENTENCE.says(text))
        and not re.search(r"[/\\{}<>=@|]|[a-z]\.\w|^[a-z]+[_]\w+$", text)
    )


def named_item(raw: str, *, planned: bool = False) -> Named | None:
    """The capability that an item of a list names, at its beginning or as a whole."""
    text = strip_markup(_EMOJI.sub(" ", raw)).strip()
    for form in (_BOLD, _LINKED):
        apart = form.match(raw)
        if apart is None or not (name := capability_name(apart["name"], planned=planned)):
            continue
        goes_on = not _APART.match(apart["rest"]) and not _THIRD.match(apart["rest"])
        if goes_on and (longer := _cut(text, planned)):
            return longer._replace(labelled=True)
        if not goes_on or " " in name:
            return Named(name, _text_after(apart["rest"]), labelled=True)
    if (apart := _LABEL.match(text)) and len(apart["name"].split()) <= SHORT:
        if name := capability_name(apart["name"], planned=planned):
            return Named(name, _text_after(apart["rest"]), labelled=True)
        return None
    if _PEOPLE.match(text) and (len(text.split()) > SHORT_TITLE or has_verb(text)):
        return _name_outcome(text)
    bare = text.rstrip(" .;,!")
    if len(bare.split()) <= SHORT and (name := capability_name(bare, planned=planned)):
        return Named(name, "", labelled=False)
    return _cut(bare, planned)


def name_beginning(title: str) -> str:
    """What a longer title proposes, up to where it says what for: «Depot & lane CRDs to handle
    orders» is about depot and lane CRDs.
    """
    text = _LEADING_KIND.sub("", _NUMBER.sub("", " ".join(show_heading(title).split())))
    cut = _cut(_ASIDE_ANYWHERE.sub("", text), planned=True)
    return cut.name if cut else ""


def _name_outcome(text: str) -> Named | None:
    """What people will be able to do: «Users can upload crates by section» is «Upload crates»."""
    outcome = _OUTCOME.match(text)
    if outcome is None:
        return None
    what = text[outcome.end() :].rstrip(" .;,!")
    ends = [it.start() for it in (_TURNS.search(what, 3), _ENDS.search(what, 3)) if it]
    name = _OWNER.sub("", what[: min(ends, default=len(what))]).strip()
    if not 2 <= len(name.split()) <= SHORT or _NO_END.says(name) or not _PLAIN.fullmatch(name):
        return None
    return Named(capitalise(name), text, labelled=True)


def _cut(text: str, planned: bool) -> Named | None:
    """The head of a longer item, up to where a clause begins."""
    opener = _OPENERS.match(text)
    start = opener.end() if opener else 0
    end = _ENDS.search(text, start + 3)
    head = text[: end.start()] if end else text
    while len(head[start:].split()) > SHORT:
        turns = [it.start() for it in _TURNS.finditer(head, start + 3)]
        if not turns:
            return None
        head = head[: turns[-1]]
    name = capability_name(head, planned=planned)
    if len(name.split()) < 2 or len(name.split()) > SHORT:
        return None
    return Named(name, text, labelled=False)


def _text_after(rest: str) -> str:
    text = strip_markup(_REST.sub("", rest)).strip()
    return "" if text.endswith(":") else text


def spell_as_in(name: str, text: str) -> str:
    """``name`` with the capitals that it has where ``text`` says it."""
    match = re.search(r"[-_ ]".join(map(re.escape, name.split())), text, re.IGNORECASE)
    spelling = match.group() if match else name
    return capitalise(spelling.replace("_", " "))


def name_of_folder(folder: str) -> str:
    """The words of a folder's or file's name: «usage-based-billing» is «Usage based billing»."""
    words = re.sub(r"^[\d.]+[-_ ]+", "", re.sub(r"[-_]+", " ", folder)).strip()
    return words[:1].upper() + words[1:]
