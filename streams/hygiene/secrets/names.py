"""Names of secrets: the words that say that what is assigned to them must not be read.

Two kinds matter. Behind a word for a password stands what a person chose, also a poor one; behind
``token`` or ``key`` stand names, types and references far more often than secrets, so that a value
there must look drawn by lot.
"""

# ruff: noqa: E501 (a pattern is read as one line)
from __future__ import annotations

import re
from collections.abc import Iterator

# The words for a password, by a part that each of them holds; a text without the part costs one
# search for all of them. They may stand anywhere in a name.
PASSWORDS_BY_ROOT = {
    "pass": (
        "passwd", "password", "passphrase", "passcode", "_pass", "dbpass", "userpass", "passwort",
        "passord", "passwrd", "motdepasse", "mot_de_passe", "mot-de-passe", "mot de passe",
        "palavra-passe", "palavra_passe", "palavrapasse",
    ),
    "pwd": ("pwd",),
    "pw": ("dbpw", "adminpw", "userpw", "rootpw", "loginpw"),
    "pswd": ("pswd",),
    "wort": ("kennwort",),
    "contrase": ("contraseña", "contrasena", "contrasenya"),
    "senha": ("senha",),
    "wachtwoord": ("wachtwoord",),
    "wagwoord": ("wagwoord",),
    "senord": ("lösenord", "losenord"),
    "adgangskode": ("adgangskode",),
    "kodeord": ("kodeord",),
    "salasana": ("salasana",),
    "salas": ("salasõna", "salasona"),
    "slapta": ("slaptažodis", "slaptazodis"),
    "zaporka": ("zaporka",),
    "lozink": ("lozinka",),
    "katasandi": ("katasandi",),
    "kata": ("kata_sandi", "kata sandi"),
    "khau": ("mat_khau", "matkhau", "mat khau"),
    "jelsz": ("jelszó", "jelszo"),
    "nenosiri": ("nenosiri",),
    "cyfrinair": ("cyfrinair",),
    "pasahitz": ("pasahitza",),
    "lykilor": ("lykilorð", "lykilord"),
    "fjalekalim": ("fjalekalim",),
}  # fmt: skip
# The same in letters beyond ASCII; only a text that has some is searched for them.
FOREIGN_PASSWORDS = (
    "пароль", "паролю", "пароля", "парола", "лозинка", "гасло", "құпиясөз", "κωδικός", "κωδικο",
    "συνθηματικό", "סיסמה", "סיסמא", "كلمة المرور", "كلمة السر", "رمز عبور", "گذرواژه",
    "पासवर्ड", "পাসওয়ার্ড", "கடவுச்சொல்", "รหัสผ่าน", "mật khẩu", "գաղտնաբառ", "პაროლი",
    "密码", "密碼", "口令", "パスワード", "비밀번호", "암호", "fjalëkalim", "palavra‑passe",
    "şifre", "šifra", "hasło", "heslo",
)  # fmt: skip
# Words that are a name by themselves only, since they are a part of other words.
WHOLE_PASSWORDS = (
    "pass", "psk", "pw", "psw", "pwrd", "passw", "mdp", "clave", "parola", "parole", "parol", "parool",
    "sifre", "sifra", "haslo", "heslo", "geslo", "sandi", "mima", "lozinku",
)  # fmt: skip
TOKENS_BY_ROOT = {
    "secret": ("secret",),
    "token": ("token",),
    "credential": ("credential",),
    "geheim": ("geheimnis",),
    "zugangsdaten": ("zugangsdaten",),
    "identifiants": ("identifiants",),
}
NAMES_BY_ROOT = PASSWORDS_BY_ROOT | TOKENS_BY_ROOT
PASSWORD_NAMES = frozenset(
    [name for names in PASSWORDS_BY_ROOT.values() for name in names]
    + [*FOREIGN_PASSWORDS, *WHOLE_PASSWORDS]
)
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
SPECIFIED_KEYS = ("api", "access", "private", "auth", "account")
NO_SECRET_BEFORE = (
    "csrf", "xsrf", "csrf-", "csrf_", "xsrf-", "xsrf_", "authenticity_", "verification", "public",
    "public-", "public_", "publishable_", "page", "page_", "next_", "next", "continuation",
    "continuation_", "sync", "cache_", "primary_", "foreign_", "partition_", "sort_",
    "idempotency_", "idempotency-", "routing_", "row_", "cancellation", "json.web", "io.jsonweb",
    "verificationrequest",
)  # fmt: skip
REST_OF_NAME = re.compile(r"[\w.-]*")
LONGEST_REST = 40
NOT_THE_SECRET = re.compile(
    r"""[\w.-]*(?:names?|refs?|reference|ur[li]s?|path|paths|file|files|type|types|ids?|alias|len|length
        |expiry|expires|expiration|ttl|count|field|label|provider|service|endpoint|format|algorithm|header
        |prefix|suffix|pattern|patten|regex|policy|size|limit|min|max|env|var|key_?id|hint|class|scope
        |version|timeout|param|parameter|property|manager|store|validator|rule|rules|message|error|issuer
        |audience|address|namespace|description|enabled|required|usage|method|location|hash|digest|encoding
        |strength|history|reset|text|title|placeholder|days|hours|minutes|seconds|millis|attempts?|uuid)$""",
    re.VERBOSE,
)
NO_SECRET_WORD = re.compile(r"i[sz]|iz|ar[iy]|[a-z]*tarian|less|manager|ing")


def names_in(lowered: str) -> list[tuple[int, str]]:
    """Where names of secrets stand in a text in lower case, in order."""
    found: list[tuple[int, str]] = []
    for root, names in NAMES_BY_ROOT.items():
        if root in lowered:
            for name in names:
                found += ((at, name) for at in _places(lowered, name))
    if not lowered.isascii():
        for name in FOREIGN_PASSWORDS:
            found += ((at, name) for at in _places(lowered, name))
    for name in WHOLE_PASSWORDS:
        found += ((at, name) for at in _places(lowered, name) if _is_whole(lowered, at, name))
    found += _keys_in(lowered)
    return sorted(found)


def _is_whole(lowered: str, at: int, name: str) -> bool:
    end = at + len(name)
    before = lowered[at - 1 : at]
    return not before.isalnum() and before != "." and not lowered[end : end + 1].isalnum()


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


def is_in_a_name(lowered: str) -> bool:
    """Whether a name in lower case is that of a secret."""
    return any(
        not is_no_secret_name(lowered, at) and not is_of_something_else(lowered, at + len(name))
        for at, name in names_in(lowered)
        if name != ANY_KEY
    )
