"""Which reader looks at a source, by its path and type alone.

Stage 0 asks before it hands a text on, and the readers ask the same: so nothing counts as read that
nobody looked at.
"""

from __future__ import annotations

import functools
import re

from schemas.source_kinds import PROSE_SUFFIXES

C_LIKE = frozenset([
    "java", "kt", "kts", "go", "rs", "c", "h", "cc", "cpp", "hpp", "cs", "js", "jsx", "ts", "tsx",
    "mjs", "cjs", "swift", "scala", "groovy", "gradle", "proto", "php", "dart", "m", "mm", "sol",
    "qnt", "zig", "v", "less", "scss", "css",
])  # fmt: skip
HASH_LIKE = frozenset([
    "rb", "sh", "bash", "zsh", "pl", "pm", "r", "yml", "yaml", "toml", "ini", "cfg", "conf",
    "properties", "tf", "hcl", "mk", "cmake", "dockerfile", "ps1", "ex", "exs", "jl", "nix",
    "env", "graphql", "gitignore",
])  # fmt: skip
DASH_LIKE = frozenset({"sql", "lua", "hs", "elm", "ada"})
TALK_TYPES = frozenset(
    ("issue", "pull_request", "review_comment", "comment", "chat_thread", "interview")
)
PROSE_TYPES = TALK_TYPES | {
    *("readme", "agent_guide", "architecture_doc", "doc", "export", "edited_artifact"),
}
_SILENT = re.compile(
    r"(?:^|/)(?:(?:change-?logs?|what(?:s|-s)?[-_]?new|changes|(?:change[-_])?history|news|"
    r"rel(?:ease)?[-_ ]?notes)(?:[-_ ](?:for[-_ ])?v?\d[\d.x]*\w*)?|releases?|notice|"
    r"licen[cs]e(?:[-_](?:[al]?gpl|mit|cc|apache|bsd|mpl)[\w-]*)?|contributors|authors|adopters|"
    r"codeowners|\w*code[-_]of[-_]conduct|maintainers|dependencies|"
    r"pull_request_template|third[-_]party\w*|credits|.*template|"
    r"(?:0{3,4}|x{3,4}|n{3,4}|adr|rfc|kep)[-_]template[-_].*)(?:\.\w+)?$|"
    r"(?:^|/)(?:(?:issue|pull_request)_template|\.changelog|"
    r"changelogs?|licenses|rel(?:ease)?[-_ ]?notes|testdata|fixtures?|golden|__snapshots__)/|"
    r"(?:^|/)(?:release[-_])?v?\d+\.\d+[\w.]*\.(?:md|mdx|rst|adoc|txt)$|"
    r"(?:^|/)releases?/(?:[\w-]+[-_])?v?\d+[._-]\d+[\w.-]*\.\w+$|"
    r"(?:^|/)notes/(?:[a-z][\w-]*[-_])?v?\d{1,2}\.\d+[\w.-]*\.\w+$",
    re.IGNORECASE,
)


def has_reader(path: str, source_type: str) -> bool:
    """Whether a reader looks at the text: at its statements, comments or dependencies."""
    if source_type == "manifest" or source_type in TALK_TYPES:
        return True
    if is_prose(path, source_type):
        return not is_silent(path)
    return has_comments(suffix_of(path))


def is_prose(path: str, source_type: str) -> bool:
    """Whether the text as a whole is statements, rather than code with comments."""
    suffix = suffix_of(path)
    if f".{suffix}" in PROSE_SUFFIXES:
        return source_type != "config"
    return source_type in PROSE_TYPES and not has_comments(suffix)


@functools.lru_cache(maxsize=256)
def is_silent(path: str) -> bool:
    """Whether documents of this name state nothing about the project: logs, licences, templates,
    what a test compares with."""
    return bool(_SILENT.search(path))


def suffix_of(path: str) -> str:
    """The language by a path's ending: ``py``, ``dockerfile`` … or nothing."""
    name = path.rsplit("/", 1)[-1].lower()
    if name.startswith(("dockerfile", "makefile", "jenkinsfile")):
        return "dockerfile"
    return name.rsplit(".", 1)[1] if "." in name else ""


def has_comments(suffix: str) -> bool:
    return suffix in C_LIKE or suffix in HASH_LIKE or suffix in DASH_LIKE or suffix in ("py", "pyi")
