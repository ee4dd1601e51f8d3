"""The Faust shell: runs the stages live. One stage = one app = one group, all in one event loop.

Order of reading: ``shell/engine.py`` (what of Faust is used, and why so), ``shell/step_runner.py``,
``shell/writer_runner.py`` with ``writer_partition.py``, ``shell/hygiene_runner.py``. Delivery is at
least once: outputs acknowledged by the broker, then state, then the offset, offsets in order.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from aiokafka import AIOKafkaProducer

from agents.models.call import ChatModel
from infra.platform import kafka, log, log_positions
from infra.platform.clock import Clock, SystemClock
from infra.platform.errors import BrokerUnavailable, Refusal, Unavailable
from infra.platform.findings import LogDamaged, cut_finding
from infra.platform.settings import Settings
from infra.runtime.watchdog import end_within, watch_readers
from schemas.topics import TOPICS
from streams.shell.askers import make_asker
from streams.shell.chunks import ChunkReader
from streams.shell.delivery import Delivery
from streams.shell.engine import StageApp, quiet_logging, stage_app
from streams.shell.failures import ShellFailure
from streams.shell.hygiene_runner import Hygiene, HygieneRunner
from streams.shell.log_reader import check_readable
from streams.shell.outgoing import warm_codec
from streams.shell.pool import ChildPool, Pools
from streams.shell.preview_first import PreviewFirst
from streams.shell.publisher import Publisher
from streams.shell.slow_broker import Slowness, outlast_slowness
from streams.shell.step_runner import StepRunner
from streams.shell.writer_runner import WriterRunner
from streams.stage import Step, Writer

CHILD_NICE = 15
RESTS_AFTER_S = 60.0  # without a deep job; nobody waits for the seconds that the next one takes
PREVIEW_AT_ONCE = 4  # jobs: somebody waits for the first of them
LINGER_MS = 5  # a preview waits for it at every hop; 20 gave no more throughput
WATCH_S = 3.0
ANSWERS_WITHIN_S = 600.0  # what a worker asks of the broker before its first stage starts
STOP_PATIENCE_S = 10.0
ENDS_WITHIN_S = 45.0  # a worker that failed: more than its parts wait for each other

LOG = log.get("worker")


class Runner(Protocol):
    """What the engine needs of a stage at work."""

    @property
    def topics(self) -> tuple[str, ...]: ...
    async def assign(self, partitions: set[int]) -> None: ...
    async def revoke(self, partitions: set[int]) -> None: ...
    async def take(self, delivery: Delivery) -> None: ...
    async def ready(self) -> None: ...
    def worked(self) -> object: ...
    async def close(self) -> None: ...


@dataclass(frozen=True)
class Stages:
    """What a worker runs."""

    steps: tuple[Step, ...] = ()
    writers: tuple[Writer[Any], ...] = ()
    hygiene: Hygiene | None = None


class Worker:
    """The stages of one process. ``name`` is the process's own, kept over restarts, or None.

    A named worker is a static member of its groups: restarted after a kill it has its partitions
    back at once, not after the session timeout. ``owns_process``: the process ends when the worker
    stands still, or fails and does not come to its end.
    """

    def __init__(
        self,
        settings: Settings,
        stages: Stages,
        name: str | None = None,
        clock: Clock | None = None,
        *,
        owns_process: bool = False,
        model: ChatModel | None = None,
    ) -> None:
        self._settings = settings
        self._stages = stages
        self._name = name
        self._owns_process = owns_process
        self._model = model
        self._clock = clock or SystemClock()
        self.apps: list[StageApp] = []
        self._runners: list[Runner] = []
        self._failure: asyncio.Future[BaseException]
        self._warm: asyncio.Task[None]

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Worker]:
        """The stages run for the block. Raises TopicsUnfit, LogDamaged, BrokerUnavailable."""
        self._failure = asyncio.get_running_loop().create_future()
        cluster = await self._check_broker()
        chunks = ChunkReader(self._settings)
        pools = Pools(
            deep=ChildPool(os.cpu_count() or 1, nice=CHILD_NICE, rests_after_s=RESTS_AFTER_S),
            preview=ChildPool(1, nice=0, at_once=PREVIEW_AT_ONCE),
        )
        async with self._producer() as producer:
            publisher = Publisher(producer, self._settings, self._clock)
            self._attach(publisher, chunks, pools, cluster)
            watch = asyncio.create_task(self._watch())
            self._warm = asyncio.create_task(self._warm_up(pools, chunks))
            try:
                with self._watchdog():
                    await self._start()
                    yield self
            except Exception:
                if self._owns_process:  # stopping may wait for the part that failed
                    end_within(ENDS_WITHIN_S)
                raise
            finally:
                watch.cancel()
                self._warm.cancel()
                await self._stop()
                with contextlib.suppress(TimeoutError, BrokerUnavailable):
                    async with asyncio.timeout(STOP_PATIENCE_S):
                        await chunks.close()
                await asyncio.gather(pools.deep.close(), pools.preview.close())

    async def _check_broker(self) -> str:
        """The id of the cluster, which has the topics and all that any group has acknowledged.

        Raises TopicsUnfit, LogDamaged, BrokerUnavailable.
        """

        async def ask() -> str:
            await kafka.check_topics(self._settings, TOPICS)
            for each in await log_positions.cut_logs(self._settings):
                raise LogDamaged(cut_finding(self._settings, each))
            return await cluster_id(self._settings)

        try:
            async with asyncio.timeout(ANSWERS_WITHIN_S):
                return await outlast_slowness(self._settings, ask)
        except TimeoutError:
            raise BrokerUnavailable(
                f"The broker at {self._settings.bootstrap} has not said within"
                f" {ANSWERS_WITHIN_S:.0f} s what it holds: see `cairn status`."
            ) from None

    def _watchdog(self) -> contextlib.AbstractContextManager[None]:
        """Ends the process when its stages stand still, also while they start."""
        if not self._owns_process:
            return contextlib.nullcontext()
        return watch_readers(self._settings, self._name or f"worker-{os.getpid()}", self.apps)

    async def _start(self) -> None:
        """Every stage takes part in its group. Raises what made that impossible.

        A client may fail in a thread of its own while the start waits for it, for ever.
        """
        failed = asyncio.create_task(self.failed())
        started: asyncio.Future[Any] = asyncio.gather(*(app.start() for app in self.apps))
        both: set[asyncio.Future[Any]] = {failed, started}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if not started.done():
                raise failed.result()
            started.result()
        finally:
            failed.cancel()

    @contextlib.asynccontextmanager
    async def _producer(self) -> AsyncIterator[AIOKafkaProducer]:
        """A started producer. At the end it is not waited for when the broker is away."""
        producer = kafka.producer(self._settings, linger_ms=LINGER_MS)
        try:
            with kafka.broker_errors("connecting"):
                await producer.start()
            yield producer
        finally:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.1 if self._has_lost_service() else STOP_PATIENCE_S):
                    await producer.stop()

    def _has_lost_service(self) -> bool:
        """Whether the worker ends because something outside is away."""
        return self._failure.done() and isinstance(self._failure.result(), Unavailable)

    async def ready(self) -> None:
        """Returns once every stage has its partitions, every writer is caught up, and the child for
        previews runs.
        """
        await asyncio.wait((self._warm,))
        for runner in self._runners:
            await runner.ready()

    async def failed(self) -> BaseException:
        """Returns when the worker cannot go on: why."""
        return await asyncio.shield(self._failure)

    def fail(self, error: BaseException) -> None:
        if not self._failure.done():
            self._failure.set_result(error)

    async def _warm_up(self, pools: Pools, chunks: ChunkReader) -> None:
        """What the first records would wait for is done: nobody's preview pays for imports."""
        away = [step for step in self._stages.steps if step.place != "loop"]
        heavy: list[Any] = [step.handle for step in away]
        heavy += [step.then.handle for step in away if step.then]
        if self._stages.hygiene is not None:
            heavy.append(self._stages.hygiene.clean)
        if heavy:
            warm_codec()
            with contextlib.suppress(ShellFailure):  # the first job will show it again
                await pools.preview.warm(warm_codec, heavy)

    def _attach(
        self, publisher: Publisher, chunks: ChunkReader, pools: Pools, cluster: str
    ) -> None:
        first = PreviewFirst()
        steps: dict[str, StepRunner] = {}
        for step in sorted(self._stages.steps, key=lambda each: each.then is not None):
            then = steps.get(step.then.name) if step.then else None
            count = self._settings.partitions
            asker = make_asker(step, self._model, chunks, pools, self._settings)
            steps[step.name] = StepRunner(
                step, publisher, chunks, pools, first, self.fail, count, then, asker
            )
            self._add(step.name, steps[step.name])
        for writer in self._stages.writers:
            runner = WriterRunner(writer, self._settings, cluster, publisher, self.fail)
            self._add(writer.name, runner)
        if (hygiene := self._stages.hygiene) is not None:
            self._add(
                hygiene.name,
                HygieneRunner(
                    hygiene,
                    self._settings,
                    cluster,
                    publisher,
                    pools,
                    chunks.keep,
                    first,
                    self.fail,
                ),
            )

    def _add(self, stage: str, runner: Runner) -> None:
        instance = f"{self._settings.group(stage)}-{self._name}" if self._name else None
        self._runners.append(runner)
        self.apps.append(
            stage_app(
                self._settings,
                stage,
                runner.topics,
                runner.take,
                assigned=runner.assign,
                revoked=runner.revoke,
                worked=runner.worked,
                failed=self.fail,
                instance=instance,
            )
        )

    async def _watch(self) -> None:
        """Ends the worker when a consumer failed, or the broker is away for longer than bearable.

        Consumers look for a lost broker for ever, without a word. One answer has as long as any
        request: a broker on a busy machine is slow, and a restart would make it slower.
        """
        pulse = kafka.Pulse(self._settings)
        try:
            await self._watch_with(pulse)
        finally:
            await pulse.close()

    async def _watch_with(self, pulse: kafka.Pulse) -> None:
        slowness = Slowness(self._settings)
        while True:
            await asyncio.sleep(WATCH_S)
            for app, runner in zip(self.apps, self._runners, strict=True):
                if (failure := app.failure()) is not None:
                    self.fail(await self._explain(failure, app.conf.id, runner.topics))
            if await pulse.answers(self._settings.request_timeout_s):
                slowness.answered()
            elif not await slowness.is_bearable():
                self.fail(
                    BrokerUnavailable(
                        f"The broker at {self._settings.bootstrap} does not answer for"
                        f" {slowness.silent_s:.0f} s: see `cairn status`; the worker goes on where"
                        " it stopped when it is started again."
                    )
                )

    async def _explain(
        self, reason: BaseException, group: str, topics: Sequence[str]
    ) -> BaseException:
        """A damaged batch by its place, which the client that met it does not tell."""
        if isinstance(reason, kafka.UNREADABLE):
            try:
                await check_readable(self._settings, group, topics)
            except (LogDamaged, Unavailable) as told:
                return told
        return reason

    async def _stop(self) -> None:
        """Everything ends; without goodbyes to a broker that is away, which would take minutes."""
        if not self._has_lost_service():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STOP_PATIENCE_S):
                    await asyncio.gather(*(app.stop() for app in self.apps), return_exceptions=True)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_PATIENCE_S):
                await asyncio.gather(
                    *(runner.close() for runner in self._runners), return_exceptions=True
                )


