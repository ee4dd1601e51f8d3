"""Programs and files of others that a test needs."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

INSTALL_S = 400
PATH = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"))


def find_program(name: str, *packages: str) -> str:
    """Its path, installed from the distribution where that is possible. Skips the test else."""
    if found := shutil.which(name, path=PATH):
        return found
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        pytest.skip(f"{name} is not installed, and only root of a Debian can install it")
    # In this run level nothing is started that was installed.
    environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    try:
        wait = ("-o", f"DPkg::Lock::Timeout={INSTALL_S}")  # another worker may be installing
        install = ("apt-get", *wait, "install", "-y", "--no-install-recommends", *packages)
        subprocess.run(install, env=environ, timeout=INSTALL_S, capture_output=True, check=True)
    except (subprocess.SubprocessError, OSError) as error:
        pytest.skip(f"{name} is not installed, and cannot be: {error}")
    return shutil.which(name, path=PATH) or pytest.skip(f"{name} was installed, but is not there")


def install_walls() -> None:
    """What commands of agents run behind, where it can be installed: without it another kind of
    walls is taken, and a service tries them once.
    """
    with contextlib.suppress(pytest.skip.Exception):
        find_program("bwrap", "bubblewrap")


def find_shipped_file(package: str, suffix: str) -> Path:
    """The first file with that ending in a package of `tests/requirements.in`, or a failure."""
    try:
        files = distribution(package).files or ()
    except PackageNotFoundError:
        pytest.fail(f"The package {package} is missing: run `make test`, which fetches it.")
    for each in files:
        if each.suffix == suffix:
            return Path(str(each.locate()))
    pytest.fail(f"The package {package} brings no file *{suffix}.")
