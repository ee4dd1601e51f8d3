"""Faust as this service needs it: one stage = one app = one consumer group.

Differences from faust 0.15.3 as delivered, each with a test in ``tests/shell``:

- consumers are built by ``infra.platform.kafka`` (fetch wait, sizes, security); Faust hard-codes
  1500 ms;
- fetches are paced (``infra.platform.pacing.pace_fetches``): many records a fetch while they flow,
  few fetches while there are none;
- a record goes to its stream at once when there is room, not after several rounds of the loop, and
  the stream gives all that are there in one turn; Faust's gives one a round, and a round is long in
  a loop that other stages compute in: a topic of many small records was read at 400 a second;
- what was fetched and dropped during a rebalance comes again also where nothing is committed yet:
  Faust seeks only where something is, and a first ingest lost records so, for good once later ones
  of the partition were committed;
- partitions are assigned by range, so that partition *p* of all topics of a stage goes to one
  member; Faust's round robin would tear a writer's inputs apart;
- going to the committed offsets has a limit of its own, and fails there: at Faust's the task that
  gives a new assignment its records ends without a word, and the stage stands still for ever;
- a client that failed is asked for it: aiokafka tells only who asks next, and during a rebalance
  nobody does or Faust drops the answer, so a consumer without heartbeats went on for minutes;
- an acknowledgement counts only while its assignment lasts: a stream acknowledges what it skips
  during a rebalance, which would commit past records nobody has processed;
- its producer stays off (ours is shared by all stages of a process), and so do web, leader and
  topic declaration.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, cast

import aiokafka
import faust
from aiokafka.coordinator.assignors.range import RangePartitionAssignor
from faust.app.base import BootStrategy
from faust.exceptions import ConsumerNotStarted
from faust.transport.drivers import aiokafka as driver
from faust.types import TP, EventT
from mode import CrashingSupervisor
from mode.threads import ServiceThread, WorkerThread
from yarl import URL

from infra.platform import kafka
from infra.platform.errors import BrokerUnavailable
from infra.platform.findings import LogDamaged, holes
from infra.platform.pacing import pace_fetches
from infra.platform.settings import Settings
from streams.shell.delivery import Delivery

COMMIT_INTERVAL_S = 1.0
BUFFERED_RECORDS = 1_024
THREAD_PATIENCE_S = 3.0
SEEK_REQUESTS = 3  # committed offsets, a fetch that is under way, first offsets
LOOK_EVERY_S = 4.0  # where no record comes; what a new assignment waits at most
TURN_S = 0.002  # of a stream that has records; a record costs less than a tenth of it

Take = Callable[[Delivery], Awaitable[None]]
Partitions = Callable[[set[int]], Awaitable[None]]


class BoundedThread(WorkerThread):
    """Mode waits for a thread for ever, and blocks the loop meanwhile; here for a few seconds."""

    def __init__(self, service: ServiceThread, **options: Any) -> None:
        super().__init__(service, **options)
        self.daemon = True

    def stop(self) -> None:
        self.is_stopped.wait(THREAD_PATIENCE_S)


class ConsumerThread(driver.AIOKafkaConsumerThread):
    """The client of one group, in a thread of its own: a busy loop does not stop heartbeats."""

    app: StageApp
    Worker = BoundedThread
    _refusal: BaseException | None = None  # what the coordinator could not go on after

    async def on_start(self) -> None:
        await super().on_start()
        pace_fetches(self._consumer)
        self._keep_refusals()

    def _keep_refusals(self) -> None:
        """What aiokafka tells once, to whoever asks next: Faust may ask, and drop the answer."""
        coordinator: Any = self._ensure_consumer()._coordinator
        tell = coordinator._push_error_to_user

        def keep(error: BaseException) -> Any:
            self._refusal = error
            return tell(error)

        coordinator._push_error_to_user = keep

    async def getmany(self, active_partitions: set[TP] | None, timeout: float) -> Any:
        """What has come, at once; Faust goes through two threads for each look, once a second."""
        return await super().getmany(active_partitions, max(timeout, LOOK_EVERY_S))

    async def seek_to_committed(self) -> Mapping[TP, int]:
        committed = await super().seek_to_committed()
        if untouched := [place for place, offset in committed.items() if not offset]:
            await self.call_thread(self._ensure_consumer().seek_to_beginning, *untouched)
        return committed

    def failure(self) -> BaseException | None:
        """Why the client cannot go on. It tells one who asks, once, and nobody else."""
        client: Any = self._consumer
        if client is None or self._refusal is not None:
            return self._refusal
        for task in (client._coordinator._coordination_task, client._fetcher._fetch_task):
            if task.done():
                cause = None if task.cancelled() else task.exception()
                return cause or RuntimeError(f"a task of the consumer of {self.app.conf.id} ended")
        return None

    def _create_worker_consumer(self, transport: driver.Transport) -> aiokafka.AIOKafkaConsumer:
        self._assignor = RangePartitionAssignor
        return kafka.consumer(
            self.app.settings,
            group=self.app.conf.id,
            group_instance_id=self.app.instance,
            partition_assignment_strategy=[RangePartitionAssignor],
            rebalance_timeout_ms=int(self.app.conf.broker_rebalance_timeout * 1000),
            max_poll_interval_ms=int(self.app.conf.broker_max_poll_interval * 1000),
        )


class Consumer(driver.Consumer):
    """Faust's bookkeeping of offsets, without acknowledgements of records nobody has processed."""

    app: StageApp
    _thread: ConsumerThread

    def failure(self) -> BaseException | None:
        """Why nothing comes any more, when that is so."""
        return self._thread.failure()

    def _new_consumer_thread(self) -> ConsumerThread:
        return ConsumerThread(self, loop=self.loop, beacon=self.beacon)

    async def perform_seek(self) -> None:
        """Raises BrokerUnavailable where the broker takes too long to say what is committed."""
        try:
            async with asyncio.timeout(self.app.seek_patience_s):
                await super().perform_seek()
        except TimeoutError:
            raise BrokerUnavailable(
                f"The broker has not said within {self.app.seek_patience_s:.0f} s where"
                f" {self.app.conf.id} goes on."
            ) from None

    def ack(self, message: Any) -> bool:
        current = message.generation_id == self.app.consumer_generation_id
        if current and self.app.flow_control.is_active():
            return bool(super().ack(message))
        return False

    async def wait_first(self, *coros: Any, timeout: Any = None) -> Any:
        """Faust waits so for each record that goes to its stream, or for a rebalance.

        That takes four tasks and several rounds of the loop a record, and a round is long in a loop
        that other stages compute in. With room in the stream the record is there at once.
        """
        if len(coros) == 2 and timeout is None and self._has_room():
            delivered, rebalance = coros
            rebalance.close()
            await delivered
            return None
        return await super().wait_first(*coros, timeout=timeout)

    def _has_room(self) -> bool:
        """Whether a record goes to its stream without waiting."""
        flowing = not self.suspend_flow.is_set() and self.app.flow_control.is_active()
        return flowing and not any(cast(Any, each).queue.full() for each in self.app.topics)

    def verify_event_path(self, now: float, tp: TP) -> None:
        """Idle partitions are no fault; lag is shown by ``cairn status``."""


