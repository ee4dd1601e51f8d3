"""Where wrapped data keys are kept: the topic `vault.key.v1` is the truth, a table is its copy.

Processes agree on a key in the table, whose index knows one key a generation of a subject. A row is
committed once its key is on the topic, so nobody encrypts with a key that could be lost, and a
table that is new is filled from the topic. Decided against: the first record on the topic wins,
since a compacted topic keeps the last.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from aiokafka.structs import TopicPartition
from psycopg import Connection

from infra.platform.clock import SystemClock
from infra.platform.errors import TopicsUnfit
from infra.platform.kafka import broker_errors, running_consumer, running_producer
from infra.platform.postgres import connect
from infra.platform.settings import Settings
from schemas import codec
from schemas.envelope import SYSTEM, Envelope, Event, outside_fact
from schemas.events.vault import KeyCreated, KeyErased
from schemas.topics import key_of

TOPIC = KeyCreated.topic
CONTENT_TOPICS = ("source.v1", "connector.item.v1", "tdl.intake.v1")
RESTORE_LOCK = 0x6B657973  # «keys»: one process fills a new table
POLL_MS = 200
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """One data key, wrapped by the master key; ``wrapped`` None: it was erased."""

    key_id: str
    project_id: str
    subject: str
    generation: int  # from 1; 0 in rows of an earlier build
    wrapped: bytes | None


@dataclass(frozen=True, slots=True)
class Unknown:
    """Keys that contents on the log name and nobody has, and how many contents these are."""

    keys: tuple[str, ...] = ()
    contents: int = 0


def key_id_of(project_id: str, subject: str, generation: int) -> str:
    """``key_``, the hash of whom the key is for, and its generation."""
    digest = hashlib.sha256(f"vault\n{project_id}\n{subject}".encode()).hexdigest()
    return f"key_{digest[:32]}_{generation}"


class KeyStore:
    """The keys of one installation. Safe to share between threads.

    Calls ask the database; the first ever, and one that makes or erases a key, the broker too. All
    raise DatabaseUnavailable and BrokerUnavailable.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def find(self, key_id: str) -> KeyRecord | None:
        """The key with this id."""
        with self._connect_restored() as connection:
            row = connection.execute(
                "SELECT key_id, project_id, subject, generation, wrapped FROM cairn.vault_keys"
                " WHERE key_id = %s",
                (key_id,),
            ).fetchone()
        return _record(row) if row else None

    def current(self, project_id: str, subject: str, wrap: Callable[[int], bytes]) -> KeyRecord:
        """The key to encrypt with; ``wrap`` makes that of a generation when there is none.

        Whoever is first makes it: all processes get the same.
        """
        with self._connect_restored() as connection:
            newest = _newest(connection, project_id, subject)
            if newest and newest.wrapped is not None:
                return newest
            generation = newest.generation + 1 if newest else 1
            key_id, at = key_id_of(project_id, subject, generation), SystemClock().now()
            wrapped = wrap(generation)
            made = connection.execute(
                "INSERT INTO cairn.vault_keys"
                " (key_id, project_id, subject, generation, wrapped, created_at)"
                " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
                (key_id, project_id, subject, generation, wrapped, at),
            )
            if made.rowcount:
                event = KeyCreated(
                    key_id=key_id, subject=subject, generation=generation, wrapped=wrapped
                )
                _run(_publish(self._settings, [_fact(event, project_id, at)]))
                return KeyRecord(key_id, project_id, subject, generation, wrapped)
        return self.current(project_id, subject, wrap)  # somebody else was faster

    def erase(self, project_id: str, subject: str | None) -> bool:
        """No generation of the subject's key can be read any more; whether there was one.

        ``subject`` None: of no key of the project. First the topic, then the table: cut off between
        the two it is to be done again, and the loss of the database brings nothing back.
        """
        at = SystemClock().now()
        with self._connect_restored() as connection:
            rows = connection.execute(
                "SELECT key_id, subject, generation FROM cairn.vault_keys WHERE project_id = %s"
                " AND subject = coalesce(%s, subject) AND wrapped IS NOT NULL FOR UPDATE",
                (project_id, subject),
            ).fetchall()
            events = [
                KeyErased(key_id=key_id, subject=whose, generation=generation)
                for key_id, whose, generation in rows
            ]
            if events:
                _run(_publish(self._settings, [_fact(each, project_id, at) for each in events]))
                connection.execute(
                    "UPDATE cairn.vault_keys SET wrapped = NULL WHERE key_id = ANY(%s)",
                    ([each.key_id for each in events],),
                )
        return bool(events)

    def list_erased(self) -> frozenset[str]:
        """Ids of the keys that were erased."""
        with connect(self._settings.conninfo) as connection:
            rows = connection.execute("SELECT key_id FROM cairn.vault_keys WHERE wrapped IS NULL")
            return frozenset(str(key_id) for (key_id,) in rows)

    def all(self) -> list[KeyRecord]:
        """Every key of this build."""
        with self._connect_restored() as connection:
            rows = connection.execute(
                "SELECT key_id, project_id, subject, generation, wrapped FROM cairn.vault_keys"
                " WHERE generation > 0"
            ).fetchall()
        return [_record(row) for row in rows]

    def unknown(self) -> Unknown:
        """What `look_for_unknown` has found; nothing before it was called."""
        with connect(self._settings.conninfo) as connection:
            row = connection.execute(
                "SELECT unknown_keys, unknown_contents FROM cairn.vault_restored"
            ).fetchone()
        return Unknown(tuple(row[0]), row[1]) if row and row[0] is not None else Unknown()

    def look_for_unknown(self) -> Unknown:
        """What the log names and nobody has.

        The log is read once a database, since whatever is encrypted later has its key on the topic
        before; again and again while keys are missing, which somebody may have put back.
        """
        with self._connect_restored() as connection:
            row = connection.execute("SELECT unknown_keys FROM cairn.vault_restored").fetchone()
            if row and row[0] == []:
                return Unknown()
            _fill(connection, _run(_facts(self._settings, TOPIC)))
            known = connection.execute(
                "SELECT key_id FROM cairn.vault_keys WHERE generation > 0"
            ).fetchall()
            found = _run(_find_unknown_keys(self._settings, {str(key_id) for (key_id,) in known}))
            connection.execute(
                "UPDATE cairn.vault_restored SET unknown_keys = %s, unknown_contents = %s",
                ([*found.keys], found.contents),
            )
        return found

    @contextmanager
    def _connect_restored(self) -> Iterator[Connection[tuple[Any, ...]]]:
        """A connection to a table that holds what the topic says."""
        with connect(self._settings.conninfo) as connection:
            if not _is_restored(connection):
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (RESTORE_LOCK,))
                if not _is_restored(connection):
                    _fill(connection, _run(_facts(self._settings, TOPIC)))
                    connection.execute("INSERT INTO cairn.vault_restored DEFAULT VALUES")
                connection.commit()
            yield connection


