"""Secrets that a sentence tells: "the new password will be …", "API key … expires in March".

A sentence has no sign that assigns, so the value's own look decides, and where it stands. Right
behind the name, or behind a word that tells (`is`, `was`, `to`), a word with digits is a password;
elsewhere in the line only a run that no word, name or version looks like. Only as many words behind
a name are looked at as a sentence needs: the time is linear in the text whatever the text is.
"""

# ruff: noqa: E501 (a pattern is read as one line)
from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from schemas.ids import ID_HEX_DIGITS, ID_PREFIXES
from streams.hygiene.secrets.names import (
    ANY_KEY,
    KEYS,
    NOT_THE_SECRET,
    PASSWORD_NAMES,
    is_of_something_else,
)
from streams.hygiene.secrets.values import (
    FILLED_IN,
    REFERENCE,
    RESOURCE_NAME,
    SPEAKING,
    TECHNICAL,
    TEST_WORD,
    UUID,
    mixes_letters_and_digits,
)

Span = tuple[int, int]
MOST_WORDS, LONGEST_BEHIND, LONGEST_BEFORE = 16, 400, 90
SHORTEST_PASSWORD, LONGEST_PASSWORD = 6, 64
SHORTEST_NUMBER = 4  # as long as a year
SHORTEST_KEY, SHORTEST_BASE64, SHORTEST_HEX, LONGEST_KEY = 10, 20, 16, 400
FEWEST_CHANGES = 3  # between letters and digits, in a key
CHANGES_OF_KEY = 0.2  # of the neighbouring characters
FEWEST_WORDS_OF_PHRASE = 4
WORD = re.compile(r"\S{1,400}")
MARKS_BEFORE, MARKS_BEHIND = "\"'`*_(«“„‚‘[<", "\"'`*_)»”“‘’],;:.>"
# Behind a name in a sentence: its plural, then no further part of an identifier, no field of JSON.
ENDS_AS_A_WORD = re.compile(
    r"((?:s|es|e|n|en)?)(?![\w#@/\\&%$+~-])(?!\.\w)(?![(\[{])(?![\"']\s{0,4}[:=,])(?![\"'](?:\)|\]|\}))"
)
ASSIGNS = re.compile(r"[\"'`*]{0,3}[ ]?[:=]")
TELLS = frozenset(
    (
        "is", "was", "be", "reads", "remains", "became", "becomes", "were", "are", "now", "still", "currently", "just",
        "simply", "always", "to", "from", "as", "=", ":", "->", "→", "=>", "-", "–", "—",
        "ist", "war", "lautet", "lautete", "wird", "jetzt", "auf", "von", "zu", "heißt", "est", "était", "sera", "es",
        "era", "será", "è", "é", "jest", "är", "er", "on",
    )
)  # fmt: skip
JOINS = frozenset(("and", "or", "/", "|", "und", "oder", "y", "et"))  # another value behind one
MOVES = frozenset(("to", "from", "auf", "von", "zu"))  # tell of a value where something is changed
CHANGES = re.compile(
    r"\b(?:chang|set\b|reset|re-set|rotat|replac|switch|ge(?:ändert|setzt|wechselt)|cambi)"
)
VERBS = frozenset(("pass", "parole", "clave"))  # words that mean a password beside others
SIGNS_THAT_TELL = (":", "=", "→", "->")
BINDS = frozenset(
    ("code", "codes", "number", "phrase", "word", "words", "value", "string", "key", "token")
)
# What a word right behind the name makes of it: another thing than the secret.
OTHER_THINGS = re.compile(
    r"(?![a-z]*ed\b)(?:manag|protect|rotat|validat|scann|hash|handl|stor|generat|strength|prompt|change|check|field|form|screen|page|recover|requir"
    r"|entry|entries|based|less|free|auth|expir|leak|sharing|spray|guess|crack|complex|minimum|maximum|result|performance|account|driven)[a-z]*"
)
UNITS = re.compile(
    r"(?i)(?:characters?|chars?|digits?|letters?|bits?|bytes?|days?|hours?|minutes?|seconds?|weeks?|months?|years?|times|users?|rounds?|attempts?"
    r"|zeichen|stellen|ziffern|tage|stunden|mal|caracteres|días|%|ms|s|h|eur|usd|€|\$)[.,;:!?)]*"
)
# Standards, tickets, model numbers: capitals with digits behind them.
DESIGNATION = re.compile(r"[A-Z]{1,8}[-_/ ]?[0-9]+(?:[.:-][0-9]+)*[a-z]?")
NAME_WITH_VERSION = re.compile(
    r"[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_v]?[0-9]{1,2}(?:\.[0-9x]+)*|[0-9]{1,3}[A-Za-z]+"
)
DATE = re.compile(
    r"(?i)(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|q[1-4]|w|week|kw|fy|h[12])[a-z]*[-/]?'?[0-9]{2,4}|[0-9]+(?:st|nd|rd|th)"
)
ADDRESS = re.compile(
    r"(?i)-{0,2}[a-z_][\w-]*=.*|[\w.+-]+@[\w-]+\.[\w.-]+|(?:www\.|[a-z][\w.-]*\.(?:com|org|net|io|de|dev|eu|md|py|js|ts|go|java|json|yaml|yml|toml|txt|html?)\b).*|.*[/\\].*"
)
BRACKETS = re.compile(r"[()\[\]{}<>|]")
SIGN = re.compile(r"[!@#$%^&*?~+§€£=]")
LETTER_DIGIT_LETTER = re.compile(r"(?=[^\W\d_][0-9]{1,2}[^\W\d_])")
OUR_ID = re.compile(rf"(?:{'|'.join(ID_PREFIXES)})_[0-9a-f]{{{ID_HEX_DIGITS}}}")
HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
GROUPS = re.compile(r"(?=[A-Z-]*[0-9])(?=[0-9-]*[A-Z])[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,8}")
OF_A_KEY = re.compile(r"[\w+/.~%-]+={0,2}")
NUMBER = re.compile(r"[0-9]{4,10}")
PIN = re.compile(
    r"(?<![A-Za-z])(?:pin|puk|PIN|PUK|Pin)(?:[ _-]?[Cc]ode)?\b(?P<between>(?:[ ][a-z]{1,12}){0,5}?)"
    r"(?:[ ]?[=:][ ]?|,?(?:[ ](?:it|which))?[ ](?:is|was|will[ ]be|ist|lautet|to)[ ](?:now[ ]|still[ ])?)[\"'`*]{0,2}(?P<value>[0-9]{4,8})(?![\w.,:%-]?[0-9])"
)
CODE = re.compile(
    r"(?i)\b(?:unlock|access|entry|door|alarm|combination|security|safe|gate|backup|recovery|one-time|verification|2fa|mfa)[ -](?:code|codes|pin)\b(?:[ ][a-z]{1,12}){0,5}?"
    r"(?:[ ]?[=:][ ]?|[ ](?:is|are|was|were|will[ ]be)[ ]|(?=[ ][\w-]{0,9}[0-9][\w-]{5})[ ])[\"'`*]{0,2}(?P<value>(?=[\w-]{0,40}[0-9])[0-9A-Za-z-]{4,40}(?:,?[ ](?=[\w-]{0,40}[0-9])[0-9A-Za-z-]{4,40}){0,15})(?![\w-])"
)
COOKIES = re.compile(r"(?i)(?<![\w-])(?:set-)?cookie[\"']?:[ ]?(?P<pairs>[^\n]{1,4000})")
COOKIE_PAIR = re.compile(r"(?<![\w.$%-])(?P<name>[\w.$%-]{1,60})=(?P<value>[^;,\s\"'`]{12,2000})")
SESSION = re.compile(
    r"(?i)(?:sess(?:ion)?[_.-]?(?:id|key|token)?|(?<![\w-])(?:connect\.sid|sid|ssid|auth_?cookie|remember_?(?:me|token)|\.aspxauth|\.aspnetcore\.[\w.]{1,40}))"
    r"=(?P<value>(?=[\w%+/.:~=-]{0,200}[0-9])[\w%+/.:~=-]{16,2000})"
)
# A text without one of these is not searched for sessions, or for logins.
SESSION_WORDS = ("sess", "sid=", "cookie=", "remember", ".asp")
LOGIN_WORDS = ("log", "sign", "cred", "zugang", "anmeld")
PHRASE = re.compile(
    r"(?i)(?:pass[ -]?phrase|(?:recovery|seed|secret|backup)[ -]phrase|seed[ ]words)\b(?:[ ][a-z]{1,12}){0,5}?(?P<link>[ ]?[=:→]|[ ](?:is|was|will[ ]be|used[ ]to[ ]be)(?=[ ]))[ ]{0,3}(?P<rest>[^\n]{8,300})"
)
QUOTED_PHRASE = re.compile(r"[\"'`«“„](?P<value>[^\"'`«»“”\n]{8,200})[\"'`»”“]")
PLAIN_WORDS = re.compile(r"[a-z]{2,12}(?:[ -][a-z]{2,12})*")
FUNCTION_WORDS = frozenset(
    (
        "a", "an", "the", "for", "and", "or", "from", "since", "until", "of", "on", "at", "in", "to", "but", "which", "that", "by", "with",
        "not", "no", "as", "if", "when", "may", "can", "must", "so", "than", "then", "be", "been", "is", "are", "was", "only", "at",
        "also", "any", "each", "your", "our", "their", "this", "more", "least", "most", "used", "kept", "stored", "because", "whenever",
    )
)  # fmt: skip
USED_AS = re.compile(
    r"(?P<value>\S{6,64})[ ](?:as|for|als|come|como)[ ](?:(?:the|a|an|your|my|our|its|new|das|ein|dein|le|la)[ ]){0,2}(?:[a-z]{1,12}[ ])?\Z"
)
PAIR_OF_LOGIN = re.compile(
    r"(?i)\b(?:log(?:[ -]?in|on)|sign[ -]?in|credentials?|creds|zugang|zugangsdaten|anmeldung)\b[^\n]{0,40}?[ :][\"'`*]{0,2}[a-z][\w.@+-]{1,40}(?:[ ]?[/|][ ]?|:)(?P<value>[^\s\"'`]{6,64})"
)


