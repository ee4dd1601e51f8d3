"""Dependency manifests: which components a project is declared to be built on.

Only direct dependencies are read, and none on another part of the same repository. Each is an
entity whose wording does not name the file: the same component in many modules is one atom.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_QUOTED = r"[\"']([^\"'\s]+)[\"']"
_JSON = re.compile(r"^\s*\"(@?[\w./-]+)\"\s*:\s*\"([~^>=<v]*\d[\w.*-]*)\"", re.MULTILINE)
_JSON_SECTION = re.compile(r"\"(dependencies|peerDependencies|require)\"\s*:\s*\{([^{}]*)\}")
_GO = re.compile(
    r"^(?:require\s+|\t)([\w.-]+\.[a-z]{2,}/[\w./~-]+) (v[\w.+-]+)(?!.*// indirect)", re.MULTILINE
)
_PYTHON = re.compile(
    r"^[ \t]*([A-Za-z][\w.-]*)(?:\[[\w, -]+\])?[ \t]*"
    r"(?:(?:[=~]=|>=?)[ \t]*([\w.*]+)|[<>=~!][^#;\n]*)?[ \t]*(?:;[^#\n]*)?(?:#.*)?$",
    re.MULTILINE,
)
_TOML = re.compile(
    r"^([\w-]+)\s*=\s*(?:\"([~^>=<]*[\d*][^\"]*)\"|"
    r"\{(?![^}\n]*\bpath\s*=)[^}\n]*?(?:version\s*=\s*\"([^\"]+)\")?[^}\n]*\})",
    re.MULTILINE,
)
_GRADLE = re.compile(
    r"^\s*(?:implementation|api|compileOnly|"
    r"runtimeOnly)\s*\(?\s*[\"']([\w.-]+):([\w.-]+)(?::([\w.-]+))?[\"']",
    re.MULTILINE,
)
_MAVEN = re.compile(
    r"<dependency>\s*<groupId>[^<]+</groupId>\s*<artifactId>([^<$]+)</artifactId>"
    r"(?:\s*<version>([^<$]+)</version>)?",
)
_GEM = re.compile(rf"^\s*gem\s+{_QUOTED}(?:,\s*[\"']([~>=< \d.]+)[\"'])?", re.MULTILINE)
_PYPROJECT_LIST = re.compile(
    r"(?m)^dependencies\s*=\s*\[((?:[^\]\"'#]|\"[^\"\n]*\"|'[^'\n]*'|#[^\n]*)*+)\]"
)
_PYPROJECT_ITEM = re.compile(
    r"#[^\n]*|"
    + "|".join(
        rf"{quote}([A-Za-z][\w.-]*)(?:\[[^\]\n]*\])?\s*"
        rf"(?:(?:[=~]=|>=?)\s*([\w.*]+)\s*(?=[;{quote}]))?[^{quote}\n]*{quote}"
        for quote in "\"'"
    )
)
_CARGO_SECTION = re.compile(r"(?m)^\[(?:workspace\.)?dependencies\]\s*$(.*?)(?=^\[|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Dependency:
    """A declared dependency and the span of its declaration in the chunk."""

    name: str
    version: str
    start: int
    end: int


def dependencies(text: str, path: str, structure: tuple[str, ...]) -> list[Dependency]:
    """Direct dependencies in order of their declaration, each once."""
    name = path.rsplit("/", 1)[-1].lower()
    under = structure[-1].lower() if structure else ""
    results: list[Dependency] = []
    for pattern, start, end in _plans(text, name, under):
        for match in pattern.finditer(text, start, end):
            named = [group for group in match.groups() if group]
            if not named:
                continue
            label, version, *_ = [*(named[1:] if pattern is _GRADLE else named), ""]
            results.append(
                Dependency(label, version.lstrip("^~=v ").strip(), match.start(), match.end())
            )
    unique: dict[str, Dependency] = {}
    for result in results:
        unique.setdefault(result.name.lower(), result)
    return list(unique.values())


def _plans(text: str, name: str, under: str) -> list[tuple[re.Pattern[str], int, int]]:
    """Which pattern reads which part of the chunk."""
    whole = (0, len(text))
    if name in ("package.json", "composer.json"):
        spans = [match.span(2) for match in _JSON_SECTION.finditer(text)]
        if not spans and under in ("dependencies", "peerdependencies", "require"):
            spans = [whole]
        return [(_JSON, *span) for span in spans]
    if name == "go.mod":
        return [(_GO, *whole)]
    if name.startswith("requirements") and name.endswith(".txt"):
        return [(_PYTHON, *whole)]
    if name == "pyproject.toml":
        return [(_PYPROJECT_ITEM, *match.span(1)) for match in _PYPROJECT_LIST.finditer(text)]
    if name == "cargo.toml":
        spans = [match.span(1) for match in _CARGO_SECTION.finditer(text)]
        if not spans and under in ("dependencies", "workspace.dependencies"):
            spans = [whole]
        return [(_TOML, *span) for span in spans]
    if name.startswith("build.gradle"):
        return [(_GRADLE, *whole)]
    if name == "pom.xml":
        return [(_MAVEN, *whole)]
    return [(_GEM, *whole)] if name == "gemfile" else []
