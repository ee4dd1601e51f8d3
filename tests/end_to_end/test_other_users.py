"""Another user of the machine reads nothing of an installation and is served by none of its parts.

Only root can become another user: run by somebody else, this shows what modes and servers say.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import pytest

STRANGER = 65533  # a number that no account has; `nobody` runs the database where root starts it
TRY = """\
import json, os, sys
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid({user}), os.setuid({user})
read = []
for path in json.load(sys.stdin):
    try:
        os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1)
        read.append(path)
    except OSError:
        pass
print(json.dumps(read))
"""


@pytest.mark.broker
def test_another_user_reads_nothing(backbone):
    home = backbone.cairn.home
    paths = [str(path) for path in (home, *home.rglob("*"))]
    assert len(paths) > 100
    if os.geteuid() == 0:
        done = subprocess.run(
            [sys.executable, "-S", "-c", TRY.format(user=STRANGER)],
            input=json.dumps(paths),
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(done.stdout) == []


@pytest.mark.broker
def test_nothing_that_a_service_keeps_is_open_to_others(backbone):
    home = backbone.cairn.home
    opened = {}
    for path in (home, *home.rglob("*")):
        try:
            mode = stat.S_IMODE(path.lstat().st_mode)
        except FileNotFoundError:  # servers come and go with their files
            continue
        if mode & 0o077:
            opened[path] = mode
    passed = (home, home / "postgres") if os.geteuid() == 0 else ()
    assert opened == dict.fromkeys(passed, 0o711)