# A word before "key" that says that it opens something.
KEYS_IN_PROSE = KEYS | {
    *("licence", "product", "activation", "ssh", "wifi", "wpa", "root", "secret", "pre-shared"),
}


class Told(NamedTuple):
    """A word behind a name, without the marks around it."""

    start: int
    end: int
    said: str
    marked: bool  # in quotation marks or marks of code


def find_told(text: str, lowered: str, named: list[tuple[int, str]]) -> Iterator[Span]:
    """Passwords, keys, codes and phrases that prose tells; overlaps included, unordered."""
    for at, name in named:
        if not is_of_something_else(lowered, at + len(name)):
            following = bisect_left(named, (at + len(name), ""))
            next_name = named[following][0] if following < len(named) else len(text)
            yield from _behind(text, lowered, at, name, next_name)
            if name in PASSWORD_NAMES and (span := _used_as(text, at)):
                yield span
    if "phrase" in lowered or "seed words" in lowered:
        for match in PHRASE.finditer(text):
            if span := _phrase(match):
                yield span
    if any(word in lowered for word in LOGIN_WORDS):
        for match in PAIR_OF_LOGIN.finditer(text):
            told = _without_marks(*match.span("value"), text)
            if told and _is_odd(told.said):
                yield told.start, told.end


def find_codes(text: str, lowered: str) -> Iterator[Span]:
    """Numbers that open something, and cookies of sessions: in any language of a file."""
    if "pin" in lowered or "puk" in lowered:
        yield from (match.span("value") for match in PIN.finditer(text))
    if "code" in lowered:
        yield from (match.span("value") for match in CODE.finditer(text))
    if "cookie" in lowered:
        for header in COOKIES.finditer(text):
            for pair in COOKIE_PAIR.finditer(text, *header.span("pairs")):
                if mixes_letters_and_digits(pair["value"]) and not _stands_for_one(pair["value"]):
                    yield pair.span("value")
    if any(word in lowered for word in SESSION_WORDS):
        for match in SESSION.finditer(text):
            if mixes_letters_and_digits(match["value"]) and not _stands_for_one(match["value"]):
                yield match.span("value")


