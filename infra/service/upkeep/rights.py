"""What each process may do on a broker: the list of ACLs, made from the table of topics.

Every process may read all topics of the installation; what it may write is what its parts write.
A dead letter that is tried again goes back to the topic of a stage: who may do that writes there.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from connectors.intake.runner import STAGE as INTAKE
from infra.platform.settings import Settings
from schemas.topics import TOPICS
from streams.pipeline import pipeline
from streams.shell.reading import read_by_rules

Kind = Literal["topic", "group", "cluster"]
STAGES = pipeline(read_by_rules).parts
DEAD_LETTERS = "dlq.v1"
FEEDING = ("cli", "feeder", "vault")
WEB = (*FEEDING, "webhooks", "connectors", "jobs", "models", "intake")

# The names of producers in `schemas.topics`; a test compares the two.
PARTS: dict[str, tuple[str, ...]] = {
    "reader": STAGES["reading"],
    "writer": STAGES["deciding"],
    "projector": (),
    "poller": (*FEEDING, "connectors"),
    "intake": (*FEEDING, "connectors", "intake"),
    "jobs": (*FEEDING, "jobs", "models", "connectors"),
    "web": WEB,
    "commands": WEB,
}
GROUPS: dict[str, tuple[str, ...]] = {
    "reader": STAGES["reading"],
    "writer": STAGES["deciding"],
    "projector": ("projector",),
    "intake": (INTAKE,),
}
MAKES_TOPICS = "commands"  # the one that starts the service
RETRIES = ("web", "commands")  # dead letters


@dataclass(frozen=True, slots=True)
class Right:
    """``operations`` on what is called ``name``, or begins with it (``prefixed``)."""

    kind: Kind
    name: str
    operations: tuple[str, ...]
    prefixed: bool = False


def rights_of(settings: Settings, processes: Collection[str]) -> list[Right]:
    """What one account needs that runs all of ``processes`` (names of `PARTS`)."""
    rights = [
        Right("cluster", "kafka-cluster", ("Describe",)),
        Right("topic", settings.topic(""), ("Describe", "DescribeConfigs", "Read"), True),
        Right("group", settings.group(""), ("Describe",), True),
    ]
    if MAKES_TOPICS in processes:
        rights.append(Right("topic", settings.topic(""), ("Create",), True))
    rights += [Right("topic", settings.topic(name), ("Write",)) for name in written_by(processes)]
    stages = sorted({stage for process in processes for stage in GROUPS.get(process, ())})
    return rights + [Right("group", settings.group(stage), ("Read",)) for stage in stages]


def written_by(processes: Collection[str]) -> list[str]:
    """The topics that these processes write, without the prefix."""
    parts = {part for process in processes for part in PARTS[process]}
    if any(process in RETRIES for process in processes):
        parts.add("retries")
    stages = set(STAGES["all"])

    def is_written(topic_producers: tuple[str, ...], consumers: tuple[str, ...]) -> bool:
        if not parts.isdisjoint(topic_producers):
            return True
        return "retries" in parts and not stages.isdisjoint(consumers)

    found = [each.name for each in TOPICS if is_written(each.producers, each.consumers)]
    return sorted({*found, *([DEAD_LETTERS] if parts else [])})


def as_command(right: Right, account: str) -> str:
    """The line of Kafka's own tool that grants ``right``; the address comes before it."""
    operations = " ".join(f"--operation {name}" for name in right.operations)
    where = "--cluster" if right.kind == "cluster" else f"--{right.kind} '{right.name}'"
    pattern = " --resource-pattern-type prefixed" if right.prefixed else ""
    return f"kafka-acls.sh --add --allow-principal 'User:{account}' {operations} {where}{pattern}"
