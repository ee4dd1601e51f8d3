"""What an installation has written down anywhere, as somebody sees it who is not us."""

from __future__ import annotations

from typing import Any

import psycopg
from confluent_kafka import Consumer, TopicPartition
from psycopg import sql

from schemas.topics import TOPICS
from tests.service import Service


def records(cairn: Service, topic: str) -> list[tuple[Any, Any]]:
    """(key, value) of all records of a topic."""
    return [(message.key(), message.value()) for message in messages(cairn, topic)]


def messages(cairn: Service, topic: str) -> list[Any]:
    """All records of a topic, read by another library than ours."""
    settings = cairn.settings_now()
    assert settings.kafka_sasl_password
    consumer = Consumer(
        {
            "bootstrap.servers": settings.bootstrap,
            "security.protocol": settings.kafka_security_protocol,
            "sasl.mechanism": settings.kafka_sasl_mechanism,
            "sasl.username": settings.kafka_sasl_username,
            "sasl.password": settings.kafka_sasl_password.get_secret_value(),
            "group.id": "somebody-else",
            "enable.auto.commit": False,
        }
    )
    name = settings.topic(topic)
    places = []
    for partition in consumer.list_topics(name).topics[name].partitions:
        low, high = consumer.get_watermark_offsets(TopicPartition(name, partition))
        places.append((partition, low, high))
    found = []
    for partition, low, high in places:
        consumer.assign([TopicPartition(name, partition, low)])
        position = low
        while position < high:
            message = consumer.poll(10)
            assert message is not None, f"{name}/{partition} ended before {high}"
            assert message.error() is None
            position += 1
            found.append(message)
    consumer.close()
    return found


def parts_of(message: Any) -> list[bytes]:
    """Key, value and headers, as far as there are any."""
    headers = [part for name, value in message.headers() or () for part in (name.encode(), value)]
    return [part for part in (message.key(), message.value(), *headers) if part]


def everything(cairn: Service) -> dict[str, bytes]:
    """All topics, tables, log and state files, each as bytes to search in."""
    found = {}
    for topic in TOPICS:
        parts = [part for each in messages(cairn, topic.name) for part in parts_of(each)]
        found[f"topic {topic.name}"] = b"\n".join(parts)
    with psycopg.connect(cairn.settings_now().conninfo) as connection:
        tables = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'cairn'"
        ).fetchall()
        for (name,) in tables:
            all_of = sql.SQL("SELECT * FROM {}").format(sql.Identifier("cairn", name))
            found[f"table {name}"] = str(connection.execute(all_of).fetchall()).encode()
    for path in (*cairn.home.glob("logs/*"), *cairn.home.glob("*.json")):
        found[f"file {path.name}"] = path.read_bytes()
    for path in cairn.home.glob("state/**/*"):
        if path.is_file():
            found[f"state {path.name}"] = path.read_bytes()
    return found
