"""Placeholders, intervals, powers and comparisons, as plain words while a sentence is read.

«The {product} must lock» is a sentence, yet its braces look like code; «m^2» and «[-40, 85]» do so
too. A word of the same length takes the place of each, so every offset stays, and what is read gets
its own text back, or the value that the document gives to a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product

from agents.offline.segment.definitions import Definition, read_definitions
from agents.offline.segment.html import HTML_NAME
from agents.offline.segment.wording import capitalise

_FENCED = (
    r"(?P<fenced>(?m:^)[ \t>]*(?P<fence>`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:\n[ \t>]*(?P=fence)|\Z))"
)
_CODE = r"(?P<ticks>`+)(?!`)[^`\n]*(?<!`)(?P=ticks)(?!`)|\{%[^%\n]*%\}|<!--[\s\S]{0,2000}?-->"
_BEFORE = r"(?<![^\s(\"'“‘«*_>|])"
_OPERAND = r"(?:!?[A-Za-z_][\w.]{0,30}(?:\[\w{1,9}\])?|-?\d[\d.]{0,9}|\"[^\"\n]{0,20}\")"
_HEAVY = r"[ \t]?(?:===?|!==?|&&|\|\|)[ \t]?"
_LIGHT = r"[ \t][<>]=?[ \t]"
_SMALL = r"(?:-?\d[\d.]{0,9}|[A-Za-z]{1,2})"
_NUMBER = r"[ ]?(?:[-+−–]?\d[\d.]{0,11}|[-+−]?∞)[ ]?"
_AT_WORD = (  # what begins where a word does
    r"(?P<power>(?<![\w^\\$/\[.])(?:\w[\w./·]{0,20})?\w\^[-+−]?\w{1,4}\^?(?![\w^$]))"
    r"|(?P<index>(?<![\w\[\]])(?:[a-z]\[\d{1,3}\]|(?<=[Aa]rray )\w{1,30}\[\d{1,3}\]"
    r"|[A-Za-z]\w{0,30}\[[ijkn]\])(?![\w(:\[]))"
    rf"|(?P<compared>(?<![\w=!<>&|.\"]){_OPERAND}(?:{_LIGHT}{_OPERAND})?{_HEAVY}{_OPERAND}"
    rf"(?:(?:{_HEAVY}|{_LIGHT}){_OPERAND}){{0,3}}(?![\w=!<>&|(\"]))"
    rf"|(?P<less>(?<![\w=!<>&|.\"])(?:{_SMALL}[ \t](?:[<>]=?|[≤≥])[ \t]{_SMALL}"
    rf"|{_OPERAND}[ \t](?:[<>]=|[≤≥])[ \t]{_OPERAND})(?![\w=!<>&|(\"]))"
)
_AT_SIGN = (
    r"(?P<ticked>`(?:[$#]?\{[\w.-]{1,40}\}|\{\{ ?\.?[\w.-]{1,40} ?\}\}|%\w{2,40}%)`)"
    rf"|(?P<code>{_CODE})"
    r"|(?P<bad>\$\{[\w.-]{1,60}(?::?[-=][^{}\n]{0,40})?\}(?=[/\w{$\\])[^\s]*)"
    rf"|(?P<braced>{_BEFORE}(?:\{{\{{-?[ \t]*(?P<moustache>\.?[$\w][\w.-]{{0,60}})"
    r"[ \t]*(?:\|[^{}\n]{1,60})?-?\}\}"
    r"|[$#]\{(?P<shell>[\w.-]{1,60})(?::?[-=][^{}\n]{0,40})?\}"
    r"|\{(?P<brace>[A-Za-z_][\w.-]{0,40}(?: [\w-]{1,20}){0,3})\})"
    r"(?=(?:[A-Za-z]{1,3}\b)?(?![\w(\[{/=`\\<])))"
    r"|(?P<percent>(?<![^\s(\"'“*_])%(?P<batch>[A-Za-z_]\w{1,40})%(?![\w%]))"
    rf"|(?P<angled>{_BEFORE}<(?P<angle>[A-Za-z][\w-]{{0,40}}(?: [\w-]{{1,20}}){{0,3}})>(?![\w(<]))"
    r"|(?P<barred>(?<![\w|])\|(?P<bar>[^\s|][^|\n]{0,60}(?<=[^\s|]))\|(?![\w|]))"
    rf"|(?P<range>(?<![\w\])!])[\[(\]]{_NUMBER}(?:(?:[,;]|\.{{2,3}}|…){_NUMBER}){{1,5}}[\])\[]"
    r"(?![\w(:_]))"
    r"|(?P<bound>(?<=[^\s>|][ \t(])(?:[<>]=?|[≤≥])[ \t]?\d[\d.,]{0,11})"
    r"|(?P<version>(?<![^\s(\"'“])[\^~]\d[\w.*]{0,20}[\w*])"
    r"|(?P<math>(?<![\w$\\])\$(?=[^\s$])[^$\n`]{1,56}(?<=[^\s$])\$(?![\w$]))"
)
_AT_SIGNS = rf"{_FENCED}|(?=[`~>{{<$#%|\[(\]≤≥^])(?:{_AT_SIGN})"  # most places have no such sign
_PLACEHOLDER = re.compile(rf"(?<!\w)(?=[\w!\"-])(?:{_AT_WORD})|{_AT_SIGNS}")
_NO_WORDS = re.compile(rf"{_AT_SIGNS}|(?P<compared>(?!))")
_IN_WORDS = re.compile(
    r"\^|\w\[|[=!]=|&&|\|\||[ \t](?:[<>]=?|[≤≥])[ \t]"
)  # one is in each of these
_HINTS = re.compile(r"[{%|^<>≤≥$]|~\d|==|!=|&&|[\[(\]] ?[-+−∞\d][^\n]{0,14}[,;.…]|\w\[\w")
_WORD = re.compile(r"[^\W\d_]{2,}")
_NO_PROSE = re.compile(
    r"[;{]\s*$|^\s*[$>%]\s*[a-z./]|\s--\w|=>|^\s*\w+\s*=|\(\)|^\s*\"[^\"]*\"\s*:"
)
_SPEAKER = re.compile(r"[ \t]+[A-Z]")
LONGEST_LINE = 1_500  # characters; a longer one is data
FEWEST_WORDS = 3  # of a line beside its placeholders that is a sentence
MOST = 200  # of the placeholders of one chunk, which differ
_SHORTEST, _LONGEST = 3, 60
_CONSONANTS, _VOWELS = "zkvb", "ouai"


@dataclass(slots=True)
class Masked:
    """A text with plain words in place of what looks like code, and what those stand for."""

    text: str
    words: dict[str, str] = field(default_factory=dict)  # by what they stand for
    values: dict[str, Definition] = field(default_factory=dict)  # by the same, where defined
    _found: re.Pattern[str] | None = None

    def hide(self, text: str) -> str:
        """``text``, which stands elsewhere, with the same words."""
        for original, word in self.words.items():
            text = text.replace(original, word)
        return text

    def restore(self, text: str) -> str:
        """``text`` with what the words stand for, or its value."""
        if not self.words or not text:
            return text
        if self._found is None:
            raw = [re.escape(it) for it in self.values]
            words = sorted(self.words.values(), key=len, reverse=True)
            self._found = re.compile("|".join([*raw, rf"(?<!\w)(?i:{'|'.join(words)})"]))
        originals = {word: original for original, word in self.words.items()}

        def substitute(match: re.Match[str]) -> str:
            original = originals.get(match[0].lower(), match[0])
            value = self.values.get(original)
            if value is None:
                return original.strip("`")
            return capitalise(value.value) if match.start() == 0 else value.value

        return self._found.sub(substitute, text)

    def has_unknown(self, text: str) -> bool:
        """Whether ``text`` names a placeholder without a value."""
        heard = text.lower()
        return any(w in heard for it, w in self.words.items() if it not in self.values)


def hide_placeholders(text: str, dialect: str) -> Masked:
    """``text`` with a word in place of each placeholder and the like; as long as ``text``."""
    if not _HINTS.search(text):
        return Masked(text)
    masked = Masked(text)
    definitions = read_definitions(text, dialect)
    free = _Words(text)
    pieces, at = [], 0
    pattern = _PLACEHOLDER if _IN_WORDS.search(text) else _NO_WORDS
    for it in pattern.finditer(text):
        if not _is_meant(text, it, dialect, definitions) or len(masked.words) >= MOST:
            continue
        word = masked.words.get(it[0]) or free.take(len(it[0]))
        if not word:
            continue
        masked.words[it[0]] = word
        name = it["moustache"] or it["shell"] or it["brace"] or it["batch"] or it["angle"]
        if definition := _find(definitions, name or it["bar"] or ""):
            masked.values[it[0]] = definition
        pieces += [text[at : it.start()], capitalise(word) if _opens(text, it.start()) else word]
        at = it.end()
    masked.text = "".join((*pieces, text[at:]))
    return masked


def _find(definitions: dict[str, Definition], name: str) -> Definition | None:
    """What is known of «product», or of «page.product» by its last part."""
    return definitions.get(name) or definitions.get(name.rsplit(".", 1)[-1])


def _is_meant(
    text: str, match: re.Match[str], dialect: str, definitions: dict[str, Definition]
) -> bool:
    """Whether it stands in a sentence, and is what it looks like."""
    if any(match[it] is not None for it in ("fenced", "code", "bad")):
        return False
    if not _SHORTEST <= len(match[0]) <= _LONGEST:
        return False
    begin = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    end = end if end >= 0 else len(text)
    if end - begin > LONGEST_LINE:
        return False
    line = text[begin:end]
    if match["barred"]:
        return (
            dialect == "rst" and match["bar"] in definitions and not line.lstrip().startswith("..")
        )
    if match["compared"] and line.lstrip()[:1] == "|":
        return False
    if match["angled"] and not _is_placeholder(text, match, begin):
        return False
    beside = line.replace(match[0], " ")
    if _NO_PROSE.search(beside):
        return False
    words = _count_words(line)
    is_title = line.lstrip()[:1] in ("#", "=")
    if words >= FEWEST_WORDS or (is_title and words):
        return True
    return bool(words) and _goes_on(text, begin, end)


@lru_cache(maxsize=64)
def _count_words(line: str) -> int:
    """The words of a line beside its placeholders."""
    return len(_WORD.findall(_PLACEHOLDER.sub(" ", line)))


def _goes_on(text: str, begin: int, end: int) -> bool:
    """Whether the line before or after belongs to the same sentence."""
    before = text[text.rfind("\n", 0, max(0, begin - 1)) + 1 : max(0, begin - 1)]
    stop = text.find("\n", end + 1)
    after = text[end + 1 : stop if stop >= 0 else len(text)]
    beside = (before[-LONGEST_LINE:], after[:LONGEST_LINE])
    return any(len(_WORD.findall(it)) >= FEWEST_WORDS for it in beside)


def _is_placeholder(text: str, match: re.Match[str], begin: int) -> bool:
    """Whether what is set in angle brackets is no tag, and nobody who speaks."""
    name = match["angle"].split()[0]
    if HTML_NAME.fullmatch(name) or f"</{name}" in text:
        return False
    alone = not text[begin : match.start()].strip()
    return not (alone and _SPEAKER.match(text, match.end()))


def _opens(text: str, start: int) -> bool:
    """Whether a sentence begins at ``start``."""
    before = text[max(0, start - 20) : start].rstrip(" \t*_>\"'(+-#=")
    return not before or before[-1] in ".!?\n"


class _Words:
    """Words that can be said and that a text has not, by their length."""

    def __init__(self, text: str) -> None:
        self._heard = text.lower()
        self._made: dict[int, Iterator[str]] = {}

    def take(self, length: int) -> str:
        """The next word of this length; nothing where there is none left."""
        if length not in self._made:
            self._made[length] = self._make(length)
        return next(self._made[length], "")

    def _make(self, length: int) -> Iterator[str]:
        free = min(length, 5)
        tail = "".join(
            "ka"[at % 2] if free % 2 == 0 else "ak"[at % 2] for at in range(length - free)
        )
        signs = [(_CONSONANTS, _VOWELS)[at % 2] for at in range(free)]
        for letters in product(*signs):
            word = "".join(letters) + tail
            if word not in self._heard:
                yield word
