"""Data keys, wrapped by the master key; content on other topics is decrypted with them.

The topic is compacted by the key's id. An erasure replaces the wrapped key, so that the key leaves
the log and the fact of its erasure stays.
"""

from __future__ import annotations

from typing import ClassVar

from schemas.envelope import Event


class _KeyEvent(Event):
    """About generation ``generation`` of the key of ``subject`` in the envelope's project.

    ``subject`` is a person's pseudonym, or empty: the project's own key. Generations count from 1;
    the next one begins with the first write after an erasure.
    """

    topic: ClassVar[str] = "vault.key.v1"
    stable_key: ClassVar[bool] = True

    key_id: str
    subject: str = ""
    generation: int

    @property
    def aggregate_id(self) -> str:
        return self.key_id

    @property
    def local_key(self) -> str:
        return self.key_id


class KeyCreated(_KeyEvent):
    """A data key exists; nothing was encrypted with it before. ``wrapped`` is nonce and key."""

    type_name: ClassVar[str] = "vault.key_created"

    wrapped: bytes


class KeyErased(_KeyEvent):
    """Nothing may be decrypted with this key again, wherever copies of it are."""

    type_name: ClassVar[str] = "vault.key_erased"
