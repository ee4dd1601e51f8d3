"""Deliveries of webhooks, encrypted as they came.

A delivery is on the log before it is parsed, so that a later failure loses nothing.
``connectors/intake`` turns it into sources, testimony or a delta.
"""

from __future__ import annotations

from typing import ClassVar

from schemas.envelope import Event
from schemas.events.connector import ConnectorService


class ItemReceived(Event):
    """A service delivered something. Key ``connector|external_ref``.

    ``external_ref`` names what it is about, so that deliveries about one thing keep their order;
    ``kind`` is the service's name for what happened (``issues.opened``). ``body`` is the delivered
    JSON, nonce and AES-GCM ciphertext under the data key ``key_id``: the project's, of a chat
    message its author's. ``delivery_id`` is the service's; a repeat has the same.
    """

    type_name: ClassVar[str] = "connector.item_received"
    topic: ClassVar[str] = "connector.item.v1"

    connector: ConnectorService
    external_ref: str
    kind: str
    delivery_id: str
    key_id: str
    body: bytes

    @property
    def aggregate_id(self) -> str:
        return f"{self.connector}|{self.external_ref}"

    @property
    def local_key(self) -> str:
        return f"{self.connector}|{self.delivery_id}"
