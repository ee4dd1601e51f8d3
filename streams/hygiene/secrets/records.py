"""Secrets whose name stands apart from them: in a sibling field, a block or a block.

``{"name": "DB_PASSWORD", "value": "…"}``, ``<key>APIToken</key><string>…</string>``, a variable
of Terraform with its default, the environment of a container: the same record in many
notations. A record is read around the name only, over a bounded length.
"""

# ruff: noqa: E501 (a pattern is read as one line)
from __future__ import annotations

import re
from collections.abc import Iterator

from streams.hygiene.secrets.assigned import PROSE_LANGUAGES, VALUE_LANGUAGES
from streams.hygiene.secrets.names import ANY_KEY, PASSWORD_NAMES, is_of_something_else
from streams.hygiene.secrets.values import looks_password, looks_secret, mixes_letters_and_digits

Span = tuple[int, int]
FARTHEST = 600  # characters between a name and the value of its record
LABEL = re.compile(
    r"""(?:^|[\s"'<{,(\[;-])(?P<label>type|name|key|variable|var|field|parameter|param|property|setting|option|id
        |label|attribute|header|item|entry|envvar|env|secret|title|(?:variable|parameter|field|property|setting|config|env|environment)_?(?:name|key))
        ["']?(?:\s{0,8}[:=]\s{0,8}(?:[bru]?["'])?|>\s{0,8}|=>\s{0,4}["'])\Z""",
    re.VERBOSE,
)  # fmt: skip
VALUE_FIELD = re.compile(
    r"""(?<![\w.-])["']?(?P<field>(?:[a-z]{1,12}_?)?value|val|default|content|result|string|data|plaintext|answer|secret_?string)["']?(?P<sign>\s{0,8}(?:=>|[:=])\s{0,8}|>\s{0,8})""",
    re.VERBOSE,
)  # fmt: skip
LITERAL = re.compile(
    r"""[bru]?(?:"(?P<double>(?:\\.|[^"\\\n]){4,2000}+)"|'(?P<single>[^'\n]{4,2000}+)'"""
    r"""|(?P<bare>[^\s"'<>{}\[\],&*|][^\s<>]{3,500}+)(?P<rest>[^\n<]{0,60}))"""
)
OPTION_OF_NAME = re.compile(
    r"\s--(?:name|env|key|variable|(?:secret|parameter|env)-(?:name|id))[ =][\"']?[\w./-]{0,60}\Z"
)
OPTION_OF_VALUE = re.compile(
    r"[\"']?[ ](?:[^\n]{0,120}?[ ])?--(?:secret-)?(?:value|string|body)[ =][\"']?([^\s\"']{4,500}+)"
)
NAME_CHARS = re.compile(r"[\w.-]*\Z")
REST_OF_NAME = re.compile(r"[\w.-]*")
NAME_ENDS = re.compile(r"""["'`]|</|[ \t]*(?:,|\n|\Z)""")
BLOCK_BEGINS = re.compile(r"""["']?[ \t]{0,4}(?:=>|[:=])?[ \t]{0,4}\{|["']?:[ \t]*\n""")
BLANK_LINE = re.compile(r"\n[ \t]*\n")
NEXT_ITEM = re.compile(r"\n[ \t]*- |/>|</(?:add|dict|entry|property|param|env)\b")
NEXT_ELEMENT = re.compile(
    r":?\s{0,4}</\w{1,12}>:?\s{0,20}(?:<\w{1,12}[^<>\n]{0,80}>\s{0,8})?([^\s<>]{6,80})(?=\s|<)"
)
NEXT_LINE = re.compile(
    r"[:*_`]{0,4}[ ]{0,2}\n(?:[ \t]*\n)?[ \t>]{0,12}[\"'`]?([^\s\"'`]{6,80})[\"'`]?[ \t]*(?=\n|\Z)"
)
CODE_WITHOUT_PAGES = frozenset(("python", "go", "java", "rust", "c", "cpp", "shell", "yaml", "ini"))
QUOTES_AND_TAG = "\"'>"
GENERATED = "result"  # the field of what Terraform has drawn


def find_apart(
    text: str, lowered: str, named: list[tuple[int, str]], language: str | None
) -> Iterator[Span]:
    """Values of records in which another field, or the name of the block, tells their name."""
    done = -1
    for at, name in named:
        if at < done or name == ANY_KEY:
            continue
        before = NAME_CHARS.search(lowered, max(0, at - 60), at)
        start = before.start() if before else at
        end = REST_OF_NAME.match(lowered, at + len(name), at + len(name) + 60).end()  # type: ignore[union-attr]
        done = end
        if is_of_something_else(lowered, at + len(name)):
            continue
        if span := _beside(text, end, name, language):
            yield span
        for span in _of_record(text, lowered, start, end):
            said = text[slice(*span)]
            if text[span[0] - 1] not in QUOTES_AND_TAG and not _may_be_bare(language):
                continue
            if _may_be_secret(said, name, exact=end == at + len(name), language=language):
                yield span


