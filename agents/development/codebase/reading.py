"""Reads of a repository what somebody needs to know who drafts a change of it.

The draft's table of files to change says what is read: of each file its structure and its text, the
files that are built most like it, and what lies beside it. The same files and the same draft give
the same bytes.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from agents.development.checks.files_table import FileToChange, files_in
from agents.development.checks.markdown import Line, code_spans, read_document
from agents.development.codebase.facts import FileFacts
from agents.development.codebase.secret_paths import is_inside, is_secret_path
from agents.development.codebase.similar import (
    Features,
    SimilarFile,
    features_of,
    features_of_words,
    near,
    rank_similar,
    typical_features,
)
from agents.development.codebase.summaries import language_of, read_facts, render_summary
from agents.development.codebase.truncation import ContextSection, fit_sections

BUDGET = 60_000
MOST_SIMILAR = 5
MOST_SCANNED = 1_500  # files, the nearest to those to change
_MOST_BESIDE = 60
_MOST_LEFT_OUT = 200
_NAME = re.compile(r"[^\W\d]\w{2,}")
_TICKS = re.compile(r"`{3,}")

Reason = Literal["secret", "outside", "unreadable", "missing", "budget", "not scanned"]
FileState = Literal["read", "new", "secret", "outside", "unreadable", "missing"]


class CodeFiles(Protocol):
    """The files of one repository, as a model may see them: without secrets."""

    def list_paths(self) -> Sequence[str]:
        """Relative paths with ``/``; nothing that a link leads to outside of the repository."""
        ...

    def read(self, path: str) -> str | None:
        """The text of a listed file; None where it is binary or cannot be read."""
        ...


@dataclass(frozen=True, slots=True)
class ContextFile:
    """A file to change, and whether its content is in the context."""

    path: str
    change: Literal["modify", "new", "delete"]
    state: FileState


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file, or a section of the context, that is not in it or not whole."""

    name: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class CodebaseContext:
    """``text`` has at most the budget's bytes, ``sha256`` is its hash; ``similar``: best first."""

    text: str
    sha256: str
    files: tuple[ContextFile, ...]
    similar: tuple[SimilarFile, ...]
    left_out: tuple[LeftOut, ...]


def read_codebase(source: CodeFiles, draft_text: str, *, budget: int = BUDGET) -> CodebaseContext:
    """What the draft's writer needs to know of the repository, in at most ``budget`` bytes.

    Without a table of files, files that the draft names as code count as files to change. Secret
    files are never read, whoever names them.
    """
    document = read_document(draft_text)
    reader = _Reader(source)
    table = files_in(document) or _mentioned(document.lines, reader.paths)
    files = tuple(_look_up(reader, it) for it in dict.fromkeys(table))
    texts = {it.path: reader.read(it.path) for it in files if it.state == "read"}
    read = {path: text for path, text in texts.items() if text is not None}
    files = tuple(
        it
        if it.state != "read" or it.path in read
        else ContextFile(it.path, it.change, "unreadable")
        for it in files
    )
    facts = {path: read_facts(path, text) for path, text in read.items()}
    scan = _scan(reader, files, facts, draft_text)
    sections = [
        _head(reader.paths),
        *_changed_sections(files, read, facts),
        *_similar_sections(scan, reader),
        *_beside_sections(files, reader.paths),
    ]
    fitted = fit_sections(sections, budget)
    left_out = [
        LeftOut(it.path, _reason(it.state)) for it in files if it.state not in ("read", "new")
    ]
    left_out += [LeftOut(it, "secret") for it in reader.secret]
    left_out += [LeftOut(it, "budget") for it in (*fitted.shortened, *fitted.left_out)]
    if scan.not_scanned:
        left_out.append(LeftOut(f"{scan.not_scanned} files farther away", "not scanned"))
    sha256 = hashlib.sha256(fitted.text.encode("utf-8", "replace")).hexdigest()
    unique = tuple(dict.fromkeys(left_out))[:_MOST_LEFT_OUT]
    return CodebaseContext(fitted.text, sha256, files, scan.similar, unique)


class _Reader:
    """Reads each file once, and no secret one."""

    def __init__(self, source: CodeFiles) -> None:
        listed = sorted({it for it in source.list_paths() if is_inside(it)})
        self.secret = [it for it in listed if is_secret_path(it)]
        self.paths = frozenset(listed) - frozenset(self.secret)
        self._source = source
        self._texts: dict[str, str | None] = {}

    def read(self, path: str) -> str | None:
        if path not in self.paths:
            return None
        if path not in self._texts:
            text = self._source.read(path)
            self._texts[path] = None if text is None or "\0" in text else text
        return self._texts[path]


@dataclass(frozen=True, slots=True)
class _Scan:
    similar: tuple[SimilarFile, ...]
    facts: Mapping[str, FileFacts]
    not_scanned: int


def _mentioned(lines: Iterable[Line], paths: Iterable[str]) -> tuple[FileToChange, ...]:
    """Files of the repository that a draft names in code spans, for want of a table."""
    existing = frozenset(paths)
    return tuple(
        FileToChange(span, "modify", line.number)
        for line in lines
        for span in code_spans(line.text)
        if span in existing
    )