def _behind(text: str, lowered: str, at: int, name: str, next_name: int) -> Iterator[Span]:
    """What the words behind a name tell, to the end of its line or to the next name."""
    ending = ENDS_AS_A_WORD.match(text, at + len(name))
    if ending is None:
        return
    end = ending.end(1)
    line = text.find("\n", end, end + LONGEST_BEHIND)
    stop = line if line >= 0 else min(len(text), end + LONGEST_BEHIND)
    if next_name < stop:
        blank = text.find(" ", max(end, next_name), stop)  # behind the word that holds it
        stop = blank if blank >= 0 else stop
    # What a sign assigns has been judged; here only a number or what no word looks like counts.
    assigned = ASSIGNS.match(text, end) is not None
    # Right behind the name or a word that tells; behind such a word; in the same sentence.
    direct, linked, same = name not in VERBS, assigned, True
    changes = CHANGES.search(lowered, max(0, at - LONGEST_BEFORE, lowered.rfind("\n", 0, at)), stop)
    words = list(islice(WORD.finditer(text, end, stop), MOST_WORDS))
    if words and _is_other_thing(words[0][0].strip(MARKS_BEHIND).lower()):
        return
    is_secret = False
    for place, word in enumerate(words):
        following = words[place + 1][0] if place + 1 < len(words) else ""
        plain = word[0].lower().strip("\"'`*_,;")
        if plain in JOINS or (plain in MOVES and not changes):
            direct = linked = is_secret
            continue
        if plain in TELLS or plain.strip(":()") in BINDS:
            direct, linked = same, plain.strip(":()") not in BINDS or linked
            continue
        told = _without_marks(*word.span(), text)
        is_secret = (
            told is not None
            and not (told.said.isdigit() and UNITS.fullmatch(following))
            and _is_told(told, name, lowered, at, direct=direct, linked=linked)
            and (not assigned or told.said.isdigit() or _is_odd(told.said))
        )
        if told and is_secret:
            yield told.start, told.end
        linked = direct = same and word[0].endswith(SIGNS_THAT_TELL)
        same = same and not (word[0].endswith((".", "!", "?")) and following[:1].isupper())


