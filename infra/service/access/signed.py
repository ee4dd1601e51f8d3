"""Small texts that this installation has signed, so that it need not store them."""

from __future__ import annotations

import base64
import hmac
from typing import TypeVar

from pydantic import BaseModel

LONGEST = 1_000

Said = TypeVar("Said", bound=BaseModel)


def sign(key: bytes, purpose: bytes, said: BaseModel) -> str:
    """``said`` with a signature that is good for this ``purpose`` alone."""
    text = _encode(said.model_dump_json().encode())
    return f"{text}.{signature_of(key, purpose, text)}"


def verify(key: bytes, purpose: bytes, signed: str, kind: type[Said]) -> Said | None:
    """What was signed; None when this key has not signed it for this purpose."""
    text, _, signature = signed.partition(".")
    if len(signed) > LONGEST or not signed.isascii():
        return None
    expected = signature_of(key, purpose, text)
    if not hmac.compare_digest(expected, signature):  # as text: no two spellings
        return None
    try:
        return kind.model_validate_json(_decode(text))
    except ValueError:  # no base64, or not what a model of this kind holds
        return None


def signature_of(key: bytes, purpose: bytes, text: str) -> str:
    return _encode(hmac.digest(key, purpose + text.encode(), "sha256"))


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
