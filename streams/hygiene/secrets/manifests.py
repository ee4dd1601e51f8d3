"""Secrets in manifests of Kubernetes: all data of an object whose kind is Secret."""

# ruff: noqa: E501 (a pattern is read as one line)
from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from streams.hygiene.secrets.values import looks_password, mixes_letters_and_digits

Span = tuple[int, int]
KIND_SECRET = re.compile(r"""(?m)^[ \t-]*["']?kind["']?:[ \t]*["']?Secret["']?[ \t,]*$""")
DATA = re.compile(r"""(?m)^([ \t]*)["']?(data|stringData)["']?:[ \t]*(?:\{[ \t]*)?\n""")
ENTRY = re.compile(
    r"""[ \t]+["']?[\w.-]{1,120}["']?:[ \t]+(?:[|>][+-]?[ \t]*\n[ \t]+)?["']?([^\s"'#|>]{4,})["']?[ \t,]*(?=\n|\Z|#)"""
)
KIND_IN_JSON = re.compile(r'"kind":\s{0,8}"Secret"')
DATA_IN_JSON = re.compile(r'"data":\s{0,8}\{([^{}]{4,20000}+)\}')
VALUE_IN_JSON = re.compile(r':\s{0,8}"([^"\\\n]{6,}+)"')
DOCUMENT_BORDER = "\n---"
BASE64 = re.compile(r"[A-Za-z0-9+/]{6,}={0,2}")


def find_in_manifests(text: str) -> Iterator[Span]:
    """The values of a Secret of Kubernetes, however they are called; certificates are public."""
    if KIND_IN_JSON.search(text):
        for data in DATA_IN_JSON.finditer(text):
            for it in VALUE_IN_JSON.finditer(text, *data.span(1)):
                if _is_base64_of_secret(it[1]):
                    yield it.span(1)
    for kind in KIND_SECRET.finditer(text):
        begin = text.rfind(DOCUMENT_BORDER, 0, kind.start()) + 1
        stop = text.find(DOCUMENT_BORDER, kind.end())
        stop = len(text) if stop < 0 else stop
        for data in DATA.finditer(text, begin, stop):
            yield from _of_data(text, data.end(), stop, len(data[1]), data[2] == "data")


def _of_data(text: str, at: int, stop: int, indent: int, encoded: bool) -> Iterator[Span]:
    of_entries = 0
    while at < stop:
        end = text.find("\n", at, stop)
        end = stop if end < 0 else end
        line = text[at:end]
        own = len(line) - len(line.lstrip())
        if line.strip() and own <= indent:
            return
        of_entries = of_entries or own
        entry = ENTRY.match(text, at, stop) if own == of_entries else None
        if entry:
            said = entry[1]
            if (encoded and _is_base64_of_secret(said)) or (
                not encoded
                and mixes_letters_and_digits(said)
                and looks_password(said, exact=False, config=True)
            ):
                yield entry.span(1)
            end = max(end, text.find("\n", entry.end() - 1, stop))
        at = end + 1


def _is_base64_of_secret(value: str) -> bool:
    if not BASE64.fullmatch(value) or len(value) % 4 or value.islower():
        return False
    try:
        decoded = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
    return b"BEGIN CERTIFICATE" not in decoded and b"PUBLIC KEY-----" not in decoded
