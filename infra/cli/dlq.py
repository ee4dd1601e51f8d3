"""`cairn dlq`: records that could not be processed, and another try."""

import asyncio
from contextlib import suppress
from functools import partial

import typer

from infra.cli.context import JSON_OPTION, connect, say
from infra.cli.output import as_lines, cell, table
from infra.errors import Refusal
from infra.settings import Settings


def register(app: typer.Typer) -> None:
    letters = typer.Typer(no_args_is_help=True, help="Records that could not be processed.")
    app.add_typer(letters, name="dlq")

    @letters.command("list")
    def list_(as_json: bool = JSON_OPTION) -> None:
        """List dead letters with place and reason."""
        from projections.read import dead_letters, session
        from projections.read.page import take

        with session.reading(connect().conninfo) as connection:
            found = list(take(partial(dead_letters.dead_letters, connection)))
        if as_json:
            as_lines(letter.model_dump() for letter in found)
            return
        table(
            ("id", "stage", "record", "reason"),
            (
                (
                    letter.dead_letter_id,
                    letter.stage,
                    f"{letter.origin_topic}/{letter.origin_partition}@{letter.origin_offset}",
                    cell(f"{letter.error_class}: {letter.error}"),
                )
                for letter in found
            ),
            "No dead letters.",
        )

    @letters.command()
    def retry(dead_letter_id: str = typer.Argument(metavar="ID")) -> None:
        """Publish the record to its topic once more."""
        from projections.read import dead_letters, session

        settings = connect()
        with session.reading(settings.conninfo) as connection:
            letter = dead_letters.dead_letter(connection, dead_letter_id)
        if letter is None:
            raise Refusal(f"There is no dead letter {dead_letter_id}: see `cairn dlq list`.")
        if letter.value is None:
            raise Refusal(
                f"{dead_letter_id} was too large to be kept: it stands on"
                f" {letter.origin_topic}/{letter.origin_partition}@{letter.origin_offset}."
            )
        asyncio.run(publish(settings, letter.origin_topic, letter.origin_key, letter.value))
        say(f"{dead_letter_id} was published to {letter.origin_topic} once more.")


async def publish(settings: Settings, topic: str, key: str, value: bytes) -> None:
    """The broker has acknowledged the record, where its fact belongs; one that is none, where it
    stood. ``topic`` is without prefix.
    """
    import infra.kafka
    from schemas.codec import InvalidRecord, decode, headers
    from schemas.topics import key_of, topic_of

    with_headers: list[tuple[str, bytes]] = []
    with suppress(InvalidRecord, KeyError):
        fact = decode(value)
        topic, key, with_headers = topic_of(fact).name, key_of(fact), headers(fact)
    async with infra.kafka.running_producer(settings) as producer:
        with infra.kafka.broker_errors("publishing"):
            await producer.send_and_wait(
                settings.topic(topic), value=value, key=key.encode(), headers=with_headers
            )
