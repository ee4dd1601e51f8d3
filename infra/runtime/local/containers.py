"""Broker and database in containers, when CAIRN_RUNTIME=containers and an engine answers.

The containers live as long as the process that started them and keep no data: for development.
Unproven where no container engine runs; the error for that case is tested.
"""

import contextlib
from collections.abc import Iterator

from infra.platform.errors import Refusal
from infra.runtime.local.process import Say

KAFKA_IMAGE = "confluentinc/cp-kafka:8.1.0"  # Kafka 4.1; the family testcontainers can start
POSTGRES_IMAGE = "pgvector/pgvector:pg18"


@contextlib.contextmanager
def kafka(say: Say) -> Iterator[str]:
    """The bootstrap address of a broker in a container."""
    _require_engine()
    from testcontainers.community.kafka import KafkaContainer

    say(f"Starting {KAFKA_IMAGE} in a container…")
    with KafkaContainer(KAFKA_IMAGE).with_kraft() as container:
        yield container.get_bootstrap_server()


@contextlib.contextmanager
def postgres(say: Say) -> Iterator[str]:
    """The connection URL of a database in a container."""
    _require_engine()
    from testcontainers.community.postgres import PostgresContainer

    say(f"Starting {POSTGRES_IMAGE} in a container…")
    with PostgresContainer(POSTGRES_IMAGE, username="cairn", dbname="cairn", driver=None) as server:
        yield server.get_connection_url()


def _require_engine() -> None:
    import docker
    from docker.errors import DockerException

    try:
        docker.from_env().ping()
    except DockerException as error:
        raise Refusal(
            f"CAIRN_RUNTIME is `containers`, but no container engine answers ({error}): start one,"
            " or unset CAIRN_RUNTIME to use the embedded broker and database."
        ) from error
