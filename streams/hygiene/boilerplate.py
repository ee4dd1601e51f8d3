"""Boilerplate: text that stands in every project and says nothing about this one."""

from __future__ import annotations

import re

from streams.hygiene.filter import Skip

SHORTEST_CHUNK = 20  # characters
LONGEST_HEADER = 8_000
LICENCE_MARKS = (
    "licensed under", "spdx-license-identifier", "all rights reserved",
    "permission is hereby granted",
    "redistribution and use in source", "gnu general public license", "mozilla public license",
    "apache license", "eclipse public license", "terms of the license",
    "terms and conditions for use",
    "without warranties or conditions", "warranty of any kind", "mit license", "copyright (c)",
    "copyright ©", "copyright 20", "copyright 19", "limitation of liability", "bsd-style license",
    "grant of patent license", "as is\" basis", "license agreement",
)  # fmt: skip
LICENCE_NAMES = re.compile(r"(?:^|/)(?:licen[cs]e|copying|notice|unlicense)(?:[-.][\w.-]*)?$", re.I)
HEADER = re.compile(
    r"\s*+(?:\#![^\n]*\n\s*+)?(?:/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/|(?://[^\n]*(?:\n|$))+"
    r"|(?:\#[^\n]*(?:\n|$))+"
    r"|(?:--[^\n]*(?:\n|$))+|(?:[%;]+[^\n]*(?:\n|$))+"
    r"|(?:<\?[^>]{0,200}\?>\s*+)?<!--(?:[^-]|-(?!->))*+-->)",
    re.VERBOSE,
)
CONTENTS_TITLE = re.compile(r"(?:table of )?contents|toc|inhaltsverzeichnis", re.I)
CONTENTS_LINE = re.compile(
    r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[^\]]*\]\([^)]*\)|<a\b[^>]*>[^<]*</a>|`[^`]*<[^>]*>`_).{0,40}$"
)
CONTENTS_ANCHOR = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+\[[^\]]*\]\(#[^)]*\)\s*$")
BADGE = re.compile(
    r"\[?!\[[^\[\]\n]*+\]\([^()\n]*+\)\]?(?:\([^()\n]*+\)|\[[^\[\]\n]*+\])?|</?(?:a|img|p|div"
    r"|center|br)\b[^<>]*+>"
)
BADGE_MARKS = (
    "badge",
    "shields.io",
    "travis-ci",
    "codecov",
    "circleci",
    "/workflows/",
    "coveralls",
)
FEWEST_CONTENTS_LINES = 3
CONTENTS_SHARE = 0.8


def licence_end(text: str) -> int:
    """The end of the licence comment at the top of a file, 0 when there is none."""
    match = HEADER.match(text, 0, LONGEST_HEADER)
    if match is None or not _speaks_of_licence(match[0].lower(), 1):
        return 0
    end = match.end()
    return end + 1 if text.startswith("\n", end) else end


def skip_chunk(text: str, path: str, title: str, is_licence: bool, is_prose: bool) -> Skip | None:
    """Why a chunk is not handed on, or None. ``title`` is its innermost heading."""
    if is_licence:
        return Skip("boilerplate", "licence header")
    if len(text.strip()) < SHORTEST_CHUNK:
        return Skip("too_short", f"fewer than {SHORTEST_CHUNK} characters")
    if LICENCE_NAMES.search(path) and _speaks_of_licence(text.lower(), 1):
        return Skip("boilerplate", "licence text")
    if not is_prose:
        return None
    if "icen" in text and _speaks_of_licence(text.lower(), 4):
        return Skip("boilerplate", "licence text")
    lines = [line for line in text.split("\n") if line.strip()]
    if _is_contents(lines, title, "](#" in text):
        return Skip("boilerplate", "table of contents")
    if _is_badges(lines, text):
        return Skip("boilerplate", "badge block")
    return None


def _speaks_of_licence(lowered: str, marks: int) -> bool:
    return sum(mark in lowered for mark in LICENCE_MARKS) >= marks


def _is_contents(lines: list[str], title: str, has_anchors: bool) -> bool:
    entitled = CONTENTS_TITLE.fullmatch(title.strip(" :")) is not None
    if not entitled and not has_anchors:
        return False
    listed = lines[1:] if lines[0].lstrip().startswith(("#", "=")) else lines
    pattern = CONTENTS_LINE if entitled else CONTENTS_ANCHOR
    links = sum(pattern.match(line) is not None for line in listed)
    return links >= FEWEST_CONTENTS_LINES and links >= CONTENTS_SHARE * len(listed)


def _is_badges(lines: list[str], text: str) -> bool:
    body = lines[1:] if lines[0].startswith("#") else lines
    if not body or body[0].lstrip()[0] not in "[!<":
        return False
    if not any(mark in text for mark in BADGE_MARKS):
        return False
    return not BADGE.sub("", "".join(body)).strip()
