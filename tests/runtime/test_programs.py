"""Programs of others: what they print arrives, limits hold, and nothing of them is left."""

import asyncio
import os
import sys
import textwrap
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
import uvloop

from agents.models.programs import ProgramCall, ProgramFailed
from infra.runtime.local.process import start_time_of, wait_until
from infra.service.foundation.programs import MachinePrograms

PROGRAMS = MachinePrograms(grace_s=0.3)
LONG_S = 120.0


def a_call(code: str, *arguments: str, **more) -> ProgramCall:
    argv = (sys.executable, "-c", textwrap.dedent(code), *arguments)
    given: dict[str, Any] = {"argv": argv, "given": "", "environ": {}, "idle_s": LONG_S}
    return ProgramCall(**given | more)


async def collect(call: ProgramCall) -> list[str]:
    return [line async for line in PROGRAMS.run(call)]


def lines_of(call: ProgramCall) -> list[str]:
    return asyncio.run(collect(call))


def failure_of(call: ProgramCall) -> tuple[ProgramFailed, list[str]]:
    """How it failed, and the lines before."""
    lines: list[str] = []

    async def run() -> None:
        async for line in PROGRAMS.run(call):
            lines.append(line)

    with pytest.raises(ProgramFailed) as caught:
        asyncio.run(run())
    return caught.value, lines


def files_below(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


# Starts a child in a session of its own whose parent ends at once, and one that does not hear
# SIGTERM; writes the pid of each, then is silent.
FAMILY = """
    import os, signal, sys, time
    def note(name):
        with open(os.path.join(sys.argv[1], name), "w") as file:
            file.write(str(os.getpid()))
    note("program")
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            note("left")
            time.sleep(600)
        os._exit(0)
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        note("deaf")
        time.sleep(600)
    while len(os.listdir(sys.argv[1])) < 3:
        time.sleep(0.01)
    print("started", flush=True)
"""


def family_in(folder: Path) -> dict[str, bool]:
    """Who of them still runs."""
    return {path.name: start_time_of(int(path.read_text())) is not None for path in
            sorted(folder.iterdir())}  # fmt: skip


NOBODY = {"deaf": False, "left": False, "program": False}


def test_lines_come_as_they_are_printed_and_without_their_ends():
    call = a_call(r"print('one'); print('two\r'); print(); print('end', end='')")
    assert lines_of(call) == ["one", "two", "", "end"]


def test_the_first_line_comes_while_the_program_still_runs(tmp_path):
    """The program ends only when it sees the file that is made after its first line."""
    code = """
        import os, sys, time
        print("first", flush=True)
        while not os.path.exists(sys.argv[1]):
            time.sleep(0.01)
        print("second")
    """

    async def run() -> list[str]:
        lines = []
        async for line in PROGRAMS.run(a_call(code, str(tmp_path / "seen"))):
            lines.append(line)
            (tmp_path / "seen").touch()
        return lines

    assert asyncio.run(run()) == ["first", "second"]


def test_what_is_given_is_its_standard_input():
    given = "Grüße\n" * 100_000  # more than a pipe holds
    code = "import sys; text = sys.stdin.buffer.read(); print(len(text)); print(text[:7])"
    assert lines_of(a_call(code, given=given)) == [
        str(len(given.encode())),
        str("Grüße".encode()),
    ]


def test_a_program_need_not_read_what_it_is_given():
    assert lines_of(a_call("print('done')", given="x" * 1_000_000)) == ["done"]


def test_a_line_of_five_megabytes_is_one_line():
    (line,) = lines_of(a_call("print('x' * 5_000_000)"))
    assert len(line) == 5_000_000


def test_bytes_that_are_no_text_are_shown_as_such():
    code = r"import sys; sys.stdout.buffer.write(b'a\xff\n')"
    assert lines_of(a_call(code)) == ["a\ufffd"]


def test_uvloop_runs_it_the_same_way():
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        code = "import sys; print(len(sys.stdin.read())); print('x' * 5_000_000)"
        first, second = runner.run(collect(a_call(code, given="y" * 300_000)))
    assert (first, len(second)) == ("300000", 5_000_000)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_program_that_prints_without_ending_its_line_is_alive(stream):
    """60 tokens in 6 s, with an idle limit of 5 s."""
    code = """
        import sys, time
        for _ in range(60):
            print("token ", end="", file=getattr(sys, sys.argv[1]), flush=True)
            time.sleep(0.1)
        print("done")
    """
    (line,) = lines_of(a_call(code, stream, idle_s=5.0))
    assert line.endswith("done")


def test_a_silent_program_ends_with_all_that_it_has_started(tmp_path):
    call = a_call(FAMILY + "\n    time.sleep(600)", str(tmp_path), idle_s=4.0)
    failure, lines = failure_of(call)
    assert (failure.kind, lines) == ("idle", ["started"])
    assert family_in(tmp_path) == NOBODY


def test_a_program_that_ends_leaves_nobody_behind(tmp_path):
    call = a_call(FAMILY + "\n    print('done')", str(tmp_path))
    assert lines_of(call) == ["started", "done"]
    assert family_in(tmp_path) == NOBODY


def test_closing_the_lines_ends_all_that_runs(tmp_path):
    async def run() -> str:
        call = a_call(FAMILY + "\n    time.sleep(600)", str(tmp_path))
        async with aclosing(PROGRAMS.run(call)) as lines:
            return await anext(lines)

    assert asyncio.run(run()) == "started"
    assert family_in(tmp_path) == NOBODY


def test_a_cancelled_caller_ends_all_that_runs(tmp_path):
    async def run() -> None:
        call = a_call(FAMILY + "\n    time.sleep(600)", str(tmp_path))
        has_started = asyncio.Event()

        async def read() -> None:
            async for _ in PROGRAMS.run(call):
                has_started.set()

        task = asyncio.ensure_future(read())
        await has_started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert family_in(tmp_path) == NOBODY

    asyncio.run(run())


def test_a_killed_caller_takes_the_program_with_it(tmp_path):
    code = """
        import asyncio, sys
        from agents.models.programs import ProgramCall
        from infra.service.foundation.programs import MachinePrograms
        async def main():
            argv = (sys.executable, "-c", sys.argv[1], sys.argv[2])
            async for line in MachinePrograms(0.3).run(ProgramCall(argv, "", {})):
                print(line, flush=True)
        asyncio.run(main())
    """
    silent = textwrap.dedent(FAMILY + "\n    time.sleep(600)")

    async def run() -> None:
        caller = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", textwrap.dedent(code), silent, str(tmp_path)),
            stdout=asyncio.subprocess.PIPE,
            env=dict(os.environ) | {"PYTHONPATH": str(Path(__file__).parents[2])},
        )
        assert caller.stdout is not None
        assert await caller.stdout.readline() == b"started\n"
        caller.kill()
        await caller.wait()

    asyncio.run(run())
    assert wait_until(lambda: family_in(tmp_path) == NOBODY, timeout_s=60)


