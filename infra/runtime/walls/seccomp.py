"""The filter of system calls: a program for the kernel, put together without a compiler.

It refuses what would lead around the walls (namespaces, mounts, other processes' memory, keys,
io_uring, raw and machine-to-machine sockets) and what takes memory that nobody counts. What is
refused fails with an error, so programs that only try go on. `build_filter` returns the program
as bytes, for bubblewrap; `load_filter` puts it on the calling process.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterator, Mapping

from infra.runtime.walls.syscalls import AUDIT_ARCH, NUMBERS

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
AT_NUMBER, AT_ARCH, AT_ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000
X32 = 0x40000000  # a second set of numbers for the same calls on x86-64
NEW_NAMESPACES = 0x7E020000  # CLONE_NEW* of clone()
FAKED_INPUT = (0x5412, 0x541C)  # ioctl TIOCSTI, TIOCLINUX
UNIX, INTERNET = 1, (2, 10)
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2

REFUSED = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd"),
    *("mount", "umount2", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "open_tree"),
    *("open_tree_attr", "mount_setattr", "pivot_root", "chroot", "unshare", "setns"),
    *("bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key", "personality"),
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot"),
    *("swapon", "swapoff", "syslog", "acct", "quotactl", "iopl", "ioperm", "vhangup"),
    *("settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname"),
    *("setdomainname", "open_by_handle_at", "name_to_handle_at", "fanotify_init", "ioprio_set"),
    *("migrate_pages", "move_pages"),
)
UNCOUNTED = ("shmget", "shmat", "shmctl", "semget", "msgget", "mq_open")  # kept after their process
ABSENT = (*("clone3", "io_uring_setup", "io_uring_enter", "io_uring_register"), "memfd_create")
OF_ITSELF_ONLY = ("prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam")
ATTRIBUTES = (
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat"),
    *("utime", "utimes", "futimesat", "utimensat", "setxattr", "lsetxattr", "fsetxattr"),
    *("removexattr", "lremovexattr", "fremovexattr", "setxattrat", "removexattrat"),
    "file_setattr",
)
Instruction = tuple[int, int, int, int]


def build_filter(machine: str, *, has_network_of_its_own: bool, may_set_attributes: bool) -> bytes:
    """The program. Raises KeyError for a processor that it does not know.

    ``has_network_of_its_own``: internet sockets then lead nowhere else, so they are allowed.
    ``may_set_attributes`` is False where modes and times of files outside could be changed.
    """
    numbers = NUMBERS[machine]
    program: list[Instruction] = [
        (LOAD, 0, 0, AT_ARCH),
        (EQUAL, 1, 0, AUDIT_ARCH[machine]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, AT_NUMBER),
    ]
    if machine == "x86_64":
        program += [(AT_LEAST, 0, 1, X32), (RETURN, 0, 0, FAIL | errno.ENOSYS)]
    refused = REFUSED + UNCOUNTED + (() if may_set_attributes else ATTRIBUTES)
    program += _refuse(numbers, refused, errno.EPERM)
    program += _refuse(numbers, (*ABSENT, "memfd_secret"), errno.ENOSYS)
    for name in (*OF_ITSELF_ONLY, "sched_setattr"):
        program += _unless_equal(numbers[name], 0, (0,))
    program += _unless_equal(numbers["setpriority"], 0, (0,))
    program += _unless_equal(numbers["setpriority"], 1, (0,))
    if has_network_of_its_own:
        program += _unless_equal(numbers["socket"], 0, (UNIX, *INTERNET))
    else:
        program += _refuse(numbers, ("socket",), errno.EACCES)
    program += _unless_equal(numbers["socketpair"], 0, (UNIX,))
    program += _when(numbers["clone"], 0, [(ANY_BIT, 0, 1, NEW_NAMESPACES)])
    for command in FAKED_INPUT:
        program += _when(numbers["ioctl"], 1, [(EQUAL, 0, 1, command)])
    program.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("=HBBI", *each) for each in program)


def load_filter(program: bytes) -> None:
    """From now on it holds for this process and all that it starts. Raises OSError."""
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    library = ctypes.CDLL(None, use_errno=True)
    for call in (
        (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (PR_SET_SECCOMP, MODE_FILTER, ctypes.create_string_buffer(header, len(header)), 0, 0),
    ):
        if library.prctl(*call) != 0:
            number = ctypes.get_errno()
            raise OSError(number, f"prctl {call[0]}: {os.strerror(number)}")


def _refuse(numbers: Mapping[str, int], names: tuple[str, ...], code: int) -> Iterator[Instruction]:
    for name in names:
        if (number := numbers.get(name)) is not None:
            yield (EQUAL, 0, 1, number)
            yield (RETURN, 0, 0, FAIL | code)


def _unless_equal(number: int, argument: int, values: tuple[int, ...]) -> list[Instruction]:
    """Refuse the call unless the argument has one of the values."""
    tests = [(EQUAL, len(values) - place, 0, value) for place, value in enumerate(values)]
    return _when(number, argument, tests)


def _when(number: int, argument: int, tests: list[Instruction]) -> list[Instruction]:
    """Refuse the call where no test jumps over the refusal. Only the lower half of an argument is
    looked at: for these calls the kernel takes no more.
    """
    body = [
        (LOAD, 0, 0, AT_ARGUMENTS + 8 * argument),
        *tests,
        (RETURN, 0, 0, FAIL | errno.EPERM),
        (LOAD, 0, 0, AT_NUMBER),
    ]
    return [(EQUAL, 0, len(body), number), *body]
