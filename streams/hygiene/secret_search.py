"""Finding secrets: each rule's places in a text, overlaps included.

Every rule is tied to short literals, its anchors. Most files hold none of them, and those of keys
and tokens are looked for in the distinct long words of a file only, which are a fraction of it. An
expression runs only where an anchor stands, over a bounded number of characters: the time is
linear in the text whatever the text is.
"""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from streams.hygiene.assigned import (
    ANY_KEY,
    end_of_value,
    entropy,
    find_assigned_secret,
    is_drawn,
    is_no_secret_name,
    is_of_something_else,
    looks_secret,
    names_in,
)
from streams.hygiene.decoded import View, in_base64, unfold
from streams.hygiene.normalise import lower
from streams.hygiene.secret_anchors import Words, list_anchors, split_words
from streams.hygiene.secret_forms import (
    LOWERED_ANCHORS,
    OPEN_FORMS,
    SHORT_FORMS,
    WORD_BEFORE,
    Form,
)

BASE64_ENTROPY = 4.5  # bits per character
HEX_ENTROPY = 3.0
ENTROPY_OF_AWS = 3.5
FARTHEST_BEHIND = 200  # characters between a name and the beginning of a quoted run
LONGEST_JUDGED = 4_000  # characters of a value that say whether it is a secret
LONGEST_LINE_PART = 4_000  # characters around a name that R-ENTROPY looks at
ENTROPY_LANGUAGE_EXEMPT = frozenset(("gomod",))
AWS_SECRET = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])")
PEM_BORDER = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
PEM_BODY = re.compile(r"[ \t\"'+>|*#]*+[A-Za-z0-9+/=\\:, -]*+[\"',+; \t]*+")
PEM_ESCAPED = re.compile(r"(?:\\{1,4}[nr][A-Za-z0-9+/=]*+)+")
QUOTE = re.compile(r"[\"'`]")
LITERAL = re.compile(r"[\"'`]([\w.+/=~-]{20,}+)(?=[\"'`])")
DIGIT_WITHIN = re.compile(r"[0-9][A-Za-z]")  # a name has its digits, of a year, at its end
BASE64_RUN = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{32,}+={0,2}")
BASE64_CHARS = "".join(chr(at) for at in range(128) if chr(at).isalnum()) + "+/_-="
REST_OF_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*+={0,2}")
HEX_RUN = re.compile(r"(?<![A-Za-z0-9])[0-9a-fA-F]{32,}+(?![A-Za-z0-9])")
NO_HEX_BEHIND = ("%", "#", "diff-")
HASH_WORDS = re.compile(
    r"commit|checksum|sha-?(?:1|224|256|384|512)|md5|digest|integrity|fingerprint|"
    r"revision|/blob/|/tree/"
)
ORDER_PEM, ORDER_AWS_SEC, ORDER_PREFIXED, ORDER_ASSIGN, ORDER_ENTROPY = 0, 2, 200, 201, 202
DEEPEST = 3  # JSON within JSON within JSON
CHANGES_OF_DRAWN = 0.4  # of the neighbouring characters; 0.62 is expected of drawn ones
PREFIXED = re.compile(r"(?<![\w./+=%&?-])[a-z][a-z0-9]{1,9}[_-][A-Za-z0-9]{24,}+(?![\w/+=-])")
PREFIX_AND_RUN = re.compile(r"([a-z0-9]+)[_-](.*)")
LISTED_PREFIXES = tuple(
    sorted(
        {
            anchor.rstrip("_-")
            for form in SHORT_FORMS
            for anchor in form.anchors
            if anchor[-1] in "_-"
        }
    )
)
FILLERS = frozenset("xX*.0-_")
NOT_REAL = re.compile(r"not-?_?a?-?_?real|a1b2c3d4|EXAMPLEEXAMPLE|(?i:dummy|placeholder|changeme)")
NO_PASSWORD = re.compile(
    r"your|my_?pass|x?-oauth-basic|<|\$|example|redacted|replace|change_?me|placeholder|insert|enter|\.\.\.|%s"
)


class Finding(NamedTuple):
    """A secret's place in the normalised text. ``order`` is the rule's place in the table."""

    start: int
    end: int
    order: int
    rule_id: str
    type: str


def find_secrets(text: str, lowered: str, language: str | None) -> list[Finding]:
    """Every place where a rule finds a secret, overlaps included, unordered.

    Also in what the text says once its escapes are undone, its lines joined, its base64 decoded.
    """
    found = _find(text, lowered, language)
    views: list[View] = []
    said = text
    while len(views) < DEEPEST and (view := unfold(said)):
        views.append(view)
        said = view.text
        known = _merge_spans(found)
        for it in _find(said, lower(said), language):
            start, end = it.start, it.end
            for each in reversed(views):
                start, end = each.span(start, end)
            if _says_more(text, start, end, known):
                found.append(it._replace(start=start, end=end))
    return found