def _beside(text: str, end: int, name: str, language: str | None) -> Span | None:
    """A password in the next element of a page, or alone on the line behind its name."""
    if name not in PASSWORD_NAMES or language in CODE_WITHOUT_PAGES:
        return None
    match = NEXT_ELEMENT.match(text, end) or (
        NEXT_LINE.match(text, end) if language in PROSE_LANGUAGES else None
    )
    if match is None or not mixes_letters_and_digits(match[1]):
        return None
    return match.span(1) if looks_password(match[1], exact=True, config=False) else None


def _may_be_bare(language: str | None) -> bool:
    return language in VALUE_LANGUAGES or language in PROSE_LANGUAGES


def _may_be_secret(text: str, name: str, *, exact: bool, language: str | None) -> bool:
    if name in PASSWORD_NAMES:
        config = language is None or language in VALUE_LANGUAGES
        return looks_password(text, exact=exact, config=config)
    return mixes_letters_and_digits(text) and looks_secret(text)


def _of_record(text: str, lowered: str, start: int, end: int) -> Iterator[Span]:
    if OPTION_OF_NAME.search(lowered, max(0, start - 100), start):
        if option := OPTION_OF_VALUE.match(text, end):
            yield option.span(1)
        return
    label = LABEL.search(lowered, max(0, start - 40), start)
    if label and NAME_ENDS.match(lowered, end):
        stop = min(len(text), end + FARTHEST)
        if label["label"] == "type":
            yield from _first_value(text, lowered, end, stop, {GENERATED})
            return
        sibling_behind = _sibling_behind(text, lowered, end, stop, label["label"])
        yield from sibling_behind or _sibling_before(text, lowered, label.start("label"))
    elif block := BLOCK_BEGINS.match(lowered, end):
        yield from _within_block(text, lowered, start, block.end())


def _first_value(
    text: str, lowered: str, start: int, stop: int, only: set[str] | None = None
) -> Iterator[Span]:
    for field in VALUE_FIELD.finditer(lowered, start, stop):
        if only and field["field"] not in only:
            continue
        if span := _literal_at(text, field.end(), field["sign"]):
            yield span
        return


def _sibling_behind(text: str, lowered: str, end: int, stop: int, label: str) -> list[Span]:
    for field in VALUE_FIELD.finditer(lowered, end, stop):
        between = lowered[end : field.start()]
        again = re.search(rf"(?<![\w./-])[\"'<]?{label}[\"']?(?:\s*[:=]|>)", between)
        if again or _leaves_record(between):
            return []
        span = _literal_at(text, field.end(), field["sign"])
        return [span] if span else []
    return []


def _sibling_before(text: str, lowered: str, start: int) -> list[Span]:
    """The value of a record that names its field behind it."""
    fields = list(VALUE_FIELD.finditer(lowered, max(0, start - FARTHEST), start))
    if not fields:
        return []
    span = _literal_at(text, fields[-1].end(), fields[-1]["sign"])
    if span is None or span[1] > start or _leaves_record(lowered[span[1] : start], "{"):
        return []
    return [span]


def _leaves_record(between: str, opening: str = "") -> bool:
    if BLANK_LINE.search(between) or NEXT_ITEM.search(between):
        return True
    if opening and opening in between:
        return True
    return between.count("}") > between.count("{")


def _within_block(text: str, lowered: str, start: int, begin: int) -> Iterator[Span]:
    stop = min(len(text), begin + FARTHEST)
    if lowered[begin - 1] == "{":
        close = lowered.find("}", begin, stop)
        nested = lowered.find("{", begin, stop)
        last = min(it for it in (close, nested, stop) if it >= 0)
        for field in VALUE_FIELD.finditer(lowered, begin, stop):
            if field.start() < last:
                if span := _literal_at(text, field.end(), field["sign"]):
                    yield span
                return
        return
    indent = _indent_of(text, start)
    at = begin
    while at < stop:
        line_end = text.find("\n", at, stop)
        line_end = stop if line_end < 0 else line_end
        if (
            text[at:line_end].strip()
            and len(text[at:line_end]) - len(text[at:line_end].lstrip()) <= indent
        ):
            return
        entry = VALUE_FIELD.match(
            lowered, at + len(text[at:line_end]) - len(text[at:line_end].lstrip())
        )
        if entry:
            if span := _literal_at(text, entry.end(), entry["sign"]):
                yield span
            return
        at = line_end + 1


def _indent_of(text: str, at: int) -> int:
    line = text[text.rfind("\n", max(0, at - 200), at) + 1 : at]
    return len(line) - len(line.lstrip())


def _literal_at(text: str, at: int, sign: str) -> Span | None:
    """The value that begins at ``at``: quoted, the text of an element, or one word of a line."""
    literal = LITERAL.match(text, at)
    if literal is None:
        return None
    group = str(literal.lastgroup if literal.lastgroup != "rest" else "bare")
    start, end = literal.span(group)
    if group != "bare":
        return start, end
    if (
        sign.strip() != ">"
        and literal["rest"].strip()
        and not literal["rest"].lstrip().startswith("#")
    ):
        return None
    while text[end - 1] in ",;)":
        end -= 1
    return start, end
