"""What a stage is: pure functions over facts, without a clock, a broker or a file.

Two forms. A ``Step`` answers one fact with facts and remembers nothing. A ``Writer`` is the single
writer of its output topic: its state is the fold of its inputs and of its own output, and what it
decides next is read from that state alone. So a writer's state may be thrown away and folded again
from offset 0, in any interleaving of its topics, and a crash between two records changes nothing.

Decided against: holding input offsets back until their effect is written. With
the inputs kept for ever and folded into the local store together with their cursors, an input is
safe as soon as it is folded, and restart, rebalance and refold are one mechanism instead of two.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar, runtime_checkable

from schemas.envelope import Envelope, Event
from schemas.events.hygiene import ChunkCreated
from schemas.ids import sha256_hex

if TYPE_CHECKING:
    from streams.undecidable import Trouble

S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)
V = TypeVar("V")
UNKNOWN_OFFSET = -1


@dataclass(frozen=True, slots=True)
class Record:
    """A fact at its place in the log. ``topic`` is without prefix; ``value`` are the bytes as
    written.

    ``offset`` is -1 for a writer's own record that the broker has not yet acknowledged.
    """

    topic: str
    partition: int
    offset: int
    value: bytes
    envelope: Envelope

    @property
    def value_hash(self) -> str:
        return sha256_hex(self.value)


class Table(MutableMapping[str, V]):
    """A mapping with ordered text keys. Values are immutable: to change one, put another.

    Keys begin with the project id, since a partition holds many projects.
    """

    @abstractmethod
    def with_prefix(self, prefix: str) -> Iterator[tuple[str, V]]:
        """The entries whose key starts with ``prefix``, in key order."""


class Tables(Protocol):
    """The named tables of one writer and one partition; what is put survives a restart whole."""

    def table(self, name: str, kind: type[V]) -> Table[V]:
        """The table ``name`` with values of ``kind``: a pydantic model, or str, int, float, list,
        dict.
        """
        ...


@dataclass(frozen=True, slots=True)
class Decision:
    """What a writer does next. The last envelope is the commit record: it goes to its output.

    The others are written first. After a crash before the commit record the writer decides the same
    again.
    """

    envelopes: tuple[Envelope, ...]

    @property
    def commit_record(self) -> Envelope:
        return self.envelopes[-1]


class Writer(Protocol[S]):
    """A stage with state. Methods are deterministic; ``evolve`` ignores what it has seen before."""

    @property
    def name(self) -> str:
        """The stage's name, also of its consumer group."""
        ...

    @property
    def inputs(self) -> tuple[str, ...]:
        """The topics it folds besides its own."""
        ...

    @property
    def output(self) -> str:
        """The topic it alone writes."""
        ...

    def open(self, tables: Tables) -> S:
        """The state over ``tables``, with indexes in memory made anew from them."""
        ...

    def evolve(self, state: S, record: Record) -> None:
        """Fold one record of an input or of the own output into the tables."""
        ...

    def decide(self, state: S) -> Decision | None:
        """The next decision that is due, or None. It leaves the state as it is."""
        ...

    @property
    def state_version(self) -> int:
        """Raised when the rows of its tables change: its state is folded again then."""
        ...

    def give_up(self, state: S, trouble: Trouble, *, whole: bool) -> Decision:
        """The decision that is due without what raises in it; ``whole``: without any effect.

        It tells what is left out, and answers whoever waits. See ``streams.undecidable``.
        """
        ...

    def pass_over(self, state: S, record: Record, letter_id: str) -> Envelope | None:
        """Fold of a record that cannot be folded no more than its place and who is answered.

        The fact that makes up for it after a mend, if there is one; ``letter_id`` tells of both.
        """
        ...

    def rest(self, state: S) -> None:
        """The project whose turn it is has nothing due until something comes for it."""
        ...


@runtime_checkable
class Requester(Protocol[S_contra]):
    """What a writer also is whose decisions are requests that somebody else has to answer.

    When they are sent again is the shell's to say; nothing that is decided depends on it.
    """

    def list_awaited(self, state: S_contra) -> Iterable[str]:
        """What has no answer yet, by keys that stay the same while it has none."""
        ...

    def repeat_requests(self, state: S_contra, keys: Collection[str]) -> list[Envelope]:
        """The requests behind those of ``keys`` that are still awaited, with their first ids."""
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """A stage without state: one fact in, a fixed list of facts out.

    ``handle`` gets the fact and, when ``with_chunk`` is set, the ``chunk.created`` it speaks of
    (None when it is not to be found). ``place`` says where it computes: in the loop, in a child
    process of lower priority, or in the one kept for previews. ``give_up`` answers for a fact that
    failed for good so that nobody waits for ever; it gets the fact, the chunk and the error's
    class. ``only`` names the event types it answers, all when it is empty: the others on its
    topics are passed over unread. So are facts written longer ago than ``within``: a topic that a
    stage begins to read has all its old ones. ``then`` is the step that answers its outputs, which
    have their cause's key and speak of its chunk: a shell may ask both at once, and must write what
    it would have written apart. ``again`` makes of the answers what is written where a dead letter,
    whose id it gets, is retried: whoever waited was answered, and takes no second answer.
    """

    name: str
    inputs: tuple[str, ...]
    handle: Callable[[Envelope, ChunkCreated | None], list[Event]]
    give_up: Callable[[Envelope, ChunkCreated | None, str], list[Event]] | None = None
    with_chunk: bool = False
    place: Literal["loop", "child", "preview_child"] = "loop"
    only: tuple[str, ...] = ()
    within: timedelta | None = None
    then: Step | None = None
    again: Callable[[Sequence[Event], str], list[Event]] | None = None