def _merge_spans(found: list[Finding]) -> list[tuple[int, int]]:
    """Where something was found: in order, without overlaps."""
    spans: list[tuple[int, int]] = []
    for it in sorted(found):
        if spans and it.start <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], it.end)
        else:
            spans.append((it.start, it.end))
    return spans


def _says_more(text: str, start: int, end: int, covered: list[tuple[int, int]]) -> bool:
    """Whether a letter or digit between ``start`` and ``end`` is not ``covered``."""
    at = max(0, bisect_right(covered, (start, len(text))) - 1)
    for begin, stop in islice(covered, at, None):
        if begin >= end:
            break
        if any(map(str.isalnum, text[start:begin])):
            return True
        start = max(start, stop)
    return any(map(str.isalnum, text[start:end]))


def _find(text: str, lowered: str, language: str | None) -> list[Finding]:
    """What stands in the text itself, or in its base64."""
    words = split_words(text)
    found = _find_plain(text, lowered, language, words)
    if view := in_base64(text, words.long_pieces):
        said = view.text
        for it in sorted(_find_plain(said, lower(said), None, split_words(said))):
            for start, end in view.places(it.start, it.end):
                if not NOT_REAL.search(text, start, min(end, start + LONGEST_JUDGED)):
                    found.append(it._replace(start=start, end=end, order=ORDER_ENTROPY))
    return found


def _find_plain(text: str, lowered: str, language: str | None, words: Words) -> list[Finding]:
    """What stands in the text as it is."""
    found = list(_private_keys(text)) if "PRIVATE KEY" in text else []
    for order, anchor in list_anchors(words):
        found += _of_form(SHORT_FORMS[order - 1], order, anchor, text, text)
    if words.pieces is None or any(not it.isalpha() and _changes(it) for it in words.long_pieces):
        found += _find_prefixed(words.mixed, text)
    for order, form in enumerate(OPEN_FORMS, len(SHORT_FORMS) + 1):
        if form.beside not in text:
            continue
        for anchor in form.anchors:
            where = lowered if anchor in LOWERED_ANCHORS else text
            if anchor in where:
                found += _of_form(form, order, anchor, where, text)
    return found + _of_names(text, lowered, language)


def _of_names(text: str, lowered: str, language: str | None) -> list[Finding]:
    """What is a secret because of a name beside it."""
    found: list[Finding] = []
    named = [it for it in names_in(lowered) if not is_no_secret_name(lowered, it[0])]
    reached = 0
    for at, name in named:
        if span := find_assigned_secret(text, lowered, at, name, language):
            reached = end_of_value(text, *span, reached)
            found.append(Finding(span[0], reached, ORDER_ASSIGN, "R-ASSIGN", "SECRET_VALUE"))
    if named:
        surely = [at for at, name in named if name != ANY_KEY]
        found += _near_names(text, lowered, surely, language)
        found += _find_drawn_behind(text, lowered, named)
    return found


def _of_form(form: Form, order: int, anchor: str, where: str, text: str) -> Iterator[Finding]:
    read = behind = 0
    for at in _places(where, anchor):
        if at < read:
            continue
        match = _match(form, at, behind, text)
        behind = at + len(anchor)
        if match is None:
            continue
        read = match.end()  # the run is judged once: its inner anchors are not asked again
        if _plausible(form, match, text):
            yield Finding(*match.span(form.group), order, form.rule_id, form.type)


def _match(form: Form, at: int, behind: int, text: str) -> re.Match[str] | None:
    """The form around its anchor at ``at``; ``behind`` is the end of the anchor before."""
    if not form.backwards:
        return form.pattern.match(text, at)
    if form.backwards == WORD_BEFORE:
        begin = at - len(text[behind:at].rpartition("\n")[2].rpartition(" ")[2])
    else:
        begin = max(0, at - form.backwards)
    for start in range(begin, at + 1):
        match = form.pattern.match(text, start)
        if match and match.end() > at:
            return match
    return None


def _find_prefixed(words: str, text: str) -> Iterator[Finding]:
    """Tokens of services nobody listed: a short prefix, then a long run that looks drawn."""
    for value in sorted({match[0] for match in PREFIXED.finditer(words)}):
        prefix, run = PREFIX_AND_RUN.findall(value)[0]
        if (
            prefix != "diff"
            and not prefix.endswith(LISTED_PREFIXES)
            and _changes(run)
            and not NOT_REAL.search(value)
        ):
            for at in _places(text, value):
                yield Finding(at, at + len(value), ORDER_PREFIXED, "R-VENDOR", "SERVICE_TOKEN")


