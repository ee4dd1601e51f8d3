"""What is wrong with a log, where, and what can be done about it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from infra.platform.errors import Conflict
from infra.platform.files import write_whole
from infra.platform.log_positions import CutLog
from infra.platform.settings import Settings
from schemas.topics import BY_NAME, is_kept_whole

RESTORE = (
    "stop Cairn and restore this partition's files from a backup or a replica; without one, what is"
    " missing is lost: begin a new installation (another CAIRN_HOME) and ingest again"
)
CUT = (
    "stop Cairn and restore this partition's files from a backup or a replica; without one, what is"
    " missing is lost: `cairn rebuild --accept-smaller` goes on with what is left"
)
LEFT_OUT = "every reader leaves the record out"
MISPLACED = (
    f"nothing when it is a copy: {LEFT_OUT}; else `cairn dlq retry` puts it where it belongs"
)
COMPARE = "compare the record with a backup or a replica of the log, and restore it from there"
REMEDIES = {
    "topic": MISPLACED,
    "key": MISPLACED,
    "partition": MISPLACED,
    "undecodable": f"{LEFT_OUT}; if it should be a fact, restore it from a backup or a replica",
    "unknown_schema": f"{LEFT_OUT} until a version of Cairn that knows its schema reads it",
    "refused": f"{LEFT_OUT}; report it with its place",
    "log_cut": CUT,
    "log_start": RESTORE,
    "log_hole": RESTORE,
    "corrupt": RESTORE,
    "ledger_gap": RESTORE,
    "artifact_gap": RESTORE,
}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that does not hold, and the record that shows it.

    ``file``: of the broker's segment, where it is on this machine.
    """

    code: str
    topic: str
    partition: int
    offset: int
    detail: str
    file: str = ""

    @property
    def place(self) -> str:
        return f"{self.topic}/{self.partition}@{self.offset}"

    @property
    def where(self) -> str:
        """Its place, and the file where it is known."""
        return f"{self.place} ({self.file})" if self.file else self.place

    @property
    def remedy(self) -> str:
        return REMEDIES.get(self.code, COMPARE)

    def as_object(self) -> dict[str, Any]:
        """As one JSON object."""
        return asdict(self) | {"remedy": self.remedy}

    def of(self, settings: Settings) -> Finding:
        """With the file of its segment, where the broker's files are on this machine."""
        data = settings.home / "kafka" / "data" / f"{settings.topic(self.topic)}-{self.partition}"
        segments = sorted(data.glob("*.log"))
        held = [each for each in segments if int(each.stem) <= self.offset] or segments[:1]
        return replace(self, file=str(held[-1])) if held else self


class LogDamaged(Conflict):
    """Records that should be there are missing or cannot be read: nobody may read on behind."""

    code = "log_damaged"

    def __init__(self, finding: Finding) -> None:
        super().__init__(
            f"The log is damaged at {finding.where}: {finding.detail}; {finding.remedy}."
        )
        self.finding = finding


def holes(topic: str, partition: int, expected: int, offsets: Iterable[int]) -> Iterator[Finding]:
    """Records that are missing between ``offsets``, or before the first of them.

    On a topic that forgets single records (a compacted one) nothing is missing.
    """
    if BY_NAME[topic].cleanup == "compact":
        return
    for offset in offsets:
        if offset > expected:
            what = f"{_name_records(expected, offset)} missing"
            yield Finding("log_hole", topic, partition, expected, what)
        expected = offset + 1


def find_missing_start(topic: str, partition: int, wanted: int, first: int) -> Iterator[Finding]:
    """What a topic that keeps everything no longer has in front."""
    if wanted < first and is_kept_whole(topic):
        what = f"{_name_records(wanted, first)} gone"
        yield Finding("log_start", topic, partition, wanted, what)


def find_missing_end(topic: str, partition: int, known: int, end: int) -> Iterator[Finding]:
    """What somebody has read that is no longer there."""
    if known > end:
        what = f"the log ends here, and {_name_records(end, known)} gone that had been read"
        yield Finding("log_cut", topic, partition, end, what)


def cut_finding(settings: Settings, cut: CutLog) -> Finding:
    """The same, as a consumer group shows it."""
    topic = cut.topic.removeprefix(settings.topic(""))
    [finding] = find_missing_end(topic, cut.partition, cut.committed, cut.end)
    return finding.of(settings)


def broken(topic: str, partition: int, first: int, next_: int | None = None) -> Finding:
    """Records whose bytes are not those that were written; ``next_`` can be read, if known."""
    which = "what begins here is" if next_ is None else _name_records(first, next_)
    what = f"{which} damaged and cannot be read"
    return Finding("corrupt", topic, partition, first, what)


def _name_records(first: int, next_: int) -> str:
    """Records by their offsets, as the subject of a sentence."""
    return f"record {first} is" if next_ == first + 1 else f"records {first} to {next_ - 1} are"


@contextmanager
def remember_damage(settings: Settings) -> Iterator[None]:
    """`cairn status` tells of the damage that ends the block, until the log was found sound."""
    try:
        yield
    except LogDamaged as error:
        _remember(settings, error.finding)
        raise


def _remember(settings: Settings, finding: Finding) -> None:
    known = {each.place: each for each in read_remembered(settings)} | {finding.place: finding}
    settings.run_folder.mkdir(parents=True, exist_ok=True)
    write_whole(_damage_file(settings), json.dumps([asdict(each) for each in known.values()]))


def read_remembered(settings: Settings) -> list[Finding]:
    """What was met since the log was last found sound."""
    try:
        return [Finding(**each) for each in json.loads(_damage_file(settings).read_text())]
    except (OSError, ValueError, TypeError):
        return []


def forget(settings: Settings) -> None:
    """The log is sound, or what it lacks is accepted."""
    _damage_file(settings).unlink(missing_ok=True)


def _damage_file(settings: Settings) -> Path:
    return settings.run_folder / "log-damage.json"