def test_a_program_that_takes_too_long_in_all_is_ended_though_it_prints():
    code = "import time\nwhile True: print('.', flush=True); time.sleep(0.05)"
    failure, lines = failure_of(a_call(code, ceiling_s=1.0))
    assert failure.kind == "ceiling"
    assert lines


def test_the_end_of_its_errors_is_kept():
    code = """
        import sys
        print("x" * 100_000, file=sys.stderr)
        print("Not signed in.", file=sys.stderr)
        sys.exit(1)
    """
    failure, lines = failure_of(a_call(code))
    assert (failure.kind, failure.code, lines) == ("exit", 1, [])
    assert failure.errors.endswith("x\nNot signed in.")
    assert len(failure.errors) < 10_000
    assert "Not signed in." in str(failure)


def test_lines_come_before_the_failure():
    failure, lines = failure_of(a_call("print('half'); raise SystemExit(3)"))
    assert (failure.code, lines) == (3, ["half"])


def test_a_program_that_a_signal_has_ended_has_failed():
    failure, _ = failure_of(a_call("import os; os.kill(os.getpid(), 9)"))
    assert (failure.kind, failure.code) == ("exit", -9)


@pytest.mark.parametrize("name", ["/nowhere/at/all", "no-such-program", "no\0name", "/etc/passwd"])
def test_what_cannot_be_started_is_missing(name):
    failure, _ = failure_of(ProgramCall((name,), "given", {}))
    assert failure.kind == "missing"
    assert name in str(failure)


def test_a_directory_that_is_not_there_is_named(tmp_path):
    failure, _ = failure_of(a_call("print()", directory=str(tmp_path / "none")))
    assert failure.kind == "missing"
    assert "none" in str(failure)


def test_its_environment_is_what_it_is_given_and_no_more(monkeypatch):
    monkeypatch.setenv("CAIRN_PLANTED", "key")
    code = "import os; print(sorted(set(os.environ) - {'LC_CTYPE'}))"  # Python's own
    assert lines_of(a_call(code, environ={"A": "1"}, directory="/")) == ["['A']"]
    assert lines_of(a_call(code, environ={"A": "1"})) == ["['A', 'TMPDIR']"]


def test_no_open_file_of_ours_reaches_it(tmp_path):
    code = "import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1])"
    with (tmp_path / "ours").open("w"):
        assert lines_of(a_call(code)) == ["[0, 1, 2]"]


def test_by_default_it_runs_in_an_empty_folder_of_its_own_that_goes_with_it():
    code = """
        import os, pathlib, stat, tempfile
        here = os.getcwd()
        print(here)
        print(os.listdir(here), oct(stat.S_IMODE(os.stat(here).st_mode)), tempfile.gettempdir())
        pathlib.Path("made").mkdir(mode=0o500)
    """
    here, shown = lines_of(a_call(code))
    assert shown == f"[] 0o700 {here}"
    assert not Path(here).exists()


def test_it_runs_where_it_is_told_and_its_files_stay(tmp_path):
    assert lines_of(a_call("open('made', 'w'); print('done')", directory=str(tmp_path))) == ["done"]
    assert files_below(tmp_path) == [tmp_path / "made"]