def _is_restored(connection: Connection[tuple[Any, ...]]) -> bool:
    return connection.execute("SELECT 1 FROM cairn.vault_restored").fetchone() is not None


def _fill(connection: Connection[tuple[Any, ...]], facts: Sequence[Envelope]) -> None:
    """The table says what the topic does: what was erased stays so, else the last record counts."""
    for fact in facts:
        event = fact.event
        assert isinstance(event, KeyCreated | KeyErased)
        wrapped = event.wrapped if isinstance(event, KeyCreated) else None
        connection.execute(
            "INSERT INTO cairn.vault_keys AS known"
            " (key_id, project_id, subject, generation, wrapped, created_at)"
            " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (key_id) DO UPDATE SET wrapped ="
            " CASE WHEN known.wrapped IS NULL THEN NULL ELSE EXCLUDED.wrapped END",
            (
                *(event.key_id, fact.project_id, event.subject, event.generation),
                *(wrapped, fact.occurred_at),
            ),
        )


def _newest(
    connection: Connection[tuple[Any, ...]], project_id: str, subject: str
) -> KeyRecord | None:
    row = connection.execute(
        "SELECT key_id, project_id, subject, generation, wrapped FROM cairn.vault_keys"
        " WHERE project_id = %s AND subject = %s AND generation > 0"
        " ORDER BY generation DESC LIMIT 1",
        (project_id, subject),
    ).fetchone()
    return _record(row) if row else None


def _record(row: tuple[Any, ...]) -> KeyRecord:
    key_id, project_id, subject, generation, wrapped = row
    sealed = None if wrapped is None else bytes(wrapped)
    return KeyRecord(key_id, project_id, subject, generation, sealed)


def _fact(event: Event, project_id: str, at: datetime) -> Envelope:
    return outside_fact(
        event,
        project_id=project_id,
        occurred_at=codec.utc_millis(at),
        actor=SYSTEM,
        correlation_id=event.aggregate_id,
    )


def _run(work: Coroutine[Any, Any, T]) -> T:
    """The answer of ``work``, in a loop of its own: the vault is called from loops and threads."""
    with ThreadPoolExecutor(1, thread_name_prefix="key-store") as thread:
        return thread.submit(asyncio.run, work).result()


async def _publish(settings: Settings, facts: Sequence[Envelope]) -> None:
    """The facts are on the topic. Raises BrokerUnavailable."""
    async with running_producer(settings) as producer:
        with broker_errors("publishing a key"):
            async with asyncio.timeout(settings.request_timeout_s):
                for fact in facts:
                    await producer.send_and_wait(
                        settings.topic(TOPIC),
                        value=codec.encode(fact.recorded(codec.utc_millis(SystemClock().now()))),
                        key=key_of(fact).encode(),
                        headers=codec.headers(fact),
                    )


async def _facts(settings: Settings, topic: str) -> list[Envelope]:
    return [fact async for fact in _read(settings, topic)]


async def _find_unknown_keys(settings: Settings, known: set[str]) -> Unknown:
    """The keys that facts on the log name besides ``known``."""
    named: Counter[str] = Counter()
    for topic in CONTENT_TOPICS:
        async for fact in _read(settings, topic):
            key_id = getattr(fact.event, "key_id", None)
            if key_id and key_id not in known:
                named[key_id] += 1
    return Unknown(tuple(sorted(named)), named.total())


async def _read(settings: Settings, topic: str) -> AsyncIterator[Envelope]:
    """What is on ``topic`` now; records that are no facts are left to `verify-log`.

    Raises BrokerUnavailable, TopicsUnfit.
    """
    name = settings.topic(topic)
    async with running_consumer(settings) as consumer:
        with broker_errors(f"reading {topic}"):
            await consumer._client.force_metadata_update()
            parts = consumer.partitions_for_topic(name)
            if not parts:
                raise TopicsUnfit(f"Topic {name} does not exist.", code="topic_missing")
            places = [TopicPartition(name, part) for part in sorted(parts)]
            consumer.assign(places)
            await consumer.seek_to_beginning(*places)
            ends = await consumer.end_offsets(places)
            while any([await consumer.position(place) < ends[place] for place in places]):
                for records in (await consumer.getmany(timeout_ms=POLL_MS)).values():
                    for record in records:
                        try:
                            fact = codec.decode(record.value or b"")
                        except codec.InvalidRecord:
                            continue
                        yield fact
