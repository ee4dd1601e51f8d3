"""``python -m tests.shell.worker STAGES NAME``: a worker process of these tests."""

import asyncio
import os
import sys

from infra.platform import log
from infra.platform.settings import Settings
from streams.app import run_worker
from streams.hygiene.redaction.strings import redact_text
from tests.shell.harness import SETTINGS, stages


def main() -> None:
    log.configure("warning", redact=redact_text)
    names, name = sys.argv[1:3]
    settings = Settings.model_validate_json(os.environ[SETTINGS])
    ready = settings.home / f"{name or 'worker'}.ready"
    settings.home.mkdir(parents=True, exist_ok=True)
    try:
        asyncio.run(run_worker(settings, stages(*names.split(",")), name or None, ready.touch))
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
