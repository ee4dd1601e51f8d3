"""Whether what is assigned to a secret-sounding name is a secret (rule R-ASSIGN).

Most of it is not: types, calls, attribute access, names of settings, placeholders and messages
stand behind ``password`` far more often than passwords do. So a value must look drawn, not named:
enough entropy, no placeholder, and no chain of plain words. Where the language quotes its
strings, an unquoted value is an expression and never a secret; in configuration it is the value
itself.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

ENTROPY_OF_VALUE = 3.0  # bits per character
SHORTEST_VALUE = 8
# The names, by a word that each of them holds; a text without the word costs one search for all.
NAMES_BY_ROOT = {
    "pass": ("passwd", "password", "passphrase", "passcode", "_pass", "dbpass", "userpass"),
    "pwd": ("pwd",),
    "secret": ("secret",),
    "token": ("token",),
    "credential": ("credential",),
}
KEYS = frozenset(
    (
        "api", "access", "private", "auth", "account", "license", "insert", "query", "stream",
        "signing", "encryption", "master", "shared", "device", "admin", "app", "application",
        "session", "service", "deploy", "ingest", "integration", "write", "subscription",
        "storage", "user", "consumer", "encrypt", "server", "client", "io", "webhook",
    )
)  # fmt: skip
KEY_LENGTHS = tuple(sorted({len(word) for word in KEYS}))
ANY_KEY = "key"  # a key of something: only what looks drawn by lot is a secret behind it
SHORTEST_DRAWN = 20
ENTROPY_OF_DRAWN = 3.5
FEWEST_DIGITS = 3
CHANGES_OF_DRAWN = 0.25  # of neighbouring characters, between digits, lower and upper case
SPECIFIED_KEYS = ("api", "access", "private", "auth", "account")
NO_SECRET_BEFORE = (
    "csrf", "xsrf", "csrf-", "csrf_", "xsrf-", "xsrf_", "authenticity_", "verification", "public",
    "public-", "public_", "publishable_", "page", "page_", "next_", "next", "continuation",
    "continuation_", "sync", "cache_", "primary_", "foreign_", "partition_", "sort_",
    "idempotency_", "idempotency-", "routing_", "row_", "cancellation", "json.web", "io.jsonweb",
    "verificationrequest",
)  # fmt: skip
LITERAL_LANGUAGES = frozenset(
    ["yaml", "ini", "properties", "env", "toml", "shell", "dockerfile", "make", "xml"]
)
PROSE_LANGUAGES = frozenset(
    (None, "markdown", "restructuredtext", "asciidoc", "org", "latex", "html")
)
REST_OF_NAME = re.compile(r"[\w.-]*")
LONGEST_REST = 40
LONGEST_BARE, LONGEST_QUOTED = 200, 2_000  # characters of a value that say whether it is a secret
# After the name: the rest of the name, its closing, a type, the sign, the value.
QUOTED = r"""[^"'`\n]"""
BARE = r"""[^\s"'`,;<>(){}\[\]|=]"""
ASSIGNMENT = re.compile(
    rf"""[\w.-]{{0,40}}["'`\])]{{0,2}}
        (?:[ \t]{{0,8}}:[ \t]{{0,4}}[\w.&?<>\[\]]{{1,40}}[ \t]{{0,4}}(?==)(?!==))?
        (?P<tagged>(?<=["'])[ \t]{{1,20}}value(?==))?
        (?:[ \t]{{0,40}}(?P<sign>:=|=>|==?|:)[ \t]{{0,8}}|(?P<element>>)
          |(?P<given>(?<=["']),[ \t]{{1,20}}(?=["'])|(?<=\w)\((?=["']))|(?P<word>[ =]))
        (?:[bru@$]{{0,2}}(?P<quote>["'`])(?P<quoted>{QUOTED}{{8,{LONGEST_QUOTED}}}+)
           (?:(?P=quote)|(?<={QUOTED}{{{LONGEST_QUOTED}}}))
          |(?P<bare>{BARE}{{8,{LONGEST_BARE}}}+(?:={BARE}++)?+={{0,2}})
           (?:(?![\w(\[{{.])|(?<={BARE}{{{LONGEST_BARE}}})))""",
    re.VERBOSE,
)
REST_OF_QUOTED = re.compile(QUOTED + "*+")
REST_OF_BARE = re.compile(rf"{BARE}*+(?:={BARE}++)*+={{0,2}}")
NOT_THE_SECRET = re.compile(
    r"""[\w.-]*(?:names?|refs?|reference|ur[li]s?|path|paths|file|files|type|types|ids?|alias|len|length
        |expiry|expires|expiration|ttl|count|field|label|provider|service|endpoint|format|algorithm|header
        |prefix|suffix|pattern|regex|policy|size|limit|min|max|env|var|key_?id|hint|class|scope|version
        |timeout|param|parameter|property|manager|store|validator|rule|rules|message|error|issuer|audience
        |address|namespace|description|enabled|required|usage|method|location|hash|digest|encoding)$""",
    re.VERBOSE,
)
NO_SECRET_WORD = re.compile(r"i[sz]|iz|ar[iy]|[a-z]*tarian")
PLACEHOLDER = re.compile(
    r"""^(?:<.*|\$.*|\{.*|%.*|\#.*|@.*|&.*|\*.*|\[.*|\\.*|~.*|\.\.?/.*|/.*|\.\.\..*|--.*|=.*|!.*
        |your[-_ ]?.*|my[-_ ].*|some[-_ ]?.*|the[-_ ].*|insert.*|enter.*|replace.*|change[-_]?.*
        |test[-_ ]?.*|none|null|nil|true|false|undefined|default.*|.*[xX*.]{4,}.*|.*\.\.\.
        |todo.*|tbd.*
        |(?:self|this|config|settings|options|props|params|args|req|request|response|env|os|process)\..*
        |[a-z][a-z0-9+.-]*://.*|(?:file|env|vault|ref|secret|arn|urn|did|data):.*|.*\$\{.*|.*\{\{.*)$
      |example|a1b2c3d4|d4c3b2a1|placeholder|dummy|redacted|changeme|change_me|foobar|sample|(?<![a-z])fake|lorem""",
    re.VERBOSE,
)
WORD_CHAIN = re.compile(r"[a-z]{2,}(?:[-._:/+ ][a-z]{1,}[0-9]?)+[:.]?")
IDENTIFIER = re.compile(r"[A-Za-z_$][\w$.:-]*")
RESOURCE_NAME = re.compile(r"[a-z]{2,}[0-9]{0,3}(?:[-_.](?:[a-z]{2,}[0-9]{0,3}|[0-9.]{1,12}))+")
NAMED_BY = ("credential", "token", "key")
SETTER = re.compile(r"(?:(?:set|with)_?[a-z0-9]{0,20}|[.])\Z")
MASHED = re.compile(r"(?=(?:[^\W_]{0,60}[^\w\s.,/:-]){6})(?=.*[0-9])[^\s<>{}]{32,}")
HASH_OR_UUID = re.compile(r"[0-9a-fA-F-]+")
DIGIT, LETTER = re.compile("[0-9]"), re.compile(r"[^\W\d_]")
CAMEL_CASE = re.compile(r"[a-z]+(?:[A-Z][a-z]+)+")
PLAIN_NAME = re.compile(r"[A-Za-z_$][A-Za-z_$.-]*")


def entropy(text: str) -> float:
    """Bits per character of the text's own distribution."""
    size = len(text)
    counts = sorted(Counter(text).values())
    bits = -sum(count / size * math.log2(count / size) for count in counts) if size else 0.0
    return round(bits, 6)


def names_in(lowered: str) -> list[tuple[int, str]]:
    """Where names of secrets stand in a text in lower case, in order."""
    found: list[tuple[int, str]] = []
    for root, names in NAMES_BY_ROOT.items():
        if root not in lowered:
            continue
        for name in names:
            found += ((at, name) for at in _places(lowered, name))
    found += _keys_in(lowered)
    return sorted(found)


def _keys_in(lowered: str) -> Iterator[tuple[int, str]]:
    for at in _places(lowered, "key"):
        end = at - 1 if lowered[at - 1 : at] in ("_", "-") else at
        for length in KEY_LENGTHS:
            if length <= end and lowered[end - length : end] in KEYS:
                yield end - length, lowered[end - length : at + 3]
                break
        else:
            if not lowered[at + 3 : at + 4].isalpha():
                yield at, ANY_KEY


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def is_no_secret_name(lowered: str, at: int) -> bool:
    """Whether what stands before the name says that its value is public or of one request."""
    return lowered.endswith(NO_SECRET_BEFORE, max(0, at - 20), at)


def is_of_something_else(lowered: str, end: int) -> bool:
    """Whether what follows the name makes it another's: ``token_url``, ``secretary``."""
    rest = REST_OF_NAME.findall(lowered, end, end + LONGEST_REST)[0]
    return bool(NO_SECRET_WORD.match(rest) or NOT_THE_SECRET.match(rest))


def find_assigned_secret(
    text: str, lowered: str, at: int, name: str, language: str | None
) -> tuple[int, int] | None:
    """Where the secret stands that is assigned to the name at ``at``, if one is."""
    match = ASSIGNMENT.match(text, at + len(name))
    if match is None:
        return None
    if is_of_something_else(lowered, at + len(name)):
        return None
    if match["tagged"] and not _is_drawn_literal(match):
        return None
    if match["given"] and not _is_given(match, lowered, at):
        return None
    if match["word"] and not (_is_option(lowered, at) or _is_drawn_literal(match)):
        return None
    if match["element"] is not None and lowered.rfind("<", max(0, at - 40), at) < 0:
        return None
    group = "quoted" if match["quoted"] is not None else "bare"
    if match["sign"] == "==" and group == "bare":
        return None
    value = match[group][:LONGEST_QUOTED]
    literal = group == "quoted" or language in LITERAL_LANGUAGES or match["element"] is not None
    if not literal and language not in PROSE_LANGUAGES:
        return None
    if group == "bare" and not literal and not _looks_drawn(value):
        return None
    if name == ANY_KEY and not is_drawn(value):
        return None
    if name.endswith("key") and not name.startswith(SPECIFIED_KEYS) and not _looks_drawn(value):
        return None
    return match.span(group) if looks_secret(value) else None


def end_of_value(text: str, start: int, end: int, reached: int) -> int:
    """Where the value ends that was judged by its characters from ``start`` to ``end``.

    ``reached`` is the end of the value found before: within it a run is not walked again.
    """
    if end < reached:
        return reached
    if end - start < LONGEST_BARE:
        return end
    quoted = text[start - 1] in "\"'`"
    rest = (REST_OF_QUOTED if quoted else REST_OF_BARE).match(text, end)
    return rest.end() if rest else end


def looks_secret(value: str) -> bool:
    """Whether a literal behind a secret's name is a secret rather than a placeholder or a name."""
    lowered = value.lower()
    if len(value) < SHORTEST_VALUE or " " in value or "\t" in value:
        return False
    if value.isdigit() or WORD_CHAIN.fullmatch(lowered) or RESOURCE_NAME.fullmatch(value):
        return False
    if PLACEHOLDER.search(lowered) and not MASHED.fullmatch(value):
        return False
    if IDENTIFIER.fullmatch(value) and any(word in lowered for word in NAMED_BY):
        return False
    if PLAIN_NAME.fullmatch(value) and _is_named(value, lowered):
        return False
    return entropy(value) >= ENTROPY_OF_VALUE


def _is_named(value: str, lowered: str) -> bool:
    """Letters only: a secret's name or a constant, not a secret."""
    if any(name in lowered for names in NAMES_BY_ROOT.values() for name in names):
        return True
    return "_" in value or "." in value or "-" in value or CAMEL_CASE.fullmatch(value) is not None


def _looks_drawn(value: str) -> bool:
    """An unquoted value in prose must mix letters and digits to be taken for a literal."""
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


def _is_given(match: re.Match[str], lowered: str, at: int) -> bool:
    """Whether a literal is handed over with the name, ``put("password", "…")``, or to a setter."""
    set_by_name = match["given"] != "(" or SETTER.search(lowered, max(0, at - 30), at)
    return set_by_name is not None and _is_drawn_literal(match)


def _is_drawn_literal(match: re.Match[str]) -> bool:
    """Much may stand beside a name without a sign, ``PASSWORD '…'``; a drawn literal is of it."""
    return match["quoted"] is not None and _looks_drawn(match["quoted"])


def _is_option(lowered: str, at: int) -> bool:
    """``--password value``, ``ENV PASSWORD value`` and a netrc line assign without a sign."""
    start = lowered.rfind("\n", max(0, at - 200), at) + 1
    before = lowered[max(start, at - 200) : at]
    word = before.rpartition(" ")[2]
    return (
        word.startswith("--")
        or (before.startswith("env ") and before.count(" ") == 1)
        or ("machine " in before and "login " in before)
    )