def _is_other_thing(word: str) -> bool:
    return bool(NOT_THE_SECRET.fullmatch(word) or OTHER_THINGS.fullmatch(word))


def _is_told(told: Told, name: str, lowered: str, at: int, *, direct: bool, linked: bool) -> bool:
    said = told.said
    if name == ANY_KEY or name.endswith("key") or name in ("token", "credential"):
        return direct and _is_key(said, strict=name == ANY_KEY and not _names_a_key(lowered, at))
    if direct and NUMBER.fullmatch(said):
        return linked and len(said) > SHORTEST_NUMBER
    if direct and told.marked and said.isalpha() and said.isascii() and said.islower():
        return (
            len(said) >= SHORTEST_PASSWORD
            and said not in SPEAKING
            and name in PASSWORD_NAMES
            and _is_alone(lowered, said)
        )
    if name == "passphrase" and linked and mixes_letters_and_digits(said):
        return RESOURCE_NAME.fullmatch(said) is not None or _is_password(said)
    return _is_password(said) if direct else name not in VERBS and _is_odd(said)


def _names_a_key(lowered: str, at: int) -> bool:
    """Whether a word before ``key`` says that it opens something."""
    before = lowered[max(0, at - 16) : at].rstrip(" -_").rpartition(" ")[2]
    return before in KEYS_IN_PROSE


def _is_alone(lowered: str, word: str) -> bool:
    """Whether the text says the word once."""
    return lowered.find(word, lowered.find(word) + 1) < 0


def _without_marks(start: int, end: int, text: str) -> Told | None:
    """The word without quotation marks and the signs that end a sentence."""
    begin = start
    while start < end and text[start] in MARKS_BEFORE:
        start += 1
    while start < end and text[end - 1] in MARKS_BEHIND:
        end -= 1
    said = text[start:end]
    if said[-1:] in ("!", "?") and not any(map(str.isdigit, said)):
        said = said.rstrip("!?")
    return Told(start, start + len(said), said, start > begin) if said else None


