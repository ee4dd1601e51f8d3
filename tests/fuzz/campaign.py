"""A campaign: inputs in turn for each target, one worker, which is killed when it hangs or dies."""

from __future__ import annotations

import json
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fuzz.inputs import TARGETS, World

ROOT = Path(__file__).parents[2]
HANG_S = 90.0  # the limit of a child is two seconds of its own time; a machine may be busy


@dataclass
class Report:
    """How many inputs each target had, by outcome; and what must not be."""

    counts: dict[str, Counter[str]] = field(
        default_factory=lambda: {it: Counter() for it in TARGETS}
    )
    findings: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        told = []
        for target, counts in self.counts.items():
            parts = ", ".join(f"{counts[name]} {name}" for name in ("read", "refused", "found"))
            told.append(f"{target:13} {sum(counts.values()):6} inputs: {parts}")
        return told + [f"FINDING {each}" for each in self.findings]


class Worker:
    """The process of ``tests.fuzz.worker``, made anew after each that hung or died."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._number = folder, 0
        self.world = World(folder / "world")
        self._process: subprocess.Popen[bytes] | None = None

    def judge(self, target: str, file: Path) -> dict[str, str]:
        """The worker's answer, or what became of it."""
        process = self._process or self._started()
        assert process.stdin
        process.stdin.write(json.dumps([target, str(file)]).encode() + b"\n")
        process.stdin.flush()
        return self._answer(process)

    def close(self) -> None:
        if self._process:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _started(self) -> subprocess.Popen[bytes]:
        shutil.rmtree(self.world.folder, ignore_errors=True)
        self._process = subprocess.Popen(
            (sys.executable, "-m", "tests.fuzz.worker", str(self.world.folder)),
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(self._folder / "worker.log").open("ab"),
        )
        assert "ready" in self._answer(self._process)
        return self._process

    def _answer(self, process: subprocess.Popen[bytes]) -> dict[str, str]:
        assert process.stdout
        if not select.select([process.stdout], [], [], HANG_S)[0]:
            self.close()
            return {"finding": f"no end within {HANG_S:.0f} s"}
        line = process.stdout.readline()
        if not line:
            code = process.wait()
            self.close()
            return {"finding": f"the worker ended with {code}"}
        answer: dict[str, str] = json.loads(line)
        return answer


def run(seed: int, *, seconds: float = 0, inputs: int = 0, save: Path | None = None) -> Report:
    """Feeds every target in turn, for so many seconds or so many inputs each.

    The inputs follow from the seed alone. Those of findings are kept in ``save``.
    """
    report = Report()
    folder = Path(tempfile.mkdtemp(prefix="cairn-fuzz-"))
    worker = Worker(folder)
    until = time.monotonic() + seconds
    number = 0
    try:
        while number < inputs or time.monotonic() < until:
            for target in TARGETS:
                _feed(worker, report, target, seed, number, folder, save)
            number += 1
    finally:
        worker.close()
        shutil.rmtree(folder, ignore_errors=True)
    return report


def _feed(
    worker: Worker,
    report: Report,
    target: str,
    seed: int,
    number: int,
    folder: Path,
    save: Path | None,
) -> None:
    made = TARGETS[target](Random(f"{seed}/{target}/{number}"), worker.world)
    file = folder / f"{target}-{seed}-{number}{made.suffix}"
    file.write_bytes(made.content)
    answer = worker.judge(target, file)
    report.counts[target][answer.get("outcome", "found")] += 1
    if found := answer.get("finding"):
        report.findings.append(f"{file.name}: {found}")
        if save:
            save.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, save / file.name)
            (save / f"{file.name}.finding").write_text(found + "\n")
    file.unlink()
