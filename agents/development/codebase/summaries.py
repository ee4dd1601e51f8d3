"""A file in short: imports, classes with what they extend, signatures, first line of its doc."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from agents.development.codebase.facts import MOST_BYTES, Declaration, FileFacts
from agents.development.codebase.line_facts import read_lines
from agents.development.codebase.python_facts import read_python
from agents.development.codebase.tree_facts import read_tree

_LANGUAGES = {
    **dict.fromkeys(("py", "pyi"), "Python"),
    **dict.fromkeys(("ts", "mts", "cts", "tsx"), "TypeScript"),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), "JavaScript"),
    **dict.fromkeys(("c", "h", "cc", "cpp", "hpp"), "C++"),
    **dict.fromkeys(("md", "markdown"), "Markdown"),
    **dict.fromkeys(("sh", "bash"), "Shell"),
    **dict.fromkeys(("kt", "kts"), "Kotlin"),
    **{"go": "Go", "java": "Java", "rs": "Rust", "rb": "Ruby", "php": "PHP", "cs": "C#"},
    **{"swift": "Swift", "scala": "Scala", "sql": "SQL", "lua": "Lua", "ex": "Elixir"},
}
_MOST_IMPORTS = 40


def language_of(path: str) -> str:
    """By the name's ending; an empty string for others."""
    return _LANGUAGES.get(PurePosixPath(path).suffix[1:].casefold(), "")


def read_facts(path: str, text: str) -> FileFacts:
    """The structure of a file in any language; what cannot be parsed is read by lines."""
    language = language_of(path) or PurePosixPath(path).suffix[1:].casefold() or "text"
    if len(text) <= MOST_BYTES:
        ending = PurePosixPath(path).suffix[1:].casefold()
        facts = read_python(text) if language == "Python" else read_tree(ending, text)
        if facts is not None and not facts.is_broken:
            return facts
        by_lines = read_lines(language, text)
        if facts is not None and facts.count_names() >= by_lines.count_names():
            return facts
        return by_lines
    return read_lines(language, text[:MOST_BYTES])


def summarize_file_for_context(path: str, text: str) -> str:
    """The file's structure as a model reads it; it takes any text."""
    return render_summary(path, read_facts(path, text))


def render_summary(path: str, facts: FileFacts) -> str:
    how = "" if facts.is_parsed else ", read by lines"
    lines = [f"{path} ({facts.language}, {facts.lines} lines{how})"]
    if facts.doc:
        lines.append(f"  {facts.doc}")
    if facts.imports:
        lines += [f"  {it}" for it in facts.imports[:_MOST_IMPORTS]]
        if len(facts.imports) > _MOST_IMPORTS:
            lines.append(f"  … {len(facts.imports) - _MOST_IMPORTS} more imports")
    lines += _render(facts.declarations, "  ")
    return "\n".join(lines) + "\n"


def _render(declarations: Sequence[Declaration], indent: str) -> Iterator[str]:
    for it in declarations:
        yield from (f"{indent}@{mark}" for mark in it.decorators)
        yield f"{indent}{it.header}" + (f"  — {it.doc}" if it.doc else "")
        yield from _render(it.members, indent + "  ")
