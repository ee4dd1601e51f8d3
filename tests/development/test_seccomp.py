"""The filter of system calls, as the kernel applies it, and its tables of numbers."""

from __future__ import annotations

import platform
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from infra.runtime.walls.seccomp import ABSENT, ATTRIBUTES, REFUSED, UNCOUNTED, build_filter
from infra.runtime.walls.syscalls import NUMBERS

ROOT = Path(__file__).parents[2]
EPERM, EACCES, ENOSYS, ALLOWED = 1, 13, 38, 0
TRY = """
import ctypes, platform, sys
from infra.runtime.walls.seccomp import build_filter, load_filter
load_filter(build_filter(platform.machine(), has_network_of_its_own=sys.argv[1] == "own",
                         may_set_attributes=sys.argv[2] == "may"))
library = ctypes.CDLL(None, use_errno=True)
for line in sys.argv[3:]:
    ctypes.set_errno(0)
    library.syscall(*(ctypes.c_long(int(part)) for part in line.split()))
    print(ctypes.get_errno())
"""
pytestmark = pytest.mark.skipif(
    platform.system() != "Linux" or platform.machine() not in NUMBERS, reason="no such processor"
)


def errors_of(*calls: str, network: str = "own", attributes: str = "may") -> list[int]:
    """The error of each call in a process behind the filter. A call: its name and arguments."""
    numbers = NUMBERS[platform.machine()]
    lines = [" ".join((str(numbers[call.split()[0]]), *call.split()[1:])) for call in calls]
    answer = subprocess.run(
        (sys.executable, "-S", "-P", "-c", TRY, network, attributes, *lines),
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return [int(line) for line in answer.stdout.split()]


def test_calls_that_lead_around_the_walls_fail():
    """With arguments that the kernel would refuse in another way."""
    numbers = NUMBERS[platform.machine()]
    names = [name for name in (*REFUSED, *UNCOUNTED) if name in numbers]
    assert len(names) > 50
    calls = [f"{name} -1 -1 -1 -1 -1 -1" for name in names]
    assert dict(zip(names, errors_of(*calls), strict=True)) == dict.fromkeys(names, EPERM)


def test_calls_that_a_program_can_do_without_are_absent():
    calls = [f"{name} -1 -1 -1" for name in (*ABSENT, "memfd_secret")]
    assert errors_of(*calls) == [ENOSYS] * len(calls)


def test_sockets_are_of_the_own_network_or_not_at_all():
    kinds = {"unix": 1, "ip": 2, "ipv6": 10, "netlink": 16, "packet": 17, "alg": 38, "vsock": 40}
    calls = [f"socket {number} 524289 0" for number in kinds.values()]
    outcome = dict(zip(kinds, errors_of(*calls), strict=True))
    assert (outcome["unix"], outcome["ip"]) == (ALLOWED, ALLOWED)
    assert [outcome[name] for name in ("netlink", "packet", "alg", "vsock")] == [EPERM] * 4
    assert errors_of(*calls, network="none") == [EACCES] * len(calls)


def test_attributes_may_be_set_only_where_nobody_elses_can_be():
    numbers = NUMBERS[platform.machine()]
    names = [name for name in ATTRIBUTES if name in numbers]
    calls = [f"{name} -1 -1 -1 -1 -1" for name in names]
    assert errors_of(*calls, attributes="may not") == [EPERM] * len(names)
    assert EPERM not in errors_of(*calls)


def test_namespaces_faked_input_and_other_processes_are_refused_by_arguments():
    assert errors_of(
        "clone 268435456 0 0 0 0",
        "ioctl -1 21522 0",
        "ioctl -1 21523 0",
        "prlimit64 1 7 0 0",
        "prlimit64 0 7 0 0",
        "setpriority 0 1 0",
        "setpriority 2 0 0",
        "setpriority 0 0 0",
    ) == [EPERM, EPERM, 9, EPERM, ALLOWED, EPERM, EPERM, ALLOWED]


@pytest.mark.parametrize("machine", sorted(NUMBERS))
def test_no_jump_of_the_program_leaves_it(machine: str):
    for network in (True, False):
        program = build_filter(
            machine, has_network_of_its_own=network, may_set_attributes=not network
        )
        lines = [struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)]
        assert len(lines) < 4096
        for at, (code, yes, no, _) in enumerate(lines):
            if code & 7 == 5:
                assert at + 1 + max(yes, no) < len(lines)
        assert lines[-1] == (6, 0, 0, 0x7FFF0000)


@pytest.mark.parametrize(
    ("machine", "file"),
    [
        ("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        ("aarch64", "/usr/include/asm-generic/unistd.h"),
    ],
)
def test_the_numbers_are_those_of_the_kernels_headers(machine: str, file: str):
    if not Path(file).exists():
        pytest.skip("the kernel's headers are not installed")
    words = [line.split() for line in Path(file).read_text().splitlines()]
    known = {
        each[1].removeprefix("__NR_").removeprefix("__NR3264_"): int(each[2])
        for each in words
        if each[:1] == ["#define"] and len(each) == 3 and each[2].isdigit()
    }
    both = NUMBERS[machine].keys() & known.keys()
    assert len(both) > 70
    assert {name: NUMBERS[machine][name] for name in both} == {name: known[name] for name in both}
