"""What holds of every command: its limits, its end, its environment; and never fewer walls."""

from __future__ import annotations

import asyncio
import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from infra.runtime.walls.canary import VARIABLE, build_walls, check_walls, plant
from infra.runtime.walls.errors import WallsBroken, WallsMissing, WorkspaceUnfit
from infra.runtime.walls.layout import layout_of_this_machine
from infra.runtime.walls.limits import MIB, Limits
from infra.runtime.walls.running import Finished
from infra.runtime.walls.walls import KINDS, Command, Walls, choose_walls, why_missing
from tests.packages import find_program

LIMITS = Limits(time_s=20.0, memory_bytes=256 * MIB, disk_bytes=64 * MIB, file_bytes=32 * MIB)
NOBODY = 65_534


def run_sync(walls: Walls, workspace: Path, *argv: str, limits: Limits = LIMITS) -> Finished:
    return asyncio.run(walls.run(Command(argv, workspace, limits=limits))).finished


def shell(walls: Walls, workspace: Path, text: str, limits: Limits = LIMITS) -> Finished:
    return run_sync(walls, workspace, "/bin/sh", "-c", text, limits=limits)


def test_a_command_ends_with_its_output_and_its_exit_code(walls: Walls, workspace: Path):
    finished = shell(walls, workspace, "echo out; echo err >&2; exit 7")
    assert (finished.code, finished.limit) == (7, None)
    assert finished.output == "out\nerr\n"


def test_a_program_that_is_missing_is_said_to_be(walls: Walls, workspace: Path):
    finished = run_sync(walls, workspace, "no-such-program")
    assert finished.code == 127
    assert "no-such-program" in finished.output


def test_what_a_command_writes_stays_and_belongs_to_the_owner_of_the_workspace(
    walls: Walls, workspace: Path
):
    shell(walls, workspace, "mkdir -p a/b && echo text > a/b/file && ln -s b a/link")
    for name in ("a", "a/b", "a/b/file"):
        info = (workspace / name).stat()
        assert (info.st_uid, info.st_gid) == (os.geteuid(), os.getegid())
    assert (workspace / "a/b/file").read_text() == "text\n"


def test_a_command_is_not_root(walls: Walls, workspace: Path):
    assert shell(walls, workspace, "id -u").output.strip() != "0"
    assert (
        "CapEff:\t0000000000000000"
        in shell(
            walls,
            workspace,
            "cat /proc/self/status 2>/dev/null || echo 'CapEff:\t0000000000000000'",
        ).output
    )


