"""Which options a document weighs, and how it stands to each: chosen, rejected or still open.

A document that describes three options decides for one of them, often in another section, and its
chunks are read one by one. Without this what was turned down would be told as if it held. Only
documents that weigh have options: «Option 1: install with Docker» in a manual is a way that works.
Decided against guessing where nothing is said: such options stay open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from schemas.events.hygiene import DocumentOption, OptionStatus
from schemas.fingerprint import norm_text
from schemas.options import (
    KIND,
    NUMBER,
    OptionLabel,
    digit_of,
    name_of,
    read_listed,
    read_option_label,
)
from streams.hygiene.chunks.prose import Heading
from streams.lexicons import Wording

MOST_OPTIONS = 24
DEEPEST = 99  # level of a label inside of a text
LONGEST = 120  # characters of an option's label
SHORTEST = 4  # letters of a word that says something
DECIDING_CHARS = 500  # of a section that decides, within which it says for what
_IN_TEXT = re.compile(
    rf"^[ \t>]*(?P<mark>(?:[-*+]|\d+[.)])[ \t]+)?(?:(?:\*\*|__)"
    rf"(?P<bold>(?i:{KIND})\s[^*_\n]{{1,120}}?):?(?:\*\*|__)|"
    rf"(?(mark)(?P<item>(?i:{KIND})\s+{NUMBER}\s*[:–—-][^\n]{{1,120}})|(?!)))",
    re.MULTILINE,
)
_ITEM = re.compile(r"^(?:[-*+]|\d+[.)])[ \t]+(?P<name>\S[^\n.]{2,80})$", re.MULTILINE)
_LIST = Wording("options", "lists")
_TURNED_DOWN = Wording("options", "turned_down")
_ALTERNATIVE = re.compile(
    r"(?:[\W\d]*\W)?(?:alternative|rejected|discarded|considered|other)\b(?!.*\bchosen\b)",
    re.IGNORECASE,
)
_OWN_WORD = re.compile(
    r"^\W*(?:(?P<no>rejected|discarded|dismissed|not chosen|ruled out|why not)|chosen|selected)\b|"
    r"\b(?:this|the above) (?:option|approach|alternative|idea|solution|design) "
    r"(?:is|was|has been|will be) (?:\w+ly )?(?:(?P<gone>rejected|discarded|dismissed|ruled out|"
    r"not (?:chosen|selected|pursued|recommended))|(?:the )?(?:chosen|selected|preferred|adopted))",
    re.IGNORECASE | re.MULTILINE,
)
_ALL = re.compile(r"\b(?:all|both)\b(?:\W+\w+){0,3}\W+options\b", re.IGNORECASE)
ALIKE = 0.6  # of an option's words, at least, that a decision repeats
_NO_OPTION = Wording("options", "no_options")
_WEIGHS = Wording("options", "weighing")
_WEIGHED = re.compile(
    r"^\W*(?:pros?|cons?|advantages?|disadvantages?|drawbacks?|benefits?)\W*$|"
    r"^\W*(?:pros?|cons?|advantages|disadvantages|drawbacks)\W{1,4}(?::|\s)",
    re.IGNORECASE | re.MULTILINE,
)
_DECIDES = Wording("options", "deciding")
_MARKED = re.compile(
    r"[\[(*_:–—-]\W{0,3}(?:the |our )?(?:(?P<not>not |un)?(?:chosen|selected|preferred|recommended|"
    r"accepted|adopted|approved|choice|winner|proposed|implemented)|(?P<no>rejected|discarded|"
    r"dismissed|declined|abandoned|ruled out))\b|^\W*(?:chosen|selected|preferred|recommended|"
    r"accepted)\b|^\W*(?P<gone>rejected|discarded)\b|✅|(?P<cross>❌)|(?P<struck>~~)",
    re.IGNORECASE,
)
_REFERRED = re.compile(
    rf"(?i:\b{KIND})\s+(?:#|(?i:no)\.? ?)?[\"“'`*_(]*(?P<numbers>{NUMBER}"
    rf"(?:(?:\s*+(?:,|&|\+|\band\b))+\s*+{NUMBER})*)"
)
_EACH = re.compile(NUMBER)
_CHOOSES = re.compile(
    r"\b(?:chose|chosen|choose|choosing|select(?:ed)?|pick(?:ed)?|go(?:ing)?|went|opt(?:ed)?|"
    r"settled|decided|decision|adopt(?:ed)?|recommend(?:ed|ation)?|prefer(?:red)?|proceed|"
    r"accepted|agreed|favou?r|preference|choice|verdict|outcome|conclusion|proposes?|implement(?:ed)?|"
    r"(?:we|will|should) (?:\w+ly )?use)\b"
    r"(?P<gap>[^.;]*)$",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\b(?:not|never|against|over|instead of|rather than|if|would|could|unless|either|between|"
    r"whether|reject\w*|discard\w*|dismiss\w*|without|than|compared|or)\b|n['’]t\b",
    re.IGNORECASE,
)
_IS_CHOSEN = re.compile(
    r"[^.;]{0,60}?\b(?:is|was|has been|were|will be|are)\b (?:\w+ly )?(?:the |our |to be )?"
    r"(?:chosen|selected|picked|preferred|recommended|accepted|adopted|approved|implemented|"
    r"proposed|favou?red|choice|what we (?:chose|want|do|will)|agreed|the way (?:to go|forward))",
    re.IGNORECASE,
)
_IS_REJECTED = re.compile(
    r"[^.;]{0,60}?\b(?:is|was|has been|were|are)\b (?:\w+ly )?(?:rejected|discarded|dismissed|"
    r"ruled out|abandoned|declined|dropped|not (?:chosen|selected|accepted|recommended|pursued))",
    re.IGNORECASE,
)
_BLENDS = re.compile(r"\b(?:blend|combination|mix|hybrid|compromise|partly|parts? of)\b", re.I)
_MARKS_OF_HEADINGS = frozenset("#" * it for it in range(1, 7))
_BEFORE = re.compile(r"[.!?;](?=\s)|\n\s*\n|\n\s*[-*+#|]")
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|over|not|than|replac\w+|from|without)\b(?: \w+){0,3} $"
)
_ARE_TWO = re.compile(r"\b(?:vs|versus|or)\b|\?")


class _Option(NamedTuple):
    """``[start, end)`` is what is said of it, ``group`` the section that weighs it with others;
    ``listed`` is what a heading over it says of all below.
    """

    start: int
    end: int
    title: str
    under: str
    group: tuple[int, int]
    label: OptionLabel
    listed: OptionStatus | None


def options_of(text: str, headings: Sequence[Heading], title: str) -> list[DocumentOption]:
    """The options of a document that weighs, as its headings name them; else nothing."""
    options = _find_options(text, headings)[:MOST_OPTIONS]
    if not options or not _is_weighing(text, headings):
        return []
    told = []
    groups = list(dict.fromkeys(it.group for it in options))
    for group in groups:
        own = [it for it in options if it.group == group]
        keys = {it.label.key for it in own} - {""}
        shared = any(it.label.key in keys for it in options if it.group != group)
        told += _judge(own, text, headings, title, group if shared else (0, len(text)))
    return told


def _judge(
    options: Sequence[_Option],
    text: str,
    headings: Sequence[Heading],
    title: str,
    within: tuple[int, int],
) -> list[DocumentOption]:
    """How the document stands to options that are weighed against each other; their numbers mean
    others outside of ``within``.
    """
    marked = {it: _standing_of_title(it.title) for it in options}
    chosen = {it for it in options if marked[it] == "chosen"}
    refused = {it for it in options if marked[it] == "rejected"}
    blended: set[_Option] = set()
    for option in options:
        if own := _OWN_WORD.search(text, option.start + len(option.title), option.end):
            (refused if own["no"] or own["gone"] else chosen).add(option)
    if not chosen:
        chosen, turned, blended = _find_referred(text, options, within)
        refused |= turned
    if not (chosen or blended):
        chosen = _find_named(text, headings, [it for it in options if it not in refused])
        chosen = chosen or _find_in_title(title, options)
    if not chosen and all(it.label.kind == "scenario" for it in options):
        return []  # cases that all occur
    told = []
    for option in options:
        status: OptionStatus = option.listed or "open"
        if option in blended:
            status = "open"
        elif option in chosen:
            status = "chosen"
        elif chosen or blended or option in refused:
            status = "rejected"
        told.append(DocumentOption(heading=option.title, under=option.under, status=status))
    return told


def _is_weighing(text: str, headings: Sequence[Heading]) -> bool:
    if any(_WEIGHS.match(norm_text(it.title)) for it in headings):
        return True
    return _WEIGHED.search(text) is not None


def _find_options(text: str, headings: Sequence[Heading]) -> list[_Option]:
    """What is labelled so twice in a section, and what stands right under «Options»."""
    options: list[_Option] = []
    over: list[tuple[Heading, int]] = []
    labels = {**dict(_items_of(text, headings)), **dict(_labels_in(text))}
    shown = [Heading(at, DEEPEST, title) for at, title in labels.items()]
    ends = _ends_of(headings, len(text))
    for heading in sorted((*headings, *shown)):
        over = [it for it in over if it[0].level < heading.level]
        parent, end = over[-1] if over else (Heading(0, 0, ""), len(text))
        said = [(it, name_of(it.title)) for it, _ in over]
        lists = [name for _, name in said if _LIST.match(name)]
        listed = _stands_listed(lists)
        label = read_option_label(heading.title)
        under_list = bool(lists) and said[-1][1] == lists[-1]
        if label or (under_list and _may_be_option(heading)):
            label = label or read_listed(heading.title)
            if _ALTERNATIVE.match(heading.title):
                listed = "rejected"
            group = (parent.start, end)
            stop = ends.get(heading.start, heading.start)
            place = (heading.start, stop, heading.title, parent.title)
            options.append(_Option(*place, group, label, listed))
        over.append((heading, ends.get(heading.start, len(text))))
    return [it for it in options if _is_one_of(it, options)]


def _stands_listed(lists: Sequence[str]) -> OptionStatus | None:
    if any(_TURNED_DOWN.search(it) for it in lists):
        return "rejected"
    return "open" if lists else None


def _may_be_option(heading: Heading) -> bool:
    return not (heading.title.endswith("?") or _NO_OPTION.match(norm_text(heading.title)))


def _is_one_of(option: _Option, options: Sequence[_Option]) -> bool:
    """Whether it is one of a list or of two that are labelled alike, or says how it stands."""
    alike = [
        it for it in options if it.group == option.group and it.label.kind == option.label.kind
    ]
    return len(alike) > 1 or bool(option.listed or _standing_of_title(option.title))


def _labels_in(text: str) -> Iterator[tuple[int, str]]:
    """The labels of options that are set in bold or open an item."""
    for match in _IN_TEXT.finditer(text):
        yield match.start(), (match["bold"] or match["item"]).strip()[:LONGEST]


def _items_of(text: str, headings: Sequence[Heading]) -> Iterator[tuple[int, str]]:
    """The items right under «Considered options», where no sections are."""
    for at, heading in enumerate(headings):
        after = headings[at + 1] if at + 1 < len(headings) else Heading(len(text), 0, "")
        said, end = name_of(heading.title), after.start
        if "options" in said and _LIST.match(said) and after.level <= heading.level:
            for item in _ITEM.finditer(text, heading.start, end):
                yield item.start(), item["name"].strip()


def _ends_of(headings: Sequence[Heading], length: int) -> dict[int, int]:
    """Where the sections end, by where they begin."""
    ends = {it.start: length for it in headings}
    opened: list[Heading] = []
    for heading in headings:
        while opened and opened[-1].level >= heading.level:
            ends[opened.pop().start] = heading.start
        opened.append(heading)
    return ends


def _standing_of_title(title: str) -> OptionStatus | None:
    match = _MARKED.search(title)
    if match is None:
        return None
    gone = ("not", "no", "gone", "cross", "struck")
    return "rejected" if any(match[it] for it in gone) else "chosen"


def _find_referred(
    text: str, options: Sequence[_Option], within: tuple[int, int]
) -> tuple[set[_Option], set[_Option], set[_Option]]:
    """The options that a sentence chooses, rejects or blends by their numbers."""
    numbered = {it.label.key.rsplit(" ", 1)[-1]: it for it in options if it.label.key}
    chosen: set[_Option] = set()
    rejected: set[_Option] = set()
    blended: set[_Option] = set()
    for match in _REFERRED.finditer(text, *within) if numbered else ():
        keys = (digit_of(it.group()) for it in _EACH.finditer(match["numbers"]))
        meant = {numbered[key] for key in keys if key in numbered}
        before, after = _around(text, match)
        if not meant or after.rstrip().endswith("?") or before.strip() in _MARKS_OF_HEADINGS:
            continue
        if _IS_REJECTED.match(after) and not _OTHERWISE.search(before):
            rejected |= meant
        elif _BLENDS.search(before):
            blended |= meant if _CHOOSES.search(before) else set()
        elif _is_choice(before, after):
            chosen |= meant
    return chosen, rejected - chosen, blended


def _around(text: str, match: re.Match[str]) -> tuple[str, str]:
    """What its sentence says before and after a reference."""
    window = text[max(0, match.start() - 200) : match.start()]
    breaks = list(_BEFORE.finditer(window))
    end = _BEFORE.search(f"{text[match.end() : match.end() + 200]}\n\n")
    after = text[match.end() : match.end() + 200]
    before = window[breaks[-1].start() + 1 if breaks else 0 :]
    return before, after[: end.start() + 1] if end else after


def _is_choice(before: str, after: str) -> bool:
    match = _CHOOSES.search(before)
    if match and not _OTHERWISE.search(match["gap"]) and not _doubts(before[: match.start()]):
        return True
    chosen = _IS_CHOSEN.match(after)
    return chosen is not None and not (_OTHERWISE.search(chosen.group()) or _doubts(before))


def _doubts(before: str) -> bool:
    return bool(re.search(r"\b(?:if|not|never|would|could|whether|when)\b|n['’]t\b", before, re.I))


def _find_named(text: str, headings: Sequence[Heading], options: Sequence[_Option]) -> set[_Option]:
    """The options whose names what decides says first, before it says instead of which."""
    for at, heading in enumerate(headings):
        inside = any(it.start < heading.start < it.end for it in options)
        if inside or not _DECIDES.match(norm_text(heading.title)):
            continue
        end = headings[at + 1].start if at + 1 < len(headings) else len(text)
        body = text[heading.start : min(end, heading.start + DECIDING_CHARS)].partition("\n")[2]
        if _ALL.search(body):
            return set(options)
        if opened := _opens_with(body, options):
            return {opened}
        for paragraph in body.split("\n\n"):
            if named := _named_first(norm_text(paragraph), options):
                return named
        if alike := _find_alike(norm_text(body), options):
            return {alike}
    return set()


def _opens_with(body: str, options: Sequence[_Option]) -> _Option | None:
    """The option whose number a decision begins with: «Option 3, two lanes will be built»."""
    label = read_option_label(body.strip())
    return next((it for it in options if label and label.key == it.label.key != ""), None)


def _find_alike(text: str, options: Sequence[_Option]) -> _Option | None:
    """The one option most of whose words a decision repeats, and more than of any other."""
    words = set(text.split())
    shares = {}
    for option in options:
        own = {it for it in option.label.name.split() if len(it) >= SHORTEST}
        shares[option] = len(own & words) / len(own) if len(own) > 1 else 0.0
    best = max(shares.values(), default=0.0)
    alike = [option for option, share in shares.items() if share == best]
    return alike[0] if best >= ALIKE and len(alike) == 1 else None


def _named_first(text: str, options: Sequence[_Option]) -> set[_Option]:
    places = {}
    for option in options:
        name = option.label.name
        at = f" {text} ".find(f" {name} ") if name else -1
        if at >= 0 and not _INSTEAD.search(text[:at]):
            places[option] = at
    if not places:
        return set()
    first = min(places.values())
    longest = max(len(it.label.name) for it, at in places.items() if at == first)
    return {it for it, at in places.items() if at == first and len(it.label.name) == longest}


def _find_in_title(title: str, options: Sequence[_Option]) -> set[_Option]:
    text = f" {norm_text(title)} "
    if _ARE_TWO.search(title.lower()):
        return set()
    free = [it for it in options if it.listed != "rejected" and len(it.label.name) > 2]
    named = {it for it in free if f" {it.label.name} " in text}
    return named if len(named) == 1 else set()