def _stands_for_one(text: str) -> bool:
    lowered = text.lower()
    filled = FILLED_IN.search(lowered) and not (
        SIGN.search(text) and mixes_letters_and_digits(text)
    )
    return bool(filled or REFERENCE.fullmatch(text) or TEST_WORD.fullmatch(lowered))


def _may_be_one(text: str) -> bool:
    if OUR_ID.match(text):
        return False
    if not SHORTEST_PASSWORD <= len(text) <= LONGEST_PASSWORD or _stands_for_one(text):
        return False
    if BRACKETS.search(text):
        return False
    if TECHNICAL.fullmatch(text) or DESIGNATION.fullmatch(text) or DATE.fullmatch(text):
        return False
    return not ADDRESS.fullmatch(text) and not RESOURCE_NAME.fullmatch(text)


def _is_password(text: str) -> bool:
    """Right behind the name: letters and digits, or a sign within letters."""
    if not _may_be_one(text) or text.lower() in SPEAKING:
        return False
    if mixes_letters_and_digits(text):
        return True
    return bool(SIGN.search(text[1:-1])) and any(map(str.isalpha, text)) and not text.endswith("=")


def _is_odd(text: str) -> bool:
    """Somewhere in the line: looks like no word, no name and no version."""
    if not _may_be_one(text) or not mixes_letters_and_digits(text):
        return False
    if NAME_WITH_VERSION.fullmatch(text):
        return False
    within = SIGN.search(text[1:-1]) or (text[-1] in "!$#*" and len(text) > SHORTEST_PASSWORD + 1)
    return bool(within) or len(LETTER_DIGIT_LETTER.findall(text)) > 1


def _is_key(text: str, *, strict: bool) -> bool:
    """Whether letters and digits change places as in a key, or digits of a hash stand there."""
    if not SHORTEST_KEY <= len(text) <= LONGEST_KEY or not OF_A_KEY.fullmatch(text):
        return False
    if _stands_for_one(text) or TECHNICAL.fullmatch(text) or RESOURCE_NAME.fullmatch(text):
        return False
    if (strict and UUID.fullmatch(text)) or OUR_ID.match(text):
        return False
    if ADDRESS.fullmatch(text) and not text.endswith("=") and not SIGN.search(text):
        return False
    if GROUPS.fullmatch(text):
        return not strict
    if HEX.fullmatch(text) and len(text) >= SHORTEST_HEX:
        return not strict and not text.isdigit()
    if len(text) >= SHORTEST_BASE64 and (text.endswith("=") or "+" in text):
        return any(map(str.isupper, text)) and any(map(str.islower, text))
    kinds = [it.isdigit() for it in text if it.isalnum()]
    changes = sum(one != after for one, after in zip(kinds, kinds[1:], strict=False))
    return changes >= FEWEST_CHANGES and changes >= CHANGES_OF_KEY * len(kinds)


def _used_as(text: str, at: int) -> Span | None:
    """``use … as password``: before the name."""
    match = USED_AS.search(text, max(0, at - LONGEST_BEFORE, text.rfind("\n", 0, at) + 1), at)
    told = _without_marks(*match.span("value"), text) if match else None
    if told and _is_password(told.said) and (_is_odd(told.said) or told.marked):
        return told.start, told.end
    return None


def _phrase(match: re.Match[str]) -> Span | None:
    """Several words that are a secret together."""
    start = match.start("rest")
    quoted = QUOTED_PHRASE.match(match["rest"])
    if quoted and " " in quoted["value"].strip():
        return start + quoted.start("value"), start + quoted.end("value")
    words = PLAIN_WORDS.match(match["rest"])
    if words is None:
        return None
    parts = words[0].split(" ")
    if match["link"].strip() in ("=", "→", ":"):
        whole = match["rest"][words.end() :].strip() in ("", ".")
        few = sum(word in FUNCTION_WORDS for word in parts)
        if whole and len(parts) >= FEWEST_WORDS_OF_PHRASE and 2 * few < len(parts):
            return start, start + words.end()
    count = next((at for at, word in enumerate(parts) if word in FUNCTION_WORDS), len(parts))
    if count < FEWEST_WORDS_OF_PHRASE:
        return None
    return start, start + len(" ".join(parts[:count]))
