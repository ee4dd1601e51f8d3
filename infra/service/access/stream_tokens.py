"""Tokens that open one stream, for clients that can send no header.

A browser's `EventSource` has nothing but an address, and addresses end up in histories and logs of
proxies. So such a token is good for five minutes, for one stream, and for nothing else. It is
signed and not stored. It names the token of its caller, so it is worth nothing without that one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cached_property

from pydantic import BaseModel, ConfigDict

from infra.platform.errors import Invalid
from infra.platform.settings import Settings
from infra.platform.vault import ensure_key_file, parse_key
from infra.service.access.signed import sign
from infra.service.access.signed import verify as verify_signed
from infra.store.tokens import Caller
from projections.read.session import ReadModel
from projections.read.streams import Stream

VALID_S = 300  # to connect in; a stream that is open stays open
KEY_FILE = "stream.key"
PURPOSE = b"cairn stream token 1\n"


class StreamGrant(BaseModel):
    """What a token says: its bearer may follow this stream as that caller, until then."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stream_id: str
    project_id: str
    token_id: str
    expires_s: int


class NewStreamToken(ReadModel):
    """``stream_url`` is the address to connect to, on the server that was asked."""

    token: str
    expires_at: datetime
    stream_url: str


class StreamTokens:
    """Makes and reads the tokens of one installation."""

    def __init__(self, settings: Settings, now_s: Callable[[], float] = time.time) -> None:
        self._settings, self._now_s = settings, now_s

    def create(self, stream: Stream, caller: Caller) -> NewStreamToken:
        """A token for a stream that ``caller`` may follow."""
        grant = StreamGrant(
            stream_id=stream.stream_id,
            project_id=stream.project_id,
            token_id=caller.token_id,
            expires_s=int(self._now_s()) + VALID_S,
        )
        token = sign(self._key, PURPOSE, grant)
        return NewStreamToken(
            token=token,
            expires_at=datetime.fromtimestamp(grant.expires_s, UTC),
            stream_url=f"/v1/streams/{stream.stream_id}?token={token}",
        )

    def read(self, token: str, stream_id: str) -> StreamGrant | None:
        """What the token grants for this stream; None when it grants nothing now."""
        grant = verify(self._key, token)
        fits = grant and grant.stream_id == stream_id and self._now_s() < grant.expires_s
        return grant if fits else None

    @cached_property
    def _key(self) -> bytes:
        return read_stream_key(self._settings)


def read_stream_key(settings: Settings) -> bytes:
    """The key that signs: the one that is given, or a file in CAIRN_HOME, made when missing.

    Raises Refusal when one is given that is no key.
    """
    if settings.stream_key:
        return parse_key(settings.stream_key.get_secret_value(), "CAIRN_STREAM_KEY")
    path = settings.stream_key_file or ensure_key_file(settings.home / KEY_FILE)
    try:
        return parse_key(path.read_text(), f"the key file {path}")
    except OSError as error:
        raise Invalid(
            f"The key file {path} (CAIRN_STREAM_KEY_FILE) cannot be read ({error.strerror}): make"
            " it readable, or point to another.",
            code="stream_key_unreadable",
        ) from error


def verify(key: bytes, token: str) -> StreamGrant | None:
    """What the token says; None when this key has not signed it."""
    return verify_signed(key, PURPOSE, token, StreamGrant)