def _changes(run: str) -> bool:
    """Whether letters of both cases and digits change places as often as in a drawn text."""
    kinds = ["d" if char.isdigit() else "l" if char.islower() else "u" for char in run]
    changes = sum(one != next_ for one, next_ in zip(kinds, kinds[1:], strict=False))
    return len(set(kinds)) == 3 and kinds.count("d") >= 2 and changes >= CHANGES_OF_DRAWN * len(run)


def _places(text: str, anchor: str) -> Iterator[int]:
    at = text.find(anchor)
    while at >= 0:
        yield at
        at = text.find(anchor, at + len(anchor))


def _plausible(form: Form, match: re.Match[str], text: str) -> bool:
    """Whether a form that matched is a secret: nothing repeated or spelt out, no part of a word."""
    value = match[form.group]
    if form.rule_id == "R-PEM":
        return True
    if form.rule_id == "R-BASIC":
        return _is_user_and_password(value)
    value = value[:LONGEST_JUDGED]
    if form.rule_id in ("R-URL", "R-ASSIGN"):
        return _is_password(value)
    if form.anchors == ("bearer",) and not any(map(str.isdigit, value)):
        return False
    if form.rule_id == "R-AUTH":
        return len(set(value)) > 5 and not value.isalpha() and not _is_slug(value)
    if NOT_REAL.search(value):
        return False
    body = value.rpartition("_")[2] if form.rule_id == "R-STRIPE" else value[5:]
    if set(body) <= FILLERS or "xxxx" in value.lower() or _is_slug(body):
        return False
    return form.rule_id != "R-LLM" or not body.replace("_", "").isalpha() or len(body) == 32


def _is_user_and_password(value: str) -> bool:
    """Whether the base64 of basic authentication says ``user:password``."""
    try:
        said = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    user, colon, password = said.partition(":")
    return bool(user and colon) and said.isprintable() and _is_password(password)


def _is_slug(body: str) -> bool:
    """Lower-case words joined by hyphens are a name, whatever their first letters."""
    return body.replace("-", "").isalpha() and body.islower() and "-" in body


def _is_password(value: str) -> bool:
    lowered = value.lower().strip("*.x%")
    spelt_out = lowered in ("", "password", "passwd", "pwd", "secret", "token", "port")
    if spelt_out or len(value) < 4 or len(set(value)) == 1:
        return False
    return not NO_PASSWORD.match(lowered)


def _private_keys(text: str) -> Iterator[Finding]:
    """Each line from BEGIN to END; a key without END reaches as far as its lines look like one."""
    open_at: tuple[int, int] | None = None
    for match in PEM_BORDER.finditer(text):
        if match[1] == "BEGIN":
            if open_at:
                stop = min(_as_far_as_a_body(text, open_at[1]), match.start())
                yield Finding(open_at[0], stop, ORDER_PEM, "R-PEM", "PRIVATE_KEY")
            open_at = match.span()
        elif open_at:
            if match.start() > open_at[1]:
                yield Finding(open_at[0], match.end(), ORDER_PEM, "R-PEM", "PRIVATE_KEY")
            open_at = None
    if open_at:
        stop = _as_far_as_a_body(text, open_at[1])
        yield Finding(open_at[0], stop, ORDER_PEM, "R-PEM", "PRIVATE_KEY")


def _as_far_as_a_body(text: str, at: int) -> int:
    """The end of the last line after ``at`` that could belong to a key's text."""
    if escaped := PEM_ESCAPED.match(text, at):
        return escaped.end()
    stop = at
    while body := PEM_BODY.match(text, at):
        line_end = text.find("\n", at)
        if (at > stop and not body[0].strip()) or " " in body[0].strip() and ":" not in body[0]:
            return stop
        stop = body.end()
        if line_end < 0 or stop != line_end:
            return stop
        at = line_end + 1
    return stop


def _near_names(
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


def _find_drawn_behind(text: str, lowered: str, named: list[tuple[int, str]]) -> Iterator[Finding]:
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
        if entropy(match[0]) < BASE64_ENTROPY or _is_part_of_a_name(text, *match.span()):
            continue
        if _mixes_classes(match[0]):
            yield Finding(*match.span(), ORDER_ENTROPY, "R-ENTROPY", "HIGH_ENTROPY")
    for match in HEX_RUN.finditer(text, start, end):
        if text.endswith(NO_HEX_BEHIND, 0, match.start()):
            continue
        if entropy(match[0]) >= HEX_ENTROPY and not match[0].isdigit():
            yield Finding(*match.span(), ORDER_ENTROPY, "R-ENTROPY", "HIGH_ENTROPY")


def _is_part_of_a_name(text: str, start: int, end: int) -> bool:
    """Whether the run is called, or stands in a path, an address or a dotted name."""
    return text[end : end + 1] in ("(", ".") or text[start - 1 : start] in (".", "/", "#")


def _mixes_classes(run: str) -> bool:
    kinds = (str.isdigit, str.islower, str.isupper)
    return all(any(map(kind, run)) for kind in kinds)