async def cluster_id(settings: Settings) -> str:
    """The broker's own name for its cluster. Raises BrokerUnavailable."""
    async with kafka.running_admin(settings) as admin:
        with kafka.broker_errors("describing the cluster"):
            return str((await admin.describe_cluster())["cluster_id"])


def select(names: Collection[str], settings: Settings) -> Stages:
    """The stages of ``streams.pipeline`` with these names, of stages or parts. Raises Refusal."""
    from infra.platform.vault import vault_of
    from streams.hygiene import stage as stage_0
    from streams.pipeline import HYGIENE, pipeline
    from streams.shell.reading import read_by_rules

    whole = pipeline(read_by_rules, settings.model_sample_percent)
    parts, known = whole.parts, whole.names
    wanted = {stage for name in names for stage in parts.get(name, (name,))}
    if strange := sorted(wanted - set(known)):
        raise Refusal(
            f"There is no stage {strange[0]!r}: use {', '.join(parts)}, or some of"
            f" {', '.join(known)}."
        )
    hygiene = Hygiene(stage_0.clean, stage_0.decide, stage_0.give_up, vault_of(settings).decrypt)
    return Stages(
        steps=tuple(step for step in whole.steps if step.name in wanted),
        writers=tuple(writer for writer in whole.writers if writer.name in wanted),
        hygiene=hygiene if HYGIENE in wanted else None,
    )


