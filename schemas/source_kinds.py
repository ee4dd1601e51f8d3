"""What a path alone tells of a source: its type, its tier, its language.

Connectors and hygiene both ask this before a byte is read. The tier follows from the type alone;
that a folder was uploaded makes none of its files important. Words of a path are compared whole
(``adr`` is not found inside ``quadrant``).
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from schemas.events.source import Connector, SourceType

MARKDOWN_SUFFIXES = frozenset(
    (
        *(".md", ".mdx", ".markdown", ".mkd", ".mkdn", ".mdown", ".mdwn", ".mdc"),
        *(".qmd", ".rmd", ".livemd"),
    )
)
# What connectors turn into Markdown (``connectors.documents``).
RENDERED_SUFFIXES = frozenset(
    (
        *(".ipynb", ".csv", ".tsv", ".vtt", ".srt", ".eml", ".mediawiki", ".wiki"),
        *(".html", ".htm", ".xhtml", ".docx", ".pdf"),
    )
)
# What people said to each other: transcripts and mails.
TALK_SUFFIXES: dict[str, SourceType] = {
    ".vtt": "interview",
    ".srt": "interview",
    ".eml": "comment",
}
PROSE_SUFFIXES = (
    MARKDOWN_SUFFIXES
    | RENDERED_SUFFIXES
    | {
        *(".rst", ".adoc", ".asciidoc", ".org"),
        *(".txt", ".text", ".tex", ".textile", ".rtf", ".feature"),
    }
)
ARCHITECTURE_SUFFIXES = MARKDOWN_SUFFIXES | {
    *(".rst", ".adoc", ".txt", ".html", ".htm", ".ipynb", ".mediawiki", ".docx", ".pdf"),
}
CONFIG_SUFFIXES = frozenset(
    [
        ".yaml",
        ".yml",
        ".toml",
        ".json",
        ".jsonc",
        ".jsonld",
        ".json5",
        ".ini",
        ".properties",
        ".xml",
        ".cfg",
        ".conf",
        ".env",
        ".editorconfig",
    ]
)
LANGUAGES = {
    ".adoc": "asciidoc", ".asciidoc": "asciidoc", ".bash": "shell", ".c": "c", ".cc": "cpp",
    ".cfg": "ini", ".clj": "clojure", ".conf": "ini", ".cpp": "cpp", ".cs": "csharp",
    ".css": "css", ".csv": "csv", ".cxx": "cpp", ".dart": "dart", ".env": "env", ".erl": "erlang",
    ".ex": "elixir", ".exs": "elixir", ".fs": "fsharp", ".go": "go", ".gradle": "groovy",
    ".graphql": "graphql", ".groovy": "groovy", ".h": "c", ".hpp": "cpp", ".hs": "haskell",
    ".html": "html", ".htm": "html", ".ini": "ini", ".ivy": "ivy", ".java": "java", ".jl": "julia",
    ".js": "javascript", ".json": "json", ".json5": "json", ".jsonc": "json", ".jsonld": "json",
    ".jsx": "javascript", ".kt": "kotlin", ".kts": "kotlin", ".less": "css", ".lua": "lua",
    ".m": "objectivec", ".mjs": "javascript", ".cjs": "javascript", ".ml": "ocaml", ".org": "org",
    ".php": "php",
    ".pl": "perl",
    ".pm": "perl", ".properties": "properties", ".proto": "protobuf", ".ps1": "powershell",
    ".py": "python", ".pyi": "python", ".qnt": "quint", ".r": "r", ".rb": "ruby",
    ".rs": "rust", ".rst": "restructuredtext", ".scala": "scala", ".scss": "css", ".sh": "shell",
    ".sol": "solidity", ".sql": "sql", ".swift": "swift", ".tex": "latex", ".tf": "terraform",
    ".tla": "tla", ".toml": "toml", ".ts": "typescript", ".tsx": "typescript", ".vue": "vue",
    ".xml": "xml", ".yaml": "yaml", ".yml": "yaml", ".zsh": "shell",
}  # fmt: skip
LANGUAGES |= dict.fromkeys(MARKDOWN_SUFFIXES | RENDERED_SUFFIXES, "markdown")
LANGUAGE_OF_NAME = {
    "dockerfile": "dockerfile",
    "makefile": "make",
    "gemfile": "ruby",
    "rakefile": "ruby",
    "go.mod": "gomod",
    "jenkinsfile": "groovy",
}
NOT_CODE = frozenset(("markdown", "restructuredtext", "asciidoc", "org", "latex", "csv", "html"))
MANIFESTS = (
    "package.json", "pyproject.toml", "requirements*.txt", "go.mod", "cargo.toml", "pom.xml",
    "build.gradle*", "gemfile", "composer.json", "*.csproj",
)  # fmt: skip
ENTRY_POINTS = (
    "main.*", "app.*", "index.*", "server.*", "__main__.py", "manage.py", "dockerfile",
    "docker-compose*",
)  # fmt: skip
ARCHITECTURE_WORDS = frozenset(
    ("architecture", "architectures", "adr", "adrs", "design", "designs")
)
TIER_1: frozenset[SourceType] = frozenset(
    ("readme", "agent_guide", "architecture_doc", "edited_artifact")
)
TIER_2: frozenset[SourceType] = frozenset(("entry_point", "manifest"))
_WORD = re.compile(r"[a-z0-9]+")


def suffix_of(path: str) -> str:
    """The last suffix of the file name in lower case with its dot, or an empty string."""
    name = path.rpartition("/")[2].lower()
    stem, dot, suffix = name.rpartition(".")
    return dot + suffix if dot and (stem or suffix == "env") else ""


def language_of(path: str) -> str | None:
    """The language a path's name stands for, or None."""
    name = path.rpartition("/")[2].lower()
    if name.startswith("dockerfile"):
        return "dockerfile"
    return LANGUAGE_OF_NAME.get(name) or LANGUAGES.get(suffix_of(path))


def source_type_of(path: str) -> SourceType:
    """The type of a file by its path; the first rule that fits wins."""
    folder, _, name = path.lower().rpartition("/")
    suffix = suffix_of(path)
    language = language_of(path)
    is_code = suffix in LANGUAGES and language not in NOT_CODE and suffix not in CONFIG_SUFFIXES
    if name.startswith("readme") and not is_code and suffix not in CONFIG_SUFFIXES:
        return "readme"
    if suffix in TALK_SUFFIXES:
        return TALK_SUFFIXES[suffix]
    if name in ("agents.md", "claude.md"):
        return "agent_guide"
    if suffix in ARCHITECTURE_SUFFIXES and _speaks_of_architecture(path.lower()):
        return "architecture_doc"
    if any(fnmatchcase(name, pattern) for pattern in MANIFESTS):
        return "manifest"
    if suffix not in PROSE_SUFFIXES and any(fnmatchcase(name, pattern) for pattern in ENTRY_POINTS):
        return "entry_point"
    if suffix in PROSE_SUFFIXES:
        return "doc"
    if suffix in CONFIG_SUFFIXES:
        return "config"
    return "code" if is_code or name in LANGUAGE_OF_NAME else "other"


def _speaks_of_architecture(path: str) -> bool:
    if not ARCHITECTURE_WORDS.isdisjoint(_WORD.findall(path)):
        return True
    return f"/{path}".find("/docs/arch") >= 0


def priority_tier_of(source_type: SourceType, connector: Connector = "upload") -> int:
    """1, 2 or 3; what a person edited in Cairn is always of the first."""
    if source_type in TIER_1 or connector == "artifact_edit":
        return 1
    return 2 if source_type in TIER_2 else 3