def _look_up(reader: _Reader, file: FileToChange) -> ContextFile:
    state: FileState = "missing"
    if is_secret_path(file.path):
        state = "secret"
    elif not is_inside(file.path):
        state = "outside"
    elif file.path in reader.paths:
        state = "read"
    elif file.change == "new":
        state = "new"
    return ContextFile(file.path, file.change, state)


def _reason(state: FileState) -> Reason:
    match state:
        case "secret" | "outside" | "unreadable":
            return state
        case _:
            return "missing"


def _scan(
    reader: _Reader, files: Sequence[ContextFile], facts: Mapping[str, FileFacts], draft: str
) -> _Scan:
    """The files that are built most like those to change, of the same languages."""
    changed = {it.path for it in files}
    wanted = [it.path for it in files if it.state in ("read", "new", "missing")]
    languages = {language_of(it) for it in wanted}
    others = [it for it in sorted(reader.paths - changed) if language_of(it)]
    same = [it for it in others if not wanted or language_of(it) in languages]
    same.sort(key=lambda it: (-max((near(it, path) for path in wanted), default=0), it))
    read: dict[str, FileFacts] = {}
    for path in same[:MOST_SCANNED]:
        if (text := reader.read(path)) is not None:
            read[path] = read_facts(path, text)
    candidates = {path: features_of(path, it) for path, it in read.items()}
    targets = {path: features_of(path, facts.get(path)) for path in wanted}
    if any(path not in facts for path in targets) or not targets:
        words = features_of_words(_names_in(draft), candidates.values())
        for path in sorted(targets.keys() - facts.keys()) or [""]:
            beside = typical_features(path, candidates)
            targets[path] = targets.get(path, Features()) | words | beside
    similar = rank_similar(targets, candidates)[:MOST_SIMILAR]
    kept = {it.path: read[it.path] for it in similar}
    return _Scan(similar, kept, max(len(same) - MOST_SCANNED, 0))


def _names_in(draft: str) -> list[str]:
    """Names that a draft writes as code; where it writes none, all its words."""
    document = read_document(draft)
    code = [span for line in document.lines for span in code_spans(line.text)]
    code += [line.text for line in document.lines if line.kind == "code"]
    return _NAME.findall("\n".join(code) or draft)


def _head(paths: Iterable[str]) -> ContextSection:
    counts = Counter(language for it in paths if (language := language_of(it)))
    languages = ", ".join(
        f"{name} {count}" for name, count in sorted(counts.items(), key=lambda it: (-it[1], it[0]))
    )
    text = f"# Codebase context\n\nFiles by language: {languages or 'none'}.\n"
    return ContextSection("overview", 4, text, "")


def _changed_sections(
    files: Sequence[ContextFile], texts: Mapping[str, str], facts: Mapping[str, FileFacts]
) -> list[ContextSection]:
    sections = []
    for it in files:
        head = f"\n## File to change: {it.path} ({it.change})\n\n"
        if it.path not in texts:
            note = "It is new.\n" if it.state == "new" else f"Not read: {it.state}.\n"
            sections.append(ContextSection(it.path, 4, head, note))
            continue
        summary = render_summary(it.path, facts[it.path])
        sections.append(ContextSection(f"summary of {it.path}", 3, head, summary))
        sections.append(_text_section(it.path, 1, texts[it.path]))
    return sections


def _similar_sections(scan: _Scan, reader: _Reader) -> list[ContextSection]:
    sections = []
    for place, it in enumerate(scan.similar):
        like = f" to {it.like}" if it.like else ""
        shared = f"Shared: {', '.join(it.shared)}.\n\n" if it.shared else ""
        head = f"\n## Similar{like}: {it.path}\n\n{shared}"
        summary = render_summary(it.path, scan.facts[it.path])
        sections.append(ContextSection(f"summary of {it.path}", 2, head, summary))
        if place == 0 and (text := reader.read(it.path)) is not None:
            sections.append(_text_section(it.path, 0, text))
    return sections


def _text_section(path: str, rank: int, text: str) -> ContextSection:
    ticks = "`" * max([2, *(len(it) for it in _TICKS.findall(text))]) + "`"
    body = text if text.endswith("\n") else f"{text}\n"
    return ContextSection(
        f"text of {path}", rank, f"\nText of {path}:\n\n{ticks}\n", body, f"{ticks}\n"
    )


def _beside_sections(files: Sequence[ContextFile], paths: Iterable[str]) -> list[ContextSection]:
    """What lies in the folders of the files to change."""
    folders = sorted({_folder_of(it.path) for it in files if is_inside(it.path)})
    sections = []
    for folder in folders:
        names = sorted(it.rpartition("/")[2] for it in paths if _folder_of(it) == folder)
        if names:
            more = [f"… {len(names) - _MOST_BESIDE} more"] if len(names) > _MOST_BESIDE else []
            body = "\n".join([*names[:_MOST_BESIDE], *more]) + "\n"
            head = f"\n## Files in {folder or 'the root'}\n\n"
            sections.append(ContextSection(f"files in {folder or 'the root'}", 2, head, body))
    return sections


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]
