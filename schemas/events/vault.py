"""Data keys, wrapped by the master key: what content on the other topics can be opened with.

A key's topic is compacted by the key's id, so that an erasure takes the place of what it erases:
the wrapped key is gone from the log, and what says so stays for ever.
"""

from __future__ import annotations

from typing import ClassVar

from schemas.envelope import Event


class _KeyEvent(Event):
    """About generation ``generation`` of the key of ``subject`` in the envelope's project.

    ``subject`` is a person's pseudonym, or empty: the project's own key. Generations count from 1;
    the next one begins when somebody writes after an erasure.
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
    """A data key exists, and nothing was encrypted with it before. ``wrapped`` is nonce and key."""

    type_name: ClassVar[str] = "vault.key_created"

    wrapped: bytes


class KeyErased(_KeyEvent):
    """Nobody may open anything with this key again, wherever copies of it are."""

    type_name: ClassVar[str] = "vault.key_erased"