async def run_worker(
    settings: Settings,
    stages: Stages,
    name: str | None = None,
    on_ready: Callable[[], None] = lambda: None,
    model: ChatModel | None = None,
) -> None:
    """Runs ``stages`` until SIGTERM or SIGINT. Raises what made it impossible to go on.

    ``model`` reads and judges where a run asks for it; without one the rules do. ``on_ready`` is
    called once every stage has its partitions and every writer is caught up.
    """
    quiet_logging()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(sign, stop.set)
    worker = Worker(settings, stages, name, owns_process=True, model=model)
    async with worker.running():
        await _until_over(worker, stop, name, on_ready)


async def _until_over(
    worker: Worker, stop: asyncio.Event, name: str | None, on_ready: Callable[[], None]
) -> None:
    """Returns when ``stop`` is set. Raises what made it impossible to go on."""
    stopped = asyncio.create_task(stop.wait())
    failed = asyncio.create_task(worker.failed())
    ready = asyncio.create_task(worker.ready())
    try:
        await asyncio.wait({stopped, failed, ready}, return_when=asyncio.FIRST_COMPLETED)
        if ready.done() and not failed.done():
            on_ready()
            LOG.info("worker.ready", process=name)
        await asyncio.wait({stopped, failed}, return_when=asyncio.FIRST_COMPLETED)
        if failed.done():
            raise failed.result()
    finally:
        for task in (stopped, failed, ready):
            task.cancel()
