"""An interrupt ends a listing at once, whatever it waits for."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LISTING = """
import signal
import sys
from pathlib import Path
from connectors.recognise import open_source
from infra.platform import loop

# A shell that starts the tests in the background has them ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)

def say(line):
    print(line, flush=True)

source = open_source(sys.argv[1], None, Path(sys.argv[2]), say)

def listed():
    say("Listing")
    return source.list()

async def main():
    await loop.in_thread(listed)

loop.run(main())
"""
ENDS_WITHIN_S = 120  # for a machine that does other things; the listing itself has no end


@contextmanager
def listing(source: str, clones: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that lists ``source``, as `cairn ingest` does, and has begun to."""
    process = subprocess.Popen(
        (sys.executable, "-c", LISTING, source, str(clones)),
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdout and process.stdout.readline() == b"Listing\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_fetch_that_gets_no_answer_is_interrupted_with_its_git(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"git://127.0.0.1:{silent.getsockname()[1]}/shop.git"
        with listing(url, tmp_path) as process:
            connection, _ = silent.accept()
            with connection:
                connection.settimeout(ENDS_WITHIN_S)
                assert connection.recv(1)  # git asks, and waits for an answer
                process.send_signal(signal.SIGINT)
                assert process.wait(ENDS_WITHIN_S) != 0
                while connection.recv(1 << 12):  # until git has gone too
                    pass