def test_the_environment_is_small_and_none_of_the_services(
    walls: Walls, workspace: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("CAIRN_DATABASE_URL", "postgresql://secret")
    names = {
        line.split("=")[0] for line in shell(walls, workspace, "env").output.splitlines() if line
    }
    assert names <= {
        *("PATH", "HOME", "TMPDIR", "LANG", "TERM", "PWD", "OLDPWD", "SHLVL", "_"),
        *("GIT_CONFIG_NOSYSTEM", "GIT_TERMINAL_PROMPT", "PYTHONDONTWRITEBYTECODE"),
    }


def test_a_key_of_the_installation_is_nowhere_in_the_sandbox(
    walls: Walls, workspace: Path, shared: Path
):
    """All that can be read is read: files, links, environments and command lines."""
    key = secrets.token_hex(16)
    home = shared / "home"
    home.mkdir()
    (home / "models.toml").write_text(f"api_key = '{key}'")
    (home / "models.toml").chmod(0o644)
    control = shell(walls, workspace, "echo here > mark; grep -rls here . ; echo done")
    assert "./mark" in control.output
    finished = shell(
        walls,
        workspace,
        f"grep -rlsI --devices=skip --exclude-dir=sys --exclude-dir=usr {key[:8]} /etc /tmp /root"
        f" /home /run /var /dev /opt {home} . ; cat /proc/*/environ /proc/*/cmdline 2>/dev/null"
        f" | tr '\\0' '\\n' | grep -c {key} ; env | grep {key}; echo end",
        Limits(time_s=60.0),
    )
    assert "models.toml" not in finished.output
    assert finished.output.rstrip().endswith("end")


def test_the_time_is_limited_also_for_what_ignores_signals(walls: Walls, workspace: Path):
    text = "trap '' TERM INT; (trap '' TERM; setsid sleep 600) & while :; do sleep 1; done"
    assert shell(walls, workspace, text, Limits(time_s=1.0)).limit == "time"
    assert not processes_in(workspace)


def test_what_is_left_in_the_background_ends_with_the_command(walls: Walls, workspace: Path):
    text = "(setsid sh -c '(exec >/dev/null 2>&1; setsid sleep 600 &)' &); sleep 0.2; echo end"
    assert shell(walls, workspace, text).output == "end\n"
    assert not processes_in(workspace)


def test_memory_is_limited_for_one_process_and_for_all(walls: Walls, workspace: Path):
    one = run_sync(walls, workspace, "/usr/bin/python3", "-c", "bytearray(10**9)")
    assert "MemoryError" in one.output
    each = "python3 -c 'a=bytearray(b\"x\"*(90*2**20)); import time; time.sleep(60)' &"
    finished = shell(walls, workspace, f"{each * 6} wait")
    assert finished.limit == "memory"


def test_processes_are_limited(walls: Walls, workspace: Path):
    text = "i=0; while [ $i -lt 200 ]; do sleep 60 & i=$((i+1)); done; wait"
    finished = shell(walls, workspace, text, Limits(time_s=20.0, processes=32))
    assert finished.limit == "processes" or "ork" in finished.output
    assert not processes_in(workspace)


def test_the_disk_is_limited_for_one_file_and_for_all(walls: Walls, workspace: Path):
    shell(walls, workspace, "cat /dev/zero > big")
    assert (workspace / "big").stat().st_size <= LIMITS.file_bytes
    text = "i=0; while :; do head -c 8000000 /dev/zero > f$i || exit 3; i=$((i+1)); done"
    assert shell(walls, workspace, text).limit == "disk"


def test_a_command_is_not_ended_for_what_the_workspace_held_before(walls: Walls, workspace: Path):
    (workspace / "large").write_bytes(bytes(8 * MIB))
    finished = shell(walls, workspace, "sleep 0.3; echo fine", Limits(disk_bytes=MIB))
    assert (finished.limit, finished.output) == (None, "fine\n")


def test_of_a_long_output_beginning_and_end_are_kept_and_the_rest_is_counted(
    walls: Walls, workspace: Path
):
    text = "echo begin; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo end"
    finished = shell(walls, workspace, text)
    assert finished.output.startswith("begin\n")
    assert finished.output.endswith("end\n")
    assert len(finished.output) < LIMITS.output_chars + 100
    assert finished.left_out_chars == 5_000_011 - LIMITS.output_chars


def test_output_that_is_no_text_is_no_failure(walls: Walls, workspace: Path):
    assert "\ufffd" in shell(walls, workspace, "printf '\\377\\376x'").output


def test_a_command_that_is_cancelled_leaves_nothing(walls: Walls, workspace: Path):
    async def cancel() -> None:
        command = Command(("/bin/sh", "-c", "touch begun; sleep 600"), workspace)
        task = asyncio.create_task(walls.run(command))
        while not (workspace / "begun").exists():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert not processes_in(workspace)


def test_a_git_directory_that_a_command_makes_is_removed(walls: Walls, workspace: Path):
    text = "git init -q here && cp -r here/.git . && mkdir sub && echo x > sub/.git; ls -a"
    outcome = asyncio.run(walls.run(Command(("/bin/sh", "-c", text), workspace, limits=LIMITS)))
    assert sorted(outcome.removed) == [".git", "here/.git", "sub/.git"]
    assert not [path for path in workspace.rglob(".git")]


def test_a_file_with_a_name_outside_is_not_changed_there(walls: Walls, workspace: Path):
    outside = workspace.parent / "cache"
    outside.write_text("kept")
    outside.chmod(0o666)
    os.link(outside, workspace / "linked")
    shell(walls, workspace, "echo changed > linked")
    assert (outside.read_text(), (workspace / "linked").read_text()) == ("kept", "changed\n")


@pytest.mark.parametrize("place", ["relative", "/", "/tmp", "/etc/x", "/proc/self", "/no/such"])
def test_not_every_folder_can_be_a_workspace(walls: Walls, place: str):
    with pytest.raises(WorkspaceUnfit):
        run_sync(walls, Path(place), "true")


def test_walls_that_would_show_what_is_hidden_are_not_built(walls: Walls, workspace: Path):
    hidden = workspace / "home"
    hidden.mkdir()
    layout = layout_of_this_machine([hidden])
    with pytest.raises(WallsBroken, match="would see"):
        shell(Walls(walls.kind, layout), workspace, "true")


FAILING = "echo 'no permission to make a namespace' >&2; exit 1"
LYING = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'


def put_first(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that says it is bubblewrap."""
    program = folder / "bwrap"
    program.write_text(
        f'#!/bin/sh\nif [ "$1" = --version ]; then echo bubblewrap 0.9.0; exit; fi\n{script}\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_a_command_whose_walls_cannot_be_built_is_not_run(
    shared: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
):
    put_first(shared, FAILING, monkeypatch)
    walls = choose_walls(layout_of_this_machine(), "bubblewrap")
    with pytest.raises(WallsBroken, match="no permission to make a namespace"):
        shell(walls, workspace, "touch ran")
    assert not (workspace / "ran").exists()


def test_landlock_takes_over_where_bubblewrap_cannot_be_built(
    shared: Path, monkeypatch: pytest.MonkeyPatch
):
    if reason := why_missing("landlock"):
        pytest.skip(reason)
    put_first(shared, FAILING, monkeypatch)
    walls, _ = asyncio.run(build_walls(layout_of_this_machine()))
    assert walls.kind == "landlock"


def test_walls_with_a_hole_are_refused_and_no_others_are_tried(
    shared: Path, monkeypatch: pytest.MonkeyPatch
):
    put_first(shared, LYING, monkeypatch)
    with pytest.raises(WallsBroken, match="do not hold: .*network") as refusal:
        asyncio.run(build_walls(layout_of_this_machine()))
    assert refusal.value.detail["walls"] == "bubblewrap"


def test_without_walls_nothing_runs(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(WallsMissing, match="bubblewrap .* is not installed") as refusal:
        choose_walls(layout_of_this_machine(), "bubblewrap")
    assert refusal.value.code == "walls_missing"


def test_the_canary_finds_that_all_walls_hold(walls: Walls):
    checks = asyncio.run(check_walls(walls))
    assert len(checks) == 8
    assert [each for each in checks if not each.holds] == []


def test_the_canary_sees_what_has_no_walls(shared: Path):
    """Its probe, run as it is, comes through everywhere."""

    async def probe() -> list[str]:
        async with plant() as planted:
            process = await asyncio.create_subprocess_exec(
                *planted.argv,
                cwd=shared,
                stdout=asyncio.subprocess.PIPE,
                env=os.environ | {VARIABLE: f"{planted.mark}-variable"},
            )
            output, _ = await process.communicate()
            await planted.process.wait()
            checks = planted.judge(output.decode(errors="replace"), shared)
            return [each.name for each in checks if not each.holds]

    assert asyncio.run(probe()) == [
        *("writing", "reading", "environment", "network", "processes", "signals"),
        "leaving nothing",
    ]


def test_bubblewrap_is_chosen_where_it_is_there():
    find_program("bwrap", "bubblewrap")
    walls, _ = asyncio.run(build_walls(layout_of_this_machine()))
    assert walls.kind == "bubblewrap"


AS_NOBODY = """
import asyncio, sys
from pathlib import Path
from infra.runtime.walls.canary import check_walls
from infra.runtime.walls.layout import layout_of_this_machine
from infra.runtime.walls.walls import choose_walls
walls = choose_walls(layout_of_this_machine(), sys.argv[1])
for each in asyncio.run(check_walls(walls)):
    print(each.name, each.holds)
"""


@pytest.mark.parametrize("kind", KINDS)
def test_the_walls_hold_for_a_service_that_is_not_root(kind: str, shared: Path):
    if os.geteuid() != 0:
        pytest.skip("the other tests run as such a user already")
    if reason := why_missing("landlock" if kind == "landlock" else "bubblewrap"):
        pytest.skip(reason)
    python, root = find_program("python3", "python3"), Path(__file__).parents[2]
    if not os.access(root, os.X_OK) or sys.version_info[:2] != version_of(python):
        pytest.skip("the system's Python is another one")
    environ = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(root), "TMPDIR": "/tmp"}
    answer = subprocess.run(
        ("/usr/bin/python3", "-S", "-c", AS_NOBODY, kind),
        env=environ,
        cwd="/tmp",
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert answer.stderr == ""
    lines = answer.stdout.splitlines()
    assert len(lines) == 8
    assert all(line.endswith("True") for line in lines), lines


def version_of(python: str) -> tuple[int, int]:
    program = "import sys; print(*sys.version_info[:2])"
    answer = subprocess.run((python, "-c", program), capture_output=True, text=True, check=True)
    major, minor = map(int, answer.stdout.split())
    return major, minor


def processes_in(workspace: Path) -> list[str]:
    places = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            places.append(os.readlink(f"/proc/{name}/cwd"))
        except OSError:
            continue
    return [place for place in places if place.startswith(str(workspace))]
