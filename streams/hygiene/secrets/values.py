"""Whether a value beside a secret's name is a secret rather than a name, a type or a placeholder.

``looks_secret`` is for tokens and keys, which are drawn by lot; ``looks_password`` also for what a
person chose. ``is_drawn`` is the strictest: for values whose name says little.
"""

# ruff: noqa: E501 (a pattern is read as one line)
from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

from streams.hygiene.secrets.names import NAMES_BY_ROOT, PASSWORD_NAMES
from streams.lexicons import load_words

ENTROPY_OF_VALUE = 3.0  # bits per character
SHORTEST_VALUE = 8
SHORTEST_PASSWORD = 6
SHORTEST_DRAWN = 20
ENTROPY_OF_DRAWN = 3.5
FEWEST_DIGITS = 3
SHORTEST_CHOPPED = 12
LONGEST_PIECE = 3.5  # letters on average
CHANGES_OF_DRAWN = 0.25  # of neighbouring characters, between digits, lower and upper case
PLACEHOLDER = re.compile(
    r"""^(?:<.*|\$.*|\{.*|%.*|\#.*|@.*|&.*|\*.*|\[.*|\\.*|~.*|\.\.?/.*|/.*|\.\.\..*|--.*|=.*|!.*
        |your[-_ ]?.*|my[-_ ].*|some[-_ ]?.*|the[-_ ].*|insert.*|enter.*|replace.*|change[-_]?.*
        |test[-_ ]?.*|none|null|nil|true|false|undefined|default.*|.*[xX*.]{4}.*|.*\.\.\.
        |todo.*|tbd.*
        |(?:self|this|config|settings|options|props|params|args|req|request|response|env|os|process)\..*
        |[a-z][a-z0-9+.-]*://.*|(?:file|env|vault|ref|secret|arn|urn|did|data):.*|.*\$[({].*|.*\{\{.*)$
      |example|a1b2c3d4|d4c3b2a1|placeholder|dummy|redacted|changeme|change_me|foobar|sample|(?<![a-z])fake|lorem""",
    re.VERBOSE,
)  # fmt: skip
WORD_CHAIN = re.compile(r"[a-z]{2,}(?:[-._:/+ ][a-z]{1,}[0-9]?)+[:.]?")
IDENTIFIER = re.compile(r"[A-Za-z_$][\w$.:-]*")
RESOURCE_NAME = re.compile(r"[a-z]{2,}[0-9]{0,3}(?:[-_.](?:[a-z]{2,}[0-9]{0,3}|[0-9]{1,12}))+")
QUALIFIED_NAME = re.compile(r"(?:[a-z][a-z0-9-]*\.)+[a-z]{2,}/[A-Za-z][A-Za-z0-9_.-]*")
NAMED_BY = ("credential", "token", "key")
MASHED = re.compile(r"(?=(?:[^\W_]{0,60}[^\w\s.,/:-]){6})(?=.*[0-9])[^\s<>{}]{32,}")
HASH_OR_UUID = re.compile(r"[0-9a-fA-F-]+")
UUID = re.compile(r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
NUMBERS = re.compile(r"[0-9]+")
MOST_NUMBERS_OF_A_NAME = 4
DIGIT, LETTER = re.compile("[0-9]"), re.compile(r"[^\W\d_]")
WORD_OF_A_PAGE = re.compile(r"[A-Z][a-z]+[.!?:]?")  # a label, in any language
CAMEL_CASE = re.compile(r"[a-z]+(?:[A-Z][a-z]+)+")
PLAIN_NAME = re.compile(r"[A-Za-z_$][A-Za-z_$.-]*")
NAME_OF_CODE = re.compile(
    r"[A-Za-z]?[a-z]+(?:[A-Z][a-z]+)+[0-9]?|[A-Za-z][a-z]*(?:_[a-z0-9]+)+|[A-Z]+(?:_[A-Z0-9]+)+"
)
# What stands for a value: a variable, a call, a path, an address, a form to fill in.
REFERENCE = re.compile(
    r"""<.*|.*(?:\$\{|\{\{|<%|\$\(|\#\{|%\(|%s|\{[a-z_][\w.]*\}).*|\$[A-Za-z_][\w:.]*|[{\[].*[}\]]
      |%\w+%|[@!&*][A-Za-z_-]+(?:/[\w./-]*)?|(?:~|\.{0,2})/[a-z][\w.@/-]*|[.\#][a-z_-]+
      |[a-z][a-z0-9+.-]*://.*|(?:file|env|vault|ref|secret|arn|urn|did|data|op|ssm|kms|enc):.*
      |[A-Za-z_$]+[0-9]?(?:(?:\.|->|::|\?\.)[A-Za-z_$]+[0-9]?)+|[A-Za-z_][\w.:>-]*[(\[].*[)\]]
      |.*["'`]\s?[+.&,)].*|[+&,.)].*["'`].*|:.*""",
    re.VERBOSE,
)  # fmt: skip
EXPRESSION = re.compile(
    r"\(\?|\.\*|\[a-z|\[A-Z|\[0-9|\\[dwsSWDb]|\{[0-9]+,|\.\+|&&|\|\||=>|!=|==(?=[\w(])"
)
FILLED_IN = re.compile(
    r"^(?:your|my[-_ ]|some[-_ ]|the[-_ ]|insert|enter|replace|change|update_?me|default|todo|tbd|fixme|none$|null$|undefined$)"
    r"|[x*.•…#]{4,}|\.{3}|…|^x{3,}|example|placeholder|dummy|redacted|foobar|sample|(?<![a-z])fake|lorem|a1b2c3d4"
)
TEST_WORD = re.compile(r"test(?:ing|er|s)?(?:[-_]?[a-z]+)?[-_]?[0-9]{0,4}")
# Standards and quantities: letters and digits, and no password.
TECHNICAL = re.compile(
    r"""(?i)(?:scram-?|hmac-?|pbkdf(?:-?2)?-?|with)*(?:sha-?\d{0,3}|md-?[245]|bcrypt|scrypt|argon2\w*+|aes-?\d+[\w-]*+|base-?\d\d(?:url)?
        |utf-?\d+|oauth-?[12](?:\.0)?\w*+|openid\w*+|x\.?509|pkcs\#?\d+|rsa-?\d*|ed25519|es\d{3}|rs\d{3}|hs\d{3}|ps\d{3}|ipv[46]|http[12]?|win32|int\d+
        |uint\d+|float\d+|varchar\d*|string\d?|text\d?)(?:_\w+)?(?:-\w+)*
      |v?\d+(?:\.\d+)+(?:[-+][\w.]+)?|v\d+[a-z]{0,7}\d{0,4}|\d+(?:\.\d+)?(?:ms|s|m|h|d|days?|min|mins|minutes?|hours?|seconds?|secs?
        |[kmgt]i?b?|px|em|rem|%|chars?|characters|bytes?|bits?|x)|(?:19|20)\d\d-[01]\d-[0-3]\d.*|[\d.:,/-]+|rfc\d+""",
    re.VERBOSE,
)  # fmt: skip
SPEAKING = load_words("secret_names", "speaking")
SIGN_WITHIN = re.compile(r"[^\W_][!@#$%^&*+=~;|?<>,(){}\[\]§€£]+[^\W_]")
SIGN_TWICE = re.compile(r"^[@!&*]{2}")
FEWEST_SIGNS = 3


def entropy(text: str) -> float:
    """Bits per character of the text's own distribution."""
    size = len(text)
    counts = sorted(Counter(text).values())
    bits = -sum(count / size * math.log2(count / size) for count in counts) if size else 0.0
    return round(bits, 6)


def looks_secret(value: str) -> bool:
    """Whether a literal behind a secret's name is a secret rather than a placeholder or a name.

    What is drawn by lot is ASCII: other letters are a translation.
    """
    lowered = value.lower()
    if len(value) < SHORTEST_VALUE or " " in value or "\t" in value:
        return False
    if value.isdigit() or WORD_CHAIN.fullmatch(lowered) or RESOURCE_NAME.fullmatch(value):
        return False
    if QUALIFIED_NAME.fullmatch(value):
        return False
    if not value.isascii() or WORD_OF_A_PAGE.fullmatch(value):
        return False
    if PLACEHOLDER.search(lowered) and not MASHED.fullmatch(value):
        return False
    if _is_identifier(value) and any(word in lowered for word in NAMED_BY):
        return False
    if PLAIN_NAME.fullmatch(value) and _is_named(value, lowered):
        return False
    return entropy(value) >= ENTROPY_OF_VALUE


def _is_identifier(value: str) -> bool:
    """Whether it could be a name in code; one that holds a UUID or many numbers could not."""
    if not IDENTIFIER.fullmatch(value):
        return False
    return not UUID.search(value) and len(NUMBERS.findall(value)) < MOST_NUMBERS_OF_A_NAME


def looks_password(value: str, *, exact: bool, config: bool) -> bool:
    """Whether a literal behind a password's name is one, be it as poor as it may.

    ``exact``: the name ends with the word for a password. ``config``: the file holds values rather
    than code, so that letters alone can be a password too.
    """
    value = value.strip("`")  # marks of code in Markdown
    if len(value) < SHORTEST_PASSWORD or " " in value or "\t" in value:
        return False
    if MASHED.fullmatch(value):
        return True
    lowered = value.lower()
    if REFERENCE.fullmatch(value) or FILLED_IN.search(lowered) or TEST_WORD.fullmatch(value):
        return False
    if EXPRESSION.search(value) or lowered in PASSWORD_NAMES or lowered in SPEAKING:
        return False
    if value.isdigit():
        return exact and config
    if TECHNICAL.fullmatch(value):
        return False
    if NAME_OF_CODE.fullmatch(value) and not (is_drawn(value) or _is_chopped(value)):
        return False
    if DIGIT.search(value):
        plain = WORD_CHAIN.fullmatch(lowered) or RESOURCE_NAME.fullmatch(value)
        return not plain or (exact and config)
    if SIGN_WITHIN.search(value.strip("?!*:.")):
        return exact
    if exact and config and value.isalpha() and value.isascii():
        return value.islower() or (not value.istitle() and entropy(value) >= ENTROPY_OF_VALUE)
    return False


def _is_chopped(value: str) -> bool:
    """Whether capitals part the letters before a last digit into pieces too short for words."""
    pieces = 1 + sum(map(str.isupper, value[1:-1]))
    long_enough = len(value) >= SHORTEST_CHOPPED and value[-1:].isdigit() and "_" not in value
    return long_enough and (len(value) - 1) / pieces <= LONGEST_PIECE


def is_no_placeholder(value: str) -> bool:
    """Whether a value is a password where nothing but a password can stand."""
    lowered = value.lower()
    if len(value) < SHORTEST_PASSWORD or lowered in PASSWORD_NAMES or lowered in SPEAKING:
        return False
    stands_for = REFERENCE.fullmatch(value) and not SIGN_TWICE.search(value)
    return not (stands_for or FILLED_IN.search(lowered) or TEST_WORD.fullmatch(value))


def is_jumbled(value: str) -> bool:
    """Whether signs stand among letters of both cases as they do in no word, name or path."""
    signs = {it for it in value if it in "!#$%&*@^~"}
    return (
        len(signs) >= FEWEST_SIGNS and any(map(str.isupper, value)) and any(map(str.islower, value))
    )


def _is_named(value: str, lowered: str) -> bool:
    """Letters only: a secret's name or a constant, not a secret."""
    if any(name in lowered for names in NAMES_BY_ROOT.values() for name in names):
        return True
    return "_" in value or "." in value or "-" in value or CAMEL_CASE.fullmatch(value) is not None


def mixes_letters_and_digits(value: str) -> bool:
    """An unquoted value in prose must do so to be taken for a literal."""
    return DIGIT.search(value) is not None and LETTER.search(value) is not None


def is_drawn(value: str) -> bool:
    """Whether letters and digits stand as mixed as in a key drawn by lot; hashes and ids are not
    taken for one, since they are the keys of tables and caches too.
    """
    if len(value) < SHORTEST_DRAWN or HASH_OR_UUID.fullmatch(value):
        return False
    kinds = ["d" if it.isdigit() else "u" if it.isupper() else "l" for it in value if it.isalnum()]
    changes = sum(one != following for one, following in pairwise(kinds))
    return (
        kinds.count("d") >= FEWEST_DIGITS
        and changes >= CHANGES_OF_DRAWN * len(kinds)
        and entropy(value) >= ENTROPY_OF_DRAWN
    )
