"""A small model that reads a question beside a text and tells how well the text answers it.

It decides nothing alone: search gives it the few candidates that words have found. One pair is read
at a time, so that a score depends on that pair alone and a question has the same answer in every
process; it also bounds the memory. The model is loaded at the first question of a process, in .6 s,
and runs in the thread that asks the tables, so that no loop waits. It takes 105 MB, up to 185 MB
once it has read, in each process that answers questions (web, and the worker of chats). So it goes
when nobody has asked for ten minutes. Whatever is wrong with it, or takes longer than a question
may take, leaves the order by words; the log tells it once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from infra.platform.log import get
from infra.platform.settings import Settings
from infra.runtime.local.reader_files import MODEL, TOKENIZER, WITHOUT, find_problem, folder_of

LONGEST = 320  # tokens of question and text: more than 1,000 characters of prose
LONGEST_QUESTION = 400  # characters
THREADS = 2
BUDGET_S = 4.0  # of one list of texts, with the time that others have the model
KEPT_S = 600.0  # without a question
Score = Callable[[str, str], float]

log = get("reader")


class SmallReader:
    """Scores of texts; ``load`` makes the model, at the first question and after ``kept_s``."""

    def __init__(
        self,
        load: Callable[[], Score | None],
        budget_s: float = BUDGET_S,
        kept_s: float = KEPT_S,
    ) -> None:
        self._load, self._budget_s, self._kept_s = load, budget_s, kept_s
        self._turn = threading.Lock()
        self._score: Score | None = None
        self._end: threading.Timer | None = None
        self._is_loaded = self._was_late = False

    def __call__(self, question: str, texts: Sequence[str]) -> list[float] | None:
        """How well each text answers, the higher the better; None where nobody can say in time."""
        ends = time.monotonic() + self._budget_s
        if not self._turn.acquire(timeout=self._budget_s):
            self._tell_late()
            return None
        try:
            if not self._is_loaded:
                self._score, self._is_loaded = self._load(), True
                ends = time.monotonic() + self._budget_s  # loading is no part of a question
            if self._score is None:
                return None
            scores: list[float] = []
            for text in texts:
                if time.monotonic() > ends:
                    self._tell_late()
                    return None
                scores.append(self._score(question[:LONGEST_QUESTION], text))
            return scores
        except Exception as error:  # of the runtime, which has no class of its own for what fails
            self._score = None
            log.warning("reader_failed", reason=f"{type(error).__name__}: {error}. {WITHOUT}")
            return None
        finally:
            self._keep()
            self._turn.release()

    def _keep(self) -> None:
        """The model goes when no other question comes; it is loaded again for the next one."""
        if self._end:
            self._end.cancel()
        if self._score is not None:
            self._end = threading.Timer(self._kept_s, self._drop)
            self._end.daemon = True
            self._end.start()

    def _drop(self) -> None:
        with self._turn:
            if threading.current_thread() is self._end:  # no question came while it waited
                self._score, self._is_loaded = None, False

    def _tell_late(self) -> None:
        if not self._was_late:
            self._was_late = True
            log.warning(
                "reader_late", reason=f"It took more than {self._budget_s:.0f} s. {WITHOUT}"
            )


def open_reader(settings: Settings) -> SmallReader | None:
    """The reader of this process; None where the setting leaves it out."""
    return _reader_of(settings.cache) if settings.reader else None


@cache
def _reader_of(files: Path) -> SmallReader:
    return SmallReader(lambda: load_model(files))


def load_model(files: Path) -> Score | None:
    """The model of this folder of caches; None, which the log tells, where it cannot be used."""
    problem = find_problem(files)
    if problem is None:
        try:
            return _open_model(folder_of(files))
        except Exception as error:  # a library that is missing, or that cannot read the files
            problem = f"The small reader cannot be loaded ({error}). {WITHOUT}"
    log.warning("reader_absent", reason=problem)
    return None


def _open_model(folder: Path) -> Score:
    import numpy
    from onnxruntime import InferenceSession, SessionOptions
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST, strategy="only_second")
    options = SessionOptions()
    options.intra_op_num_threads = THREADS
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it keeps what the longest pair took
    options.enable_mem_pattern = False  # it keeps a plan for each length
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session: Any = InferenceSession(
        str(folder / MODEL), options, providers=["CPUExecutionProvider"]
    )

    def score(question: str, text: str) -> float:
        pair = tokenizer.encode(question, text)
        rows = {
            "input_ids": pair.ids,
            "attention_mask": pair.attention_mask,
            "token_type_ids": pair.type_ids,
        }
        given = {name: numpy.array([row], dtype=numpy.int64) for name, row in rows.items()}
        return round(float(session.run(None, given)[0][0][0]), 4)

    return score
