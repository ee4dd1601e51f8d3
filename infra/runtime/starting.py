"""A start in the background: waited for as long as it moves, with plain words for who waits."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.platform.disk import fullest
from infra.platform.errors import DiskFull, Refusal, Unavailable
from infra.platform.settings import Settings
from infra.runtime.local.patience import Patience, signs_of
from infra.runtime.local.process import Say, own_command, tail
from infra.runtime.supervisor import make_folder, read_any_state, read_state

HOPELESS_RESTARTS = 4  # who waits for a start is told; the supervisor goes on trying
PLAIN_WORDS = {  # a process, by its name without a number
    "kafka": "the broker (Kafka)",
    "postgres": "the database (PostgreSQL)",
    "reader": "the part that reads sources",
    "writer": "the part that writes the ledger",
    "projector": "the part that fills the tables",
    "poller": "the part that asks connected services",
    "intake": "the part that takes in webhooks",
    "jobs": "the part that runs jobs",
    "web": "the web server",
    "model-worker": "the part that asks language models",
}


def start_detached(
    settings: Settings, arguments: Sequence[str], environ: Mapping[str, str], say: Say
) -> int:
    """Everything of this home runs and is ready, in a session of its own; the supervisor's pid.

    Of several starts at once one wins and the others wait for it. ``say`` is told now and then what
    is waited for. Raises Refusal with the reason when it ended instead, Unavailable when nothing
    moves any more or a process ends again and again.
    """
    start = Start(settings, _spawn(settings, arguments, environ))
    patience = Patience(start.list_signs, start.name_awaited, say)
    patience.wait_until(start.is_settled)
    known = read_state(settings)
    if known and known.state == "ready":
        return known.supervisor.pid
    raise start.explain_end() if known is None else start.explain_silence()


def _spawn(
    settings: Settings, arguments: Sequence[str], environ: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    path = settings.log_folder / "supervisor.log"
    make_folder(path.parent)
    with path.open("ab") as output:
        return subprocess.Popen(
            own_command(*arguments),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(environ) | {"CAIRN_HOME": str(settings.home)},
            start_new_session=True,
        )


@dataclass(frozen=True)
class Start:
    """A start under way, by ``child`` or by one that was faster."""

    settings: Settings
    child: subprocess.Popen[bytes]

    def is_settled(self) -> bool:
        known = read_state(self.settings)
        if known is None:
            return self.child.poll() is not None
        return known.state == "ready" or self._find_hopeless() is not None

    def list_signs(self) -> object:
        """Another value whenever the start has moved."""
        known = read_state(self.settings)
        pid = known.supervisor.pid if known else self.child.pid
        rows = [(row["name"], row["state"]) for row in known.processes] if known else []
        return rows, signs_of([pid], self.settings.log_folder.glob("*.log"))

    def name_awaited(self) -> str:
        """What has to happen next, in words for anybody."""
        row = self._find_awaited()
        if row is None:
            return "Cairn to get ready"
        again = ", which ended and was started again" if row["restarts"] else ""
        return f"{_plain(row)}{again}"

    def explain_end(self) -> Refusal:
        """Why there is no supervisor any more."""
        path = self._log_of("supervisor")
        last = read_any_state(self.settings)
        if last and last.supervisor.pid == self.child.pid and last.error:
            return Refusal(last.error)
        if (disk := fullest((self.settings.home, path.parent))).full():
            return DiskFull(f"The supervisor ended. {disk}: make room there and try again.")
        return Refusal(
            f"The supervisor ended with code {self.child.poll()}: {tail(path)} (see {path})",
            code="supervisor_ended",
        )

    def explain_silence(self) -> Unavailable:
        """One sentence: what does not start, where its log is. What to do stands in the hint."""
        row = self._find_hopeless() or self._find_awaited()
        path = self._log_of(row["name"] if row else "supervisor")
        if row and row["restarts"] >= HOPELESS_RESTARTS:
            what = f"{_plain(row)} has ended {row['restarts']} times"
        else:
            what = f"nothing moves any more while it waits for {self.name_awaited()}"
        return Unavailable(
            f"Cairn does not run yet and goes on trying, but {what}; why is in {path}, which ends"
            f" with: {tail(path, 1)}",
            code="not_ready",
        )

    def _find_hopeless(self) -> dict[str, Any] | None:
        known = read_state(self.settings)
        rows = known.processes if known else []
        return next((row for row in rows if row["restarts"] >= HOPELESS_RESTARTS), None)

    def _find_awaited(self) -> dict[str, Any] | None:
        known = read_state(self.settings)
        rows = known.processes if known else []
        return next((row for row in rows if row["state"] != "running"), None)

    def _log_of(self, name: str) -> Path:
        return self.settings.log_folder / f"{name}.log"


def _plain(row: Mapping[str, Any]) -> str:
    name = str(row["name"])
    return PLAIN_WORDS.get(name.rstrip("0123456789").rstrip("-"), name)
