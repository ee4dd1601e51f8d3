"""Turns a chat message into testimony: classified first, then encrypted, with its class.

Every message of a person becomes testimony, in every channel. One message is one testimony however
often it is edited; each wording is recorded. Nothing that names a person leaves this module.
"""

from __future__ import annotations

import html
from collections.abc import Callable

from connectors.payloads import Payload, part, required_text, text
from connectors.slack.items import Message, message_of, time_of
from connectors.testimony.lexicon import RISK_VERSION
from connectors.testimony.people import Mark, pseudonym_of
from connectors.testimony.risk import risk_of
from infra.platform.vault import NONCE_BYTES
from schemas import ids
from schemas.codec import utc_millis
from schemas.envelope import Actor, Envelope, Event, outside_fact
from schemas.events.testimony import MessageReceived, MessageWithdrawn

# project id, content, subject, testimony id -> key id, nonce and ciphertext (`Vault.encrypt`)
Seal = Callable[[str, bytes, str, str], tuple[str, bytes]]


def testimony_of_event(
    payload: Payload, *, project_id: str, mark: Mark, seal: Seal
) -> list[Envelope]:
    """The facts for the team ledger from one Events API delivery of a message.

    Raises UnreadablePayload, and what ``mark`` and ``seal`` raise.
    """
    event = part(payload, "event")
    team, channel = required_text(payload, "team_id"), required_text(event, "channel")
    if not _is_deletion(event):
        message = part(event, "message") or event
        return testimony_of(message, team, channel, project_id=project_id, mark=mark, seal=seal)
    before = part(event, "previous_message")
    person = message_of(before) if before else None
    if before and (person is None or person.is_bot):
        return []
    ts = (
        person.ts
        if person
        else text(event, "deleted_ts") or required_text(part(event, "message"), "ts")
    )
    gone = MessageWithdrawn(testimony_id=_testimony_id(mark, project_id, team, channel, ts))
    return [_fact(gone, project_id, ts)]


def _is_deletion(event: Payload) -> bool:
    """A deleted first message of a thread arrives as a change to a tombstone."""
    stone = text(part(event, "message"), "subtype") == "tombstone"
    return stone or text(event, "subtype") == "message_deleted"


def testimony_of(
    row: Payload, team: str, channel: str, *, project_id: str, mark: Mark, seal: Seal
) -> list[Envelope]:
    """The same for a message from a channel's history; nothing for bots and notices.

    Both ways give one fact for one wording. Raises as ``testimony_of_event``.
    """
    message = message_of(row)
    if message is None or message.is_bot or not message.text.strip():
        return []
    return [
        _fact(
            _message_event(message, project_id, team, channel, mark, seal), project_id, message.ts
        )
    ]


def _message_event(
    message: Message, project_id: str, team: str, channel: str, mark: Mark, seal: Seal
) -> MessageReceived:
    words = html.unescape(message.text)
    risk = risk_of(words)
    pseudonym = pseudonym_of(mark, project_id, "slack", message.member)
    testimony_id = _testimony_id(mark, project_id, team, channel, message.ts)
    key_id, sealed = seal(project_id, words.encode(), pseudonym, testimony_id)
    place = f"slack|{team}|{channel}"
    return MessageReceived(
        testimony_id=testimony_id,
        connector="slack",
        author_pseudonym=pseudonym,
        channel_ref_hash=mark(project_id, f"channel|{place}"),
        thread_ref_hash=mark(project_id, f"thread|{place}|{message.thread_ts}"),
        edited=message.edited_ts or "",
        risk_class=risk.risk_class,
        risk_rules=list(risk.rules),
        risk_version=RISK_VERSION,
        key_id=key_id,
        nonce=sealed[:NONCE_BYTES],
        ciphertext=sealed[NONCE_BYTES:],
    )


def _testimony_id(mark: Mark, project_id: str, team: str, channel: str, ts: str) -> str:
    """A keyed hash of the message's address: the log alone does not lead to the message."""
    return ids.derive_id(
        "tst", project_id, mark(project_id, f"message|slack|{team}|{channel}|{ts}")
    )


def _fact(event: Event, project_id: str, ts: str) -> Envelope:
    """Has no cause: a delivery's id would lead back to the message's address."""
    return outside_fact(
        event,
        project_id=project_id,
        occurred_at=utc_millis(time_of(ts)),
        actor=Actor(type="connector", id="slack"),
        correlation_id=event.aggregate_id,
    )
