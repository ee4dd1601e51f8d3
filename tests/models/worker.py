"""A model worker of the tests' own: a process like the one that `cairn up` starts."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.models.client import WorkerClient
from infra.platform.settings import Settings
from infra.runtime.local.process import wait_until
from infra.runtime.supervisor import ready_file
from infra.service.models.file import read_models
from infra.service.models.worker import find_model_worker, keep_variables
from tests.models.provider import ScriptedProvider, write_models

STARTS_WITHIN_S = 120.0


@dataclass
class ModelWorker:
    """``settings`` lead to its home, where the file of models is."""

    settings: Settings
    process: subprocess.Popen[bytes]

    def configure(
        self,
        tiers: Mapping[str, Sequence[str]] | None = None,
        **providers: ScriptedProvider | str | dict[str, Any],
    ) -> None:
        """Its providers from now on; see `write_models`."""
        write_models(self.settings.models_file, tiers, **providers)
        read_models(self.settings)  # the file is as it should be

    @property
    def client(self) -> WorkerClient:
        found = find_model_worker(self.settings)
        assert found, "no model worker has ever run here"
        return found


@contextmanager
def model_worker(*arguments: str, **environ: str) -> Iterator[ModelWorker]:
    """A worker that can answer, gone after the block."""
    with tempfile.TemporaryDirectory(prefix="cairn-test-") as folder:
        settings = Settings(home=Path(folder))
        name = {"CAIRN_HOME": str(settings.home), "CAIRN_PROCESS_NAME": "model-worker"}
        log = settings.log_folder / "model-worker.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "infra.cli", "model-worker", *arguments],
                env=keep_variables(settings, os.environ) | name | environ,
                stdout=output,
                stderr=output,
            )
        try:
            ready = ready_file(settings, "model-worker")
            wait_until(
                lambda: ready.exists() or process.poll() is not None, timeout_s=STARTS_WITHIN_S
            )
            assert ready.exists(), log.read_text()
            yield ModelWorker(settings, process)
        finally:
            process.terminate()
            process.wait()
