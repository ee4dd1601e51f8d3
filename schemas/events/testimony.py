"""Chat messages, kept for the team ledger only. The topic is restricted.

The text is encrypted with its author's key, and the author is a pseudonym of the project. In clear
an event has only the risk and the time of a message.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.envelope import Event
from schemas.events.connector import ConnectorService

RiskClass = Literal["none", "low", "medium", "high"]


class MessageReceived(Event):
    """A chat message came in and its risk is known. Key ``project_id``, restricted topic.

    ``ciphertext`` is the message's text (AES-256-GCM, ``nonce`` apart) under ``key_id``, the data
    key of its author in this project; pseudonym and hashes are keyed by the project's. ``edited``
    is the service's mark of an edit, empty for the first wording: each wording is one event, all
    under one ``testimony_id``. ``risk_rules`` are the rules of ``risk_version`` that fired.
    """

    type_name: ClassVar[str] = "tdl.message_received"
    topic: ClassVar[str] = "tdl.intake.v1"
    stable_key: ClassVar[bool] = True

    testimony_id: str
    connector: ConnectorService
    author_pseudonym: str
    channel_ref_hash: str
    thread_ref_hash: str
    edited: str = ""
    risk_class: RiskClass
    risk_rules: list[str] = []
    risk_version: str
    key_id: str
    nonce: bytes
    ciphertext: bytes

    @property
    def aggregate_id(self) -> str:
        return self.testimony_id

    @property
    def local_key(self) -> str:
        return f"{self.testimony_id}|{self.edited}"


class MessageWithdrawn(Event):
    """The author (or the service) deleted a chat message; what it said is not to be used."""

    type_name: ClassVar[str] = "tdl.message_withdrawn"
    topic: ClassVar[str] = "tdl.intake.v1"
    stable_key: ClassVar[bool] = True

    testimony_id: str

    @property
    def aggregate_id(self) -> str:
        return self.testimony_id

    @property
    def local_key(self) -> str:
        return self.testimony_id
