"""Runs that look drawn by lot on the lines of a secret's name (rules R-ENTROPY, R-AWS-SEC)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from schemas.ids import ID_HEX_DIGITS, ID_PREFIXES
from streams.hygiene.secrets.finding import ORDER_AWS_SEC, ORDER_ENTROPY, Finding
from streams.hygiene.secrets.names import NOT_THE_SECRET, is_of_something_else
from streams.hygiene.secrets.values import entropy, is_drawn, looks_secret

LONGEST_JUDGED = 4_000  # characters of a value that say whether it is a secret
BASE64_ENTROPY = 4.5  # bits per character
HEX_ENTROPY = 3.0
ENTROPY_OF_AWS = 3.5
FARTHEST_BEHIND = 200  # characters between a name and the beginning of a quoted run
LONGEST_LINE_PART = 4_000  # characters around a name that R-ENTROPY looks at
ENTROPY_LANGUAGE_EXEMPT = frozenset(("gomod",))
AWS_SECRET = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])")
QUOTE = re.compile(r"[\"'`]")
LITERAL = re.compile(r"[\"'`]([\w.+/=~-]{20,}+)(?=[\"'`])")
DIGIT_WITHIN = re.compile(r"[0-9][A-Za-z]")  # a name has its digits, of a year, at its end
BASE64_RUN = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{32,}+={0,2}")
BASE64_CHARS = "".join(chr(at) for at in range(128) if chr(at).isalnum()) + "+/_-="
REST_OF_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*+={0,2}")
HEX_RUN = re.compile(r"(?<![A-Za-z0-9])[0-9a-fA-F]{32,}+(?![A-Za-z0-9])")
NO_HEX_BEHIND = ("%", "#", "@", "/", "diff-")
HASH_WORDS = re.compile(
    r"commit|checksum|sha-?(?:1|224|256|384|512)|md5|digest|integrity|fingerprint|"
    r"revision|/blob/|/tree/"
)
OUR_ID = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(ID_PREFIXES)})_\Z")
OWN_NAME = re.compile(r"([A-Za-z_][\w.-]{0,60})[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?\Z")


def find_near_names(
    text: str, lowered: str, named: list[int], language: str | None
) -> Iterator[Finding]:
    """High-entropy runs on lines with a secret's name (R-ENTROPY), AWS secrets near theirs."""
    done = -1
    for at in named:
        if at < done:
            continue
        start = _start_of_part(text, at, max(0, done))
        end = text.find("\n", at, at + LONGEST_LINE_PART)
        if end < 0:
            end = min(len(text), at + LONGEST_LINE_PART)
            rest = REST_OF_BASE64.match(text, end)
            end = rest.end() if rest else end
        done = end
        line = lowered[start:end]
        if "aws" in line and "secret" in line:
            for match in AWS_SECRET.finditer(text, start, end):
                if entropy(match[0]) >= ENTROPY_OF_AWS:
                    yield Finding(*match.span(), ORDER_AWS_SEC, "R-AWS-SEC", "AWS_SECRET")
        if language not in ENTROPY_LANGUAGE_EXEMPT and not HASH_WORDS.search(line):
            yield from _high_entropy(text, start, end)


def _start_of_part(text: str, at: int, done: int) -> int:
    """The start of the line of ``at``, or of the run that begins farthest before it.

    What lies before ``done`` was looked at with the name before.
    """
    begin = max(0, at - LONGEST_LINE_PART)
    if line := text.rfind("\n", begin, at) + 1:
        return line
    return min(done, begin) + len(text[min(done, begin) : begin].rstrip(BASE64_CHARS))


def find_drawn_behind(text: str, lowered: str, named: list[tuple[int, str]]) -> Iterator[Finding]:
    """Quoted runs that look drawn behind a secret's name, whatever stands between (R-ENTROPY)."""
    read = 0
    for at, name in named:
        behind = at + len(name)
        if is_of_something_else(lowered, behind):
            continue
        stop = min(behind + FARTHEST_BEHIND, len(text))
        end = text.find("\n", behind, stop)
        start, read = max(behind, read), end if end >= 0 else stop
        for quote in QUOTE.finditer(text, start, read):
            match = LITERAL.match(text, quote.start())
            if match is None:
                continue
            value = match[1][:LONGEST_JUDGED]
            if DIGIT_WITHIN.search(value) and is_drawn(value) and looks_secret(value):
                yield Finding(*match.span(1), ORDER_ENTROPY, "R-ENTROPY", "HIGH_ENTROPY")


def _high_entropy(text: str, start: int, end: int) -> Iterator[Finding]:
    for match in BASE64_RUN.finditer(text, start, end):
        if _has_own_name(text, match.start()):
            continue
        if entropy(match[0]) < BASE64_ENTROPY or _is_part_of_a_name(text, *match.span()):
            continue
        if _mixes_classes(match[0]):
            yield Finding(*match.span(), ORDER_ENTROPY, "R-ENTROPY", "HIGH_ENTROPY")
    for match in HEX_RUN.finditer(text, start, end):
        if text.endswith(NO_HEX_BEHIND, 0, match.start()) or _has_own_name(text, match.start()):
            continue
        is_id = OUR_ID.search(text, max(0, match.start() - 6), match.start()) is not None
        if is_id and len(match[0]) == ID_HEX_DIGITS:
            continue
        if entropy(match[0]) >= HEX_ENTROPY and not match[0].isdigit():
            yield Finding(*match.span(), ORDER_ENTROPY, "R-ENTROPY", "HIGH_ENTROPY")


def _has_own_name(text: str, at: int) -> bool:
    """Whether the run is assigned to an id, a version, a hash or the like."""
    name = OWN_NAME.search(text, max(0, at - 70), at)
    return name is not None and NOT_THE_SECRET.fullmatch(name[1].lower()) is not None


def _is_part_of_a_name(text: str, start: int, end: int) -> bool:
    """Whether the run is called, or stands in a path, an address or a dotted name."""
    return text[end : end + 1] in ("(", ".") or text[start - 1 : start] in (".", "/", "#")


def _mixes_classes(run: str) -> bool:
    kinds = (str.isdigit, str.islower, str.isupper)
    return all(any(map(kind, run)) for kind in kinds)
