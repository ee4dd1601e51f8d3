"""What lines alone say of a file that has no parser here, or that cannot be parsed."""

from __future__ import annotations

import re

from agents.development.codebase.facts import Declaration, FileFacts, first_line, one_line

_MOST_LINES = 20_000
_IMPORT = re.compile(
    r"^\s*(?:import\b|from\s+[\w.]+\s+import\b|use\s+[\w:]+|using\s+[\w.]+|require(?:_once)?\b"
    r"|#\s*include\b|source\s+\S|include\b\s*[\"'(])"
)
_CLASS = re.compile(
    r"^\s*(?:(?:export|default|public|private|protected|internal|abstract|final|sealed|static|data"
    r"|pub(?:\([^)]*\))?|partial|open)\s+)*"
    r"(?:class|interface|struct|enum|trait|impl|module|type|record|object|protocol|namespace)\s+"
    r"(?P<name>\w+)"
)
_FUNCTION = re.compile(
    r"^\s*(?:(?:export|default|public|private|protected|internal|static|async|final|override|pub"
    r"|abstract|virtual|inline|suspend|open)\s+)*"
    r"(?:def|function|func|fn|fun|sub|proc)\s+(?:\([^)]*\)\s*)?(?P<name>[\w.]+[?!]?)"
    r"|^\s*(?!(?:return|else|new|throw|case)\b)(?:[\w<>\[\],.*&:?]++\s++)+(?P<typed>\w+)\([^;={}]*\)"
    r"(?:\s++(?:const|noexcept|override|throws\s++[\w,. ]++))*\s*+\{\s*$"
    r"|^(?P<shell>[\w-]+)\s*\(\)\s*\{"
    r"|^\s*(?:create|CREATE)\s+(?:or replace |OR REPLACE )?(?:table|TABLE|view|VIEW|function"
    r"|FUNCTION|index|INDEX)\s+(?P<table>[\w.\"]+)"
)
_CALL = re.compile(r"\b([A-Za-z_]\w{2,})\s*\(")
_WORDS = frozenset(("if", "for", "while", "switch", "return", "catch", "function", "elif", "not"))
_COMMENT = re.compile(r"^\s*(?://|/\*|#(?!!|\s*include)|--|;|[\"']{3}|<!--|%)")
_HEADING = re.compile(r"^#{1,3}\s+(?P<name>\S.*)$")


def read_lines(language: str, text: str) -> FileFacts:
    """Imports, and the lines that look like the beginning of a class or a function."""
    lines = text.splitlines()[:_MOST_LINES]
    imports, declarations = [], []
    for line in lines:
        if len(line) > 1_000:
            continue
        if _IMPORT.match(line):
            imports.append(one_line(line.strip().rstrip(";")))
        elif language == "Markdown" and (heading := _HEADING.match(line)):
            declarations.append(Declaration("field", heading["name"], one_line(line)))
        elif match := _CLASS.match(line):
            header = one_line(line.strip().rstrip("{:").rstrip())
            declarations.append(Declaration("class", match["name"], header))
        elif match := _FUNCTION.match(line):
            name = next(filter(None, match.groups()), "")
            header = one_line(line.strip().rstrip("{:").rstrip())
            declarations.append(Declaration("function", name, header))
    calls = {name for line in lines for name in _CALL.findall(line[:1_000])} - _WORDS
    doc = next((first_line(it) for it in lines[:5] if _COMMENT.match(it) and first_line(it)), "")
    return FileFacts(
        language,
        text.count("\n") + 1,
        doc,
        tuple(dict.fromkeys(imports)),
        tuple(dict.fromkeys(imports)),
        tuple(declarations),
        frozenset(calls),
        is_parsed=False,
    )