class Stream(faust.Stream[bytes]):
    """What has come, as events, for a turn without leaving the loop to others.

    As in Faust, a record of an assignment that has ended is passed over.
    """

    app: StageApp

    async def events(self) -> AsyncIterator[EventT[bytes]]:
        consumer, channel = self.app.consumer, cast(Any, self.channel)
        await self.maybe_start()
        turn = time.monotonic()
        while not self.should_stop:
            if time.monotonic() - turn > TURN_S:
                await asyncio.sleep(0)
                turn = time.monotonic()
            try:
                event = await channel.__anext__()
            except StopAsyncIteration:  # thrown into the channel when the stream is stopped
                return
            message = event.message
            if (
                self.app.flow_control.is_active()
                and message.generation_id == self.app.consumer_generation_id
            ):
                message.tracked = True
                consumer.track_message(message)
                yield event


class Producer(driver.Producer):
    """Never started: the stages of a process share one producer of ``infra.platform.kafka``."""

    async def on_start(self) -> None: ...

    async def on_stop(self) -> None: ...

    async def flush(self) -> None: ...


class Transport(driver.Transport):
    Consumer = Consumer
    Producer = Producer


class QuietBoot(BootStrategy):
    enable_web = False
    enable_sensors = False


class StageApp(faust.App):
    """The Faust app of one stage: ``read`` are full names of topics, ``worked`` see `Watched`.

    ``instance`` names a static member of the group, or None.
    """

    BootStrategy = QuietBoot

    def __init__(
        self,
        settings: Settings,
        stage: str,
        instance: str | None,
        read: Collection[str] = (),
        worked: Callable[[], object] = lambda: None,
    ) -> None:
        self.settings = settings
        self.read = read
        self.worked = worked
        self.instance = instance
        request_timeout_s = max(settings.request_timeout_s, settings.session_timeout_s + 1)
        self.seek_patience_s = SEEK_REQUESTS * request_timeout_s
        super().__init__(
            settings.group(stage),
            broker=[URL(f"kafka://{address}") for address in settings.bootstrap.split(",")],
            key_serializer="raw",
            value_serializer="raw",
            autodiscover=False,
            datadir=Path(settings.home) / "faust" / stage,
            web_enabled=False,
            topic_allow_declare=False,
            topic_disable_leader=True,
            reply_create_topic=False,
            consumer_auto_offset_reset="earliest",
            broker_commit_interval=COMMIT_INTERVAL_S,
            broker_session_timeout=settings.session_timeout_s,
            broker_heartbeat_interval=settings.session_timeout_s / 4,
            broker_request_timeout=self.seek_patience_s + request_timeout_s,  # how long Faust waits
            stream_wait_empty=False,
            stream_buffer_maxsize=BUFFERED_RECORDS,
            Stream=Stream,
        )

    @property
    def group(self) -> str:
        return str(self.conf.id)

    def places(self) -> set[tuple[str, int]] | None:
        """The partitions that are read here; None while that is not settled."""
        try:
            assigned = self.consumer.assignment()
        except ConsumerNotStarted:
            return None
        return None if self.rebalancing else {(place.topic, place.partition) for place in assigned}

    def next(self) -> None:
        """The group's committed offsets say where it goes on."""

    def failure(self) -> BaseException | None:
        """Why the stage cannot go on, when that is so."""
        if self.crashed:
            return self.crash_reason or RuntimeError(f"{self.group} ended")
        return cast(Consumer, self.consumer).failure()

    def on_init_dependencies(self) -> Iterable[Any]:
        """Without Faust's monitor, which keeps figures of each record for its web server."""
        services = super().on_init_dependencies()
        self.sensors.remove(self.monitor)
        return services

    def _new_transport(self) -> Transport:
        return Transport(self.conf.broker_consumer, self)

    def _new_producer_transport(self) -> Transport:
        return Transport(self.conf.broker_producer, self)

    def _create_directories(self) -> None:
        """Faust keeps nothing on disk here: stores are the writers' own."""


