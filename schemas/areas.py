"""The areas of a project, and the words by which a text shows that it is about one.

The reader (an atom's area), hygiene (the areas of a chunk) and run control (gaps) use one table, so
that a gap and the chunks that fill it are found by the same words.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal, get_args

Area = Literal[
    "scope",
    "user_needs",
    "architecture_decisions",
    "data_model",
    "integrations",
    "security",
    "non_functional",
    "deployment_constraints",
    "operations",
    "testing",
    "delivery",
    "market",
]
AREAS: tuple[Area, ...] = get_args(Area)

AREA_WORDS: dict[Area, tuple[str, ...]] = {
    "scope": ("scope", "goal", "goals", "objective", "objectives", "non-goal", "purpose", "vision"),
    "user_needs": ("user", "users", "customer", "customers", "persona", "stakeholder", "usability"),
    "architecture_decisions": (
        "architecture",
        "decision",
        "decided",
        "design",
        "rationale",
        "alternative",
        "alternatives",
        "pattern",
        "component",
        "components",
        "module",
        "modules",
    ),
    "data_model": (
        "schema",
        "schemas",
        "entity",
        "entities",
        "table",
        "tables",
        "field",
        "fields",
        "database",
        "record",
        "records",
        "serialization",
        "migration",
        "model",
    ),
    "integrations": (
        "api",
        "apis",
        "integration",
        "integrations",
        "webhook",
        "protocol",
        "endpoint",
        "endpoints",
        "client",
        "sdk",
        "connector",
        "interface",
        "rpc",
        "http",
    ),
    "security": (
        "security",
        "auth",
        "authentication",
        "authorization",
        "encryption",
        "token",
        "tokens",
        "tls",
        "vulnerability",
        "attack",
        "permission",
        "permissions",
        "credential",
        "credentials",
        "signature",
    ),
    "non_functional": (
        "latency",
        "throughput",
        "performance",
        "scalability",
        "availability",
        "reliability",
        "sla",
        "timeout",
        "memory",
        "consistency",
    ),
    "deployment_constraints": (
        "deployment",
        "deploy",
        "docker",
        "kubernetes",
        "container",
        "containers",
        "cloud",
        "install",
        "installation",
        "platform",
        "helm",
        "terraform",
        "hardware",
    ),
    "operations": (
        "monitoring",
        "metrics",
        "logging",
        "alert",
        "alerts",
        "backup",
        "incident",
        "upgrade",
        "configuration",
        "operator",
        "operators",
        "observability",
        "runbook",
    ),
    "testing": ("test", "tests", "testing", "coverage", "benchmark", "fixture", "fuzzing", "ci"),
    "delivery": (
        "release",
        "releases",
        "roadmap",
        "milestone",
        "deadline",
        "sprint",
        "version",
        "deprecated",
        "deprecation",
        "changelog",
        "contributing",
    ),
    "market": ("market", "competitor", "competitors", "pricing", "revenue", "adoption", "vendor"),
}
_AREA_OF_WORD = {
    hyphens + word.encode(): area
    for area, words in AREA_WORDS.items()
    for word in words
    for hyphens in (b"", b"-", b"--")
}
_IN_A_WORD = b"abcdefghijklmnopqrstuvwxyz-"
_APART = bytes(at if at in _IN_A_WORD else 32 for at in range(256))


def area_counts(text: str) -> dict[Area, int]:
    """How many words of each area stand in ``text``; areas without any are absent.

    Words are letters and hyphens of ASCII. Bytes are cut into words several times faster than an
    expression finds them, and every chunk of every source comes through here.
    """
    letters = text.lower().encode("ascii", "replace").translate(_APART)
    words = letters.split()
    if b" ---" in letters or letters.startswith(b"---"):  # else two hyphens at most stand before
        words = [word.lstrip(b"-") for word in words]
    return Counter(filter(None, map(_AREA_OF_WORD.get, words)))


def main_area(text: str, default: Area = "scope") -> Area:
    """The area with most words in ``text``; ties go to the first in the order of the enum."""
    counts = area_counts(text)
    return max(AREAS, key=lambda area: counts.get(area, 0)) if counts else default
