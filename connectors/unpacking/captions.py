"""Captions and transcripts (WebVTT, SubRip): who said what, without the cues that cut it.

A sentence goes over several cues. So cues of one speaker are joined until a long pause or until the
passage is long enough, with the time of its first cue in front of it.
"""

from __future__ import annotations

import html
import re

from connectors.unpacking.rendering import Unread, joined, one_line, place, text_of

PAUSE_S = 10.0
LONG_CHARS = 600
FEWEST_REPEATED, MOST_REPEATED = 3, 30  # words
TIMES = re.compile(r"^\s*((?:\d+:)?\d+:\d+(?:[.,]\d+)?)\s*-->\s*((?:\d+:)?\d+:\d+(?:[.,]\d+)?)")
VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
NAMED = re.compile(r"^(?:>>\s*)?(\w[\w .'’-]{0,40}):\s+(?=\S)")
MARK = re.compile(r"</?(?:[a-z]+|\d[\d:.]*)(?:[.\s][^<>]*)?>|\{\\[^{}]*\}", re.IGNORECASE)
SENTENCE_END = re.compile(r"[.!?…][\"'”’)]*$")


def talk_of(content: bytes) -> str:
    """Raises Unread."""
    cues = _cues(text_of(content))
    if not cues:
        raise Unread("no_text", "no cue with a time")
    parts: list[str] = []
    speaker, begun, ended, words = "", "", 0.0, ""
    for start, stop, who, text in cues:
        whole = len(words) > LONG_CHARS and SENTENCE_END.search(words)
        if words and (who != speaker or _seconds(start) - ended > PAUSE_S or whole):
            parts += _passage(begun, speaker, words)
            words = ""
        if not words:
            begun, speaker = start, who
        words = _continue(words, text)
        ended = _seconds(stop)
    return joined([*parts, *_passage(begun, speaker, words)])


def _cues(text: str) -> list[tuple[str, str, str, str]]:
    """Start, end, speaker and text; a cue without a name goes on with the speaker before it."""
    cues: list[tuple[str, str, str, str]] = []
    who = ""
    for block in re.split(r"\n[ \t]*\n", text):
        lines = block.strip("\n").split("\n")
        at = next((n for n, line in enumerate(lines[:3]) if TIMES.match(line)), None)
        if at is None:  # heading, note, style
            continue
        times = TIMES.match(lines[at])
        assert times
        raw = "\n".join(lines[at + 1 :])
        for voice, part in _voices(raw):
            who = voice or who
            if spoken := one_line(html.unescape(MARK.sub("", part))):
                cues.append((times[1], times[2], who, spoken))
    return cues


def _voices(raw: str) -> list[tuple[str, str]]:
    pieces = VOICE.split(raw)
    remarks = [("", pieces[0])] if pieces[0].strip() else []
    remarks += [
        (one_line(who), remark) for who, remark in zip(pieces[1::2], pieces[2::2], strict=True)
    ]
    return [_named(who, remark) for who, remark in remarks]


def _named(who: str, text: str) -> tuple[str, str]:
    """A name in front of what is said, as transcripts write it."""
    if who or not (match := NAMED.match(text.strip())):
        return who, text
    return one_line(match[1]), text.strip()[match.end() :]


def _continue(before: str, text: str) -> str:
    """Live captions repeat the line before; only what is new is taken."""
    if before.endswith(text):
        return before
    tail, words = before.split()[-MOST_REPEATED:], text.split()
    repeated = range(min(len(tail), len(words)), FEWEST_REPEATED - 1, -1)
    again = next((count for count in repeated if tail[-count:] == words[:count]), 0)
    return " ".join([before, *words[again:]]).strip()


def _passage(begun: str, speaker: str, text: str) -> list[str]:
    return [place(f"{begun} {speaker}".strip()), text] if text else []


def _seconds(written: str) -> float:
    parts = [float(part) for part in written.replace(",", ".").split(":")]
    return sum(part * 60.0**power for power, part in enumerate(reversed(parts)))