def stage_app(
    settings: Settings,
    stage: str,
    topics: Iterable[str],
    take: Take,
    *,
    assigned: Partitions,
    revoked: Partitions,
    worked: Callable[[], object],
    failed: Callable[[BaseException], None],
    instance: str | None = None,
) -> StageApp:
    """The app that hands every record of ``topics`` to ``take``, in offset order per partition.

    ``noack``, the explicit acknowledgement and the crashing supervisor belong together: with one of
    them missing Faust commits past a record whose agent raised. ``assigned`` is awaited before the
    first record of an assignment comes, ``revoked`` before somebody else gets the partitions.
    """
    names = [settings.topic(name) for name in topics]
    app = StageApp(settings, stage, instance, names, worked)
    plain = {settings.topic(name): name for name in topics}
    source = app.topic(*names, key_type=bytes, value_type=bytes)

    following: dict[tuple[str, int, int], int] = {}  # the offset that comes next

    def check_follows(delivery: Delivery) -> None:
        """Nothing is missing since the record before, of the same assignment."""
        place = (delivery.topic, delivery.partition, delivery.generation)
        expected = following.get(place, delivery.offset)
        following[place] = delivery.offset + 1
        if delivery.offset > expected:
            for finding in holes(*place[:2], expected, [delivery.offset]):
                raise LogDamaged(finding.of(settings))

    async def run(stream: Any) -> None:
        try:
            async for event in stream.noack().events():
                delivery = delivery_of(event, plain)
                check_follows(delivery)
                await take(delivery)
        except Exception as error:
            failed(error)
            raise

    app.agent(source, name=f"stage-{stage}", concurrency=1, supervisor_strategy=CrashingSupervisor)(
        run
    )

    async def on_assigned(app: Any, partitions: set[TP], **signal: Any) -> None:
        await assigned({tp.partition for tp in partitions if tp.topic in plain})

    async def on_revoked(app: Any, partitions: set[TP], **signal: Any) -> None:
        await revoked({tp.partition for tp in partitions if tp.topic in plain})

    # Their type wants a parameter ``signal``; keyword arguments take it.
    app.on_partitions_assigned.connect(cast(Any, on_assigned))
    app.on_partitions_revoked.connect(cast(Any, on_revoked))
    return app


def delivery_of(event: EventT[bytes], plain: dict[str, str]) -> Delivery:
    message = event.message

    def acknowledge() -> None:
        event.ack()

    return Delivery(
        topic=plain[message.topic],
        partition=message.partition,
        offset=message.offset,
        generation=message.generation_id or 0,
        key=message.key or b"",
        value=message.value or b"",
        headers=tuple(cast("list[tuple[str, bytes]]", message.headers or [])),
        timestamp_s=message.timestamp,
        acknowledge=acknowledge,
    )


def quiet_logging() -> None:
    """Faust and mode report rebalances as warnings and errors of theirs; only faults are shown."""
    for name in ("faust", "mode", "aiokafka"):
        logging.getLogger(name).setLevel(logging.ERROR)
