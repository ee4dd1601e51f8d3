"""The record of the corpus, and what is wrong when today's results are compared with it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.golden.stages import STAGES, Outputs, version_of

FILE = Path(__file__).parent / "record.json"
COMMAND = "python -m tests.golden"


@dataclass(frozen=True)
class Recorded:
    """The results of one stage under one version of its rules."""

    version: str
    outputs: Mapping[str, str]


Record = Mapping[str, Recorded]


def record_of(outputs: Outputs) -> Record:
    return {stage: Recorded(version_of(stage), outputs.get(stage, {})) for stage in STAGES}


def read_record() -> Record:
    return {stage: Recorded(**it) for stage, it in json.loads(FILE.read_text()).items()}


def write_record(record: Record) -> None:
    stages = {stage: asdict(it) for stage, it in record.items()}
    FILE.write_text(json.dumps(stages, indent=1, sort_keys=True) + "\n")


def find_unraised(before: Record, now: Record) -> list[str]:
    """A sentence for each stage with other results of the same inputs under the same version."""
    found = []
    for stage, today in now.items():
        recorded = before.get(stage, Recorded("", {}))
        same = recorded.outputs.keys() & today.outputs.keys()
        other = sum(recorded.outputs[it] != today.outputs[it] for it in same)
        if other and recorded.version == today.version:
            found.append(
                f"The stage {stage} gives other results for {other} of {len(same)} inputs, but its"
                f" version is still {today.version}: raise {STAGES[stage]} in schemas/versions.py,"
                f" then run `{COMMAND}` to record anew."
            )
    return found


def find_outdated(before: Record, now: Record) -> list[str]:
    """A sentence for each stage whose record is not of today's version, inputs and results."""
    return [
        f"The record of the stage {stage} is out of date: run `{COMMAND}` to record anew."
        for stage, today in now.items()
        if before.get(stage) != today
    ]
